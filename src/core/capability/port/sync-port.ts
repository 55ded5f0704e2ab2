// Sync port: conflicts, and changes that wait for the mirror.
// Invariant: a guest sees a conflict only if it may see all its records; a guest never sees the outbox.
import type {
  ConflictEntry,
  ConflictQuery,
  LoggedConflict,
  OutboxEntry,
  OutboxQuery,
  RefusedOp,
} from '../../op.ts'

export interface SyncReader {
  conflicts(query: ConflictQuery): ConflictEntry[]
  /** Changes that the mirror refused finally, oldest first. `after`: only higher numbers. */
  refused(limit: number, after?: number): RefusedOp[]
  /** Changes that the mirror has not acknowledged. */
  outbox(query: OutboxQuery): OutboxEntry[]
}

/** Changes conflicts and the outbox, in one transaction. */
export interface SyncWriter {
  conflict(id: number): LoggedConflict | undefined
  /** Marks a conflict as decided. */
  decideConflict(id: number): void
  /** Queues refused changes again, of these records or all. Returns the ids of the records. */
  retryRefused(records?: readonly string[]): string[]
}
