// Messages between the tabs of a book, over channels of the origin.
// Invariant: an owner's messages carry its epoch, the number of the owner; a tab ignores an owner with a lower epoch
// than the newest that the tab knows.
// `join`, `owner` and `refuse` have the same shape in every version, so that tabs of different versions can
// refuse each other.
import type { BookEvent } from '../../../core/capability/event.ts'
import type { Scope } from '../../../core/record.ts'
import { schemaVersion } from '../../../store/schema/schema.ts'

/** Raise it when the messages below change. */
const wireVersion = 3

/** Version of a tab's code: the version of these messages, then of the book's schema. */
export type TabVersion = readonly [wire: number, schema: number]
export const tabVersion: TabVersion = [wireVersion, schemaVersion]

/** Below 0 when `a` is older than `b`. Compares the messages' version first, then the schema's. */
export function compareVersions(a: TabVersion, b: TabVersion): number {
  return a[0] - b[0] || a[1] - b[1]
}

/** A tab that requests to be served. The owner's status warns about options that differ from the owner's. */
export interface Joiner {
  /** Id of the tab. It names the tab's line, and the lock that the tab holds while it lives. */
  readonly tab: string
  readonly version: TabVersion
  readonly scope: Scope
  readonly strict: boolean
  /** The name of the embedder of the tab's options, also `none`; absent without the option. */
  readonly embedder?: string | undefined
  /** URL of the tab's mirror, if any; `llm`: name of its language model, if any. */
  readonly mirror?: string | undefined
  readonly llm?: string | undefined
  /** Size of the meeting room of the tab's options, as text. */
  readonly room?: string | undefined
}

/** A message to every tab of the book. */
export type SharedMessage =
  | ({ readonly type: 'join' } & Joiner)
  /** A tab now owns the book. */
  | { readonly type: 'owner'; readonly epoch: number }
  /**
   * A tab got no message from the owner `epoch` for long, and asks it to yield. Without `epoch`: asks any
   * owner.
   */
  | { readonly type: 'yield'; readonly epoch?: number }
  /** An event of the owner's engine, except events of the meeting room: those use the lines. */
  | { readonly type: 'event'; readonly epoch: number; readonly event: BookEvent }

/**
 * Name of the Web Lock of the book's owner; `sharedName`: of the channel of all tabs; `lineName`: of a tab's
 * line to the owner.
 */
export const ownerLock = (book: string) => `daybook:${book}:owner`
export const sharedName = (book: string) => `daybook:${book}:tabs`
export const lineName = (book: string, tab: string) => `daybook:${book}:tab:${tab}`
