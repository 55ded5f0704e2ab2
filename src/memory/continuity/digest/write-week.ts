// Writes past weeks from their days: the first lines of each part of each day and all open questions, with their
// records.
import type { JsonObject } from '../../../core/json/path.ts'
import { formatTime } from '../../../core/time.ts'
import { type Persona, writingAgent } from '../persona/persona.ts'
import { spanOfDays, weekOf } from './raw-record.ts'
import { type Digest, digestName, digestsOf, putNamed } from './digest-record.ts'
import { type Line, partLimit, partNames, type PartName, recordsOf } from './line.ts'
import { dayOf, type DigestPorts } from './write-day.ts'

/** Lines of each part that a week takes from each day. Of open questions, a week takes all. */
const fromEachDay = 2

export interface Week {
  readonly id: string
  readonly first: string
  readonly last: string
  readonly days: Digest[]
}

/** Past weeks without a digest, or whose digest covers another number of raw records. */
export function missingWeeks(at: WeekPorts, persona: Persona): Week[] {
  const written = new Map(digestsOf(at.records, persona, 'week').map((one) => [one.period_id, one.raw]))
  return pastWeeks(at, persona).filter(({ id, days }) => written.get(id) !== rawIn(days))
}

type WeekPorts = Pick<DigestPorts, 'records' | 'call'>

/** Past weeks that contain at least one day with a digest. */
export function pastWeeks({ records, call }: WeekPorts, persona: Persona): Week[] {
  const today = dayOf(persona, call.now)
  const weeks = new Map<string, Week>()
  for (const day of digestsOf(records, persona, 'day')) {
    const { id, first, last } = weekOf(day.period_id)
    if (last >= today) continue
    const week = weeks.get(id) ?? { id, first, last, days: [] }
    week.days.push(day)
    weeks.set(id, week)
  }
  return [...weeks.values()]
}

const rawIn = (days: readonly Digest[]) => days.reduce((sum, { raw }) => sum + raw, 0)

/** Writes one week; returns the id of its digest. */
export async function writeWeek(
  at: DigestPorts,
  persona: Persona,
  week: Week,
  isForced = false,
): Promise<string> {
  const span = spanOfDays(persona.zone, week.first, week.last)
  const body = {
    persona: persona.ciId,
    period: 'week',
    period_id: week.id,
    time_zone: persona.zone.name,
    from: formatTime(span.from),
    to: formatTime(span.to),
    ...Object.fromEntries(partNames.map((part) => [part, weekLines(week.days, part)])),
    method: week.days.some(({ method }) => method === 'abstractive') ? 'abstractive' : 'extractive',
    raw: rawIn(week.days),
    // The lines of a model are written from all of its input.
    read: recordsOf(week.days.map(({ read }) => ({ records: read }))),
  } as unknown as JsonObject
  const name = digestName(persona, week.id)
  const options = { agent: writingAgent(at, persona), isForced }
  const { id } = await at.records.write((writer) => putNamed(writer, name, body, options))
  return id
}

function weekLines(days: readonly Digest[], part: PartName): Line[] {
  const all = days.flatMap((day) => (part === 'open_questions' ? day[part] : day[part].slice(0, fromEachDay)))
  const once = new Map(all.map((line) => [line.text, line]))
  return [...once.values()].slice(0, partLimit)
}
