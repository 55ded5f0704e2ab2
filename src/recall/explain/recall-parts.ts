// The parts of recall that `recall.explain` works with: those of one caller, so that it reaches no further.
import type { AbortSignalLike } from '../../core/abort.ts'
import type { RecallQuery } from '../../core/capability/port/recall-port.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import type { BookEmbedding } from '../book-embedding.ts'
import type { RecallPartSet } from '../part.ts'
import type { Recall } from '../recall.ts'

export interface RecallParts {
  /** The question as recall takes it. */
  readonly query: RecallQuery
  readonly recall: Recall
  readonly seen: Pick<BookStore, 'kinds' | 'queries'> & {
    /** The row of a record; undefined if the caller may not know of it. Only the owner gets a forgotten one. */
    row(id: string): RecordRow | undefined
  }
  /** Undefined for guests, who get no vectors, and without an embedder. */
  readonly embedding:
    Pick<BookEmbedding, 'embedder' | 'vectors' | 'embedQuestion' | 'degradedReason'> | undefined
  readonly isOwner: boolean
  readonly withoutParts: RecallPartSet | undefined
  readonly signal: AbortSignalLike
}
