// How a host gives a book its embedder: by a name that can be compared, and a function that opens it when the book is open.
import type { Clock, Embedder } from '../../core/ports.ts'
import type { ModelStore } from '../../store/vector/model-store.ts'

export interface EmbedderSource {
  /** `provider|model`, to tell it from what another tab was opened with. */
  readonly name?: string | undefined
  open(parts: {
    readonly models: ModelStore
    readonly clock: Clock
    /** How far a model is loaded has changed. */
    readonly onLoading: () => void
  }): Embedder
  /** How long a recall waits for the vector of its question. Default 800. */
  readonly questionDeadlineMs?: number | undefined
}
