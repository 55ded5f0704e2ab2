// `SqlDatabase` over SQLite WASM: a handle of the pool on OPFS, or of memory.
// Invariant: every statement is finalized before the database closes, or the pool would refuse to let go.
import type { Database, PreparedStatement, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'

const statementLimit = 200

/** Wraps an open handle; `pragmas` are run first, in order. */
export function createWasmDatabase(sqlite3: Sqlite3Static, db: Database, pragmas: readonly string[]): SqlDatabase {
  const statements = new Map<string, PreparedStatement>()
  let inside = false

  const prepare = (sql: string): PreparedStatement => {
    const known = statements.get(sql)
    if (known) return known
    const statement = db.prepare(sql)
    if (statements.size >= statementLimit) {
      const [oldest] = statements
      oldest?.[1].finalize()
      statements.delete(oldest?.[0] ?? '')
    }
    statements.set(sql, statement)
    return statement
  }

  /** Binds, hands the statement to `read`, and always resets it so that no cursor stays open. */
  const step = <Result>(sql: string, params: readonly SqlValue[], read: (statement: PreparedStatement) => Result): Result =>
    guarded(sqlite3, () => {
      const statement = prepare(sql)
      try {
        if (params.length > 0) statement.bind(params as SqlValue[])
        return read(statement)
      } finally {
        statement.reset(true)
      }
    })

  const run = (sql: string, params: readonly SqlValue[] = []) => step(sql, params, (statement) => void statement.step())
  const exec = (sql: string) => void guarded(sqlite3, () => db.exec(sql))
  for (const pragma of pragmas) exec(`PRAGMA ${pragma}`)

  return {
    exec,
    run,
    all: <Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []) =>
      step(sql, params, (statement) => {
        const rows: Row[] = []
        while (statement.step()) rows.push(statement.get({}) as Row)
        return rows
      }),
    get: <Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []) =>
      step(sql, params, (statement) => (statement.step() ? (statement.get({}) as Row) : undefined)),
    transaction(work) {
      if (inside) throw new DaybookError('internal', 'Transactions do not nest.')
      run('BEGIN IMMEDIATE')
      inside = true
      try {
        const result = work()
        run('COMMIT')
        return result
      } catch (error) {
        // Some failures (a full disk) have already undone the transaction.
        if (sqlite3.capi.sqlite3_get_autocommit(db) === 0) run('ROLLBACK')
        throw error
      } finally {
        inside = false
      }
    },
    sizeBytes: () => Number(db.selectValue('PRAGMA page_count')) * Number(db.selectValue('PRAGMA page_size')),
    close() {
      for (const statement of statements.values()) statement.finalize()
      statements.clear()
      db.close()
    },
  }
}

/** SQLite's result codes of a full disk and of storage that fails (https://sqlite.org/rescode.html). */
const full = 13
const faults = new Set([10, 11, 14, 26])

function guarded<Result>(sqlite3: Sqlite3Static, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (isDaybookError(error) || !(error instanceof sqlite3.SQLite3Error)) throw error
    const code = error.resultCode & 0xff
    if (code === full) throw new DaybookError('storage-full', undefined, { cause: error })
    if (faults.has(code)) throw new DaybookError('storage-failed', error.message, { cause: error, details: { result: code } })
    throw error
  }
}
