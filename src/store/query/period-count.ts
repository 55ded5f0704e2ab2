// Counts records, in total, for each subject, or for each hour, day or month of a time zone. SQLite has no time zones: it counts by
// hours of UTC, and by instants within an hour of UTC that belongs to two periods.
import type { PeriodCount, CountQuery } from '../../core/capability/port/record-port.ts'
import { utcZone, type Zone } from '../../core/zone.ts'
import type { SqlRow } from '../../core/ports.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import { joinConditions, type ReadRows } from '../condition/condition.ts'
import type { Fragment } from '../schema/column.ts'

const hourMs = 3_600_000
/** Length of a canonical instant up to its hour, such as `2026-01-31T09`. */
const hourLength = 13
/** Length of a whole canonical instant. */
const instantLength = 24
/** Length of a local instant up to its hour, day or month. */
const periodLengths = { hour: 13, day: 10, month: 7 } as const

interface CountRow extends SqlRow {
  /** The beginning of a canonical instant: up to its hour, day or month, or whole. */
  readonly at: string
  readonly count: number
  /** How many of them have `success: false`. */
  readonly failed: number
}

type Period = Exclude<CountQuery['by'], 'none' | 'subject'>

/** Counts the records that satisfy `where`, in total and by periods of `zone`. */
export function countRecords(
  read: ReadRows,
  zone: Zone,
  by: CountQuery['by'],
  where: readonly Fragment[],
): PeriodCount {
  if (by === 'none') return { total: countAll(read, where), buckets: [] }
  return by === 'subject' ? countBySubject(read, where) : countByPeriod(read, zone, by, where)
}

function countBySubject(read: ReadRows, where: readonly Fragment[]): PeriodCount {
  const hasSubject = { sql: 'f.subject IS NOT NULL', params: [] }
  const { condition, params, recordsJoin } = joinConditions([...where, hasSubject])
  const buckets = read<CountRow>(
    `SELECT f.subject AS at, count(*) AS count, total(f.success = 0) AS failed
     FROM facets f ${recordsJoin} WHERE ${condition} GROUP BY 1 ORDER BY 1`,
    params,
  )
  return { total: buckets.reduce((sum, { count }) => sum + count, 0), buckets }
}

function countAll(read: ReadRows, where: readonly Fragment[]): number {
  const { condition, params, recordsJoin } = joinConditions(where)
  const counted = read<SqlRow & { readonly total: number }>(
    `SELECT count(*) AS total FROM facets f ${recordsJoin} WHERE ${condition}`,
    params,
  )
  return counted[0]?.total ?? 0
}

function countByPeriod(read: ReadRows, zone: Zone, by: Period, where: readonly Fragment[]): PeriodCount {
  const countBy = (length: number, ...extraConditions: readonly Fragment[]) => {
    const { condition, params, recordsJoin } = joinConditions([...where, ...extraConditions])
    return read<CountRow>(
      `SELECT substr(f.happened_at, 1, ?) AS at, count(*) AS count, total(f.success = 0) AS failed
       FROM facets f ${recordsJoin} WHERE ${condition} GROUP BY 1 ORDER BY 1`,
      [length, ...params],
    )
  }
  const periods = createPeriods(zone, by)
  /** The hours of UTC that belong to two periods. */
  const sharedHours: string[] = []
  // In UTC a period is a prefix of an instant.
  const isUtc = zone === utcZone
  for (const row of countBy(isUtc ? periodLengths[by] : hourLength)) {
    const start = parseTime(isUtc ? toFullTime(row.at) : `${row.at}:00`) ?? 0
    if (isUtc) periods.add(start, row)
    else if (periods.keyOf(start) === periods.keyOf(start + hourMs - 1)) periods.add(start, row)
    else sharedHours.push(row.at)
  }
  if (sharedHours.length > 0) {
    const inSharedHours = {
      sql: `substr(f.happened_at, 1, ${hourLength}) IN (SELECT value FROM json_each(?))`,
      params: [JSON.stringify(sharedHours)],
    }
    for (const row of countBy(instantLength, inSharedHours)) periods.add(parseTime(row.at) ?? 0, row)
  }
  return periods.result()
}

/** Completes the name of an hour, day or month in UTC to a time. */
const toFullTime = (name: string): string => `${name}${'0000-01-01T00:00'.slice(name.length)}`

function createPeriods(zone: Zone, by: Period) {
  const counts = new Map<number, { count: number; failed: number }>()
  const starts = new Map<string, number>()
  const localOf = (ms: number) => new Date(ms + zone.offsetAt(ms)).toISOString()
  /** The start of the period that includes `ms`. When clocks go back, the repeated hour is two periods. */
  const startOf = (ms: number): number => {
    const local = localOf(ms)
    if (by === 'hour') return (parseTime(`${local.slice(0, hourLength)}:00`) ?? 0) - zone.offsetAt(ms)
    const name = local.slice(0, periodLengths[by])
    const cached = starts.get(name)
    if (cached !== undefined) return cached
    const start = zone.startOfDay(by === 'day' ? name : `${name}-01`)
    starts.set(name, start)
    return start
  }
  return {
    keyOf: startOf,
    add(ms: number, { count, failed }: Pick<CountRow, 'count' | 'failed'>) {
      const start = startOf(ms)
      const earlier = counts.get(start)
      counts.set(start, { count: count + (earlier?.count ?? 0), failed: failed + (earlier?.failed ?? 0) })
    },
    result(): PeriodCount {
      const sorted = [...counts].sort(([a], [b]) => a - b)
      const buckets = sorted.map(([start, counted]) => ({
        at: formatTime(start),
        ...counted,
      }))
      return { total: buckets.reduce((sum, { count }) => sum + count, 0), buckets }
    },
  }
}
