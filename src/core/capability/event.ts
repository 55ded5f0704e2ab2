// Events of a book.
import type { SyncResult, SyncState } from './status.ts'
import type { Progress, TaskState } from './task.ts'
import type { Durability } from '../record.ts'
import type { StoredSecrets } from '../secret/stored-secrets.ts'
import type { RoomEvent } from './port/room-port.ts'

/** A change of the pool. `id`: name that all claws use. `record`: id of the record. */
export type PoolNews = { readonly id: string; readonly record: string } & (
  | { readonly type: 'proposal' | 'vote' }
  | { readonly type: 'decision'; readonly outcome: 'approved' | 'rejected' | 'expired' }
  | { readonly type: 'fact'; readonly version: number }
  /** A decision of another claw was refused because it doesn't fit the ballots and claws known here. */
  | { readonly type: 'dispute'; readonly claw: string; readonly reason: string }
  | { readonly type: 'claw'; readonly state: 'active' | 'stopping' | 'capabilities' }
)

export interface BookEvents {
  /**
   * Records changed, in any tab or on any device. `ids` has at most 1,000 ids; `more` counts the rest. Empty
   * `ids`: another tab now owns the book, or its keys changed, and any record of these kinds may have
   * changed.
   */
  readonly change: {
    readonly ids: readonly string[]
    readonly kinds: readonly string[]
    readonly more: number
    /**
     * For the holder of a token: at most 1,000 records that it can't read any more. `ids` includes them too, unless
     * `ids` is empty.
     */
    readonly unreadable?: readonly { readonly id: string; readonly kind: string }[]
  }
  readonly progress: Progress & { readonly capability: string }
  /** The activity of this device has new recalls or contexts. */
  readonly activity: { readonly count: number }
  /** A queued task started, ended or failed, or waits for its next attempt. */
  readonly task: {
    readonly id: string
    readonly capability: string
    readonly state: TaskState
    readonly attempts: number
    readonly error?: { readonly code: string; readonly message: string }
  }
  /** A sync started, ended or failed. */
  readonly sync: SyncState & { readonly result?: SyncResult }
  /** A message arrived for an agent of this book. Take it with `inbox.take`. */
  readonly inbox: {
    readonly id: string
    readonly from: string
    /** The recipient; absent: every agent. */
    readonly to?: string
    readonly subject?: string
  }
  /** A proposal arrived or was decided. An expiry fires no event. */
  readonly proposal: {
    readonly id: string
    readonly status: string
    /** The proposing agent. */
    readonly by: string
  }
  /**
   * One of three changes: another tab owns the book now (`owner`: this tab does), the list of faults changed
   * (`degraded`), or the browser answered whether it keeps the data (`persisted`). Absent fields are unchanged, or
   * follow in the next event.
   */
  readonly status: {
    readonly owner: boolean
    readonly durability: Durability
    readonly degraded?: readonly string[]
    readonly persisted?: boolean
  }
  /**
   * A call stored secrets of known forms. `records` has at most 100 records; `more` counts the rest. No secret is in
   * it.
   */
  readonly secret: { readonly records: readonly StoredSecrets[]; readonly more: number }
  /**
   * An agent requested to read memories, or its request was decided, on any device. Excludes the request's content.
   */
  readonly consent: {
    readonly id: string
    readonly agent: string
    readonly status: 'pending' | 'granted' | 'denied'
  }
  /** A participant spoke, joined or left in the meeting room. */
  readonly room: RoomEvent
  /**
   * The pool of agents changed, in this book or another: a proposal, vote, decision or fact, or a claw that joined,
   * left or announced its capabilities.
   */
  readonly pool: PoolNews
  /**
   * `close()` or the end of its engine closed the book, or the listening handle was closed. `reason` names the cause.
   */
  readonly closed: {
    readonly reason: string
    /** Error code unless it closed normally; `book-erased`: the book is gone. */
    readonly code?: string
  }
}

export type BookEvent = {
  [Name in keyof BookEvents]: { readonly name: Name; readonly detail: BookEvents[Name] }
}[keyof BookEvents]
