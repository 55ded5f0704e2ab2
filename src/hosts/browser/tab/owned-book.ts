// A book that a tab has opened in its turn.
import type { Durability } from '../../../core/record.ts'
import type { Engine } from '../../../engine/engine.ts'

export interface OwnedBook {
  readonly engine: Engine
  /** Counts the owners of this book, this one included. */
  readonly epoch: number
  readonly durability: Durability
  /** From now on each commit waits for the flush: some tab asked for it. */
  makeStrict(): void
  /** Calls `hear` when the book must be opened again: its memory is not what is kept any more. */
  watchFault?(hear: () => void): void
  /** The storage was full: looks again how much space there is. */
  refit?(): Promise<void>
  /** Lets go of the files; call after the engine is closed. */
  release(): void | Promise<void>
}
