// A book that newer code wrote, as this code has it: it is read as it stands, and nothing in it is changed.
// Invariant: nothing is ever committed; a question that this code can't put to it fails with `book-newer`.
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { schemaVersion } from './schema.ts'

export interface NewerBook {
  /** The schema it has. */
  readonly found: number
  /** What every write of it is refused with. */
  error(): DaybookError
}

/** Whether a Daybook has begun a book in `db`, of whatever schema. */
export function isBook(db: Pick<SqlDatabase, 'get'>): boolean {
  return (
    db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'") !==
    undefined
  )
}

/** The schema of the book in `db`; 0 for an empty one. */
export function readVersion(db: SqlDatabase): number {
  if (!isBook(db)) return 0
  return (
    db.get<{ version: number | null }>('SELECT max(version) AS version FROM schema_version')?.version ?? 0
  )
}

/** The one check for a book of a later version. Undefined for one that this code can bring to its own schema. */
export function findNewer(db: SqlDatabase, known = schemaVersion): NewerBook | undefined {
  const found = readVersion(db)
  if (found <= known) return undefined
  const message = `The book has schema ${found}, this Daybook knows ${known}: it can be read, but not written.`
  return { found, error: () => new DaybookError('book-newer', message, { details: { found, known } }) }
}

export interface ReadOnlyDatabase {
  readonly db: SqlDatabase
  /** False where nothing can be derived either: what its writer left underived can't be found. */
  readonly derives: boolean
}

/**
 * `db` as something that is only read. Derived rows may be made in it all the same: they stand in a transaction that is
 * never committed. Where the host allows none that stays open (a Durable Object), every write is refused.
 */
export function readOnly(db: SqlDatabase, newer: NewerBook): ReadOnlyDatabase {
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      if (isDaybookError(error)) throw error
      // A column or table that this code asks for is not there any more.
      const { message, details } = newer.error()
      const reason = error instanceof Error ? error.message : String(error)
      throw new DaybookError('book-newer', message, { details: { ...details, reason }, cause: error })
    }
  }
  const reading = {
    all: <Row extends SqlRow>(sql: string, params?: readonly SqlValue[]) =>
      guarded(() => db.all<Row>(sql, params)),
    get: <Row extends SqlRow>(sql: string, params?: readonly SqlValue[]) =>
      guarded(() => db.get<Row>(sql, params)),
    sizeBytes: () => db.sizeBytes(),
    scrub: () => undefined,
  }
  try {
    db.exec('BEGIN')
  } catch {
    const refuse = () => {
      throw newer.error()
    }
    return {
      db: { ...reading, exec: refuse, run: refuse, transaction: refuse, close: () => db.close() },
      derives: false,
    }
  }
  const written: SqlDatabase = {
    ...reading,
    exec: (sql) => guarded(() => db.exec(sql)),
    run: (sql, params) => guarded(() => db.run(sql, params)),
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
  return { db: written, derives: true }
}
