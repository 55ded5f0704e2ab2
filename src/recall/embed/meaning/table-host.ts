// How a host reads the table of the embedder `meaning`.
import type { AbortSignalLike } from '../../../core/abort.ts'

export interface TableProgress {
  /** Loaded bytes; `total` 0: unknown. */
  readonly done: number
  readonly total: number
  /** Why recall can't use the table yet, in a sentence for a person. */
  readonly why: string
}

export interface TableRequest {
  /** From the options; both undefined: the file of the package. */
  readonly url: string | undefined
  readonly path: string | undefined
  /** Throws what is wrong with the bytes. A host with a copy of its own checks it before it stores or returns it. */
  check(bytes: Uint8Array): void
  /** Call it when the bytes come from afar, or can't come now: recall then answers by words until they are there. */
  onProgress(progress: TableProgress): void
  /** Aborted when the embedder closes. */
  readonly signal: AbortSignalLike
}

/** Law: rejects with `embedder-failed`; `retry` if the next call may succeed. */
export interface TableHost {
  readTable(request: TableRequest): Promise<Uint8Array>
}
