// The schema version of a book: migrates an older book, and opens a newer one only for reading.
// Invariant: nothing is ever committed to a newer book. A query that fails in a newer schema throws `book-newer`.
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { migrations, schemaVersion } from './schema.ts'

/** A book that a newer Daybook wrote. */
export interface NewerBook {
  /** Its schema version. */
  readonly schemaVersion: number
  /** Makes the error of a write: `book-newer`. */
  error(): DaybookError
}

/** True when `db` has a book, of any schema. */
export function isBook(db: Pick<SqlDatabase, 'get'>): boolean {
  return (
    db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'") !==
    undefined
  )
}

/** The schema version of the book in `db`; 0 for an empty database. */
export function readVersion(db: SqlDatabase): number {
  if (!isBook(db)) return 0
  return (
    db.get<{ version: number | null }>('SELECT max(version) AS version FROM schema_version')?.version ?? 0
  )
}

/** The book in `db` if its schema is newer than `supported`; otherwise undefined. */
export function findNewer(db: SqlDatabase, supported = schemaVersion): NewerBook | undefined {
  const found = readVersion(db)
  if (found <= supported) return undefined
  const message = `The book has schema ${found}, and this Daybook supports ${supported}. It can read the book, but not write to it.`
  const details = { found, known: supported }
  return { schemaVersion: found, error: () => new DaybookError('book-newer', message, { details }) }
}

/** Migrates `db` forward; one transaction runs a step and adds its row to `schema_version`. Throws `book-newer`. */
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

export interface ReadOnlyDatabase {
  readonly db: SqlDatabase
  /** False when derived rows can't be written either: then a read throws while records are behind. */
  readonly canWriteDerivedRows: boolean
}

/**
 * Opens `db` for reading. Writes go into a transaction that is never committed, so that rows can be derived. On a
 * host without open transactions (a Durable Object) every write throws `book-newer`.
 */
export function openReadOnly(db: SqlDatabase, newer: NewerBook): ReadOnlyDatabase {
  const withNewerBookError = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      if (isDaybookError(error)) throw error
      // The newer schema lacks a column or table that this code reads.
      const { message, details } = newer.error()
      const reason = error instanceof Error ? error.message : String(error)
      throw new DaybookError('book-newer', message, { details: { ...details, reason }, cause: error })
    }
  }
  const reads = {
    all: <Row extends SqlRow>(sql: string, params?: readonly SqlValue[]) =>
      withNewerBookError(() => db.all<Row>(sql, params)),
    get: <Row extends SqlRow>(sql: string, params?: readonly SqlValue[]) =>
      withNewerBookError(() => db.get<Row>(sql, params)),
    sizeBytes: () => db.sizeBytes(),
    scrub: () => undefined,
  }
  try {
    db.exec('BEGIN')
  } catch {
    const throwNewerBook = () => {
      throw newer.error()
    }
    return {
      db: {
        ...reads,
        exec: throwNewerBook,
        run: throwNewerBook,
        transaction: throwNewerBook,
        close: () => db.close(),
      },
      canWriteDerivedRows: false,
    }
  }
  const writable: SqlDatabase = {
    ...reads,
    exec: (sql) => withNewerBookError(() => db.exec(sql)),
    run: (sql, params) => withNewerBookError(() => db.run(sql, params)),
    transaction(work) {
      db.exec('SAVEPOINT step')
      try {
        return work()
      } catch (error) {
        db.exec('ROLLBACK TO step')
        throw error
      } finally {
        db.exec('RELEASE step')
      }
    },
    close() {
      db.exec('ROLLBACK')
      db.close()
    },
  }
  return { db: writable, canWriteDerivedRows: true }
}
