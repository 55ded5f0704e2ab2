// What state a book is in, as it says itself.
import type { Durability } from '../record.ts'

export interface Status {
  readonly name: string
  readonly agent: string
  readonly durability: Durability
  /** True when the browser promised not to evict the book; undefined where that question has no meaning. */
  readonly persisted?: boolean
  readonly owner: boolean
  readonly schema: number
  readonly records: Readonly<Record<string, number>>
  /** What the book takes, its indexes included. */
  readonly usageBytes: number
  /** What the browser lets this origin have, if it says. */
  readonly quotaBytes?: number
  /** What all guests have stored and may store, once one has. The owner's alone to know. */
  readonly guestQuota?: {
    readonly usedRecords: number
    readonly usedBytes: number
    readonly records: number
    readonly bytes: number
  }
  /** Records whose text is not indexed yet; the next search indexes them first. */
  readonly unindexed: number
  /** When the copy of the records beside the book last had everything. Absent where none is kept, or none is complete. */
  readonly checkpointAt?: string
  readonly sync: SyncState
  readonly degraded: string[]
}

/** How far the vectors of a book are. */
export interface EmbedStatus {
  /** `none` when the book was opened without an embedder. */
  readonly provider: string
  readonly model?: string
  /** `provider|model|dimensions|normalised` of the vectors there are; absent before the first. */
  readonly fingerprint?: string
  /**
   * `off`: no embedder. `waiting`: it can't embed yet, `why` says what for. `failing`: it is asked again after a while,
   * and what there is of vectors is used meanwhile.
   */
  readonly state: 'off' | 'waiting' | 'working' | 'ready' | 'failing'
  readonly why?: string
  /** Records that are to have a vector, those that have one, and those still without. */
  readonly total: number
  readonly embedded: number
  readonly behind: number
  /** Texts that the embedder refused; they are tried again when the book is opened anew. */
  readonly refused: number
  readonly lastError?: { readonly code: string; readonly message: string; readonly at: string }
  /** Memory that vectors take. */
  readonly bytes: number
  /** What scans them: WebAssembly with SIMD, or plain JavaScript where that can't be had. */
  readonly scan?: 'simd' | 'scalar'
}

/**
 * The line on which the mirror tells of changes at once. `resting`: nobody looks, or there is no network. `waiting`: it broke
 * and is opened again. `refused`: the mirror has none, or none for this key; it is asked again when the network comes back.
 */
export type LiveState = 'connecting' | 'open' | 'waiting' | 'resting' | 'refused'

/** What a sync does: it sends and fetches, or only sends, or only fetches. */
export const syncDirections = ['both', 'push', 'pull'] as const
export type SyncDirection = (typeof syncDirections)[number]

/** What a sync has brought. */
export interface SyncResult {
  readonly pulled: number
  readonly pushed: number
  readonly conflicts: number
}

export interface SyncState {
  readonly configured: boolean
  /**
   * `off`: no mirror is configured. `offline`: it could not be reached, and is tried again. `waiting`: it asked to be
   * left alone for a while. `stopped`: it refuses, and only a change can help; see `lastError`.
   */
  readonly phase: 'off' | 'idle' | 'running' | 'offline' | 'waiting' | 'stopped'
  /** When the next sync is due by itself. */
  readonly nextAt?: string
  readonly running: boolean
  /** The name that this copy of the book has at the mirror. */
  readonly device?: string
  /** Absent where there is no such line: the host has none, or it is not wanted. */
  readonly live?: LiveState
  /** Ops that the mirror has not acknowledged. */
  readonly pending: number
  /** Of those, how many it refused for good: see `deadLetters`. */
  readonly refused: number
  readonly conflicts: number
  /** While a sync runs: what it has brought so far. */
  readonly progress?: SyncResult
  /** How often this copy was found to differ from the mirror's, and was read anew. Should be 0. */
  readonly repairs: number
  readonly lastSyncedAt?: string
  readonly lastError?: { readonly code: string; readonly message: string }
  /**
   * Sending with no page open, where the book was opened with it. `missing`: this browser has no Background Sync, or the
   * page no service worker. `ready`: the service worker has nothing to send. `handed`: it has.
   */
  readonly background?: 'missing' | 'ready' | 'handed'
}
