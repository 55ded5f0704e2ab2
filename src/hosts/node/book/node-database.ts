// Implements `SqlDatabase` with `node:sqlite`, in a file or in memory.
import type { StatementSync } from 'node:sqlite'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../../core/ports.ts'
import { claimDatabase } from '../port/private-file.ts'
import { DatabaseSync } from '../port/sqlite.ts'
import {
  overflowEndsOf,
  overflowEndsSql,
  clearGap,
  type OverflowEnds,
} from '../../../store/repair/page-gap.ts'
import { cutFreePages, emptyLogSql } from '../../../store/repair/free-pages.ts'
import { closeSync, fdatasyncSync, lstatSync, openSync, readSync, writeSync } from 'node:fs'

export interface NodeDatabaseOptions {
  /** Path of a file; `:memory:`; or empty: a temporary file without a name. */
  readonly path: string
  /**
   * `strict`: each commit waits for the disk. `relaxed` (default): commits survive a killed process; a power
   * cut may lose the last ones.
   */
  readonly durability?: 'relaxed' | 'strict'
  /**
   * Called before a commit, with the bytes of the database after it. False: the commit fails with
   * `storage-full`. Default: no check.
   */
  readonly admit?: (bytes: number) => boolean
  /** Called before anything in the file changes; may throw. `count` runs a query for one number `n`. */
  readonly look?: (count: (sql: string) => number) => void
}

/** Most prepared statements that stay open; the oldest is dropped first. */
const statementLimit = 200
/** Path of a database in memory. */
export const memoryPath = ':memory:'
/** Size of a page of a book's file. */
export const pageBytes = 4096
/** Pages that the database may grow after a check before `admit` is called again. */
const checkStepPages = 128

/** Whether auto_vacuum is INCREMENTAL (2) already: setting it again writes, which fails on a full disk. */
const isIncremental = (db: DatabaseSync) => db.prepare('PRAGMA auto_vacuum').get()?.['auto_vacuum'] === 2

/**
 * Opens the database at `path`, or creates it readable for its owner only, and locks it until `close`. Throws
 * `open-elsewhere` if another process has it open.
 */
export function openNodeDatabase({
  path,
  durability = 'relaxed',
  admit,
  look,
}: NodeDatabaseOptions): SqlDatabase {
  if (path !== memoryPath && path !== '') claimDatabase(path)
  const db = guarded(() => new DatabaseSync(path))
  try {
    // Must come first: write-ahead logging without shared memory needs exclusive locking.
    guarded(() => db.exec('PRAGMA locking_mode = EXCLUSIVE'))
    look?.((sql) => Number(guarded(() => db.prepare(sql).get())?.['n']))
    guarded(() => {
      db.exec(`PRAGMA page_size = ${pageBytes};
      ${isIncremental(db) ? '' : 'PRAGMA auto_vacuum = INCREMENTAL;'} PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${durability === 'strict' ? 'FULL' : 'NORMAL'};
      PRAGMA cache_size = -32768; PRAGMA foreign_keys = OFF; PRAGMA secure_delete = FAST`)
    })
  } catch (error) {
    // Without this the file stays locked until the process ends.
    db.close()
    throw error
  }
  const gaps = path === memoryPath || path === '' ? undefined : openFileGaps(path)
  const statements = new Map<string, StatementSync>()
  /** True inside `transaction`. */
  let inside = false
  /** Up to this number of pages, `admit` isn't called. */
  let checkedPages = 0

  const prepare = (sql: string) => {
    const cached = statements.get(sql)
    if (cached) return cached
    const statement = db.prepare(sql)
    if (statements.size >= statementLimit) statements.delete(statements.keys().next().value ?? '')
    statements.set(sql, statement)
    return statement
  }

  const pageCount = () => Number(Object.values(prepare('PRAGMA page_count').get() ?? {})[0] ?? 0)
  /** Throws `storage-full` if `admit` refuses. Runs inside the transaction, which SQLite can still undo. */
  const checkRoom = () => {
    if (!admit) return
    const pages = pageCount()
    // A file that shrank has returned its room to the disk.
    if (pages < checkedPages - 2 * checkStepPages) checkedPages = 0
    if (pages <= checkedPages) return
    if (!admit(pages * pageBytes)) throw new DaybookError('storage-full')
    checkedPages = pages + checkStepPages
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
        // After some failures, such as a full disk, SQLite has rolled back already.
        if (db.isTransaction) db.exec('ROLLBACK')
        throw error
      } finally {
        inside = false
      }
    },
    sizeBytes: () => pageCount() * Number(Object.values(prepare('PRAGMA page_size').get() ?? {})[0] ?? 0),
    scrub: createScrub(db, gaps),
    close() {
      statements.clear()
      if (db.isOpen) db.close()
      gaps?.close()
    },
  }
}

/**
 * Locks the file at `path` and writes nothing to it, so it works on a full disk. Creates the file if it is missing.
 * Returns a function that ends the lock. Throws `open-elsewhere` if another process, or this one, has the lock.
 */
export function lockFile(path: string): () => void {
  claimDatabase(path)
  const before = identityOf(path)
  const db = guarded(() => new DatabaseSync(path))
  try {
    // With a journal in memory, beginning writes nothing.
    guarded(() => db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'))
    // The last process with the lock deleted the file after it was opened here: this lock protects nothing.
    if (identityOf(path) !== before) throw new DaybookError('open-elsewhere')
  } catch (error) {
    db.close()
    throw error
  }
  return () => db.close()
}

/** Differs between files that were at the path one after the other, even if both have the same inode. */
function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`
}

/**
 * With `secure_delete` SQLite overwrites deleted rows; `scrub` also removes free pages, the log and gaps. `gaps`: absent
 * for a database in memory.
 */
function createScrub(db: DatabaseSync, gaps: FileGaps | undefined): SqlDatabase['scrub'] {
  const all = (sql: string) => guarded(() => db.prepare(sql).all())
  // `space`: only frees the space of deleted rows (SqlDatabase in core/ports.ts).
  return (target) =>
    guarded(() => {
      cutFreePages(all)
      const [log] = all(emptyLogSql)
      if (target === 'space') return
      // `busy` 0: SQLite's log is empty now, as `clear` needs it.
      if (gaps && log?.['busy'] === 0) gaps.clear(overflowEndsOf(db.prepare(overflowEndsSql).all()))
      // Drop cached pages, which still have the bytes that were cleared in the file.
      db.exec('PRAGMA shrink_memory')
    })
}

/**
 * SQLite's result codes (https://sqlite.org/rescode.html) of a full disk; of a locked file; and of failing storage:
 * read-only, I/O error, damaged, can't be opened, no database.
 */
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

// Clears unused space within the pages of a book's file: see store/repair/page-gap.ts.
// Invariant: its file handle is closed only after SQLite has closed the file: on POSIX, closing any handle of
// a file releases all locks of this process on the file.

interface FileGaps {
  /**
   * Clears the gaps of all pages. Call it while SQLite's log is empty, before SQLite reads a page again.
   * `tails`: the free bytes at the end of overflow pages.
   */
  clear(tails: OverflowEnds): void
  /** Closes the file handle. Call it after SQLite has closed the file. */
  close(): void
}

const sliceBytes = 256 * pageBytes

/** Makes a `FileGaps` that opens the file at the first `clear`. */
function openFileGaps(path: string): FileGaps {
  let file: number | undefined
  return {
    clear(tails) {
      file ??= openSync(path, 'r+')
      const slice = Buffer.alloc(sliceBytes)
      let isChanged = false
      for (let at = 0, read = sliceBytes; read === sliceBytes; at += read) {
        read = readSync(file, slice, 0, sliceBytes, at)
        for (let start = 0; start + pageBytes <= read; start += pageBytes) {
          const page = slice.subarray(start, start + pageBytes)
          // Pages are numbered from 1.
          if (!clearGap(page, (at + start) / pageBytes + 1, tails)) continue
          writeSync(file, page, 0, pageBytes, at + start)
          isChanged = true
        }
      }
      if (isChanged) fdatasyncSync(file)
    },
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
