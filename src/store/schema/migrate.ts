// Brings a book to the schema of this code. Each step commits together with its row in schema_version.
// Invariant: a book written by newer code is refused, never changed.
import { DaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { migrations, schemaVersion } from './schema.ts'

/** Migrates `db` forward; throws `book-newer` when it is already beyond what this code knows. */
export function migrate(db: SqlDatabase, now: string, steps: readonly string[] = migrations): void {
  db.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)')
  const row = db.get<{ version: number | null }>('SELECT max(version) AS version FROM schema_version')
  const found = row?.version ?? 0
  if (found > steps.length) {
    throw new DaybookError(
      'book-newer',
      `The book has schema ${found}, this Daybook knows ${steps.length}.`,
      {
        details: { found, known: schemaVersion },
      },
    )
  }
  for (let version = found; version < steps.length; version++) {
    db.transaction(() => {
      db.exec(steps[version] ?? '')
      db.run('INSERT INTO schema_version (version, applied_at) VALUES (?, ?)', [version + 1, now])
    })
  }
}
