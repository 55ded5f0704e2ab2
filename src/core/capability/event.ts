// Events of a book.
import type { SyncResult, SyncState } from './status.ts'
import type { Progress, TaskState } from './task.ts'
import type { Durability } from '../record.ts'
import type { StoredSecrets } from '../secret/stored-secrets.ts'
import type { RoomEvent } from './port/room-port.ts'

/** `id` is the name among claws, `record` the id of its record. */
export type PoolNews = { readonly id: string; readonly record: string } & (
  | { readonly type: 'proposal' | 'vote' }
  | { readonly type: 'decision'; readonly outcome: 'approved' | 'rejected' | 'expired' }
  | { readonly type: 'fact'; readonly version: number }
  /** A decision of another claw was refused: it doesn't match the ballots and claws known here. */
  | { readonly type: 'dispute'; readonly claw: string; readonly reason: string }
  | { readonly type: 'claw'; readonly state: 'active' | 'stopping' | 'capabilities' }
)

export interface BookEvents {
  /**
   * Records changed, in any tab or on any device. Names at most 1,000 ids; `more` counts the rest. No ids: another tab
   * now owns the book, and any record of these kinds may have changed.
   */
  readonly change: {
    readonly ids: readonly string[]
    readonly kinds: readonly string[]
    readonly more: number
    /**
     * For the holder of a token: records that it could read before and can't read now, up to 1,000. They are in `ids`
     * too, unless that is empty.
     */
    readonly unreadable?: readonly { readonly id: string; readonly kind: string }[]
  }
  readonly progress: Progress & { readonly capability: string }
  /** The activity of this device has new recalls or contexts. */
  readonly activity: { readonly count: number }
  /** A queued task started, ended, failed or is retried. */
  readonly task: {
    readonly id: string
    readonly capability: string
    readonly state: TaskState
    readonly attempts: number
    readonly error?: { readonly code: string; readonly message: string }
  }
  /** A sync started, ended or failed. */
  readonly sync: SyncState & { readonly result?: SyncResult }
  /** A message arrived for an agent of this book: take it with `inbox.take`. */
  readonly inbox: {
    readonly id: string
    readonly from: string
    /** The recipient; absent: every agent. */
    readonly to?: string
    readonly subject?: string
  }
  /** A proposal arrived or was decided. Its expiry fires no event. */
  readonly proposal: {
    readonly id: string
    readonly status: string
    /** The proposing agent. */
    readonly by: string
  }
  /**
   * Another tab now owns the book (`owner`: whether it is this one), `degraded` changed (storage full, locked, vectors
   * fail, …, or solved), or the browser answered whether it keeps the data (`persisted`). Absent fields are unchanged, or
   * follow at once.
   */
  readonly status: {
    readonly owner: boolean
    readonly durability: Durability
    readonly degraded?: readonly string[]
    readonly persisted?: boolean
  }
  /**
   * A call stored secrets of known forms. Names at most 100 records; `more` counts the rest. Never contains the secrets.
   */
  readonly secret: { readonly records: readonly StoredSecrets[]; readonly more: number }
  /** An agent asked to read memories, or its request was decided, on any device. Without the content of the request. */
  readonly consent: {
    readonly id: string
    readonly agent: string
    readonly status: 'pending' | 'granted' | 'denied'
  }
  /** Somebody spoke, joined or left in the meeting room. */
  readonly room: RoomEvent
  /**
   * The pool of agents changed, here or elsewhere: a proposal, a vote, a decision, a fact, or a claw that joined, left or
   * announced its capabilities.
   */
  readonly pool: PoolNews
  /**
   * The book was closed by `close()` or the end of its engine, or the listening handle was closed; `reason` says which.
   */
  readonly closed: {
    readonly reason: string
    /** Error code if it did not close normally: `book-erased` if the book is gone. */
    readonly code?: string
  }
}

export type BookEvent = {
  [Name in keyof BookEvents]: { readonly name: Name; readonly detail: BookEvents[Name] }
}[keyof BookEvents]
