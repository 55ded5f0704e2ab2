// The file of a checkpoint: copied rows of `records`, and a description of their book.
// Invariant: every failure of the file is a `CopyFault`, so that it is not confused with a fault of the book.
import { isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { CheckpointFile, SqlDatabase, SqlRow } from '../../core/ports.ts'

export class CopyFault extends Error {
  readonly code: string
  constructor(cause: unknown) {
    super('The checkpoint failed.', { cause })
    this.code = toDaybookError(cause).code
  }
}

/**
 * The state of the book that a copy has: `openingId` is random and new with each opening, `serial` counts the copied
 * batches since. The book stores the mark before it reads a batch, the copy stores it with the batch. So a book with a
 * lower `serial`, or another `openingId`, has lost changes that the copy has.
 */
export interface CopyMark {
  readonly openingId: string
  readonly serial: number
}

export interface RecordCopy {
  /** False when the copy is new. */
  readonly existed: boolean
  /** The greatest record number in the copy; 0 without records. */
  lastSeq(): number
  /**
   * Removes the records `removedSeqs` and adds `rows`, in one transaction that is on the disk when `replaceRows`
   * returns.
   */
  replaceRows(removedSeqs: readonly number[], rows: readonly SqlRow[], serial: number): void
  /** Stores the time at which the copy is complete. */
  setCompleteAt(now: string): void
  completeAt(): string | undefined
  /**
   * Gives the copy the id of its book and a new `openingId`. The opening id `before` stays valid too until
   * `confirmIdentity`: call that when the book has stored the new one.
   */
  setIdentity(bookId: string, openingId: string, before: string | undefined): void
  confirmIdentity(): void
  /** Clears deleted bytes from the file. */
  scrub(): void
  close(): void
}

/** The columns of a table, in order. */
export const columnsOf = (db: SqlDatabase, table = 'records'): string[] =>
  db
    .all<{ name: string }>('SELECT name FROM pragma_table_info(?) ORDER BY cid', [table])
    .map(({ name }) => name)

/**
 * Opens the copy in `file` if it matches the mark and the columns of the book. Otherwise removes it and begins a new
 * one: the old copy has a state that the book lost, or an earlier schema.
 */
export function openRecordCopy(
  file: CheckpointFile,
  columns: readonly string[],
  mark: CopyMark | undefined,
): RecordCopy {
  const wrapFaults = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw isDaybookError(error) ? new CopyFault(error) : error
    }
  }
  const { db, existed } = wrapFaults(() => {
    const found = file.open()
    try {
      if (mark && matchesBook(found, mark, columns)) return { db: found, existed: true }
    } catch (error) {
      found.close()
      throw error
    }
    found.close()
    file.remove()
    return { db: createTables(file.open(), columns), existed: false }
  })
  const placeholders = columns.map(() => '?').join(', ')
  const insert = `INSERT OR REPLACE INTO records (${columns.join(', ')}) VALUES (${placeholders})`
  const setAbout = (key: string, value: string) =>
    db.run('INSERT OR REPLACE INTO about (key, value) VALUES (?, ?)', [key, value])
  return {
    existed,
    lastSeq: () =>
      wrapFaults(() => db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM records')?.seq ?? 0),
    replaceRows: (removedSeqs, rows, serial) =>
      wrapFaults(() =>
        db.transaction(() => {
          for (const seq of removedSeqs) db.run('DELETE FROM records WHERE seq = ?', [seq])
          for (const row of rows)
            db.run(
              insert,
              columns.map((column) => row[column] ?? null),
            )
          setAbout('serial', String(serial))
        }),
      ),
    setCompleteAt: (now) => wrapFaults(() => db.transaction(() => setAbout('complete_at', now))),
    completeAt: () => wrapFaults(() => aboutValue(db, 'complete_at')),
    setIdentity: (bookId, openingId, before) =>
      wrapFaults(() =>
        db.transaction(() => {
          setAbout('book', bookId)
          if (file.of !== undefined) setAbout('file', file.of)
          setAbout('word', openingId)
          setAbout('serial', '0')
          if (before !== undefined) setAbout('word_before', before)
        }),
      ),
    confirmIdentity: () =>
      wrapFaults(() => db.transaction(() => db.run("DELETE FROM about WHERE key = 'word_before'"))),
    scrub: () => wrapFaults(() => db.scrub()),
    close: () => wrapFaults(() => db.close()),
  }
}

export interface CopyDescription {
  /** Canonical time at which the copy was last complete; undefined when it never was. */
  readonly completeAt: string | undefined
  /** The id of the book; undefined in a copy of an earlier Daybook. */
  readonly book: string | undefined
  /** The name of the file of the book. */
  readonly file: string | undefined
  /** True when a book with `mark` has all changes of the copy. */
  isContainedIn(mark: CopyMark): boolean
}

/** The latest stamp of a record in a book or a copy; empty without records. Reads all rows. */
export const latestStamp = (db: SqlDatabase): string =>
  db.get<{ stamp: string | null }>('SELECT max(stamp) AS stamp FROM records')?.stamp ?? ''

/** Describes a copy; undefined when the file is damaged or is no copy. */
export function describeCopy(db: SqlDatabase): CopyDescription | undefined {
  try {
    if (!hasAboutTable(db)) return undefined
    const [completeAt, book, of] = ['complete_at', 'book', 'file'].map((key) => aboutValue(db, key))
    return { completeAt, book, file: of, isContainedIn: createMarkCheck(db) }
  } catch (error) {
    if (!isDaybookError(error)) throw error
    return undefined
  }
}

// The table `about` of a copy describes it. Its keys: `book`, `file`, `complete_at`, `serial`, and the
// opening ids `word` and `word_before`.
const hasAboutTable = (db: SqlDatabase) =>
  db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'about'") !== undefined

const aboutValue = (db: SqlDatabase, key: string) =>
  db.get<{ value: string }>('SELECT value FROM about WHERE key = ?', [key])?.value

const matchesBook = (db: SqlDatabase, mark: CopyMark, columns: readonly string[]): boolean =>
  hasAboutTable(db) && columnsOf(db).join() === columns.join() && createMarkCheck(db)(mark)

function createMarkCheck(db: SqlDatabase): (mark: CopyMark) => boolean {
  const [own, before, copied] = ['word', 'word_before', 'serial'].map((key) => aboutValue(db, key))
  // `word_before` exists when the engine ended after the copy got its new opening id (`word`) and before the book stored it.
  return ({ openingId, serial }) => before === openingId || (own === openingId && Number(copied) <= serial)
}

function createTables(db: SqlDatabase, columns: readonly string[]): SqlDatabase {
  const otherColumns = columns.filter((name) => name !== 'seq')
  db.transaction(() => {
    db.exec('CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID')
    db.exec(`CREATE TABLE records (seq INTEGER PRIMARY KEY, ${otherColumns.join(', ')})`)
  })
  return db
}
