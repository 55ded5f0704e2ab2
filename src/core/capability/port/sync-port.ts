// Conflicts, and changes that wait for the mirror, for the verbs of sync.
// Invariant: a guest sees a conflict only if it sees all records in it, and nothing of the outbox.
import type { ConflictEntry, ConflictQuery, OutboxEntry, OutboxQuery, RefusedOp } from '../../op.ts'

export interface SyncReader {
  conflicts(query: ConflictQuery): ConflictEntry[]
  /** Changes that the mirror refused for good, oldest first, after number `after`. */
  refused(limit: number, after?: number): RefusedOp[]
  /** Changes that the mirror has not acknowledged. */
  outbox(query: OutboxQuery): OutboxEntry[]
}

/** Inside one transaction. */
export interface SyncWriter {
  conflict(id: number): ConflictEntry | undefined
  /** Marks a conflict as decided. */
  decideConflict(id: number): void
  /** Sends refused changes again with the next sync: those of these records, or all. Answers the records. */
  retryRefused(records?: readonly string[]): string[]
}
