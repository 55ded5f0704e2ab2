// Runs prepared statements of SQLite WASM through the functions of the WASM module. The package's bindings
// allocate memory for each value; here all values of a call share one buffer.
import type { Database, PreparedStatement, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import type { SqlRow, SqlValue } from '../../../core/ports.ts'

/**
 * The used functions of SQLite's C interface (https://sqlite.org/c3ref/funclist.html). Pointers are numbers.
 */
interface Exports {
  sqlite3_bind_null(statement: number, index: number): number
  sqlite3_bind_int(statement: number, index: number, value: number): number
  sqlite3_bind_int64(statement: number, index: number, value: bigint): number
  sqlite3_bind_double(statement: number, index: number, value: number): number
  sqlite3_bind_text(statement: number, index: number, text: number, bytes: number, lifetime: number): number
  sqlite3_bind_blob(statement: number, index: number, blob: number, bytes: number, lifetime: number): number
  sqlite3_bind_parameter_count(statement: number): number
  sqlite3_step(statement: number): number
  sqlite3_reset(statement: number): number
  sqlite3_column_type(statement: number, column: number): number
  sqlite3_column_double(statement: number, column: number): number
  sqlite3_column_text(statement: number, column: number): number
  sqlite3_column_blob(statement: number, column: number): number
  sqlite3_column_bytes(statement: number, column: number): number
  sqlite3_stmt_readonly(statement: number): number
}

export interface WasmStatement {
  /** Whether the statement doesn't write to the database. */
  readonly isReadOnly: boolean
  /**
   * Binds `params`, steps to the end or until `onRow` returns false, and resets. Without `onRow` it stops at
   * the first row. Throws `RangeError` for a wrong number of parameters. `onRow` must run no other statement: all share
   * the buffer that has the parameters.
   */
  run(params: readonly SqlValue[], onRow?: (row: SqlRow) => boolean): void
  finalize(): void
}

export interface StatementFactory {
  prepare(sql: string): WasmStatement
  close(): void
}

/** SQLITE_ROW and SQLITE_DONE: results of a step. */
const hasRow = 100
const done = 101
/**
 * SQLITE_STATIC: SQLite doesn't copy the value; the memory must stay unchanged until the statement is reset.
 */
const untilReset = 0
const startBytes = 1 << 16
/** A larger buffer is replaced by a small one at the next call that needs less. */
const largestBuffer = 1 << 20

/**
 * Makes prepared statements of `db`, which share one buffer. `close` frees the buffer; finalize all
 * statements first.
 */
export function createStatementFactory(sqlite3: Sqlite3Static, db: Database): StatementFactory {
  const { wasm, capi } = sqlite3
  const c = wasm.exports as Exports
  // `ignoreBOM`: a U+FEFF at the start stays in the text.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** Address of the shared buffer. */
  let arena = wasm.alloc(startBytes) as number
  let arenaBytes = startBytes

  const reserve = (bytes: number) => {
    if (bytes <= arenaBytes && (arenaBytes <= largestBuffer || bytes > largestBuffer)) return
    const wanted = Math.max(startBytes, bytes)
    // `alloc` throws if the memory is full: then the old buffer must still be valid.
    const address = wasm.alloc(wanted) as number
    wasm.dealloc(arena as never)
    arena = address
    arenaBytes = wanted
  }

  const check = (code: number) => {
    if (code !== 0 && code !== hasRow && code !== done) sqlite3.oo1.DB.checkRc(db, code)
  }

  const bindAll = (statement: number, params: readonly SqlValue[]) => {
    // Starts at 1, so that an empty value at the end still has an address within the buffer.
    let bytes = 1
    // UTF-8 needs at most three bytes for each UTF-16 code unit.
    for (const value of params)
      bytes += typeof value === 'string' ? value.length * 3 : value instanceof Uint8Array ? value.length : 0
    reserve(bytes)
    // Get the heap again in each call: growing memory replaces the buffer.
    const heap = wasm.heap8u()
    let at = arena
    params.forEach((value, i) => {
      if (typeof value === 'string') {
        const written = writeText(value, heap, at)
        check(c.sqlite3_bind_text(statement, i + 1, at, written, untilReset))
        at += written
      } else if (value === null) check(c.sqlite3_bind_null(statement, i + 1))
      else if (typeof value === 'number') check(bindNumber(c, statement, i + 1, value))
      else {
        heap.set(value, at)
        check(c.sqlite3_bind_blob(statement, i + 1, at, value.length, untilReset))
        at += value.length
      }
    })
  }

  const readRow = (statement: number, names: readonly string[]): SqlRow => {
    const row: Record<string, SqlValue> = {}
    names.forEach((name, i) => {
      const type = c.sqlite3_column_type(statement, i)
      if (type === capi.SQLITE_INTEGER || type === capi.SQLITE_FLOAT)
        row[name] = c.sqlite3_column_double(statement, i)
      else if (type === capi.SQLITE_NULL) row[name] = null
      else {
        const text = type === capi.SQLITE_TEXT
        const from = text ? c.sqlite3_column_text(statement, i) : c.sqlite3_column_blob(statement, i)
        const bytes = wasm.heap8u().subarray(from, from + c.sqlite3_column_bytes(statement, i))
        row[name] = text ? decoder.decode(bytes) : bytes.slice()
      }
    })
    return row
  }

  const prepare = (sql: string): WasmStatement => {
    const prepared: PreparedStatement = db.prepare(sql)
    const statement = prepared.pointer as number
    const names = prepared.columnCount > 0 ? prepared.getColumnNames() : []
    const count = c.sqlite3_bind_parameter_count(statement)
    return {
      isReadOnly: c.sqlite3_stmt_readonly(statement) !== 0,
      run(params, onRow) {
        if (params.length !== count)
          throw new RangeError(`The statement takes ${count} parameters, not ${params.length}.`)
        try {
          if (count > 0) bindAll(statement, params)
          let code = c.sqlite3_step(statement)
          while (code === hasRow && onRow?.(readRow(statement, names)) === true)
            code = c.sqlite3_step(statement)
          check(code)
        } finally {
          // Ignore the result of the reset: it repeats the error of the step.
          c.sqlite3_reset(statement)
        }
      },
      finalize: () => void prepared.finalize(),
    }
  }

  return { prepare, close: () => wasm.dealloc(arena as never) }
}

/** From this length on, `encodeInto` is faster than a loop. */
const longText = 80

const encoder = new TextEncoder()

/** Writes `text` to `heap` as UTF-8. Returns the number of bytes. */
function writeText(text: string, heap: Uint8Array, at: number): number {
  const { length } = text
  let i = 0
  if (length < longText) {
    for (; i < length; i += 1) {
      const code = text.charCodeAt(i)
      // Not ASCII.
      if (code > 127) break
      heap[at + i] = code
    }
    if (i === length) return length
  }
  return encoder.encodeInto(text, heap.subarray(at, at + length * 3)).written
}

function bindNumber(c: Exports, statement: number, index: number, value: number): number {
  if (!Number.isSafeInteger(value)) return c.sqlite3_bind_double(statement, index, value)
  if (value === (value | 0)) return c.sqlite3_bind_int(statement, index, value)
  return c.sqlite3_bind_int64(statement, index, BigInt(value))
}
