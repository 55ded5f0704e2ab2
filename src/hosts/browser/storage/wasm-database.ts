// Implements `SqlDatabase` with SQLite WASM: on a file of the OPFS pool, or in memory.
// Invariants: the writes of a transaction have reached the file when it returns; every statement is finalized
// before the database closes, because the pool refuses to close otherwise.
import type { Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../../core/ports.ts'
import { createStatementFactory, type StatementFactory, type WasmStatement } from './wasm-statement.ts'
import type { WriteCombiner } from './write-combiner.ts'
import { isQuotaFault } from './browser-fault.ts'
import { cutFreePages, emptyLogSql } from '../../../store/repair/free-pages.ts'
import { clearGap, overflowEndsOf, overflowEndsSql } from '../../../store/repair/page-gap.ts'

/** Most prepared statements that stay cached; the oldest is finalized first. */
const statementLimit = 200
const incremental = 'auto_vacuum = INCREMENTAL'

export interface WasmDatabaseOptions {
  /** Pragmas that run first, in this order, without the word PRAGMA. */
  readonly pragmas: readonly string[]
  /** Writes buffered data to the file. Default: no buffer. */
  readonly combiner?: Pick<WriteCombiner, 'settle' | 'failure'>
  /** True: closing the database empties the log, but keeps the log's file. Default false. */
  readonly keepsLog?: boolean
}

const noCombiner: Pick<WriteCombiner, 'settle' | 'failure'> = { settle: () => undefined, failure: undefined }

/** Makes a `SqlDatabase` of an open handle, which `close` closes. */
export function createWasmDatabase(
  sqlite3: Sqlite3Static,
  db: Database,
  { pragmas, combiner = noCombiner, keepsLog = false }: WasmDatabaseOptions,
): SqlDatabase {
  const { capi } = sqlite3
  const connection = new Connection(sqlite3, db, combiner)
  const exec = (sql: string) => connection.guarded(() => void db.exec(sql))
  const run = (sql: string, params: readonly SqlValue[] = []) => connection.query(sql, params)
  const all = <Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []): Row[] => {
    const rows: Row[] = []
    // `push` returns the new length, so this asks for the next row.
    connection.query(sql, params, (row) => rows.push(row as Row) > 0)
    return rows
  }
  const transaction = <Result>(work: () => Result): Result => connection.transaction(work)
  for (const pragma of pragmas) {
    // Set auto_vacuum once per file: setting it again writes, which fails on a full disk. 2: INCREMENTAL.
    const isSet =
      pragma === incremental &&
      connection.guarded(() => Number(db.selectValue('PRAGMA auto_vacuum')) === 2, true)
    if (!isSet) exec(`PRAGMA ${pragma}`)
  }
  if (keepsLog) capi.sqlite3_db_config(db, capi.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, 0)
  return {
    exec,
    run,
    all,
    get<Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []) {
      let first: Row | undefined
      connection.query(sql, params, (row) => {
        first = row as Row
        return false
      })
      return first
    },
    transaction,
    sizeBytes: () => Number(db.selectValue('PRAGMA page_count')) * Number(db.selectValue('PRAGMA page_size')),
    // With `secure_delete` SQLite overwrites deleted rows; `scrub` also removes free pages, the log and gaps.
    scrub: createScrub({ all, run, transaction }),
    close() {
      if (keepsLog) {
        try {
          all('PRAGMA wal_checkpoint(TRUNCATE)')
        } catch {
          // The next opening copies the log into the database.
        }
      }
      connection.close()
    },
  }
}

/** Runs statements and transactions on an open handle. */
class Connection {
  readonly #sqlite3: Sqlite3Static
  readonly #db: Database
  readonly #combiner: Pick<WriteCombiner, 'settle' | 'failure'>
  readonly #factory: StatementFactory
  readonly #statements = new Map<string, WasmStatement>()
  #isInTransaction = false

  constructor(sqlite3: Sqlite3Static, db: Database, combiner: Pick<WriteCombiner, 'settle' | 'failure'>) {
    this.#sqlite3 = sqlite3
    this.#db = db
    this.#combiner = combiner
    this.#factory = createStatementFactory(sqlite3, db)
  }

  /**
   * Runs `work`, writes the combiner's buffer outside of transactions, and translates errors. `isReadOnly`:
   * doesn't write the buffer.
   */
  guarded<Result>(work: () => Result, isReadOnly = false): Result {
    try {
      const result = work()
      // Reads don't write the buffer, so that a book on a full disk can be read.
      if (!this.#isInTransaction && !isReadOnly) this.#combiner.settle()
      return result
    } catch (error) {
      throw storageError(this.#sqlite3, error, this.#combiner.failure)
    }
  }

  /** Runs a statement, and calls `onRow` with each row until it returns false. */
  query(sql: string, params: readonly SqlValue[], onRow?: (row: SqlRow) => boolean): void {
    const statement = this.guarded(() => this.#prepare(sql), true)
    this.guarded(() => statement.run(params, onRow), statement.isReadOnly)
  }

  transaction<Result>(work: () => Result): Result {
    if (this.#isInTransaction) throw new DaybookError('internal', 'Transactions do not nest.')
    // Write the buffer of an earlier commit first: no transaction begins while this fails.
    this.guarded(() => undefined)
    this.#isInTransaction = true
    try {
      this.query('BEGIN IMMEDIATE', [])
      const result = work()
      this.query('COMMIT', [])
      this.#isInTransaction = false
      this.guarded(() => undefined)
      return result
    } catch (error) {
      // After some failures, such as a full disk, SQLite has rolled back already.
      if (this.#sqlite3.capi.sqlite3_get_autocommit(this.#db) === 0) this.query('ROLLBACK', [])
      throw error
    } finally {
      this.#isInTransaction = false
    }
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#statements.clear()
    this.#factory.close()
    this.#db.close()
  }

  #prepare(sql: string): WasmStatement {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const statement = this.#factory.prepare(sql)
    if (this.#statements.size >= statementLimit) {
      const [oldest] = this.#statements
      oldest?.[1].finalize()
      this.#statements.delete(oldest?.[0] ?? '')
    }
    this.#statements.set(sql, statement)
    return statement
  }
}

/**
 * Opens the bytes of a database file as a read-only database in memory. The file must not be in WAL mode.
 */
export function openImage(sqlite3: Sqlite3Static, bytes: Uint8Array): SqlDatabase {
  const { capi, wasm } = sqlite3
  const handle = new sqlite3.oo1.DB(':memory:')
  const pointer = wasm.allocFromTypedArray(bytes)
  try {
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_READONLY
    // SQLite frees the bytes, even on failure.
    handle.checkRc(capi.sqlite3_deserialize(handle, 'main', pointer, bytes.length, bytes.length, flags))
    return createWasmDatabase(sqlite3, handle, { pragmas: [] })
  } catch (error) {
    handle.close()
    throw error
  }
}

/**
 * SQLite's result code of a full disk; `faults`: codes of failing storage: READONLY, IOERR, CORRUPT, CANTOPEN, NOTADB
 * (https://sqlite.org/rescode.html).
 */
const full = 13
const faults = new Set([8, 10, 11, 14, 26])

/**
 * Translates an error to `storage-full` or `storage-failed`. `failure`: the last error of the file, which
 * SQLite reports only as an I/O error.
 */
function storageError(sqlite3: Sqlite3Static, error: unknown, failure: unknown): unknown {
  if (isQuotaFault(error) || isQuotaFault(failure))
    return new DaybookError('storage-full', undefined, { cause: error })
  if (error instanceof DOMException) return new DaybookError('storage-failed', undefined, { cause: error })
  if (isDaybookError(error) || !(error instanceof sqlite3.SQLite3Error)) return error
  const code = error.resultCode & 0xff
  if (code === full) return new DaybookError('storage-full', undefined, { cause: error })
  // store/repair/damage.ts recognizes damage by `details.result`.
  if (faults.has(code))
    return new DaybookError('storage-failed', error.message, { cause: error, details: { result: code } })
  return error
}

// Removes deleted data from the files of a database: cuts off free pages, empties the log, and clears gaps
// within pages.
// Invariant: it also works on a full disk, where the log can't grow: in steps that fit into a small log.

/** Pages that are read, and cleared if there is space, in one step. */
const slicePages = 256
/** Pages that are cleared in one step on a full disk. */
const fewPages = 32
/** Reads pages through SQLite, so pages in the log count. */
const pagesSql = 'SELECT pgno, data FROM sqlite_dbpage WHERE pgno >= ? ORDER BY pgno LIMIT ?'
const clearedSql = 'UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?'

/** Pages to write: their gaps are cleared. */
type Cleared = readonly (readonly [number: number, page: Uint8Array])[]

function createScrub({
  all,
  run,
  transaction,
}: Pick<SqlDatabase, 'all' | 'run' | 'transaction'>): SqlDatabase['scrub'] {
  const emptyLog = () => all(emptyLogSql)

  const write = (cleared: Cleared) => {
    transaction(() => {
      for (const [number, page] of cleared) run(clearedSql, [page, number])
    })
    emptyLog()
  }

  /** Clears the gaps of all pages in slices, and empties the log after each slice. */
  const clearGaps = () => {
    // Free bytes at the end of overflow pages, by page.
    const tails = overflowEndsOf(all(overflowEndsSql))
    let next = 1
    for (let read = slicePages; read === slicePages;) {
      const rows = all(pagesSql, [next, slicePages])
      read = rows.length
      next += read
      const cleared = rows.flatMap(({ pgno, data }): Cleared =>
        data instanceof Uint8Array && clearGap(data, Number(pgno), tails) ? [[Number(pgno), data]] : [],
      )
      if (cleared.length === 0) continue
      try {
        write(cleared)
      } catch (error) {
        if (!isDaybookError(error, 'storage-full')) throw error
        for (let at = 0; at < cleared.length; at += fewPages) write(cleared.slice(at, at + fewPages))
      }
    }
  }

  // `space`: only frees space; undefined: also removes deleted data within pages.
  return (target) => {
    cutFreePages(all)
    emptyLog()
    if (target !== 'space') clearGaps()
  }
}
