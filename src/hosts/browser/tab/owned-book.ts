// A book that this tab owns.
import type { Durability } from '../../../core/record.ts'
import type { Engine } from '../../../engine/engine.ts'

export interface OwnedBook {
  readonly engine: Engine
  /** Number of this owner of the book, counted from the first. */
  readonly epoch: number
  readonly durability: Durability
  /** Makes each commit wait for the flush: some tab asked for it. */
  makeStrict(): void
  /** Calls `hear` when the book must be reopened: its memory differs from the stored state. */
  watchFault?(hear: () => void): void
  /** The storage was full: measures the space again. */
  refit?(): Promise<void>
  /** Releases the files; close the engine first. */
  release(): void | Promise<void>
}
