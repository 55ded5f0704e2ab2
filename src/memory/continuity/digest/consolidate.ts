// Consolidation: writes missing digests, weeks and patterns, and archives the records that they cover.
import { dayMs } from '../../../core/zone.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import type { Persona } from '../persona/persona.ts'
import { digestsOf } from './digest-record.ts'
import { findPatterns, writePatterns } from './pattern.ts'
import { dayOf, type DigestPorts, writeDays, missingDays } from './write-day.ts'
import { writeWeek, missingWeeks } from './write-week.ts'
import { archiveRecords, type StayReason, planArchive } from './archive.ts'
import { countRaw, dayAfter } from './raw-record.ts'

/** Hours and new records after which `isDue` returns true, whichever comes first. */
export const dueAfter = { hours: 6, records: 1000 } as const
/** Number of days before now whose digests are searched for patterns. */
const patternDays = 365

export interface Consolidated {
  /** Ids of the digests written; in a dry run, the days and weeks that would be written. */
  readonly digests: string[]
  readonly patterns: string[]
  readonly archived: number
  readonly retained: Partial<Record<StayReason, number>>
  /** Reasons why digests are extractive although there is a model. */
  readonly degraded: string[]
}

const patternSpan = (at: DigestPorts) => ({
  from: formatTime((parseTime(at.call.now) ?? 0) - patternDays * dayMs),
})

export async function consolidate(at: DigestPorts, persona: Persona): Promise<Consolidated> {
  const days = await writeDays(at, persona, dayOf(persona, at.call.now))
  const weeks: string[] = []
  for (const week of missingWeeks(at, persona)) weeks.push(await writeWeek(at, persona, week))
  const patterns = await writePatterns(at, persona, digestsOf(at.records, persona, 'day', patternSpan(at)))
  const { archived, stays } = planArchive(at, persona)
  return {
    digests: [...days.filter(({ isNew }) => isNew).map(({ id }) => id), ...weeks],
    patterns,
    archived: await archiveRecords(at, archived),
    retained: stays,
    degraded: [...new Set(days.flatMap(({ degraded }) => degraded ?? []))],
  }
}

/** Returns the result that `consolidate` would have, and writes nothing. Patterns come from the current digests. */
export function planConsolidation(at: DigestPorts, persona: Persona): Consolidated {
  const found = findPatterns(digestsOf(at.records, persona, 'day', patternSpan(at)))
  const { archived, stays } = planArchive(at, persona)
  return {
    digests: [
      ...missingDays(at.records, persona, dayOf(persona, at.call.now)),
      ...missingWeeks(at, persona).map(({ id }) => id),
    ],
    patterns: found.map(({ about }) => about),
    archived: archived.length,
    retained: stays,
    degraded: [],
  }
}

/**
 * True if the digests since yesterday lack at least a thousand records; or if they lack any, and the last digest is
 * at least six hours old.
 */
export function isDue(
  records: Pick<RecordReader, 'count' | 'query'>,
  persona: Persona,
  now: string,
): boolean {
  const today = dayOf(persona, now)
  const from = dayAfter(today, -1)
  const digests = digestsOf(records, persona, 'day', { from: formatTime(persona.zone.startOfDay(from)) })
  const last = digests.map(({ updated_at }) => parseTime(updated_at) ?? 0)
  const digested = digests.reduce((sum, { raw }) => sum + raw, 0)
  const span = { from: persona.zone.startOfDay(from), to: persona.zone.endOfDay(today) }
  const { total } = countRaw(records, persona, span)
  if (total === digested) return false
  const since = (parseTime(now) ?? 0) - Math.max(0, ...last)
  return total - digested >= dueAfter.records || since >= dueAfter.hours * 3_600_000
}
