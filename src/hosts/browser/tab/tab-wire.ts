// Messages between the tabs of a book, over channels of the origin.
// Invariant: an owner's messages carry the epoch of its turn; tabs ignore owners older than the newest they
// know.
// `join`, `owner` and `refuse` have the same shape in every version, so that different versions can part
// cleanly.
import type { BookEvent } from '../../../core/capability/event.ts'
import type { Scope } from '../../../core/record.ts'
import { schemaVersion } from '../../../store/schema/schema.ts'

/** Grows when the messages below change. */
const wireVersion = 3

/** Version of a tab's code: these messages, then the schema of the book. */
export type TabVersion = readonly [wire: number, schema: number]
export const tabVersion: TabVersion = [wireVersion, schemaVersion]

/** Below 0 when `a` is older than `b`. The wire decides before the schema. */
export function compareVersions(a: TabVersion, b: TabVersion): number {
  return a[0] - b[0] || a[1] - b[1]
}

/** A tab that wants to be served. */
export interface Joiner {
  /** Names its line, and the lock it holds while it lives. */
  readonly tab: string
  readonly version: TabVersion
  readonly scope: Scope
  readonly strict: boolean
  /** The embedder it was opened with, as `provider|model`; an older tab doesn't send it. */
  readonly embedder?: string | undefined
  /** The address of its mirror and the name of its language model, if it has them. */
  readonly mirror?: string | undefined
  readonly llm?: string | undefined
  /** Requested size of the meeting room, as text. */
  readonly room?: string | undefined
}

/** To every tab of the book. */
export type SharedMessage =
  | ({ readonly type: 'join' } & Joiner)
  | { readonly type: 'owner'; readonly epoch: number }
  /** A tab has long heard nothing from this owner (from any, without an epoch) and asks it to yield. */
  | { readonly type: 'yield'; readonly epoch?: number }
  | { readonly type: 'event'; readonly epoch: number; readonly event: BookEvent }

export const ownerLock = (book: string) => `daybook:${book}:owner`
export const sharedName = (book: string) => `daybook:${book}:tabs`
export const lineName = (book: string, tab: string) => `daybook:${book}:tab:${tab}`
