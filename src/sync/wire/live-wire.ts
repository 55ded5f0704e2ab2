// What a mirror and a device say on the line between them: text frames, JSON but for the two of the heartbeat.
// Invariant: a device needs nothing that is said here. One that misses it learns the same from its next sync.
import { z } from 'zod'

/** Named when a line is opened; another wire would have another name. */
export const liveProtocol = 'daybook.live.1'
/** Stands before the ticket among the subprotocols: pages can send no other header with a line, and an address is logged. */
export const ticketPrefix = 'ticket.'

export const heartbeat = { ask: 'ping', answer: 'pong' } as const

/** The mirror is at this place of its sequence. */
const poke = z.object({ type: z.literal('poke'), seq: z.number().int().min(0) })
export type Poke = z.output<typeof poke>

/** The poke in `text`; undefined for anything else: a later mirror may say more. */
export function readPoke(text: string): Poke | undefined {
  try {
    return poke.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** What a device sends to get a ticket, and what the edge answers. */
export const ticketRequest = z.strictObject({ device: z.string().regex(/^d_[A-Za-z0-9]{1,60}$/) })
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
} as const
