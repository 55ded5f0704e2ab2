// Consolidation: days into digests, weeks and patterns, and what they have told of out of recall.
import { dayMs } from '../../../core/calendar/zone.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import type { Persona } from '../persona/persona.ts'
import { archiveRecords, planArchive } from './archive.ts'
import type { KeptReason } from './archive-score.ts'
import { dayAfter } from './day.ts'
import { digestsOf } from './digest-record.ts'
import { findPatterns, tellPatterns } from './pattern.ts'
import { countRaw } from './raw-record.ts'
import { dayOf, type DigestPorts, tellDays, untoldDays } from './tell-day.ts'
import { tellWeek, untoldWeeks } from './tell-week.ts'

/** When a persona's records are consolidated unasked, whichever comes first. */
export const dueAfter = { hours: 6, records: 1000 } as const
/** Patterns are looked for in the digests of so many days. */
const patternDays = 365

export interface Consolidated {
  /** Ids of the digests that were told or told anew; of a dry run, the days and weeks that would be. */
  readonly digests: string[]
  readonly patterns: string[]
  readonly archived: number
  readonly kept: Partial<Record<KeptReason, number>>
  /** Why digests were told by the stated rules although there is a model. */
  readonly degraded: string[]
}

const patternSpan = (at: DigestPorts) => ({
  from: formatTime((parseTime(at.call.now) ?? 0) - patternDays * dayMs),
})

export async function consolidate(at: DigestPorts, persona: Persona): Promise<Consolidated> {
  const days = await tellDays(at, persona, dayOf(persona, at.call.now))
  const weeks: string[] = []
  for (const week of untoldWeeks(at, persona)) weeks.push(await tellWeek(at, persona, week))
  const patterns = await tellPatterns(at, persona, digestsOf(at.records, persona, 'day', patternSpan(at)))
  const { archived, kept } = planArchive(at, persona)
  return {
    digests: [...days.filter(({ isNew }) => isNew).map(({ id }) => id), ...weeks],
    patterns,
    archived: await archiveRecords(at, archived),
    kept,
    degraded: [...new Set(days.flatMap(({ degraded }) => degraded ?? []))],
  }
}

/** What a consolidation would do now, as far as it can be told without doing it: patterns are those of today's digests. */
export function planConsolidation(at: DigestPorts, persona: Persona): Consolidated {
  const found = findPatterns(digestsOf(at.records, persona, 'day', patternSpan(at)))
  const { archived, kept } = planArchive(at, persona)
  return {
    digests: [
      ...untoldDays(at.records, persona, dayOf(persona, at.call.now)),
      ...untoldWeeks(at, persona).map(({ id }) => id),
    ],
    patterns: found.map(({ about }) => about),
    archived: archived.length,
    kept,
    degraded: [],
  }
}

/** True six hours after the last digest was told, when there is something new, or once a thousand records came. */
export function isDue(
  records: Pick<RecordReader, 'count' | 'query'>,
  persona: Persona,
  now: string,
): boolean {
  const today = dayOf(persona, now)
  const from = dayAfter(today, -1)
  const digests = digestsOf(records, persona, 'day', { from: formatTime(persona.zone.startOfDay(from)) })
  const last = digests.map(({ updated_at }) => parseTime(updated_at) ?? 0)
  const told = digests.reduce((sum, { raw }) => sum + raw, 0)
  const span = { from: persona.zone.startOfDay(from), to: persona.zone.endOfDay(today) }
  const { total } = countRaw(records, persona, span)
  if (total === told) return false
  const since = (parseTime(now) ?? 0) - Math.max(0, ...last)
  return total - told >= dueAfter.records || since >= dueAfter.hours * 3_600_000
}
