// Counts uses of records on this device. A sync does not send the counts, so they are not in the records.
import type { SqlDatabase } from '../../core/ports.ts'
import type { Projection } from './projection.ts'

/** The counted uses of live records of `kind`, by id. `lastAt`: canonical time. */
export function readUses(
  db: SqlDatabase,
  kind: string,
): Map<string, { readonly count: number; readonly lastAt: string }> {
  const rows = db.all<{ id: string; count: number; lastAt: string }>(
    'SELECT r.id, u.count, u.last_at AS lastAt FROM uses u CROSS JOIN records r ON r.seq = u.seq WHERE r.kind = ? AND r.deleted = 0',
    [kind],
  )
  return new Map(rows.map(({ id, ...use }) => [id, use]))
}

/** Counts one more use of the record at `seq`. Call it inside a transaction. */
export function countUse(db: SqlDatabase, projection: Projection, seq: number, now: string): void {
  db.run(
    `INSERT INTO uses (seq, count, last_at) VALUES (?, 1, ?)
     ON CONFLICT (seq) DO UPDATE SET count = count + 1, last_at = excluded.last_at`,
    [seq, now],
  )
  // The count is in no derived row, but in caches of the watchers.
  projection.notifyChanged(seq)
}
