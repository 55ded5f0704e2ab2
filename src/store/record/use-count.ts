// How often a record was of use on this device: beside the records, because it is nobody else's business.
import type { SqlDatabase } from '../../core/ports.ts'
import type { Projection } from './projection.ts'

/** Counts one use of the record `seq`. Inside a transaction. */
export function countUse(db: SqlDatabase, projection: Projection, seq: number, now: string): void {
  db.run(
    `INSERT INTO uses (seq, count, last_at) VALUES (?, 1, ?)
     ON CONFLICT (seq) DO UPDATE SET count = count + 1, last_at = excluded.last_at`,
    [seq, now],
  )
  projection.touch(seq)
}
