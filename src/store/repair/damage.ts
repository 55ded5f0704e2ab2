// Recognises a damaged database, opens one that may be damaged, and checks its tables. The checks need a host whose
// SQLite has pragmas.
// Invariant: a full disk never counts as damage.
import { type DaybookError, isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { isIntactBody } from '../schema/record-row.ts'
import { isBook } from '../schema/version.ts'
import { type CopyDescription, describeCopy } from './record-copy.ts'

/** The SQLite codes for damage: SQLITE_CORRUPT and SQLITE_NOTADB (https://sqlite.org/rescode.html). */
const damageCodes: ReadonlySet<unknown> = new Set([11, 26])

/** True for an error about damaged pages. False for another failure of the storage. */
export function isDamageError(error: unknown): error is DaybookError {
  // Hosts put the code of SQLite into `result`.
  return isDaybookError(error, 'storage-failed') && damageCodes.has(error.details['result'])
}

/** The message of the cause of an error, without the advice that our error adds. */
export function causeText(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {}
  return cause instanceof Error ? cause.message : String(cause)
}

/** Returns undefined for any error but `storage-full`, which it throws. */
export function ignoreDamage(error: unknown): undefined {
  if (isDaybookError(error, 'storage-full')) throw error
  return undefined
}

/** Undefined when the database can't be opened. Throws `storage-full`. */
export function openIfPossible(open: () => SqlDatabase): SqlDatabase | undefined {
  try {
    return open()
  } catch (error) {
    return ignoreDamage(error)
  }
}

/** The database, if it is a book; otherwise undefined, and the database is closed. Throws `storage-full`. */
export function openIfBook(open: () => SqlDatabase): SqlDatabase | undefined {
  let db: SqlDatabase | undefined
  try {
    db = open()
    if (isBook(db)) return db
  } catch (error) {
    db?.close()
    return ignoreDamage(error)
  }
  db.close()
  return undefined
}

/** Describes a checkpoint; undefined for any other database, and when it can't be opened. */
export function readCopyDescription(open: () => SqlDatabase): CopyDescription | undefined {
  const copy = openIfPossible(open)
  try {
    return copy && describeCopy(copy)
  } finally {
    copy?.close()
  }
}

/** The fault of a table or its indexes; undefined for none. */
export function checkTable(db: SqlDatabase, table: string): string | undefined {
  // A pragma takes no parameters: pass only names of own tables.
  const row = db.get(`PRAGMA quick_check(${table})`)
  const text = String(Object.values(row ?? {})[0] ?? 'ok')
  return text === 'ok' ? undefined : text.slice(0, 200)
}

/** The fault of the first record with a broken body, which a check of pages does not find; undefined for none. */
export function bodyFault(db: SqlDatabase): string | undefined {
  let lastSeq = 0
  for (;;) {
    const rows = db.all<{ seq: number; body: string }>(
      'SELECT seq, body FROM records WHERE seq > ? ORDER BY seq LIMIT 200',
      [lastSeq],
    )
    const broken = rows.find(({ body }) => !isIntactBody(body))
    if (broken) return `records: the body of record ${broken.seq} is not whole`
    const last = rows.at(-1)
    if (!last) return undefined
    lastSeq = last.seq
  }
}

/** The fault of the first broken table; undefined for none. */
export function firstFault(db: SqlDatabase): string | undefined {
  for (const table of tablesOf(db)) {
    const fault = checkTable(db, table)
    if (fault !== undefined) return `${table}: ${fault}`
  }
  return undefined
}

/** The names of the tables that have pages, in order. Virtual tables have none. */
export function tablesOf(db: SqlDatabase): string[] {
  return db
    .all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name",
    )
    .map(({ name }) => name)
}
