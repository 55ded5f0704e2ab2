// `SqlDatabase` over `node:sqlite`: the same SQL as in the browser and at the edge, in a file or in memory.
import type { StatementSync } from 'node:sqlite'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../../core/ports.ts'
import { claimDatabase } from '../port/private-file.ts'
import { DatabaseSync } from '../port/sqlite.ts'
import { overflowEndsOf, overflowEndsSql } from '../../../store/repair/page-gap.ts'
import { openFileGaps } from './file-gap.ts'

export interface NodeDatabaseOptions {
  /** A file, or `:memory:`, or empty: a file without a name, which ends with the process. */
  readonly path: string
  /** `strict` waits for the disk at each commit; `relaxed` survives a killed process, not a power cut. */
  readonly durability?: 'relaxed' | 'strict'
  /** Says before a commit whether the disk has room for a database of so many bytes. Default: the disk says it. */
  readonly admit?: (bytes: number) => boolean
  /** Looks at the database before anything of it is changed; `count` runs a query for one number `n`. */
  readonly look?: (count: (sql: string) => number) => void
}

const statementLimit = 200
const memoryPath = ':memory:'
const pageBytes = 4096
/** A database that has grown by less is not looked at again. */
const lookPages = 128

/** Set once, in the file: setting it again writes, which a full disk refuses. */
const isIncremental = (db: DatabaseSync) => db.prepare('PRAGMA auto_vacuum').get()?.['auto_vacuum'] === 2

/** Opens `path`, making it when missing, for its owner alone, and holds it exclusively until closed. */
export function openNodeDatabase({
  path,
  durability = 'relaxed',
  admit,
  look,
}: NodeDatabaseOptions): SqlDatabase {
  if (path !== memoryPath && path !== '') claimDatabase(path)
  const db = guarded(() => new DatabaseSync(path))
  try {
    // First of all: write-ahead logging without shared memory needs exclusive locking.
    guarded(() => db.exec('PRAGMA locking_mode = EXCLUSIVE'))
    look?.((sql) => Number(guarded(() => db.prepare(sql).get())?.['n']))
    guarded(() => {
      db.exec(`PRAGMA page_size = ${pageBytes};
      ${isIncremental(db) ? '' : 'PRAGMA auto_vacuum = INCREMENTAL;'} PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${durability === 'strict' ? 'FULL' : 'NORMAL'};
      PRAGMA cache_size = -32768; PRAGMA foreign_keys = OFF; PRAGMA secure_delete = FAST`)
    })
  } catch (error) {
    // Or it stays locked for as long as this process lives.
    db.close()
    throw error
  }
  const gaps = path === memoryPath || path === '' ? undefined : openFileGaps(path)
  const statements = new Map<string, StatementSync>()
  let inside = false
  let lookedAt = 0

  const prepare = (sql: string) => {
    const known = statements.get(sql)
    if (known) return known
    const statement = db.prepare(sql)
    if (statements.size >= statementLimit) statements.delete(statements.keys().next().value ?? '')
    statements.set(sql, statement)
    return statement
  }

  const pageCount = () => Number(Object.values(prepare('PRAGMA page_count').get() ?? {})[0] ?? 0)
  /** Inside of a transaction, where SQLite can still undo it. */
  const checkRoom = () => {
    if (!admit) return
    const pages = pageCount()
    if (pages <= lookedAt) return
    if (!admit(pages * pageBytes)) throw new DaybookError('storage-full')
    lookedAt = pages + lookPages
  }

  return {
    exec: (sql) => guarded(() => db.exec(sql)),
    run: (sql, params = []) => void guarded(() => prepare(sql).run(...params)),
    all: <Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []) =>
      guarded(() => prepare(sql).all(...params) as unknown as Row[]),
    get: <Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []) =>
      guarded(() => prepare(sql).get(...params) as unknown as Row | undefined),
    transaction(work) {
      if (inside) throw new DaybookError('internal', 'Transactions do not nest.')
      guarded(() => db.exec('BEGIN IMMEDIATE'))
      inside = true
      try {
        const result = work()
        checkRoom()
        guarded(() => db.exec('COMMIT'))
        return result
      } catch (error) {
        // Some failures (a full disk) have already undone the transaction.
        if (db.isTransaction) db.exec('ROLLBACK')
        throw error
      } finally {
        inside = false
      }
    },
    sizeBytes: () => pageCount() * Number(Object.values(prepare('PRAGMA page_size').get() ?? {})[0] ?? 0),
    // Deleted rows are overwritten where they stood; whole pages that are free, and the log, are cut off here.
    scrub: (what) =>
      guarded(() => {
        db.exec('PRAGMA incremental_vacuum')
        const [log] = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
        if (what === 'space') return
        if (gaps && log?.['busy'] === 0) gaps.clear(overflowEndsOf(db.prepare(overflowEndsSql).all()))
        // Pages in memory still have what was cleared in the file.
        db.exec('PRAGMA shrink_memory')
      }),
    close() {
      statements.clear()
      if (db.isOpen) db.close()
      gaps?.close()
    },
  }
}

/** SQLite's primary result codes of a full disk, a busy file, and of storage that fails (https://sqlite.org/rescode.html). */
const full = 13
const busy = new Set([5, 6])
const faults = new Set([8, 10, 11, 14, 26])

function guarded<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (isDaybookError(error)) throw error
    const code =
      typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : -1
    if (code === full) throw new DaybookError('storage-full', undefined, { cause: error })
    if (busy.has(code)) throw new DaybookError('open-elsewhere', undefined, { cause: error })
    if (faults.has(code))
      throw new DaybookError('storage-failed', error instanceof Error ? error.message : undefined, {
        cause: error,
        details: { result: code },
      })
    throw error
  }
}
