// What a line is to its mirror, whatever its socket is.
import type { Standing } from '../trust/admission.ts'
export { payerOf } from '../trust/admission.ts'
import type { LiveVersion, Purpose } from '../sync/wire/live-wire.ts'

/** Whom a ticket is given to, and who a line belongs to. */
export interface Listener {
  readonly device: string
  readonly standing: Standing
  /** Kinds that it may hear of; absent: all. */
  readonly kinds?: readonly string[]
  /** What the ticket was for; absent: `sync`. */
  readonly purposes?: readonly Purpose[]
  /** In whose name it speaks; absent: the owner's. */
  readonly agent?: string
}

/** What is known of a line; at most 16 KB as JSON. */
export interface LineState extends Listener {
  readonly openedMs: number
  /** When it was last poked, if the device has not come since; else 0. */
  readonly pokedMs: number
  /** How far the device has read, as far as is known. */
  readonly seq: number
  /** Which version it speaks; absent: 1. */
  readonly version?: LiveVersion
}

/** One open line. */
export interface Line {
  readonly state: LineState
  note(state: LineState): void
  /** When its heartbeat was last answered; undefined before the first. */
  heartbeatMs(): number | undefined
  send(text: string): void
  close(code: number): void
}

/** Whether the ticket of a line was for this. */
export function isFor({ purposes = ['sync'] }: Pick<Listener, 'purposes'>, purpose: Purpose): boolean {
  return purposes.includes(purpose)
}
