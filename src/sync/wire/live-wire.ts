// What a mirror and a device say on the line between them: text frames, JSON but for the two of the heartbeat. Version 1 has
// pokes from the mirror and nothing else; version 2 has three types, both ways.
// Invariant: a device needs nothing that is said here. One that misses it learns the same from its next sync, or has lost
// talk that nobody keeps.
import { z } from 'zod'

/** The versions of the line, the newest first: a device offers those that it speaks, and a mirror takes the first it knows. */
export const liveProtocols = ['daybook.live.2', 'daybook.live.1'] as const
export type LiveProtocol = (typeof liveProtocols)[number]
export type LiveVersion = 1 | 2
/** Stands before the ticket among the subprotocols: pages can send no other header with a line, and an address is logged. */
export const ticketPrefix = 'ticket.'

export const versionOf = (protocol: LiveProtocol): LiveVersion => (protocol === 'daybook.live.2' ? 2 : 1)
export const protocolOf = (version: LiveVersion): LiveProtocol =>
  version === 2 ? 'daybook.live.2' : 'daybook.live.1'

export const heartbeat = { ask: 'ping', answer: 'pong' } as const

/** What a line is for: news of records, talk of the meeting room, envelopes of a pool. */
export const purposes = ['sync', 'room', 'pool'] as const
export type Purpose = (typeof purposes)[number]

/** How large a frame of a client may be, in bytes of UTF-8, and how many a line may bring. */
export const frameLimits = { bytes: 70_000, bytesOfVersion1: 1024, burst: 200, perSecond: 100 } as const
/** How many frames, and bytes in them, all lines of one caller to one book may bring: at once, and each second after that. */
export const callerLimits = {
  frames: { burst: 2000, perSecond: 500 },
  bytes: { burst: 16_000_000, perSecond: 4_000_000 },
} as const

const seq = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const device = z.string().regex(/^d_[A-Za-z0-9]{1,60}$/)
/** What of a talk is its own business: an object, whatever is in it. */
const data = z.record(z.string(), z.unknown())

/** From the mirror: it is at this place of its sequence. From a device: it has read up to this place. */
const poke = z.object({ type: z.literal('poke'), seq })
export type Poke = z.output<typeof poke>

/** Says something to the lines of the meeting room, or to those of the pool: to all others, or to one device alone. */
const room = z.strictObject({ type: z.literal('room'), data, to: device.optional() })
const envelope = z.strictObject({ type: z.literal('envelope'), data, to: device.optional() })

/** What a device says, version 2. */
export const deviceFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('poke'), seq }),
  room,
  envelope,
])
export type DeviceFrame = z.output<typeof deviceFrame>
export type TalkFrame = Extract<DeviceFrame, { type: 'room' | 'envelope' }>

/** Who said it, as the mirror knows it and no sender can make it up; `agent` is absent when it is the owner. */
const from = z.object({ device, agent: z.string().min(1).max(1000).optional() })

const relayedRoom = z.object({ type: z.literal('room'), data, from })
const relayedEnvelope = z.object({ type: z.literal('envelope'), data, from })
/** What somebody has said on a line of its own. */
export const relayedFrame = z.discriminatedUnion('type', [relayedRoom, relayedEnvelope])
export type RelayedFrame = z.output<typeof relayedFrame>

/** What the mirror says itself of the meeting room: it is `from` nobody. */
const toldRoom = z.object({ type: z.literal('room'), data, from: z.undefined().optional() })
export type ToldRoom = z.output<typeof toldRoom>

/** What a mirror says, version 2. A later mirror may say more, which a device leaves alone. */
export const mirrorFrame = z.union([poke, relayedRoom, relayedEnvelope, toldRoom])
export type MirrorFrame = z.output<typeof mirrorFrame>

/** What a ticket must be for so that a line may say, and hear, a frame of this type. */
export const purposeOf = { poke: 'sync', room: 'room', envelope: 'pool' } as const satisfies Record<
  MirrorFrame['type'],
  Purpose
>

/** The poke in `text`; undefined for anything else: a later mirror may say more. */
export function readPoke(text: string): Poke | undefined {
  return poke.safeParse(parseJson(text)).data
}

/** The frame that a mirror said; undefined for anything else. */
export function readMirrorFrame(text: string): MirrorFrame | undefined {
  return mirrorFrame.safeParse(parseJson(text)).data
}

/**
 * The frame that a device said: `unknown` where its type is none of this version, which a later one may know, and `bad`
 * where it is no frame at all, or one of these types and not of its shape.
 */
export function readDeviceFrame(text: string): DeviceFrame | 'unknown' | 'bad' {
  const said = z.object({ type: z.string().min(1).max(64) }).safeParse(parseJson(text)).data
  if (!said) return 'bad'
  if (!Object.hasOwn(purposeOf, said.type)) return 'unknown'
  return deviceFrame.safeParse(parseJson(text)).data ?? 'bad'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a device sends to get a ticket, and what the edge answers. Without `for` it is for `sync`. */
export const ticketRequest = z.strictObject({
  device,
  for: z
    .array(z.enum(purposes))
    .min(1)
    .max(purposes.length)
    .refine((list) => new Set(list).size === list.length, 'names a purpose twice')
    .optional(),
})
export type TicketRequest = z.output<typeof ticketRequest>
export const ticketAnswer = z.object({ ticket: z.string().regex(/^[A-Za-z0-9_-]{20,100}$/) })

/** Why a mirror ends a line, as close codes of its own (RFC 6455, section 7.4.2). */
export const closeCodes = {
  /** Claims, token or key have ended: another ticket has to be asked for. */
  ended: 4401,
  /** Silent for too long. */
  silent: 4408,
  /** The device has opened another one. */
  replaced: 4409,
  /** It said something that is not of this wire. */
  unheard: 4400,
  /** It said something that its ticket is not for. */
  notFor: 4403,
  /** The owner has erased the book. */
  erased: 4410,
  /** It said more than a line may. */
  tooMuch: 4429,
} as const

/** A frame of more bytes than it may have (RFC 6455, section 7.4.1). */
export const tooBigCode = 1009
