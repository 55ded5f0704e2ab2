// Writes past weeks from their days: the first lines of each section of each day and all open questions, with their
// records.
import type { JsonObject } from '../../../core/json/path.ts'
import { formatTime } from '../../../core/time.ts'
import type { Persona } from '../persona/persona.ts'
import { spanOfDays, isoWeekOf } from './raw-record.ts'
import { type Digest, digestName, findDigests, isUnread, storeIfChanged } from './digest-record.ts'
import {
  type DigestLine,
  maxLinesPerSection,
  sectionNames,
  type SectionName,
  recordIdsOf,
} from './digest-line.ts'
import { dayOf, type DigestContext, type DigestWrite } from './write-day.ts'

/** Lines of each section that a week takes from each day. Of open questions, a week takes all. */
const maxLinesPerDay = 2

/**
 * A week with its days that have digests. `id`: of ISO 8601, such as `2026-W05`; `first` and `last`: its Monday and
 * Sunday, such as `2026-01-26`.
 */
export interface Week {
  readonly id: string
  readonly first: string
  readonly last: string
  readonly days: Digest[]
}

/**
 * Past weeks without a digest, or whose digest covers another number of raw records; without those whose digest can't be
 * read here.
 */
export function missingWeeks(at: WeekContext, persona: Persona): Week[] {
  const written = new Map(
    findDigests(at.records, persona, 'week').map((digest) => [digest.period_id, digest.raw]),
  )
  return pastWeeks(at, persona).filter(
    ({ id, days }) => written.get(id) !== countRaw(days) && !isUnread(at.records, digestName(persona, id)),
  )
}

type WeekContext = Pick<DigestContext, 'records' | 'call'>

/** Past weeks that contain at least one day with a digest. */
export function pastWeeks({ records, call }: WeekContext, persona: Persona): Week[] {
  const today = dayOf(persona, call.now)
  const weeks = new Map<string, Week>()
  for (const day of findDigests(records, persona, 'day')) {
    const { id, first, last } = isoWeekOf(day.period_id)
    if (last >= today) continue
    const week = weeks.get(id) ?? { id, first, last, days: [] }
    week.days.push(day)
    weeks.set(id, week)
  }
  return [...weeks.values()]
}

/** Number of raw records in the digests of `days`. */
const countRaw = (days: readonly Digest[]) => days.reduce((sum, { raw }) => sum + raw, 0)

/**
 * Writes one week; returns the id of its digest. `force`: also if the stored one is the same. `how`: `every-run` writes
 * in each run of a task, `once` only in the first.
 */
export async function writeWeek(
  at: DigestContext,
  persona: Persona,
  week: Week,
  { force = false, how = 'every-run' }: DigestWrite = {},
): Promise<string> {
  const span = spanOfDays(persona.zone, week.first, week.last)
  const body = {
    persona: persona.ciId,
    period: 'week',
    period_id: week.id,
    time_zone: persona.zone.name,
    from: formatTime(span.from),
    to: formatTime(span.to),
    ...Object.fromEntries(sectionNames.map((section) => [section, weekLines(week.days, section)])),
    method: week.days.some(({ method }) => method === 'abstractive') ? 'abstractive' : 'extractive',
    raw: countRaw(week.days),
    // The lines of a model may repeat any record that it read, so the week follows all of them.
    read: recordIdsOf(week.days.map(({ read }) => ({ records: read }))),
  } as unknown as JsonObject
  const name = digestName(persona, week.id)
  const options = { persona, force }
  const { id } = await at.records.write((writer) => storeIfChanged(writer, name, body, options), how)
  return id
}

function weekLines(days: readonly Digest[], section: SectionName): DigestLine[] {
  const lines = days.flatMap((day) =>
    section === 'open_questions' ? day[section] : day[section].slice(0, maxLinesPerDay),
  )
  const lineByText = new Map(lines.map((line) => [line.text, line]))
  return [...lineByText.values()].slice(0, maxLinesPerSection)
}
