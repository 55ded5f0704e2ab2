// `SqlDatabase` over the SQLite of a Durable Object.
// Invariants: after `scrub` free pages are zeros. Every cursor is read to its end at once, so no later statement
// changes a result.
import { DaybookError, isDaybookError } from '../src/core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../src/core/ports.ts'
import { clearFreePages } from './free-pages.ts'

/** The needed part of `DurableObjectStorage`. */
export type ObjectStorage = Pick<DurableObjectStorage, 'transactionSync'> & {
  readonly sql: Pick<SqlStorage, 'exec' | 'databaseSize'>
}

/** Size of the platform's database pages. */
const pageBytes = 4096
/** Thrown in a nested transaction to undo it. Compared by identity. */
const undone = new Error('These changes are undone.')

/** The database of an object. It lives as long as the object; `close` does nothing. */
export function openDoDatabase(storage: ObjectStorage): SqlDatabase {
  const { sql } = storage
  let isInTransaction = false

  const query = <Row extends SqlRow>(text: string, params: readonly SqlValue[] = []): Row[] =>
    guarded(() => {
      // Copied, because an array may show only a part of its buffer.
      const bindings = params.map((value) => (value instanceof Uint8Array ? value.slice().buffer : value))
      const rows = sql.exec(text, ...bindings).toArray() as Record<string, SqlStorageValue>[]
      for (const row of rows) {
        for (const name in row) {
          const value = row[name]
          if (value instanceof ArrayBuffer) (row as Record<string, SqlValue>)[name] = new Uint8Array(value)
        }
      }
      return rows as unknown as Row[]
    })

  const transaction = <Result>(work: () => Result): Result => {
    // Durable Objects nest transactions; the other hosts don't.
    if (isInTransaction) throw new DaybookError('internal', 'Transactions do not nest.')
    isInTransaction = true
    try {
      return guarded(() => storage.transactionSync(work))
    } finally {
      isInTransaction = false
    }
  }

  /** Runs `work` inside the transaction of `scrub`, and undoes its changes if it returns false. */
  const keepIf = (work: () => boolean): boolean => {
    try {
      storage.transactionSync(() => {
        if (!work()) throw undone
      })
      return true
    } catch (error) {
      if (error !== undone) throw error
      return false
    }
  }

  return {
    // The platform does not allow `secure_delete`.
    keepsDeleted: true,
    exec: (text) => void query(text),
    run: (text, params) => void query(text, params),
    all: query,
    get: <Row extends SqlRow>(text: string, params?: readonly SqlValue[]) => query<Row>(text, params)[0],
    transaction,
    sizeBytes: () => sql.databaseSize,
    scrub(goal) {
      // `space`: only free space is wanted. The platform returns it by itself.
      if (goal === 'space') return
      const usedPages = () => sql.databaseSize / pageBytes
      transaction(() => clearFreePages({ query, usedPages, keepIf }))
    },
    close: () => undefined,
  }
}

/** Result codes in the runtime's error messages: no space left, or a value above the platform's limit; storage fault. */
const full = /\bSQLITE_(?:FULL|TOOBIG)\b/
const fault = /\bSQLITE_(?:IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|BUSY|LOCKED)/

/** Runs `work`, and translates its errors. */
function guarded<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (isDaybookError(error) || !(error instanceof Error)) throw error
    if (full.test(error.message)) throw new DaybookError('storage-full', undefined, { cause: error })
    if (fault.test(error.message)) throw new DaybookError('storage-failed', error.message, { cause: error })
    throw error
  }
}
