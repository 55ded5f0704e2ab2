// Raw records of digests: messages, thoughts, approved memories and traces; and their days and weeks. The kinds
// belong to other chapters; this file lists their names and paths.
import { isJsonObject, type JsonObject, readPath, textValues } from '../../../core/json/path.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import type { Stored } from '../../../core/record.ts'
import { isSealing } from '../../../core/sealed.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { personaFilter, type Persona } from '../persona/persona.ts'
import { dayMs, type Zone } from '../../../core/zone.ts'

interface RawKind {
  readonly kind: string
  /** Path of the field with the time of the event. */
  readonly time: string
  /** Filter for the persona's records of this kind. Default: records of its agents. */
  readonly where?: JsonObject
}

const agentKinds: readonly RawKind[] = [
  { kind: 'message', time: 'timestamp' },
  { kind: 'thought', time: 'timestamp' },
  { kind: 'trace', time: 'timestamp' },
]

/**
 * Kinds of the persona's raw records. Memories that the persona proposed belong to the user: they count after
 * approval. They don't count for the persona of a token's agent, whose days would then depend on the caller's rights.
 */
function rawKinds({ key: [type], agents }: Persona): readonly RawKind[] {
  // A persona of a token: see `key` in persona/persona.ts.
  if (type === 'agent') return agentKinds
  const where = { status: 'approved', 'source.agent': { in: [...agents] } }
  return [...agentKinds, { kind: 'memory', time: 'source.timestamp', where }]
}

/** The fields of a raw record that digests use. */
export interface RawRecord {
  readonly id: string
  readonly kind: string
  readonly happenedAt: string
  /** Time of storage; orders records with the same `happenedAt`. */
  readonly storedAt: string
  readonly session: string
  /** Type of the speaker, such as `User` or `Agent`; empty without a speaker. */
  readonly speaker: string
  /** Name of the speaker. */
  readonly name: string
  readonly text: string
  /** Type of a thought; empty for another kind. */
  readonly type: string
  /** 0 to 1: by a mark, else by the record; default 0.5. */
  readonly importance: number
  /** Collection of its mark; empty without one. */
  readonly collection: string
  /** True: it goes only to a model that may get sensitive texts. */
  readonly isSensitive: boolean
  /** Only of a trace: its task, and whether the task succeeded. */
  readonly task?: { readonly goal: string; readonly domain: string; readonly isDone: boolean }
}

/** From `from` until before `to`, in milliseconds since 1970 UTC. */
interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** A day keeps its records after they are archived (expired) or superseded. */
const include = { expired: true, superseded: true } as const

function filtersOf(
  persona: Persona,
  { time, where = personaFilter(persona) }: RawKind,
  { from, to }: TimeSpan,
) {
  return { ...where, [time]: { gte: formatTime(from), lt: formatTime(to) } }
}

/** Number of readable raw records in a span. */
export function countRawRecords(
  records: Pick<RecordReader, 'count'>,
  persona: Persona,
  span: TimeSpan,
): number {
  return rawKinds(persona).reduce((sum, rawKind) => {
    const filters = filtersOf(persona, rawKind, span)
    return sum + records.count({ kind: rawKind.kind, filters, include, by: 'none' }).total
  }, 0)
}

/**
 * True if a record that can't be read here may be a raw record of the span: its time is sealed, but it was stored after
 * the span began. A day more, because clocks of devices differ.
 */
export function mayLackRecords(
  { unread }: Pick<RecordReader, 'unread'>,
  persona: Persona,
  { from }: TimeSpan,
): boolean {
  const since = formatTime(from - dayMs)
  return rawKinds(persona).some(({ kind, where }) => {
    // With `where`, a sealed field names the persona.
    const agents = where ? [undefined] : persona.agents
    return agents.some((agent) => unread({ kinds: [kind], agent, since }) > 0)
  })
}

/** The raw records of a span, oldest first. */
export function listRawRecords(
  records: Pick<RecordReader, 'query'>,
  persona: Persona,
  span: TimeSpan,
): RawRecord[] {
  const rawRecords = rawKinds(persona).flatMap((rawKind) => {
    const rawRecords: RawRecord[] = []
    for (let cursor: string | undefined; ;) {
      const filters = filtersOf(persona, rawKind, span)
      const page = records.query({
        kind: rawKind.kind,
        filters,
        include,
        orderBy: rawKind.time,
        limit: 1000,
        cursor,
      })
      rawRecords.push(...page.records.map((record) => toRawRecord(record, rawKind.time)))
      cursor = page.cursor
      if (cursor === undefined) return rawRecords
    }
  })
  return rawRecords.toSorted((a, b) => compareRawRecords(a, b))
}

/** Orders raw records by time, then by storage, then by id. */
export const compareRawRecords = (a: RawRecord, b: RawRecord): number =>
  compareTexts(a.happenedAt, b.happenedAt) || compareTexts(a.storedAt, b.storedAt) || compareTexts(a.id, b.id)

/** -1, 0 or 1, by UTF-16 units. */
export const compareTexts = (a: string, b: string): number => {
  if (a === b) return 0
  return a < b ? -1 : 1
}

const textAt = (record: object, path: string): string => {
  const value = readPath(record, path)
  return typeof value === 'string' ? value : ''
}

function toRawRecord(record: Stored<JsonObject>, time: string): RawRecord {
  const { id, kind, session = '', marks, sensitivity } = record
  const importance = marks?.importance ?? record['importance']
  const common = {
    id,
    kind,
    happenedAt: textAt(record, time),
    storedAt: record.created_at,
    session,
    speaker: textAt(record, 'source.type'),
    name: textAt(record, 'source.name') || textAt(record, 'source.id'),
    text: textAt(record, 'content'),
    type: kind === 'thought' ? textAt(record, 'type') : '',
    importance: typeof importance === 'number' ? importance : 0.5,
    collection: marks?.collection ?? '',
    isSensitive: isSealing(sensitivity),
  }
  return kind === 'trace' ? { ...common, ...taskFields(record) } : common
}

function taskFields(record: Stored<JsonObject>): Pick<RawRecord, 'text' | 'task'> {
  const goal = textAt(record, 'task.goal')
  const outcome = textValues(readPath(record, 'result.outcome')).join(', ')
  const result = record['result']
  const isDone = isJsonObject(result) && result['success'] === true
  const text = outcome === '' ? goal : `${goal}: ${outcome}`
  return { text, task: { goal, domain: textAt(record, 'situation.domain'), isDone } }
}

/** Time of the persona's first raw record, in milliseconds since 1970 UTC; undefined without one. */
export function firstRawMs(records: Pick<RecordReader, 'query'>, persona: Persona): number | undefined {
  const firstTimesMs = rawKinds(persona).flatMap((rawKind) => {
    const filters = rawKind.where ?? personaFilter(persona)
    const { records: firstRecords } = records.query({
      kind: rawKind.kind,
      filters,
      include,
      orderBy: rawKind.time,
      limit: 1,
    })
    return firstRecords.flatMap((record) => parseTime(textAt(record, rawKind.time)) ?? [])
  })
  return firstTimesMs.length === 0 ? undefined : Math.min(...firstTimesMs)
}

/** Start of the day in UTC, in which every day has 24 hours. */
const utcMs = (day: string) => parseTime(day) ?? 0
const formatDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The day `count` days after `day`. */
export const addDays = (day: string, count = 1): string => formatDay(utcMs(day) + count * dayMs)

/** The days from `first` to `last`, both included. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = addDays(day)) days.push(day)
  return days
}

/** From the beginning of `first` until the end of `last`, in `zone`. Default of `last`: `first`. */
export const spanOfDays = (zone: Zone, first: string, last: string = first): TimeSpan => ({
  from: zone.startOfDay(first),
  to: zone.endOfDay(last),
})

/**
 * The ISO 8601 week of `day`, from Monday to Sunday. A week belongs to the year of its Thursday. `id`: `2026-W05`;
 * `first` and `last`: days such as `2026-01-31`.
 */
export function isoWeekOf(day: string): {
  readonly id: string
  readonly first: string
  readonly last: string
} {
  // Days since Monday.
  const weekday = (new Date(utcMs(day)).getUTCDay() + 6) % 7
  const first = addDays(day, -weekday)
  const thursday = addDays(first, 3)
  const year = thursday.slice(0, 4)
  const weekNumber = 1 + Math.floor((utcMs(thursday) - utcMs(`${year}-01-01`)) / dayMs / 7)
  return { id: `${year}-W${String(weekNumber).padStart(2, '0')}`, first, last: addDays(first, 6) }
}
