// State of a book.
import type { Durability } from '../record.ts'

export interface Status {
  readonly name: string
  readonly agent: string
  readonly durability: Durability
  /** True if the browser promised to keep the book. Undefined on other hosts. */
  readonly persisted?: boolean
  /** True if this tab or process runs the engine of the book; false if another one does. */
  readonly owner: boolean
  /** Version of the tables. */
  readonly schema: number
  /** Number of live records of each kind. */
  readonly records: Readonly<Record<string, number>>
  /** Bytes of the book, indexes included. */
  readonly usageBytes: number
  /** Bytes that the browser allows for this origin. Absent if unknown. */
  readonly quotaBytes?: number
  /** Storage that all guests use, and their quota. Only for the owner, and after the first write of a guest. */
  readonly guestQuota?: {
    readonly usedRecords: number
    readonly usedBytes: number
    readonly records: number
    readonly bytes: number
  }
  /** Records whose text is not indexed yet. The next search indexes them first. */
  readonly unindexed: number
  /** Time of the last complete copy of the records in the checkpoint file. Absent without a copy, as in IndexedDB. */
  readonly checkpointAt?: string
  readonly sync: SyncState
  /** Descriptions of faults; empty without faults. */
  readonly degraded: string[]
}

/** State of the vectors of a book. */
export interface EmbedStatus {
  /** `none`: the book has no embedder. */
  readonly provider: string
  readonly model?: string
  /** `provider|model|dimensions|normalised` of the stored vectors. Absent before the first vector. */
  readonly fingerprint?: string
  /**
   * `off`: no embedder. `ready`: every record has its vector, and the table of `meaning` is loaded, unless the book has no
   * texts. `waiting`: the embedder can't work yet; `why` is the reason. `failing`: the embedder failed
   * and is retried later; recall uses the existing vectors.
   */
  readonly state: 'off' | 'waiting' | 'working' | 'ready' | 'failing'
  readonly why?: string
  /** Number of records that need a vector. */
  readonly total: number
  /** Number of records that have their vector. */
  readonly embedded: number
  /** Number of records that lack it. */
  readonly behind: number
  /** Number of texts that the embedder refused. The next opening of the book retries them. */
  readonly refused: number
  readonly lastError?: { readonly code: string; readonly message: string; readonly at: string }
  /** Memory of the vectors, in bytes. */
  readonly bytes: number
  /** Implementation of the vector scan: WebAssembly with SIMD, or plain JavaScript. */
  readonly scan?: 'simd' | 'scalar'
}

/**
 * State of the connection on which the mirror sends changes at once. `resting`: no one needs it, or there is no
 * network. `waiting`: it broke and reconnects soon. `refused`: the mirror offers none, or none for this key; the
 * device retries when the network is back.
 */
export type LiveState = 'connecting' | 'open' | 'waiting' | 'resting' | 'refused'

/** `push` only sends, `pull` only fetches. */
export const syncDirections = ['both', 'push', 'pull'] as const
export type SyncDirection = (typeof syncDirections)[number]

/** Counts of one sync. */
export interface SyncResult {
  readonly pulled: number
  readonly pushed: number
  readonly conflicts: number
}

export interface SyncState {
  /** True if the book has a mirror. */
  readonly configured: boolean
  /**
   * `off`: no mirror. `offline`: the mirror can't be reached; the device retries. `waiting`: the mirror requested a
   * pause. `stopped`: the mirror refuses syncs until something changes; see `lastError`.
   */
  readonly phase: 'off' | 'idle' | 'running' | 'offline' | 'waiting' | 'stopped'
  /** Time of the next automatic sync. */
  readonly nextAt?: string
  readonly running: boolean
  /** Name of this copy at the mirror. */
  readonly device?: string
  /** State of the live connection. Absent if the host has none or it is disabled. */
  readonly live?: LiveState
  /** Ops that the mirror has not acknowledged. */
  readonly pending: number
  /** Number of pending ops that the mirror will never accept: `book.deadLetters.list` has them. */
  readonly refused: number
  /** Conflicts that no person has decided, including those that the policy settled. */
  readonly conflicts: number
  /** Counts of the running sync so far. Absent between syncs. */
  readonly progress?: SyncResult
  /** How often this copy differed from the mirror's copy and was read again. Expected: 0. */
  readonly repairs: number
  readonly lastSyncedAt?: string
  readonly lastError?: { readonly code: string; readonly message: string }
  /**
   * Background Sync, if the book was opened with it. `missing`: the browser has no Background Sync or no service
   * worker. `ready`: the service worker has nothing to send. `handed`: the service worker has requests to send.
   */
  readonly background?: 'missing' | 'ready' | 'handed'
}
