// The sunrise of a persona: yesterday in its time zone, or the last day with a digest; key events, open questions,
// and messages of others in the meeting room.
import { z } from 'zod'
import type { ReadContext } from '../../../core/capability/context.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { formatTime } from '../../../core/time.ts'
import { addDays } from './raw-record.ts'
import type { Digest } from './digest-record.ts'
import { digestKind, periods } from './digest-kind.ts'
import { digestLine, sectionShapes } from './digest-line.ts'
import { currentQuestions } from './pending-proposal.ts'
import { dayOf } from './write-day.ts'
import { personaFilter, type Persona, parseRecords } from '../persona/persona.ts'

/** Most messages from the room. */
const maxRoomMessages = 20
/** Most lines in `keyEvents`. */
const maxKeyEvents = 8

/**
 * `period_id`: a day `2026-01-31`, or an ISO week `2026-W05`. `text`: all lines as Markdown. `raw`: number of its raw
 * records. `extractive`: all lines in words of the records; `abstractive`: some in words of a language model.
 */
export const digestOutput = z.looseObject({
  id: z.string(),
  agent: z.string(),
  period: z.enum(periods),
  period_id: z.string(),
  time_zone: z.string(),
  ...sectionShapes,
  text: z.string(),
  raw: z.number(),
  method: z.enum(['extractive', 'abstractive']),
})

export const sunriseOutput = z.object({
  name: z.string(),
  ci_id: z.string(),
  today: z.string(),
  yesterday: z.string(),
  /** Day of the digest; null if there is no digest. */
  day: z.string().nullable(),
  /** True if that day is yesterday. */
  isYesterday: z.boolean(),
  digest: digestOutput.nullable(),
  /** First its decisions, then its summary and projects. */
  keyEvents: z.array(digestLine),
  open_questions: z.array(digestLine),
  /** Messages of others in the room, oldest first; empty if the persona is not in a room. */
  room: z.array(z.object({ from: z.string(), name: z.string(), text: z.string(), at: z.string() })),
})
export type Sunrise = z.output<typeof sunriseOutput>

type SunriseContext = ReadContext<'records' | 'room'>

/**
 * The digest of the last day before today that has one. Skips outdated digests. Reads ten, because `parseRecords` skips
 * unknown shapes.
 */
function lastDigest(
  { records, call }: Pick<SunriseContext, 'records' | 'call'>,
  persona: Persona,
): Digest | undefined {
  const today = formatTime(persona.zone.startOfDay(dayOf(persona, call.now)))
  const filters = { ...personaFilter(persona), period: 'day', from: { lt: today } }
  const page = records.query({ kind: 'digest', filters, orderBy: '-from', limit: 10 })
  return parseRecords(digestKind, page.records)[0]
}

export async function buildSunrise(at: SunriseContext, persona: Persona): Promise<Sunrise> {
  const today = dayOf(persona, at.call.now)
  const yesterday = addDays(today, -1)
  const digest = lastDigest(at, persona)
  const events = digest ? [...digest.decisions, ...digest.summary, ...digest.projects] : []
  return {
    name: persona.name,
    ci_id: persona.ciId,
    today,
    yesterday,
    day: digest?.period_id ?? null,
    isYesterday: digest?.period_id === yesterday,
    digest: digest ?? null,
    keyEvents: [...new Map(events.map((event) => [event.text, event])).values()].slice(0, maxKeyEvents),
    open_questions: currentQuestions(at, persona, digest?.open_questions ?? []),
    room: await roomMessages(at, persona),
  }
}

/**
 * Messages in the room of the persona; empty if it is not in the room. Reading a sunrise neither joins the room nor
 * extends the persona's stay.
 */
async function roomMessages({ room, call }: SunriseContext, persona: Persona): Promise<Sunrise['room']> {
  const roomAgent = call.caller.role === 'owner' ? persona.agents[0] : call.scope.agent
  try {
    const participants = await room.whoIsHere()
    if (!participants.some(({ id }) => id === roomAgent)) return []
    // From the oldest message, at most 1,000. Unlike `hear`, `look` does not count the agent as present.
    const { messages } = await room.look(roomAgent, 0, 1000)
    return messages.slice(-maxRoomMessages).map(({ from, name, text, at }) => ({ from, name, text, at }))
  } catch (error) {
    // Without a room, or without access to it, the sunrise has no messages.
    if (isDaybookError(error)) return []
    throw error
  }
}
