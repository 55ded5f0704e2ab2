// A book that this tab owns: its engine runs in this tab's worker, over the book's open files.
import type { Durability } from '../../../core/record.ts'
import type { Engine } from '../../../engine/engine.ts'

export interface OwnedBook {
  readonly engine: Engine
  /** Number of this owner; the first owner of the book has 1. */
  readonly epoch: number
  readonly durability: Durability
  /** Makes each commit wait for the flush. Called when a tab opens the book with `strict`. */
  makeStrict(): void
  /** Calls `hear` when the book must be reopened because its memory differs from the stored state. */
  watchFault?(hear: () => void): void
  /** Measures the free space again. Call it after `storage-full`. */
  refit?(): Promise<void>
  /** Releases the files; close the engine first. */
  release(): void | Promise<void>
}
