// The device's half of sync. (Being written.)
import type { AbortSignalLike } from '../core/abort.ts'
import type { SyncResult, SyncState } from '../core/capability.ts'
import type { Carrier, Clock } from '../core/ports.ts'
import type { BookStore } from '../store/book-store.ts'

export interface SyncSessionOptions {
  readonly store: BookStore
  readonly carrier: Carrier
  readonly clock: Clock
  /** Called for each record that a pull changed, after its commit. */
  readonly onChange: (id: string, kind: string) => void
  readonly onState: (state: SyncState, result?: SyncResult) => void
}

export interface SyncSession {
  /** Runs rounds until everything is sent and nothing more is to be had; calls during a run share it. */
  sync(signal: AbortSignalLike): Promise<SyncResult>
  state(): SyncState
}

export declare function createSyncSession(options: SyncSessionOptions): SyncSession
