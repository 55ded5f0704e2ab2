// Frames of the live connection between mirror and device: JSON texts, except the heartbeats. Version 1 has only
// pokes of the mirror; version 2 has three types in both directions.
// Invariant: no device depends on a frame. A lost poke only delays a sync; other lost messages are stored nowhere.
import { z } from 'zod'

/** Versions, newest first. A device offers its versions; a mirror takes the first one that it knows. */
export const liveProtocols = ['daybook.live.2', 'daybook.live.1'] as const
export type LiveProtocol = (typeof liveProtocols)[number]
export type LiveVersion = 1 | 2
/**
 * Prefix of the ticket among the subprotocols. A page can set no other header of a WebSocket, and servers log
 * addresses.
 */
export const ticketPrefix = 'ticket.'

export const versionOf = (protocol: LiveProtocol): LiveVersion => (protocol === 'daybook.live.2' ? 2 : 1)
export const protocolOf = (version: LiveVersion): LiveProtocol =>
  version === 2 ? 'daybook.live.2' : 'daybook.live.1'

export const heartbeat = { ask: 'ping', answer: 'pong' } as const

/** Purposes of a connection: pokes about records, messages of the meeting room, envelopes of a pool. */
export const purposes = ['sync', 'room', 'pool'] as const
export type Purpose = (typeof purposes)[number]

/** Limits of a device's frames: size in bytes of UTF-8, and rate per connection. */
export const frameLimits = { bytes: 70_000, bytesOfVersion1: 1024, burst: 200, perSecond: 100 } as const
/** Limits over all connections of one caller to one book: frames and their bytes, as burst and per second. */
export const callerLimits = {
  frames: { burst: 2000, perSecond: 500 },
  bytes: { burst: 16_000_000, perSecond: 4_000_000 },
} as const

const seq = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const device = z.string().regex(/^d_[A-Za-z0-9]{1,60}$/)
/** Payload of a message: any object. */
const data = z.record(z.string(), z.unknown())

/** Of the mirror: its head has this place. Of a device: it has read up to this place. */
const poke = z.object({ type: z.literal('poke'), seq })
export type Poke = z.output<typeof poke>

/** A message to the meeting room's connections, or to the pool's: to one device, or to all others. */
const room = z.strictObject({ type: z.literal('room'), data, to: device.optional() })
const envelope = z.strictObject({ type: z.literal('envelope'), data, to: device.optional() })

/** A frame of a device, version 2. */
export const deviceFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('poke'), seq }),
  room,
  envelope,
])
export type DeviceFrame = z.output<typeof deviceFrame>
export type RelayFrame = Extract<DeviceFrame, { type: 'room' | 'envelope' }>

/** The sender, from the mirror. Without `agent`: the owner. */
const from = z.object({ device, agent: z.string().min(1).max(1000).optional() })

const relayedRoom = z.object({ type: z.literal('room'), data, from })
const relayedEnvelope = z.object({ type: z.literal('envelope'), data, from })
/** A message that another connection sent. */
export const relayedFrame = z.discriminatedUnion('type', [relayedRoom, relayedEnvelope])
export type RelayedFrame = z.output<typeof relayedFrame>

/** A message of the mirror itself about the meeting room. */
const roomNotice = z.object({ type: z.literal('room'), data, from: z.undefined().optional() })
export type RoomNotice = z.output<typeof roomNotice>

/** A frame of a mirror, version 2. A device ignores the types of later versions. */
export const mirrorFrame = z.union([poke, relayedRoom, relayedEnvelope, roomNotice])
export type MirrorFrame = z.output<typeof mirrorFrame>

/** The purpose that a connection needs for frames of each type. */
export const purposeOf = { poke: 'sync', room: 'room', envelope: 'pool' } as const satisfies Record<
  MirrorFrame['type'],
  Purpose
>

/** Parses a poke; undefined for any other text. */
export function parsePoke(text: string): Poke | undefined {
  return poke.safeParse(parseJson(text)).data
}

/** Parses a mirror's frame; undefined for any other text. */
export function parseMirrorFrame(text: string): MirrorFrame | undefined {
  return mirrorFrame.safeParse(parseJson(text)).data
}

/**
 * Parses a device's frame. `unknown`: its type is not of this version. `bad`: no frame, or a wrong shape for its
 * type.
 */
export function parseDeviceFrame(text: string): DeviceFrame | 'unknown' | 'bad' {
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

/** A device's request for a ticket. Default of `for`: `sync`. */
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
  /** The claims, token or key expired: get a new ticket. */
  ended: 4401,
  /** No frame or heartbeat came for too long. */
  silent: 4408,
  /** The device opened another connection. */
  replaced: 4409,
  /** A frame is invalid. */
  invalidFrame: 4400,
  /** The ticket's purposes don't permit a frame. */
  notPermitted: 4403,
  /** The owner erased the book. */
  erased: 4410,
  /** Too many frames. */
  tooManyFrames: 4429,
} as const

/** A frame is too large (RFC 6455, section 7.4.1). */
export const tooLargeCode = 1009
