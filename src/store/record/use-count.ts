// How often a record was of use on this device: beside the records, because it is nobody else's business.
import type { SqlDatabase } from '../../core/ports.ts'
import type { Projection } from './projection.ts'

/** Of the live records of `kind` that were of use: how often, and when last. By id. */
export function usesOf(
  db: SqlDatabase,
  kind: string,
): Map<string, { readonly count: number; readonly last_at: string }> {
  const rows = db.all<{ id: string; count: number; last_at: string }>(
    'SELECT r.id, u.count, u.last_at FROM uses u CROSS JOIN records r ON r.seq = u.seq WHERE r.kind = ? AND r.deleted = 0',
    [kind],
  )
  return new Map(rows.map(({ id, ...use }) => [id, use]))
}

/** Counts one use of the record `seq`. Inside a transaction. */
export function countUse(db: SqlDatabase, projection: Projection, seq: number, now: string): void {
  db.run(
    `INSERT INTO uses (seq, count, last_at) VALUES (?, 1, ?)
     ON CONFLICT (seq) DO UPDATE SET count = count + 1, last_at = excluded.last_at`,
    [seq, now],
  )
  projection.touch(seq)
}
