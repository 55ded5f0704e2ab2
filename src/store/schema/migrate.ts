// Brings a book to the schema of this code. Each step commits together with its row in schema_version.
// Invariant: a book written by newer code is refused, never changed.
import type { SqlDatabase } from '../../core/ports.ts'
import { findNewer, readVersion } from './newer-book.ts'
import { migrations } from './schema.ts'

/** Migrates `db` forward; throws `book-newer` when it is already beyond what this code knows. */
export function migrate(db: SqlDatabase, now: string, steps: readonly string[] = migrations): void {
  const newer = findNewer(db, steps.length)
  if (newer) throw newer.error()
  db.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)')
  for (let version = readVersion(db); version < steps.length; version++) {
    db.transaction(() => {
      db.exec(steps[version] ?? '')
      db.run('INSERT INTO schema_version (version, applied_at) VALUES (?, ?)', [version + 1, now])
    })
  }
}
