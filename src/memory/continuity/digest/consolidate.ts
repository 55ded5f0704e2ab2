// Consolidation: writes missing digests, weeks and patterns, and archives the records that they cover.
import { dayMs } from '../../../core/zone.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import type { Persona } from '../persona/persona.ts'
import { countUnread, findDigests, isUnread, patternName } from './digest-record.ts'
import { sealedField } from '../../../shape/field.ts'
import { findPatterns, writePatterns } from './pattern.ts'
import { dayOf, type DigestContext, writeDays, missingDays } from './write-day.ts'
import { writeWeek, missingWeeks } from './write-week.ts'
import { archiveRecords, type RetentionReason, planArchive } from './archive-record.ts'
import { countRawRecords, addDays, spanOfDays } from './raw-record.ts'

/** Hours and new records after which `isConsolidationDue` returns true, whichever comes first. */
export const consolidationThresholds = { hours: 6, records: 1000 } as const
/** Number of days before now whose digests are searched for patterns. */
const patternLookbackDays = 365

export interface ConsolidationResult {
  /** Ids of the digests written; in a dry run, the days and weeks that would be written. */
  readonly digests: string[]
  /** Ids of new and changed patterns; in a dry run, their subjects. */
  readonly patterns: string[]
  /** Number of archived records. */
  readonly archived: number
  /** Number of records that stay, by reason. */
  readonly retained: Partial<Record<RetentionReason, number>>
  /** Reasons why digests are extractive although there is a model. */
  readonly degraded: string[]
  /** Number of digests and patterns that stay as they are, because they can't be read here. Absent: 0. */
  readonly sealed?: number
}

/** The days whose digests a pattern is found in, at the time `untilMs` (milliseconds since 1970 UTC). */
export const patternRange = (untilMs: number) => ({ from: formatTime(untilMs - patternLookbackDays * dayMs) })

const rangeUntilNow = ({ call }: DigestContext) => patternRange(parseTime(call.now) ?? 0)

/** Digests first: only records of a day with a digest are archived. */
export async function consolidate(at: DigestContext, persona: Persona): Promise<ConsolidationResult> {
  const days = await writeDays(at, persona, dayOf(persona, at.call.now))
  const weeks: string[] = []
  for (const week of missingWeeks(at, persona)) weeks.push(await writeWeek(at, persona, week))
  const patterns = await writePatterns(
    at,
    persona,
    findDigests(at.records, persona, 'day', rangeUntilNow(at)),
  )
  const { toArchive, retainedCounts } = planArchive(at, persona)
  return {
    digests: [...days.filter(({ isNew }) => isNew).map(({ id }) => id), ...weeks],
    patterns,
    archived: await archiveRecords(at, persona, toArchive),
    retained: retainedCounts,
    degraded: [...new Set(days.flatMap(({ degraded }) => degraded ?? []))],
    ...sealedField(countUnread(at.records, persona)),
  }
}

/** Returns the result that `consolidate` would have, and writes nothing. Patterns come from the current digests. */
export function planConsolidation(at: DigestContext, persona: Persona): ConsolidationResult {
  const patterns = findPatterns(findDigests(at.records, persona, 'day', rangeUntilNow(at))).filter(
    ({ type, about }) => !isUnread(at.records, patternName(persona, type, about)),
  )
  const { toArchive, retainedCounts } = planArchive(at, persona)
  return {
    digests: [
      ...missingDays(at.records, persona, dayOf(persona, at.call.now)),
      ...missingWeeks(at, persona).map(({ id }) => id),
    ],
    patterns: patterns.map(({ about }) => about),
    archived: toArchive.length,
    retained: retainedCounts,
    degraded: [],
    ...sealedField(countUnread(at.records, persona)),
  }
}

/**
 * True if today's or yesterday's digest is missing (`missingDays`), and these digests lack at least a thousand raw
 * records or the last of them is at least six hours old.
 */
export function isConsolidationDue(
  records: Pick<RecordReader, 'count' | 'find' | 'query' | 'unread'>,
  persona: Persona,
  now: string,
): boolean {
  const today = dayOf(persona, now)
  // The 1: checks today and the day before. Days that may lack locked records are not missing: a consolidation can't
  // write them.
  if (missingDays(records, persona, today, 1).length === 0) return false
  const from = addDays(today, -1)
  const digests = findDigests(records, persona, 'day', { from: formatTime(persona.zone.startOfDay(from)) })
  const digestTimesMs = digests.map(({ updated_at }) => parseTime(updated_at) ?? 0)
  const digestedCount = digests.reduce((sum, { raw }) => sum + raw, 0)
  const rawCount = countRawRecords(records, persona, spanOfDays(persona.zone, from, today))
  const elapsedMs = (parseTime(now) ?? 0) - Math.max(0, ...digestTimesMs)
  return (
    rawCount - digestedCount >= consolidationThresholds.records ||
    elapsedMs >= consolidationThresholds.hours * 3_600_000
  )
}
