// What a persona wakes up to: yesterday in its zone, or the last day that has a digest; key events, open questions, and what
// others said in the meeting room.
import { z } from 'zod'
import type { ReadContext } from '../../../core/capability/context.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { formatTime } from '../../../core/time.ts'
import { readable } from '../persona/readable.ts'
import { ownedBy, type Persona } from '../persona/persona.ts'
import { dayAfter } from './day.ts'
import type { Digest } from './digest-record.ts'
import { digestKind, periods } from './digest-kind.ts'
import { line, parts } from './line.ts'
import { openNow } from './pending.ts'
import { dayOf } from './tell-day.ts'

/** Messages of the room that are shown. */
const heardLimit = 20
const eventLimit = 8

export const digestShown = z.looseObject({
  id: z.string(),
  agent: z.string(),
  period: z.enum(periods),
  period_id: z.string(),
  time_zone: z.string(),
  ...parts,
  text: z.string(),
  raw: z.number(),
  method: z.enum(['extractive', 'abstractive']),
})

export const sunriseShape = z.object({
  name: z.string(),
  ci_id: z.string(),
  today: z.string(),
  yesterday: z.string(),
  /** The day that is told of; null when there is none yet. */
  day: z.string().nullable(),
  is_yesterday: z.boolean(),
  digest: digestShown.nullable(),
  key_events: z.array(line),
  open_questions: z.array(line),
  /** What others said in the room, oldest first; nothing where there is none. */
  room: z.array(z.object({ from: z.string(), name: z.string(), text: z.string(), at: z.string() })),
})
export type Sunrise = z.output<typeof sunriseShape>

type At = ReadContext<'records' | 'room'>

/** The digest of yesterday, or of the last day before that has one. What waits to be told anew is no longer true. */
function lastDigest({ records, call }: Pick<At, 'records' | 'call'>, persona: Persona): Digest | undefined {
  const today = formatTime(persona.zone.startOfDay(dayOf(persona, call.now)))
  const filters = { ...ownedBy(persona), period: 'day', from: { lt: today } }
  const found = records.query({ kind: 'digest', filters, orderBy: '-from', limit: 10 })
  return readable(digestKind, found.records)[0]
}

export async function sunriseOf(at: At, persona: Persona): Promise<Sunrise> {
  const today = dayOf(persona, at.call.now)
  const yesterday = dayAfter(today, -1)
  const digest = lastDigest(at, persona)
  const events = digest ? [...digest.decisions, ...digest.summary, ...digest.projects] : []
  return {
    name: persona.name,
    ci_id: persona.ciId,
    today,
    yesterday,
    day: digest?.period_id ?? null,
    is_yesterday: digest?.period_id === yesterday,
    digest: digest ?? null,
    key_events: [...new Map(events.map((one) => [one.text, one])).values()].slice(0, eventLimit),
    open_questions: openNow(at, persona, digest?.open_questions ?? []),
    room: await heard(at, persona),
  }
}

/** A persona that is not in the room is told nothing of it. Who only reads a sunrise neither brings it there nor keeps it. */
async function heard({ room, call }: At, persona: Persona): Promise<Sunrise['room']> {
  const own = call.caller.role === 'owner' ? persona.agents[0] : call.scope.agent
  try {
    const people = await room.whoIsHere()
    if (!people.some(({ id }) => id === own)) return []
    const { messages } = await room.look(own, 0, 1000)
    return messages.slice(-heardLimit).map(({ from, name, text, at }) => ({ from, name, text, at }))
  } catch (error) {
    // There is none here, its token does not have it, or it is full: the day begins all the same.
    if (isDaybookError(error)) return []
    throw error
  }
}
