// Frames of the live line between mirror and device: JSON texts, except the two heartbeats. Version 1 has only pokes from the
// mirror; version 2 has three types in both directions.
// Invariant: a device needs no frame. It learns the same from its next sync, or loses messages that nobody stores.
import { z } from 'zod'

/** Versions of the line, newest first. A device offers its versions; a mirror takes the first it knows. */
export const liveProtocols = ['daybook.live.2', 'daybook.live.1'] as const
export type LiveProtocol = (typeof liveProtocols)[number]
export type LiveVersion = 1 | 2
/** Prefix of the ticket in the subprotocols. Pages can send no other header with a WebSocket, and addresses are logged. */
export const ticketPrefix = 'ticket.'

export const versionOf = (protocol: LiveProtocol): LiveVersion => (protocol === 'daybook.live.2' ? 2 : 1)
export const protocolOf = (version: LiveVersion): LiveProtocol =>
  version === 2 ? 'daybook.live.2' : 'daybook.live.1'

export const heartbeat = { ask: 'ping', answer: 'pong' } as const

/** Purposes of a line: pokes about records, messages of the meeting room, envelopes of a pool. */
export const purposes = ['sync', 'room', 'pool'] as const
export type Purpose = (typeof purposes)[number]

/** Limits of client frames: size in bytes of UTF-8, and rate per line. */
export const frameLimits = { bytes: 70_000, bytesOfVersion1: 1024, burst: 200, perSecond: 100 } as const
/** Limits for all lines of one caller to one book: frames and their bytes, at once and per second. */
export const callerLimits = {
  frames: { burst: 2000, perSecond: 500 },
  bytes: { burst: 16_000_000, perSecond: 4_000_000 },
} as const

const seq = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const device = z.string().regex(/^d_[A-Za-z0-9]{1,60}$/)
/** The payload of a message: any object. */
const data = z.record(z.string(), z.unknown())

/** From the mirror: its head is at this place. From a device: it has read up to this place. */
const poke = z.object({ type: z.literal('poke'), seq })
export type Poke = z.output<typeof poke>

/** A message to the lines of the meeting room or of the pool: to all others, or to one device. */
const room = z.strictObject({ type: z.literal('room'), data, to: device.optional() })
const envelope = z.strictObject({ type: z.literal('envelope'), data, to: device.optional() })

/** A frame from a device, version 2. */
export const deviceFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('poke'), seq }),
  room,
  envelope,
])
export type DeviceFrame = z.output<typeof deviceFrame>
export type TalkFrame = Extract<DeviceFrame, { type: 'room' | 'envelope' }>

/** The sender, set by the mirror; `agent` is absent for the owner. */
const from = z.object({ device, agent: z.string().min(1).max(1000).optional() })

const relayedRoom = z.object({ type: z.literal('room'), data, from })
const relayedEnvelope = z.object({ type: z.literal('envelope'), data, from })
/** A message that another line sent. */
export const relayedFrame = z.discriminatedUnion('type', [relayedRoom, relayedEnvelope])
export type RelayedFrame = z.output<typeof relayedFrame>

/** A message of the mirror itself about the meeting room, without `from`. */
const roomNotice = z.object({ type: z.literal('room'), data, from: z.undefined().optional() })
export type RoomNotice = z.output<typeof roomNotice>

/** A frame from a mirror, version 2. A device ignores other types, of later mirrors. */
export const mirrorFrame = z.union([poke, relayedRoom, relayedEnvelope, roomNotice])
export type MirrorFrame = z.output<typeof mirrorFrame>

/** The purpose that a line needs to send or receive a frame of each type. */
export const purposeOf = { poke: 'sync', room: 'room', envelope: 'pool' } as const satisfies Record<
  MirrorFrame['type'],
  Purpose
>

/** The poke in `text`; undefined for anything else. */
export function readPoke(text: string): Poke | undefined {
  return poke.safeParse(parseJson(text)).data
}

/** The mirror's frame in `text`; undefined for anything else. */
export function readMirrorFrame(text: string): MirrorFrame | undefined {
  return mirrorFrame.safeParse(parseJson(text)).data
}

/**
 * The device's frame in `text`. `unknown`: its type is not one of this version. `bad`: it is no frame, or has the wrong shape for
 * its type.
 */
export function readDeviceFrame(text: string): DeviceFrame | 'unknown' | 'bad' {
  const frame = z.object({ type: z.string().min(1).max(64) }).safeParse(parseJson(text)).data
  if (!frame) return 'bad'
  if (!Object.hasOwn(purposeOf, frame.type)) return 'unknown'
  return deviceFrame.safeParse(parseJson(text)).data ?? 'bad'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A device's request for a ticket, and the answer. Default of `for`: `sync`. */
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

/** Private close codes of a mirror (RFC 6455, section 7.4.2). */
export const closeCodes = {
  /** The claims, token or key expired: get another ticket. */
  ended: 4401,
  /** Silent for too long. */
  silent: 4408,
  /** The device opened another line. */
  replaced: 4409,
  /** A frame is not valid. */
  unheard: 4400,
  /** A frame is not covered by the ticket's purposes. */
  notFor: 4403,
  /** The owner erased the book. */
  erased: 4410,
  /** Too many frames. */
  tooMuch: 4429,
} as const

/** A frame is too large (RFC 6455, section 7.4.1). */
export const tooBigCode = 1009
