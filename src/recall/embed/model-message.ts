// Messages between an embedder and the worker of its model. Plain data: it crosses threads.
import type { ErrorShape } from '../../core/errors.ts'

/** The model, and the origin of its files and its runtime: as in `LocalModelOptions`. */
export interface ModelChoice {
  readonly model: string
  readonly revision?: string | undefined
  readonly dtype: string
  readonly pooling: string
  readonly device?: string | undefined
  readonly path?: string | undefined
  readonly cache?: string | undefined
  readonly offline: boolean
  readonly wasm?: string | undefined
  readonly runtime?: string | undefined
}

/** `load` comes first; requests wait for its answer. Questions go before documents. */
export type ModelRequest =
  | { readonly type: 'load'; readonly choice: ModelChoice }
  | {
      readonly type: 'embed'
      readonly number: number
      readonly texts: readonly string[]
      readonly isQuestion: boolean
    }
  | { readonly type: 'abort'; readonly number: number }

export type ModelResponse =
  /** Bytes of the model's files. */
  | { readonly type: 'loading'; readonly done: number; readonly total: number }
  | { readonly type: 'loaded' }
  | { readonly type: 'not-loaded'; readonly error: ErrorShape }
  /** All vectors in one array, as the model gave them. */
  | {
      readonly type: 'vectors'
      readonly number: number
      readonly numbers: Float32Array
      readonly dimensions: number
    }
  | { readonly type: 'failed'; readonly number: number; readonly error: ErrorShape }

/** A running worker. */
export interface ModelWorker {
  post(request: ModelRequest): void
  /** Terminates it at once. */
  end(): void
}

/**
 * Starts workers for models. Law: the host passes the worker's answers to `onAnswer` in order, calls `onEnd` once when the
 * worker dies without `end`, and passes nothing on after that. Rejects when no worker can start.
 */
export interface ModelHost {
  startWorker(onAnswer: (answer: ModelResponse) => void, onEnd: (why: string) => void): Promise<ModelWorker>
}
