// One book of a mirror, as its host hands it to what answers for it.
import type { Engine } from '../engine/engine.ts'
import type { Mirror } from '../sync/mirror/mirror.ts'
import type { Standing } from '../trust/admission.ts'
import type { AgentGate } from './agent/agent-gate.ts'
import type { Listener } from './line.ts'

/** One book as its host has it open. */
export interface MirrorBook {
  readonly engine: Pick<Engine, 'admit' | 'audit' | 'call' | 'check' | 'store'>
  /** Absent while newer code has written the book: it is read only. */
  readonly mirror: Pick<Mirror, 'exchange'> | undefined
  readonly rate: {
    /** Takes one request out of the caller's bucket, or throws `rate-limited`. */
    spend(caller: string): void | Promise<void>
  }
  /** What stands before requests of the a2p protocol. */
  readonly agents: AgentGate
  /** Reads what others have written since, where the truth of this book lies elsewhere. */
  follow?(): Promise<void>
  /** Waits until it is this caller's turn, where books share a thread. What a call computes comes right after it. */
  turn?(caller: string): Promise<void>
  /** A device has synced; `cursor` is how far it has read once it has read everything, else undefined. */
  synced(device: string, cursor: number | undefined): void
  /** The lines of this book, where its host has lines. */
  readonly lines?: BookLines
}

interface BookLines {
  /** Throws `unauthorized` once the caller's key, token or claims have ended, `rate-limited` with too many lines. */
  admit(standing: Standing): void | Promise<void>
  /** A ticket that opens one line of `listener`. */
  give(listener: Listener): string | Promise<string>
}
