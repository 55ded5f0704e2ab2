// What a mirror makes of the frames that a line brings: their size, their number, their shape, and what the line is for.
// Invariant: nothing of a frame is looked at before its size and the number of those before it; the sender of what goes on is
// named by the mirror, whatever the frame says.
import { z } from 'zod'
import type { Clock } from '../core/ports.ts'
import { TokenBuckets } from './token-bucket.ts'
import { utf8Length } from '../core/text/utf8.ts'
import {
  callerLimits,
  closeCodes,
  frameLimits,
  type Poke,
  purposeOf,
  readDeviceFrame,
  relayedFrame,
  type RelayedFrame,
  tooBigCode,
} from '../sync/wire/live-wire.ts'
import { isFor, type Line } from './line.ts'

/** A frame on its way from one line to others, of whichever process. */
export interface Relay {
  readonly frame: RelayedFrame
  /** The device that it is for alone; absent: every line of its purpose. */
  readonly to?: string | undefined
  /** The caller whose line said it: a device and its caller together name one line. */
  readonly by: string
}

const relayShape = z.object({ frame: relayedFrame, to: z.string().optional(), by: z.string() })

/** What another process of this mirror has handed on; undefined for anything else. */
export function readRelay(text: string): Relay | undefined {
  const { frame, to, by } = relayShape.safeParse(JSON.parse(text)).data ?? {}
  return frame && by !== undefined ? { frame, to, by } : undefined
}

/** What came of a frame: nothing, a place that the device has read up to, or talk to be handed on. */
export type Heard =
  | { readonly type: 'nothing' }
  | { readonly type: 'close'; readonly code: number }
  | { readonly type: 'read'; readonly poke: Poke }
  | { readonly type: 'talk'; readonly relay: Relay }

const nothing: Heard = { type: 'nothing' }
const close = (code: number): Heard => ({ type: 'close', code })

export interface FrameReader {
  /**
   * Pays for a frame of any sort, control frames and heartbeats as well; false when the line, or its caller over all lines,
   * has brought more than may come.
   */
  pay(line: Line, bytes: number): boolean
  read(line: Line, text: string | undefined): Heard
}

/** Reads frames. The buckets are those of lines that are open in this process; one that slept is full again. */
export function createFrameReader(clock: Clock): FrameReader {
  const ofLine = new TokenBuckets(frameLimits, clock)
  const ofCaller = new TokenBuckets(callerLimits.frames, clock)
  const bytesOfCaller = new TokenBuckets(callerLimits.bytes, clock)
  const pay = ({ state: { device, standing } }: Line, bytes: number): boolean =>
    ofLine.take(`${device} ${standing.id}`) &&
    ofCaller.take(standing.id) &&
    (bytes === 0 || bytesOfCaller.take(standing.id, bytes))

  const read = (line: Line, text: string | undefined): Heard => {
    const { version = 1, device, agent, standing } = line.state
    // Binary frames are of no version.
    if (text === undefined) return close(closeCodes.unheard)
    const limit = version === 1 ? frameLimits.bytesOfVersion1 : frameLimits.bytes
    if (text.length > limit) return close(tooBigCode)
    const bytes = utf8Length(text)
    if (bytes > limit) return close(tooBigCode)
    // There is nothing else that version 1 may say.
    if (version === 1) return close(closeCodes.unheard)
    if (!pay(line, bytes)) return close(closeCodes.tooMuch)
    const frame = readDeviceFrame(text)
    if (frame === 'bad') return close(closeCodes.unheard)
    if (frame === 'unknown') return nothing
    if (!isFor(line.state, purposeOf[frame.type])) return close(closeCodes.notFor)
    if (frame.type === 'poke') return { type: 'read', poke: frame }
    const from = agent === undefined ? { device } : { device, agent }
    const relayed: RelayedFrame = { type: frame.type, data: frame.data, from }
    return { type: 'talk', relay: { frame: relayed, to: frame.to, by: standing.id } }
  }
  return { pay, read }
}

/** The lines that a relayed frame goes to: those of its purpose that speak version 2, and never back to whoever said it. */
export function hearersOf(lines: readonly Line[], { frame, to, by }: Relay): readonly Line[] {
  return lines.filter(
    ({ state }) =>
      state.version === 2 &&
      isFor(state, purposeOf[frame.type]) &&
      (state.device !== frame.from.device || state.standing.id !== by) &&
      (to === undefined || state.device === to),
  )
}
