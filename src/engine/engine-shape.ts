// The interface of an engine, in any host. Types only, so that parts of the engine can use them without a cycle.
import type { AbortSignalLike } from '../core/abort.ts'
import type { Grant } from '../core/access/grant.ts'
import type { CallWay } from '../core/access/governed.ts'
import type { Caller } from '../core/capability/caller.ts'
import type { CallPort } from '../core/capability/context.ts'
import type { BookEvent } from '../core/capability/event.ts'
import type { CallScope, Scope } from '../core/record.ts'
import type { MirrorRoom } from '../commons/room/mirror-room.ts'
import type { Admission, AdmittedCaller, CallerIdentity } from '../trust/admission.ts'
import type { AccessAudit } from './service/access-audit.ts'
import type { RoomCopies } from './service/book-room.ts'
import type { BookStore } from '../store/book-store.ts'
import type { BackgroundSync } from '../sync/device/background.ts'

/** A calling tab: its name, the scope of its book, and `owner`: true if this engine runs in the tab. */
export interface CallingTab {
  readonly tab: string
  readonly scope: Scope
  readonly owner: boolean
  /** The embedder in the tab's options, as `provider|model`; the engine's tab may have another embedder. */
  readonly embedder?: string
  /** The address of the mirror and the name of the language model in the tab's options. */
  readonly mirror?: string
  readonly llm?: string
  /** The size of the meeting room in the tab's options, as text. */
  readonly room?: string
}

export interface CallOptions {
  /** A write with a requestId takes effect once, also if the write is sent several times. */
  readonly requestId?: string | undefined
  /** The caller. Default: the owner. Only code of the engine's host sets it; other callers use `as` or `bearer`. */
  readonly caller?: Caller
  /**
   * Id of a stored token: the call runs as the token's holder. Of several tokens, the last counts, and each must be
   * granted below the token before it.
   */
  readonly as?: string | readonly string[] | undefined
  /** Default scope of the records that the call stores; absent fields come from the tab or the token. */
  readonly scope?: CallScope | undefined
  /** A whole token with its secret, or an access key. A token or key of another book is `unauthorized`. */
  readonly bearer?: string
  /** Rights of the caller that the host has verified. */
  readonly grant?: Grant
  /** The caller's purpose, for the access log. */
  readonly purpose?: string | undefined
  /** Id of a receipt, which narrows the reach of a guest's token. */
  readonly receipt?: string | undefined
  /** `here` (no network), `https` or `http`, for policies that depend on it. Default: `here`. */
  readonly way?: CallWay
  readonly signal?: AbortSignalLike | undefined
  /** Called when a transaction of the call begins: an abort before the first refuses it, and a later one refuses none. */
  readonly onBegin?: () => void
  /** The calling tab, if several tabs share this engine. Default: the tab that the engine runs in. */
  readonly from?: CallingTab
  /** For calls of the task queue: the attempt, and a callback for progress. */
  readonly attempt?: NonNullable<CallPort['attempt']>
  readonly onProgress?: () => void
}

/** An engine for a page, a route or a tool. */
export interface Engine {
  call(capabilityId: string, input: unknown, options?: CallOptions): Promise<unknown>
  /**
   * Returns the caller with these credentials, and an id for rate limits. Rejects with `unauthorized` for unknown
   * credentials.
   */
  admit(presented: Pick<CallOptions, 'as' | 'bearer' | 'grant'>): Promise<AdmittedCaller>
  /** Throws unless the caller may call the capability. For work of a host outside of `call`. */
  check(capabilityId: string, caller: Caller): void
  /** Throws `unauthorized` once the credentials have ended. For a connection that stays open. */
  recheck(admitted: CallerIdentity): void
  /** Adds a listener. The returned function removes it. */
  on(listener: (event: BookEvent) => void): () => void
  /** Runs calls that arrived together: their writes share one commit, made at once. */
  together<Result>(calls: () => Result): Result
  /** Resumes waiting work. Call it when the network is back, the page is in view again, or a task is due. */
  wake(): void
  /** Requests that are sent after this engine has ended; undefined without a mirror or `spillPlace`. */
  readonly background: Pick<BackgroundSync, 'allow' | 'handOver'> | undefined
  /** `seen`: true if the page is in view and there is a network. If false, no line to the mirror stays open. */
  attend(seen: boolean): void
  /** The meeting room, to copy to other tabs. Call `leaveTab` for a closed tab. */
  readonly room: RoomCopies
  /** The meeting room of a mirror; undefined on a device. */
  readonly meeting: MirrorRoom | undefined
  /** The access log, for work that a host does for a caller outside of `call`. */
  readonly audit: Pick<AccessAudit, 'note' | 'flush'> & Pick<Admission, 'claimedCaller'>
  /** The store, for the mirror's half of sync. All other code must use `call`. */
  readonly store: BookStore
  close(): void
}
