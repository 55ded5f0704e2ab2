// The interface of an engine, in any host. Types only, so that parts of the engine can use them without a cycle.
import type { AbortSignalLike } from '../core/abort.ts'
import type { Grant } from '../core/access/grant.ts'
import type { CallWay } from '../core/access/governed.ts'
import type { Caller } from '../core/capability/caller.ts'
import type { CallPort } from '../core/capability/context.ts'
import type { BookEvent } from '../core/capability/event.ts'
import type { CallScope, Scope } from '../core/record.ts'
import type { MirrorRoom } from '../commons/room/mirror-room.ts'
import type { Admission, Admitted, Standing } from '../trust/admission.ts'
import type { AccessAudit } from './service/access-audit.ts'
import type { RoomCopies } from './service/book-room.ts'
import type { BookStore } from '../store/book-store.ts'
import type { Background } from '../sync/device/background.ts'

/** A tab that calls: its name, the scope it opened the book with, and whether this engine runs in it. */
export interface CallingTab {
  readonly tab: string
  readonly scope: Scope
  readonly owner: boolean
  /** The embedder of its options, as `provider|model`; the engine's tab may have another. */
  readonly embedder?: string
  /** The address of the mirror and the name of the language model in its options. */
  readonly mirror?: string
  readonly llm?: string
  /** The size of the meeting room in its options, in words. */
  readonly room?: string
}

export interface CallOptions {
  /** A write with a requestId takes effect once, however often it is sent. */
  readonly requestId?: string
  /** The caller; default the owner. For code of this engine's host: others come with `as` or `bearer`. */
  readonly caller?: Caller
  /**
   * The id of a stored token: the call runs as its holder's. Of several the last, if each was granted below the one
   * before.
   */
  readonly as?: string | readonly string[]
  /** Default scope of what the call stores; absent fields come from the tab or the token. */
  readonly scope?: CallScope
  /** A whole token with its secret, or an access key. One of another book is `unauthorized`. */
  readonly bearer?: string
  /** Rights of the caller that the host has verified. */
  readonly grant?: Grant
  /** The caller's purpose, for the access log. */
  readonly purpose?: string
  /** The id of a receipt: it narrows the reach of a guest's token. */
  readonly receipt?: string
  /** The network it came over, for policies that depend on it. Default: none. */
  readonly way?: CallWay
  readonly signal?: AbortSignalLike
  /** The calling tab, if several share this engine. Default: the tab it runs in. */
  readonly from?: CallingTab
  /** In the task queue: the number of the try, and the callback for progress. */
  readonly attempt?: NonNullable<CallPort['attempt']>
  readonly onProgress?: () => void
}

/** An engine for a page, a route or a tool. */
export interface Engine {
  call(capabilityId: string, input: unknown, options?: CallOptions): Promise<unknown>
  /** The caller with these credentials, and an id for rate limits; `unauthorized` if the book does not know it. */
  admit(presented: Pick<CallOptions, 'as' | 'bearer' | 'grant'>): Promise<Admitted>
  /** Throws unless the caller may call the capability. For work of a host outside of `call`. */
  check(capabilityId: string, caller: Caller): void
  /** Throws `unauthorized` once the credentials have ended: for a line that stays open. */
  recheck(admitted: Standing): void
  on(listener: (event: BookEvent) => void): () => void
  /** Runs calls that arrived together: their writes share one commit, made at once. */
  together<Result>(calls: () => Result): Result
  /** The network is back, the page is in view again, or a task is due: resumes work that waits for that. */
  wake(): void
  /** Requests that are sent after this engine has ended; undefined if the book was opened without. */
  readonly background: Pick<Background, 'allow' | 'handOver'> | undefined
  /** True if the page is in view and there is a network: else no line to the mirror stays open. */
  attend(seen: boolean): void
  /** The meeting room, to copy to other tabs; call it for tabs that closed. */
  readonly room: RoomCopies
  /** The meeting room, if this is a mirror. */
  readonly meeting: MirrorRoom | undefined
  /** The access log, for work that a host does for others outside of `call`. */
  readonly audit: Pick<AccessAudit, 'note' | 'flush'> & Pick<Admission, 'claimant'>
  /** The store, for the mirror's half of sync. Nothing else may bypass `call`. */
  readonly store: BookStore
  close(): void
}
