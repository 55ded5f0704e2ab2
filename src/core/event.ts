// What a book tells those who listen.
import type { Progress, SyncResult, SyncState } from './capability.ts'

export interface BookEvents {
  /** Records changed, in any tab or on any device. At most 1,000 ids are named; `more` counts the rest. */
  readonly change: {
    readonly ids: readonly string[]
    readonly kinds: readonly string[]
    readonly more: number
  }
  readonly progress: Progress & { readonly capability: string }
  /** A sync began, ended or failed. */
  readonly sync: SyncState & { readonly result?: SyncResult }
  /** The book was closed, by `close()` or because its engine ended; `reason` says which. */
  readonly closed: { readonly reason: string }
}

export type BookEvent = {
  [Name in keyof BookEvents]: { readonly name: Name; readonly detail: BookEvents[Name] }
}[keyof BookEvents]
