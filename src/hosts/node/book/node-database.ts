// `SqlDatabase` over `node:sqlite`: the same SQL as in the browser and at the edge, in a file or in memory.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../../core/ports.ts'
import { claimDatabase } from '../port/private-file.ts'

export interface NodeDatabaseOptions {
  /** A file, or `:memory:`, or empty: a file without a name, which ends with the process. */
  readonly path: string
  /** `strict` waits for the disk at each commit; `relaxed` survives a killed process, not a power cut. */
  readonly durability?: 'relaxed' | 'strict'
}

const statementLimit = 200
const memoryPath = ':memory:'

/** Opens `path`, making it when missing, for its owner alone, and holds it exclusively until closed. */
export function openNodeDatabase({ path, durability = 'relaxed' }: NodeDatabaseOptions): SqlDatabase {
  if (path !== memoryPath && path !== '') claimDatabase(path)
  const db = guarded(() => new DatabaseSync(path))
  guarded(() =>
    db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'strict' ? 'FULL' : 'NORMAL'};
      PRAGMA cache_size = -32768; PRAGMA foreign_keys = OFF; PRAGMA secure_delete = FAST`),
  )
  const statements = new Map<string, StatementSync>()
  let inside = false

  const prepare = (sql: string) => {
    const known = statements.get(sql)
    if (known) return known
    const statement = db.prepare(sql)
    if (statements.size >= statementLimit) statements.delete(statements.keys().next().value ?? '')
    statements.set(sql, statement)
    return statement
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
    sizeBytes() {
      const one = (name: string) => Number(Object.values(prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0)
      return one('page_count') * one('page_size')
    },
    // Deleted rows are overwritten where they stood; whole pages that are free, and the log, are cut off here.
    scrub: () => guarded(() => db.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)')),
    close() {
      statements.clear()
      if (db.isOpen) db.close()
    },
  }
}

/** SQLite's primary result codes of a full disk, a busy file, and of storage that fails (https://sqlite.org/rescode.html). */
const full = 13
const busy = new Set([5, 6])
const faults = new Set([10, 11, 14, 26])

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
