// State of a book, as the book reports it.
import type { Durability } from '../record.ts'

export interface Status {
  readonly name: string
  readonly agent: string
  readonly durability: Durability
  /** True if the browser promised not to evict the book; undefined on other hosts. */
  readonly persisted?: boolean
  readonly owner: boolean
  readonly schema: number
  readonly records: Readonly<Record<string, number>>
  /** Bytes of the book, indexes included. */
  readonly usageBytes: number
  /** Bytes that the browser allows this origin, if it says. */
  readonly quotaBytes?: number
  /** Storage used by all guests, and their quota, once a guest has stored something. For the owner only. */
  readonly guestQuota?: {
    readonly usedRecords: number
    readonly usedBytes: number
    readonly records: number
    readonly bytes: number
  }
  /** Records whose text is not indexed yet; the next search indexes them first. */
  readonly unindexed: number
  /** Time at which the copy of the records beside the book was last complete. Absent without one. */
  readonly checkpointAt?: string
  readonly sync: SyncState
  readonly degraded: string[]
}

/** State of the vectors of a book. */
export interface EmbedStatus {
  /** `none` if the book has no embedder. */
  readonly provider: string
  readonly model?: string
  /** `provider|model|dimensions|normalised` of the stored vectors; absent before the first. */
  readonly fingerprint?: string
  /**
   * `off`: no embedder. `waiting`: it can't embed yet; `why` says for what it waits. `failing`: it is retried later, and
   * recall uses the existing vectors.
   */
  readonly state: 'off' | 'waiting' | 'working' | 'ready' | 'failing'
  readonly why?: string
  /** Records that need a vector, those with one, and those without. */
  readonly total: number
  readonly embedded: number
  readonly behind: number
  /** Texts that the embedder refused; retried when the book is next opened. */
  readonly refused: number
  readonly lastError?: { readonly code: string; readonly message: string; readonly at: string }
  /** Memory of the vectors. */
  readonly bytes: number
  /** Vector scan: WebAssembly with SIMD, or plain JavaScript. */
  readonly scan?: 'simd' | 'scalar'
}

/**
 * State of the line on which the mirror sends changes at once. `resting`: nobody watches, or no network. `waiting`: it
 * broke and reconnects soon. `refused`: the mirror offers none, or none for this key; retried when the network is back.
 */
export type LiveState = 'connecting' | 'open' | 'waiting' | 'resting' | 'refused'

/** Direction of a sync: send and fetch, only send, or only fetch. */
export const syncDirections = ['both', 'push', 'pull'] as const
export type SyncDirection = (typeof syncDirections)[number]

/** Counts of one sync. */
export interface SyncResult {
  readonly pulled: number
  readonly pushed: number
  readonly conflicts: number
}

export interface SyncState {
  readonly configured: boolean
  /**
   * `off`: no mirror. `offline`: the mirror can't be reached; retried. `waiting`: the mirror asked for a pause.
   * `stopped`: the mirror refuses until something changes; see `lastError`.
   */
  readonly phase: 'off' | 'idle' | 'running' | 'offline' | 'waiting' | 'stopped'
  /** Time of the next automatic sync. */
  readonly nextAt?: string
  readonly running: boolean
  /** Name of this copy at the mirror. */
  readonly device?: string
  /** Absent without such a line: the host has none, or it is disabled. */
  readonly live?: LiveState
  /** Ops that the mirror has not acknowledged. */
  readonly pending: number
  /** Those of them that it refused for good: see `deadLetters`. */
  readonly refused: number
  readonly conflicts: number
  /** Counts so far, while a sync runs. */
  readonly progress?: SyncResult
  /** How often this copy differed from the mirror's and was read again. Should be 0. */
  readonly repairs: number
  readonly lastSyncedAt?: string
  readonly lastError?: { readonly code: string; readonly message: string }
  /**
   * Background Sync, if the book was opened with it. `missing`: no Background Sync in this browser, or no service worker.
   * `ready`: the service worker has nothing to send. `handed`: it has something to send.
   */
  readonly background?: 'missing' | 'ready' | 'handed'
}
