// Messages between a device and its mirror about the meeting room: `data` of a `room` frame on the live line; see
// sync/SPEC.md.
// Invariant: data with a `do` is for the mirror's room only, and is not relayed.
import { z } from 'zod'
import type { RoomEvent } from '../../core/capability/port/room-port.ts'
import { utf8Length } from '../../core/text/utf8.ts'

/** Most bytes of a frame's items by `messageFrameBytes`. A line takes frames of at most 70,000 bytes. */
export const maxFrameTextBytes = 40_000

/** Estimated bytes of an event without its text. */
const eventBytes = 400

/** Estimated bytes of a message with this text in a frame. JSON escapes make a text up to six times as long. */
export const messageFrameBytes = (text: string): number => utf8Length(JSON.stringify(text)) + eventBytes

const keyText = z.string().regex(/^[0-9a-f]{32}$/)
/** The id or name of a participant, without line breaks and other invisible characters. */
export const roomName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u, 'has control characters')
  .refine((name) => name.isWellFormed(), 'has half a character')
export const roomRole = z.enum(['participant', 'coordinator', 'observer'])
const timeText = z.string().max(40)
const safeInteger = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const roomSize = z.strictObject({ slots: safeInteger, slotBytes: safeInteger, participants: safeInteger })
const joiningPerson = z.strictObject({
  id: roomName,
  name: roomName,
  role: roomRole,
  joinedAt: timeText.optional(),
})
/** `at` and `was` (its first number): only for a message that the device numbered without a line. */
const unsentMessage = z.strictObject({
  key: keyText,
  id: roomName,
  name: roomName,
  text: z.string().min(1).max(65_535),
  at: timeText.optional(),
  was: safeInteger.optional(),
})

/** A device's request. The mirror answers it with the same `key`, when it is done or refused. */
export const roomRequest = z.discriminatedUnion('do', [
  /**
   * A device has a line. `people`: its participants. `next`: its next number. `gone`: the highest number that the
   * device itself assigned and whose message is gone; 0: none.
   */
  z.strictObject({
    do: z.literal('come'),
    key: keyText,
    size: roomSize,
    people: z.array(joiningPerson).max(1000),
    next: safeInteger,
    gone: safeInteger,
  }),
  z.strictObject({ do: z.literal('join'), key: keyText, size: roomSize, person: joiningPerson }),
  z.strictObject({ do: z.literal('leave'), key: keyText, id: roomName }),
  z.strictObject({
    do: z.literal('say'),
    key: keyText,
    size: roomSize,
    messages: z.array(unsentMessage).min(1).max(10_000),
  }),
])
export type RoomRequest = z.output<typeof roomRequest>
export type UnsentMessage = z.output<typeof unsentMessage>

const participant = z.object({ id: z.string(), name: z.string(), role: z.string(), joinedAt: z.string() })
const message = z.object({
  number: safeInteger,
  was: safeInteger.optional(),
  from: z.string(),
  name: z.string(),
  text: z.string(),
  at: z.string(),
})
/**
 * `numbered` starts a copy of the room. `gone`: the highest number of a removed message, 0: none. `given`: the highest
 * number that the mirror assigned; in `said`, the mirror assigned the number. `forks`: ranges of numbers (after, to)
 * that device and mirror both assigned. `anew`: first clear the copy. `tab`: the tab of the participant.
 */
const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('numbered'),
    size: roomSize,
    oldest: safeInteger,
    next: safeInteger,
    gone: safeInteger,
    given: safeInteger,
    forks: z.array(z.tuple([safeInteger, safeInteger])),
    anew: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('said'), message, key: keyText.optional(), given: z.literal(true).optional() }),
  z.object({ type: z.literal('joined'), participant, tab: z.string() }),
  z.object({ type: z.literal('left'), id: z.string(), tab: z.string() }),
])
const refusal = z.object({
  /** The key of a message, or the id of a participant; empty: the whole request. */
  of: z.string(),
  code: z.string(),
  message: z.string(),
  retry: z.boolean(),
  details: z.record(z.string(), z.unknown()),
})

export type RoomRefusal = z.output<typeof refusal>

/** A frame of the mirror: `events` goes to every line, `done` to the line of the request. */
export const mirrorFrame = z.discriminatedUnion('did', [
  z.object({ did: z.literal('events'), events: z.array(event) }),
  z.object({
    did: z.literal('done'),
    key: z.string(),
    refused: z.array(refusal),
    said: z.array(message),
    /** In the answer to `come`: the highest number whose message was gone before `come`. */
    goneBefore: safeInteger.optional(),
  }),
])
export type RoomResult = Extract<z.output<typeof mirrorFrame>, { did: 'done' }>
export type MirrorFrame = { readonly did: 'events'; readonly events: readonly RoomEvent[] } | RoomResult

/** Parses a frame of the mirror; undefined for other data, such as a frame of a later version. */
export function parseMirrorFrame(data: unknown): MirrorFrame | undefined {
  // The cast is safe: JSON has no `undefined`.
  return mirrorFrame.safeParse(data).data as MirrorFrame | undefined
}
/** Splits `events` into frames of limited size. */
export function eventFrames(events: readonly RoomEvent[]): object[] {
  const batches = splitByBytes(events, (one) =>
    one.type === 'said' ? messageFrameBytes(one.message.text) : eventBytes,
  )
  return batches.map((part) => ({ did: 'events', events: part }))
}

/** Splits `items` into batches of at most `maxFrameTextBytes`, in order. A larger item is a batch of its own. */
export function splitByBytes<Item>(items: readonly Item[], bytesOf: (one: Item) => number): Item[][] {
  const batches: Item[][] = []
  // The first item starts a batch.
  let bytes = Infinity
  for (const item of items) {
    bytes += bytesOf(item)
    const lastBatch = batches.at(-1)
    if (lastBatch && bytes <= maxFrameTextBytes) lastBatch.push(item)
    else {
      batches.push([item])
      bytes = bytesOf(item)
    }
  }
  return batches
}
