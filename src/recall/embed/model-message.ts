// What an embedder and the worker of its model say to each other. Plain data: it crosses threads.
import type { ErrorShape } from '../../core/errors.ts'

/** Which model, and where its files and its runtime come from. */
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

/** The first is `load`; what is asked before it is answered waits. Questions go before documents. */
export type ModelRequest =
  | { readonly type: 'load'; readonly choice: ModelChoice }
  | {
      readonly type: 'embed'
      readonly number: number
      readonly texts: readonly string[]
      readonly isQuestion: boolean
    }
  | { readonly type: 'abort'; readonly number: number }

export type ModelAnswer =
  /** Bytes of the model's files. */
  | { readonly type: 'loading'; readonly done: number; readonly total: number }
  | { readonly type: 'loaded' }
  | { readonly type: 'not-loaded'; readonly error: ErrorShape }
  /** All vectors one behind the other, as the model gave them. */
  | {
      readonly type: 'vectors'
      readonly number: number
      readonly numbers: Float32Array
      readonly dimensions: number
    }
  | { readonly type: 'failed'; readonly number: number; readonly error: ErrorShape }

/** A running worker. */
export interface ModelLink {
  post(request: ModelRequest): void
  /** Ends it at once, whatever it does. */
  end(): void
}

/**
 * Starts workers for models. Law: the host hands on the worker's answers in their order, calls `ended` once when the
 * worker is gone without `end`, and hands on nothing after either. Rejects when no worker can be started.
 */
export interface ModelHost {
  start(hear: (answer: ModelAnswer) => void, ended: (why: string) => void): Promise<ModelLink>
}
