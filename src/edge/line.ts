// A live line at the mirror, and its frames: their size, rate, shape and purpose. Sockets belong to the host.
// Invariant: a frame's size and rate are checked before its content; the mirror names the sender of a relayed
// frame, whatever the frame says.
import type { CallerIdentity } from '../trust/admission.ts'
import { z } from 'zod'
import type { Clock } from '../core/ports.ts'
import { TokenBuckets } from './rate-limit.ts'
import { utf8Length } from '../core/text/utf8.ts'
import {
  callerLimits,
  closeCodes,
  frameLimits,
  type LiveVersion,
  type Poke,
  type Purpose,
  purposeOf,
  parseDeviceFrame,
  relayedFrame,
  type RelayedFrame,
  tooLargeCode,
} from '../sync/wire/live-wire.ts'

/** The holder of a ticket or a line. */
export interface Listener {
  readonly device: string
  /** The caller as it was admitted; rechecked before each use of the line. */
  readonly standing: CallerIdentity
  /** Kinds that it is poked for; absent: all. */
  readonly kinds?: readonly string[]
  /** Purposes of the ticket; absent: `sync`. */
  readonly purposes?: readonly Purpose[]
  /** The agent that it speaks as; absent: the owner. */
  readonly agent?: string
}

/** State of a line. A Durable Object stores it with the socket, which permits at most 16 KB. */
export interface LineState extends Listener {
  /** Milliseconds since 1970 UTC, as is `pokedMs`. */
  readonly openedMs: number
  /**
   * Time of the last poke (a frame that lets the device sync), if the device has not synced since; else 0.
   */
  readonly pokedMs: number
  /** The device's last known cursor: the place in the book's sequence up to which it has read. */
  readonly seq: number
  /** Version of the frames. Version 1 has only pokes of the mirror. Absent: 1. */
  readonly version?: LiveVersion
}

/** One open line. */
export interface Line {
  readonly state: LineState
  saveState(state: LineState): void
  /** Time of the last answered heartbeat, in milliseconds since 1970 UTC; undefined before the first. */
  heartbeatMs(): number | undefined
  send(text: string): void
  close(code: number): void
}

/** True if the ticket of a line has this purpose. */
export function hasPurpose({ purposes = ['sync'] }: Pick<Listener, 'purposes'>, purpose: Purpose): boolean {
  return purposes.includes(purpose)
}

/** A message on its way from one line to others, of any process. */
export interface Relay {
  readonly frame: RelayedFrame
  /** The only receiver; absent: every line of its purpose. */
  readonly to?: string | undefined
  /** Id of the sender's credentials. Device and this id together identify one connection. */
  readonly by: string
}

const relayShape = z.object({ frame: relayedFrame, to: z.string().optional(), by: z.string() })

/** Parses a relay from another process of this mirror; undefined for any other text. */
export function parseRelay(text: string): Relay | undefined {
  const { frame, to, by } = relayShape.safeParse(parseJson(text)).data ?? {}
  return frame && by !== undefined ? { frame, to, by } : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The effect of a frame: none, close the line, how far the device has read, or a message to relay. */
type FrameAction =
  | { readonly type: 'nothing' }
  | { readonly type: 'close'; readonly code: number }
  | { readonly type: 'read'; readonly poke: Poke }
  | { readonly type: 'talk'; readonly relay: Relay }

const noAction: FrameAction = { type: 'nothing' }
const closeAction = (code: number): FrameAction => ({ type: 'close', code })

/** Reads and counts frames. Buckets live in this process: after hibernation a line starts with full buckets. */
export class FrameReader {
  readonly #lineBuckets: TokenBuckets
  readonly #callerBuckets: TokenBuckets
  readonly #callerByteBuckets: TokenBuckets

  constructor(clock: Clock) {
    this.#lineBuckets = new TokenBuckets(frameLimits, clock)
    this.#callerBuckets = new TokenBuckets(callerLimits.frames, clock)
    this.#callerByteBuckets = new TokenBuckets(callerLimits.bytes, clock)
  }

  /** Counts a frame; `bytes` is 0 for a heartbeat. False if the line, or its caller over all lines, exceeds its rate. */
  charge({ state: { device, standing } }: Line, bytes: number): boolean {
    return (
      this.#lineBuckets.take(`${device} ${standing.id}`) &&
      this.#callerBuckets.take(standing.id) &&
      (bytes === 0 || this.#callerByteBuckets.take(standing.id, bytes))
    )
  }

  /** Reads and counts a frame that is no heartbeat. `text`: undefined for a binary frame. */
  read(line: Line, text: string | undefined): FrameAction {
    const { version = 1, device, agent, standing } = line.state
    // No version has binary frames.
    if (text === undefined) return closeAction(closeCodes.invalidFrame)
    const limit = version === 1 ? frameLimits.bytesOfVersion1 : frameLimits.bytes
    // Each UTF-16 unit needs a byte or more, so this saves the count of a huge text.
    if (text.length > limit) return closeAction(tooLargeCode)
    const bytes = utf8Length(text)
    if (bytes > limit) return closeAction(tooLargeCode)
    // Devices of version 1 send nothing but heartbeats.
    if (version === 1) return closeAction(closeCodes.invalidFrame)
    if (!this.charge(line, bytes)) return closeAction(closeCodes.tooManyFrames)
    const frame = parseDeviceFrame(text)
    if (frame === 'bad') return closeAction(closeCodes.invalidFrame)
    // A type of a later version.
    if (frame === 'unknown') return noAction
    if (!hasPurpose(line.state, purposeOf[frame.type])) return closeAction(closeCodes.notPermitted)
    if (frame.type === 'poke') return { type: 'read', poke: frame }
    const from = agent === undefined ? { device } : { device, agent }
    const relayed: RelayedFrame = { type: frame.type, data: frame.data, from }
    return { type: 'talk', relay: { frame: relayed, to: frame.to, by: standing.id } }
  }
}

/** Lines that get a message: those of its purpose with version 2, except the sender's. */
export function receiversOf(lines: readonly Line[], { frame, to, by }: Relay): readonly Line[] {
  return lines.filter(
    ({ state }) =>
      state.version === 2 &&
      hasPurpose(state, purposeOf[frame.type]) &&
      (state.device !== frame.from.device || state.standing.id !== by) &&
      (to === undefined || state.device === to),
  )
}
