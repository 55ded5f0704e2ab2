// What a book tells those who listen.
import type { SyncResult, SyncState } from './status.ts'
import type { Progress } from './progress.ts'
import type { Durability } from '../record.ts'
import type { StoredSecrets } from '../secret/stored-secrets.ts'
import type { RoomEvent } from './port/room-port.ts'
import type { TaskState } from './task.ts'

/** `id` is the name among claws, `record` the id of the record that it is of. */
export type PoolNews = { readonly id: string; readonly record: string } & (
  | { readonly type: 'proposal' | 'vote' }
  | { readonly type: 'decision'; readonly outcome: 'approved' | 'rejected' | 'expired' }
  | { readonly type: 'fact'; readonly version: number }
  /** A decision of another claw was refused: it is not what the ballots and claws that are known here come to. */
  | { readonly type: 'dispute'; readonly claw: string; readonly reason: string }
  | { readonly type: 'claw'; readonly state: 'active' | 'stopping' | 'capabilities' }
)

export interface BookEvents {
  /**
   * Records changed, in any tab or on any device. At most 1,000 ids are named; `more` counts the rest. Without any id:
   * another tab has taken over the book, and records of these kinds may have changed.
   */
  readonly change: {
    readonly ids: readonly string[]
    readonly kinds: readonly string[]
    readonly more: number
    /**
     * For the holder of a token: records that it could read before and may not read any more, up to 1000. They stand in `ids`
     * too, unless that is empty.
     */
    readonly left?: readonly { readonly id: string; readonly kind: string }[]
  }
  readonly progress: Progress & { readonly capability: string }
  /** Recalls or contexts were kept in the activity of this device. */
  readonly activity: { readonly count: number }
  /** A task of the queue began, ended, failed or is tried again. */
  readonly task: {
    readonly id: string
    readonly capability: string
    readonly state: TaskState
    readonly attempts: number
    readonly error?: { readonly code: string; readonly message: string }
  }
  /** A sync began, ended or failed. */
  readonly sync: SyncState & { readonly result?: SyncResult }
  /** A message has come for an agent of this book: `inbox.take` hands it over. */
  readonly inbox: {
    readonly id: string
    readonly from: string
    /** The agent it is for; absent: every agent. */
    readonly to?: string
    readonly subject?: string
  }
  /** A proposal came, or something was decided about it. What its `expiresAt` alone says is not told of. */
  readonly proposal: {
    readonly id: string
    readonly status: string
    /** The agent that proposes. */
    readonly by: string
  }
  /**
   * Another tab has taken over the book (`owner` says whether it is this one), what is `degraded` has changed (its storage
   * is full, it is locked, vectors fail, …; also when that is over), or the browser has answered whether it keeps what was
   * written (`persisted`). What is not named is as it was, or follows at once.
   */
  readonly status: {
    readonly owner: boolean
    readonly durability: Durability
    readonly degraded?: readonly string[]
    readonly persisted?: boolean
  }
  /**
   * Secrets of known form were found in what a call stored. At most 100 records are named; `more` counts the rest. The
   * secrets themselves are never told.
   */
  readonly secret: { readonly records: readonly StoredSecrets[]; readonly more: number }
  /** An agent asks to read memories, or that was decided; on whichever device. Without what it asked for. */
  readonly consent: {
    readonly id: string
    readonly agent: string
    readonly status: 'pending' | 'granted' | 'denied'
  }
  /** Somebody said something in the meeting room, came or left. */
  readonly room: RoomEvent
  /**
   * Something changed in the pool of agents, said here or elsewhere: a proposal, a vote on one, a decision, a fact, or a claw
   * that came, left or told anew what it can do.
   */
  readonly pool: PoolNews
  /** The book was closed, by `close()` or because its engine ended, or the handle that listens was; `reason` says which. */
  readonly closed: {
    readonly reason: string
    /** The code of the error by which it ended, where it did not close in good order: `book-erased` when it is gone. */
    readonly code?: string
  }
}

export type BookEvent = {
  [Name in keyof BookEvents]: { readonly name: Name; readonly detail: BookEvents[Name] }
}[keyof BookEvents]
