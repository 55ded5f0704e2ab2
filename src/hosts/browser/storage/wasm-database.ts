// `SqlDatabase` over SQLite WASM: a handle of the pool on OPFS, or of memory.
// Invariants: what a transaction wrote has reached the file when it returns; every statement is finalized before the
// database closes, or the pool would refuse to let go.
import type { Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../../core/ports.ts'
import { createStatementFactory, type WasmStatement } from './wasm-statement.ts'
import type { WriteCombiner } from './write-combiner.ts'
import { createScrub } from './wasm-scrub.ts'
import { isQuotaFault } from './browser-fault.ts'

const statementLimit = 200
const incremental = 'auto_vacuum = INCREMENTAL'

export interface WasmDatabaseOptions {
  /** Run first, in order. */
  readonly pragmas: readonly string[]
  /** Hands writes that were held back to the file; see write-combiner.ts. */
  readonly combiner?: Pick<WriteCombiner, 'settle' | 'failure'>
  /** The log stays when the database is closed, empty. */
  readonly keepsLog?: boolean
}

const nothingHeld: Pick<WriteCombiner, 'settle' | 'failure'> = { settle: () => undefined, failure: undefined }

/** Wraps an open handle. */
export function createWasmDatabase(
  sqlite3: Sqlite3Static,
  db: Database,
  options: WasmDatabaseOptions,
): SqlDatabase {
  const { pragmas, combiner = nothingHeld, keepsLog = false } = options
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

  const all = <Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []): Row[] => {
    const rows: Row[] = []
    query(sql, params, (row) => rows.push(row as Row) > 0)
    return rows
  }

  const emptyLog = () => {
    try {
      all('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // It is copied when the database is next opened.
    }
  }
  if (keepsLog) sqlite3.capi.sqlite3_db_config(db, sqlite3.capi.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, 0)

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
    scrub: createScrub({ all, run, transaction }),
    close() {
      if (keepsLog) emptyLog()
      for (const statement of statements.values()) statement.finalize()
      statements.clear()
      factory.close()
      db.close()
    },
  }
}

/** A database that is in memory from the beginning: these bytes of a file, which has no log. */
export function openImage(sqlite3: Sqlite3Static, bytes: Uint8Array): SqlDatabase {
  const { capi, wasm } = sqlite3
  const handle = new sqlite3.oo1.DB(':memory:')
  const pointer = wasm.allocFromTypedArray(bytes)
  try {
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_READONLY
    // However it ends, the bytes are SQLite's now.
    handle.checkRc(capi.sqlite3_deserialize(handle, 'main', pointer, bytes.length, bytes.length, flags))
    return createWasmDatabase(sqlite3, handle, { pragmas: [] })
  } catch (error) {
    handle.close()
    throw error
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
