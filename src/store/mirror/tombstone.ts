// The tombstone of a book that its owner erased at its mirror: the only row of the database until the owner begins a
// new book.
// Invariant: the row stays for ever, also next to a new book.
import type { SqlDatabase } from '../../core/ports.ts'

export interface Tombstone {
  /** The time of the erasure, canonical. */
  readonly at: string
  /**
   * The epoch of the erased book (see sync/SPEC.md): a caller that sends it had a copy of the book. Undefined
   * when the book had none.
   */
  readonly epoch: string | undefined
  /** True when the owner has begun another book under the same name. */
  readonly isReplaced: boolean
}

export function readTombstone(db: Pick<SqlDatabase, 'get'>): Tombstone | undefined {
  const tableExists = db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'tombstone'")
  if (!tableExists) return undefined
  const row = db.get<{ at: string; epoch: string | null; begun: number }>(
    'SELECT at, epoch, begun FROM tombstone WHERE n = 1',
  )
  return row && { at: row.at, epoch: row.epoch ?? undefined, isReplaced: row.begun === 1 }
}

/** Writes the tombstone. Call it outside of transactions, because it makes its table. */
export function writeTombstone(db: SqlDatabase, { at, epoch, isReplaced }: Tombstone): void {
  db.transaction(() => {
    db.exec(`CREATE TABLE IF NOT EXISTS tombstone (
      n INTEGER PRIMARY KEY CHECK (n = 1), at TEXT NOT NULL, epoch TEXT, begun INTEGER NOT NULL)`)
    db.run(
      `INSERT INTO tombstone (n, at, epoch, begun) VALUES (1, ?, ?, ?)
       ON CONFLICT (n) DO UPDATE SET at = excluded.at, epoch = excluded.epoch, begun = excluded.begun`,
      [at, epoch ?? null, isReplaced ? 1 : 0],
    )
  })
}
