// What an engine offers, whichever host it runs in. Types only, so that parts of the engine can speak of it without a cycle.
import type { AbortSignalLike } from '../core/abort.ts'
import type { Grant } from '../core/access/grant.ts'
import type { Way } from '../core/access/policy-decision.ts'
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
  /** The embedder that it was opened with, as `provider|model`; another tab's engine may have another. */
  readonly embedder?: string
  /** The address of the mirror and the name of the language model that it was opened with, likewise. */
  readonly mirror?: string
  readonly llm?: string
  /** How large a meeting room it asked for, in words. */
  readonly room?: string
}

export interface CallOptions {
  /** A write with a requestId takes effect once, however often it is sent. */
  readonly requestId?: string
  /** Who calls; default the owner. For code of this engine's host: others come with `as` or `bearer`. */
  readonly caller?: Caller
  /**
   * The id of a stored token: the call is made as its holder would make it. Of several the last, if each was granted below
   * the one before.
   */
  readonly as?: string | readonly string[]
  /** Default scope of what the call stores; what is absent is as the tab or the token says. */
  readonly scope?: CallScope
  /** A whole token with its secret, or an access key, as a stranger presents it; what is none of this book's is `unauthorized`. */
  readonly bearer?: string
  /** What the host has verified that the caller may do. */
  readonly grant?: Grant
  /** What the caller says that it is for: for the log of access. */
  readonly purpose?: string
  /** The id of a receipt: the call of a guest then reaches what that says, within its token. */
  readonly receipt?: string
  /** How it came, for policies that ask. Default: over no network. */
  readonly way?: Way
  readonly signal?: AbortSignalLike
  /** Where the call comes from, when several tabs share this engine. Default: the tab it runs in. */
  readonly from?: CallingTab
  /** In the task queue: which try this is, and whom to tell that it goes on. */
  readonly attempt?: NonNullable<CallPort['attempt']>
  readonly onProgress?: () => void
}

/** What a page, a route or a tool needs of an engine, wherever it runs. */
export interface Engine {
  call(capabilityId: string, input: unknown, options?: CallOptions): Promise<unknown>
  /** Who it is that presents this, as a caller, with an id for limits; `unauthorized` when it is nobody of this book. */
  admit(presented: Pick<CallOptions, 'as' | 'bearer' | 'grant'>): Promise<Admitted>
  /** Throws unless the caller may call the capability. For what a host does outside of `call`. */
  check(capabilityId: string, caller: Caller): void
  /** Throws `unauthorized` once what was presented has ended: for a line that stays open. */
  recheck(admitted: Standing): void
  on(listener: (event: BookEvent) => void): () => void
  /** Makes calls that came together: their writes share a commit, which is made at once. */
  together<Result>(calls: () => Result): Result
  /** The network came back, the page into view, or a task is due: what waited for that goes on. */
  wake(): void
  /** What is sent when this engine has ended; undefined when the book was not opened with it. */
  readonly background: Pick<Background, 'allow' | 'handOver'> | undefined
  /** Whether anybody looks, and there is a network: without, no line to the mirror is kept open. */
  attend(seen: boolean): void
  /** The meeting room, to be copied to other tabs and told of those that are gone. */
  readonly room: RoomCopies
  /** The meeting room where this is a mirror. */
  readonly meeting: MirrorRoom | undefined
  /** The log of access, for what a host lets others do outside of `call`. */
  readonly audit: Pick<AccessAudit, 'note' | 'flush'> & Pick<Admission, 'claimant'>
  /** The store beneath, for the edge's half of sync. Nothing else may go past the door. */
  readonly store: BookStore
  close(): void
}
