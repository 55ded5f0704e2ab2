// What the workers of a book's tabs say to each other, over channels of the origin.
// Invariant: what an owner says carries the epoch of its turn, and no tab heeds an earlier owner than it has heard of.
// The shape of `join`, `owner` and `refuse` is the same in every version, so that old and new can part in peace.
import type { BookEvent } from '../../../core/capability/event.ts'
import type { Scope } from '../../../core/record.ts'
import { schemaVersion } from '../../../store/schema/schema.ts'

/** Grows when the messages below change. */
const wireVersion = 3

/** Of the code that a tab runs: these messages, then the schema of the book. */
export type TabVersion = readonly [wire: number, schema: number]
export const tabVersion: TabVersion = [wireVersion, schemaVersion]

/** Below 0 when `a` is older than `b`. Mixed ones (an older wire with a newer schema) go by the wire. */
export function compareVersions(a: TabVersion, b: TabVersion): number {
  return a[0] - b[0] || a[1] - b[1]
}

/** A tab that would like to be served. */
export interface Joiner {
  /** Names its line, and the lock it holds while it lives. */
  readonly tab: string
  readonly version: TabVersion
  readonly scope: Scope
  readonly strict: boolean
  /** The embedder it was opened with, as `provider|model`; an older tab does not say. */
  readonly embedder?: string | undefined
  /** The address of its mirror and the name of its language model, if it has them. */
  readonly mirror?: string | undefined
  readonly llm?: string | undefined
  /** How large a meeting room it asked for, in words. */
  readonly room?: string | undefined
}

/** Heard by every tab of the book. */
export type SharedMessage =
  | ({ readonly type: 'join' } & Joiner)
  | { readonly type: 'owner'; readonly epoch: number }
  /** Somebody waits for this owner (for any, without an epoch) and has heard nothing for long. */
  | { readonly type: 'yield'; readonly epoch?: number }
  | { readonly type: 'event'; readonly epoch: number; readonly event: BookEvent }

export const ownerLock = (book: string) => `daybook:${book}:owner`
export const sharedName = (book: string) => `daybook:${book}:tabs`
export const lineName = (book: string, tab: string) => `daybook:${book}:tab:${tab}`
