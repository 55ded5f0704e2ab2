// `SqlDatabase` over SQLite WASM: a handle of the pool on OPFS, or of memory.
// Invariants: what a transaction wrote has reached the file when it returns; every statement is finalized before the
// database closes, or the pool would refuse to let go.
import type { Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../../core/ports.ts'
import { createStatementFactory, type WasmStatement } from './wasm-statement.ts'
import type { WriteCombiner } from './write-combiner.ts'
import { clearGap, tailsOf, tailsSql } from '../../../store/repair/page-gap.ts'
import { isQuotaFault } from './browser-fault.ts'

const statementLimit = 200
const slicePages = 256
/** SQLite's own view of the pages, with what the log has. */
const pagesSql = 'SELECT pgno, data FROM sqlite_dbpage WHERE pgno >= ? ORDER BY pgno LIMIT ?'
const clearedSql = 'UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?'
const incremental = 'auto_vacuum = INCREMENTAL'

export interface WasmDatabaseOptions {
  /** Run first, in order. */
  readonly pragmas: readonly string[]
  /** Hands writes that were held back to the file; see write-combiner.ts. */
  readonly combiner?: Pick<WriteCombiner, 'settle' | 'failure'>
}

const nothingHeld: Pick<WriteCombiner, 'settle' | 'failure'> = { settle: () => undefined, failure: undefined }

/** Wraps an open handle. */
export function createWasmDatabase(
  sqlite3: Sqlite3Static,
  db: Database,
  options: WasmDatabaseOptions,
): SqlDatabase {
  const { pragmas, combiner = nothingHeld } = options
  const factory = createStatementFactory(sqlite3, db)
  const statements = new Map<string, WasmStatement>()
  let inside = false

  const prepare = (sql: string): WasmStatement => {
    const known = statements.get(sql)
    if (known) return known
    const statement = factory.prepare(sql)
    if (statements.size >= statementLimit) {
      const [oldest] = statements
      oldest?.[1].finalize()
      statements.delete(oldest?.[0] ?? '')
    }
    statements.set(sql, statement)
    return statement
  }

  const guarded = <Result>(work: () => Result, isReadOnly = false): Result => {
    try {
      const result = work()
      // A book on a full disk can still be read.
      if (!inside && !isReadOnly) combiner.settle()
      return result
    } catch (error) {
      throw storageError(sqlite3, error, combiner.failure)
    }
  }

  const query = (sql: string, params: readonly SqlValue[], onRow?: (row: SqlRow) => boolean) => {
    const statement = guarded(() => prepare(sql), true)
    guarded(() => statement.run(params, onRow), statement.isReadOnly)
  }

  const run = (sql: string, params: readonly SqlValue[] = []) => query(sql, params)
  for (const pragma of pragmas) {
    // Set once, in the file: setting it again writes, which a full disk refuses.
    const isSet =
      pragma === incremental && guarded(() => Number(db.selectValue('PRAGMA auto_vacuum')) === 2, true)
    if (!isSet) guarded(() => void db.exec(`PRAGMA ${pragma}`))
  }

  const transaction = <Result>(work: () => Result): Result => {
    if (inside) throw new DaybookError('internal', 'Transactions do not nest.')
    // What an earlier commit could not hand over goes first: while that fails nothing new begins.
    guarded(() => undefined)
    inside = true
    try {
      run('BEGIN IMMEDIATE')
      const result = work()
      run('COMMIT')
      inside = false
      guarded(() => undefined)
      return result
    } catch (error) {
      // Some failures (a full disk) have already undone the transaction.
      if (sqlite3.capi.sqlite3_get_autocommit(db) === 0) run('ROLLBACK')
      throw error
    } finally {
      inside = false
    }
  }

  const truncateLog = () => query('PRAGMA wal_checkpoint(TRUNCATE)', [], () => true)

  const all = <Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []): Row[] => {
    const rows: Row[] = []
    query(sql, params, (row) => rows.push(row as Row) > 0)
    return rows
  }

  /** In slices, each of which leaves the log empty: a book may have many pages, and its disk little room. */
  const clearGaps = () => {
    const tails = tailsOf(all(tailsSql))
    let next = 1
    for (let read = slicePages; read === slicePages;) {
      read = 0
      const cleared: [number: number, page: Uint8Array][] = []
      query(pagesSql, [next, slicePages], ({ pgno, data }) => {
        read += 1
        next = Number(pgno) + 1
        if (data instanceof Uint8Array && clearGap(data, Number(pgno), tails))
          cleared.push([Number(pgno), data])
        return true
      })
      if (cleared.length === 0) continue
      transaction(() => {
        for (const [number, page] of cleared) run(clearedSql, [page, number])
      })
      truncateLog()
    }
  }

  return {
    exec: (sql) => guarded(() => void db.exec(sql)),
    run,
    all,
    get<Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []) {
      let first: Row | undefined
      query(sql, params, (row) => {
        first = row as Row
        return false
      })
      return first
    },
    transaction,
    sizeBytes: () => Number(db.selectValue('PRAGMA page_count')) * Number(db.selectValue('PRAGMA page_size')),
    // Deleted rows are overwritten where they stood; whole pages that are free, and the log, are cut off here.
    scrub(what) {
      // Stepped to the end: the first takes one page at a time.
      query('PRAGMA incremental_vacuum', [], () => true)
      truncateLog()
      if (what !== 'space') clearGaps()
    },
    close() {
      for (const statement of statements.values()) statement.finalize()
      statements.clear()
      factory.close()
      db.close()
    },
  }
}

/** SQLite's result codes of a full disk and of storage that fails (https://sqlite.org/rescode.html). */
const full = 13
const faults = new Set([8, 10, 11, 14, 26])

/** `failure` is what the file said, which SQLite calls an I/O error whatever it is. */
function storageError(sqlite3: Sqlite3Static, error: unknown, failure: unknown): unknown {
  if (isQuotaFault(error) || isQuotaFault(failure))
    return new DaybookError('storage-full', undefined, { cause: error })
  if (error instanceof DOMException) return new DaybookError('storage-failed', undefined, { cause: error })
  if (isDaybookError(error) || !(error instanceof sqlite3.SQLite3Error)) return error
  const code = error.resultCode & 0xff
  if (code === full) return new DaybookError('storage-full', undefined, { cause: error })
  if (faults.has(code))
    return new DaybookError('storage-failed', error.message, { cause: error, details: { result: code } })
  return error
}
