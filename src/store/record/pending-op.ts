// An op of the outbox, with the record that it is about.
import type { RecordRow } from '../schema/record-row.ts'

/** One op of the outbox with the record it is about, as that stands now. */
export interface PendingOp {
  readonly n: number
  /** The mirror's version that the change was made on; 0 for a record the mirror has never seen. */
  readonly base: number
  readonly base_rev: number | null
  readonly rounds: number
  /** 1: it says what the version before it says, under another key. */
  readonly reseal: number
  readonly row: RecordRow
}
