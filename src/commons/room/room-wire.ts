// Messages between a device and its mirror about the meeting room: `data` of a `room` frame on the live line; see
// sync/SPEC.md.
// Invariant: data with a `do` is for the mirror's room only, and is not relayed.
import { z } from 'zod'
import type { RoomEvent } from '../../core/capability/port/room-port.ts'
import { utf8Length } from '../../core/text/utf8.ts'

/** Most bytes of message text in a frame: with everything around it, a frame has at most 70,000. */
export const frameTextBytes = 40_000

const key = z.string().regex(/^[0-9a-f]{32}$/)
/** The id or name of a participant, without line breaks and other invisible characters. */
export const roomName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u, 'has control characters')
  .refine((name) => name.isWellFormed(), 'has half a character')
export const roomRole = z.enum(['participant', 'coordinator', 'observer'])
const time = z.string().max(40)
const number = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const size = z.strictObject({ slots: number, slotBytes: number, participants: number })
const entering = z.strictObject({ id: roomName, name: roomName, role: roomRole, joinedAt: time.optional() })
const unsaid = z.strictObject({
  key,
  id: roomName,
  name: roomName,
  text: z.string().min(1).max(65_535),
  at: time.optional(),
  was: number.optional(),
})

/** A device's request. The mirror answers it with the same `key`, when it is done or refused. */
export const roomAsk = z.discriminatedUnion('do', [
  /**
   * A device has a line. `people`: its participants. `next`: its next number. `gone`: the highest number that the
   * device itself assigned and whose message is gone; 0: none.
   */
  z.strictObject({
    do: z.literal('come'),
    key,
    size,
    people: z.array(entering).max(1000),
    next: number,
    gone: number,
  }),
  z.strictObject({ do: z.literal('join'), key, size, person: entering }),
  z.strictObject({ do: z.literal('leave'), key, id: roomName }),
  z.strictObject({ do: z.literal('say'), key, size, messages: z.array(unsaid).min(1).max(10_000) }),
])
export type RoomAsk = z.output<typeof roomAsk>
export type Unsaid = z.output<typeof unsaid>

const participant = z.object({ id: z.string(), name: z.string(), role: z.string(), joinedAt: z.string() })
const message = z.object({
  number,
  was: number.optional(),
  from: z.string(),
  name: z.string(),
  text: z.string(),
  at: z.string(),
})
const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('numbered'),
    size,
    oldest: number,
    next: number,
    gone: number,
    given: number,
    forks: z.array(z.tuple([number, number])),
    anew: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('said'), message, key: key.optional(), given: z.literal(true).optional() }),
  z.object({ type: z.literal('joined'), participant, tab: z.string() }),
  z.object({ type: z.literal('left'), id: z.string(), tab: z.string() }),
])
const refusal = z.object({
  /** The key of a message, or the id of a participant. */
  of: z.string(),
  code: z.string(),
  message: z.string(),
  retry: z.boolean(),
  details: z.record(z.string(), z.unknown()),
})

/** A frame of the mirror: `events` goes to every line, `done` to the line of the request. */
export const roomTell = z.discriminatedUnion('did', [
  z.object({ did: z.literal('events'), events: z.array(event) }),
  z.object({
    did: z.literal('done'),
    key: z.string(),
    refused: z.array(refusal),
    said: z.array(message),
    /** In the answer to `come`: the highest number whose message was gone before `come`. */
    goneBefore: number.optional(),
  }),
])
export type RoomDone = Extract<z.output<typeof roomTell>, { did: 'done' }>
export type RoomTell = { readonly did: 'events'; readonly events: readonly RoomEvent[] } | RoomDone

/** Parses a frame of the mirror; undefined for other data, such as a frame of a later version. */
export function readRoomTell(data: unknown): RoomTell | undefined {
  // The cast is safe: JSON has no `undefined`.
  return roomTell.safeParse(data).data as RoomTell | undefined
}
export type RoomRefusal = z.output<typeof refusal>

/** Splits `events` into frames of limited size. */
export function eventFrames(events: readonly RoomEvent[]): object[] {
  const parts = splitByBytes(events, (one) =>
    one.type === 'said' ? utf8Length(one.message.text) + 400 : 400,
  )
  return parts.map((part) => ({ did: 'events', events: part }))
}

/** Splits `all` into parts of at most `frameTextBytes`, in order. A larger element is a part of its own. */
export function splitByBytes<One>(all: readonly One[], bytesOf: (one: One) => number): One[][] {
  const parts: One[][] = []
  let bytes = Infinity
  for (const one of all) {
    bytes += bytesOf(one)
    const last = parts.at(-1)
    if (last && bytes <= frameTextBytes) last.push(one)
    else {
      parts.push([one])
      bytes = bytesOf(one)
    }
  }
  return parts
}
