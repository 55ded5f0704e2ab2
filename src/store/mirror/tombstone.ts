// What is left of a book that its owner has erased at its mirror, in a database that has nothing else then; and that it was
// begun anew since. Invariant: once there is such a row it stays, whatever becomes of the book.
import type { SqlDatabase } from '../../core/ports.ts'

export interface Tombstone {
  /** When it was erased, canonical. */
  readonly at: string
  /** The epoch of what was erased: who names it has had this book. */
  readonly epoch: string | undefined
  /** Its owner has begun a book under the same name since. */
  readonly isBegunAnew: boolean
}

export function readTombstone(db: Pick<SqlDatabase, 'get'>): Tombstone | undefined {
  const isThere = db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'tombstone'")
  if (!isThere) return undefined
  const row = db.get<{ at: string; epoch: string | null; begun: number }>(
    'SELECT at, epoch, begun FROM tombstone WHERE n = 1',
  )
  return row && { at: row.at, epoch: row.epoch ?? undefined, isBegunAnew: row.begun === 1 }
}

/** Not inside a transaction: it makes its table. */
export function writeTombstone(db: SqlDatabase, { at, epoch, isBegunAnew }: Tombstone): void {
  db.transaction(() => {
    db.exec(`CREATE TABLE IF NOT EXISTS tombstone (
      n INTEGER PRIMARY KEY CHECK (n = 1), at TEXT NOT NULL, epoch TEXT, begun INTEGER NOT NULL)`)
    db.run(
      `INSERT INTO tombstone (n, at, epoch, begun) VALUES (1, ?, ?, ?)
       ON CONFLICT (n) DO UPDATE SET at = excluded.at, epoch = excluded.epoch, begun = excluded.begun`,
      [at, epoch ?? null, isBegunAnew ? 1 : 0],
    )
  })
}
