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
 * The state of the book that a copy has: `word` is random and new with each opening, `serial` counts the copied
 * pages since. The book stores the mark before it reads a page, the copy stores it with the page. So a book with a
 * lower `serial`, or another `word`, has lost changes that the copy has.
 */
export interface CopyMark {
  readonly word: string
  readonly serial: number
}

export interface RecordCopy {
  /** False when the copy is new. */
  readonly wasThere: boolean
  /** The greatest record number in the copy; 0 without records. */
  last(): number
  /** Removes the records `gone` and adds `rows`, in one transaction that is on the disk when `put` returns. */
  put(gone: readonly number[], rows: readonly SqlRow[], serial: number): void
  /** Stores the time at which the copy is complete. */
  complete(now: string): void
  completeAt(): string | undefined
  /** Gives the copy a new `word` and the book id `id`. The word `before` stays valid too until `settleName`. */
  name(id: string, word: string, before: string | undefined): void
  settleName(): void
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
  const inCopy = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw isDaybookError(error) ? new CopyFault(error) : error
    }
  }
  const { db, wasThere } = inCopy(() => {
    const found = file.open()
    try {
      if (mark && isOf(found, mark, columns)) return { db: found, wasThere: true }
    } catch (error) {
      found.close()
      throw error
    }
    found.close()
    file.remove()
    return { db: begin(file.open(), columns), wasThere: false }
  })
  const marks = columns.map(() => '?').join(', ')
  const insert = `INSERT OR REPLACE INTO records (${columns.join(', ')}) VALUES (${marks})`
  const note = (key: string, value: string) =>
    db.run('INSERT OR REPLACE INTO about (key, value) VALUES (?, ?)', [key, value])
  return {
    wasThere,
    last: () => inCopy(() => db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM records')?.seq ?? 0),
    put: (gone, rows, serial) =>
      inCopy(() =>
        db.transaction(() => {
          for (const seq of gone) db.run('DELETE FROM records WHERE seq = ?', [seq])
          for (const row of rows)
            db.run(
              insert,
              columns.map((column) => row[column] ?? null),
            )
          note('serial', String(serial))
        }),
      ),
    complete: (now) => inCopy(() => db.transaction(() => note('complete_at', now))),
    completeAt: () => inCopy(() => noted(db, 'complete_at')),
    name: (id, next, before) =>
      inCopy(() =>
        db.transaction(() => {
          note('book', id)
          if (file.of !== undefined) note('file', file.of)
          note('word', next)
          note('serial', '0')
          if (before !== undefined) note('word_before', before)
        }),
      ),
    settleName: () =>
      inCopy(() => db.transaction(() => db.run("DELETE FROM about WHERE key = 'word_before'"))),
    scrub: () => inCopy(() => db.scrub()),
    close: () => inCopy(() => db.close()),
  }
}

export interface AboutCopy {
  readonly completeAt: string | undefined
  /** The id of the book; undefined in a copy of an earlier Daybook. */
  readonly book: string | undefined
  /** The name of the file of the book. */
  readonly file: string | undefined
  /** True when a book with `mark` has all changes of the copy. */
  isCoveredBy(mark: CopyMark): boolean
}

/** The latest stamp of a record in a book or a copy; empty without records. Reads all rows. */
export const lastStamp = (db: SqlDatabase): string =>
  db.get<{ stamp: string | null }>('SELECT max(stamp) AS stamp FROM records')?.stamp ?? ''

/** Describes a copy; undefined when the file is damaged or is no copy. */
export function aboutCopy(db: SqlDatabase): AboutCopy | undefined {
  try {
    if (!isBegun(db)) return undefined
    const [completeAt, book, of] = ['complete_at', 'book', 'file'].map((key) => noted(db, key))
    return { completeAt, book, file: of, isCoveredBy: markCheck(db) }
  } catch (error) {
    if (!isDaybookError(error)) throw error
    return undefined
  }
}

const isBegun = (db: SqlDatabase) =>
  db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'about'") !== undefined

const noted = (db: SqlDatabase, key: string) =>
  db.get<{ value: string }>('SELECT value FROM about WHERE key = ?', [key])?.value

const isOf = (db: SqlDatabase, mark: CopyMark, columns: readonly string[]): boolean =>
  isBegun(db) && columnsOf(db).join() === columns.join() && markCheck(db)(mark)

function markCheck(db: SqlDatabase): (mark: CopyMark) => boolean {
  const [own, before, copied] = ['word', 'word_before', 'serial'].map((key) => noted(db, key))
  // `word_before` exists when the engine ended after the copy got its new word and before the book stored it.
  return ({ word, serial }) => before === word || (own === word && Number(copied) <= serial)
}

function begin(db: SqlDatabase, columns: readonly string[]): SqlDatabase {
  const others = columns.filter((name) => name !== 'seq')
  db.transaction(() => {
    db.exec('CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID')
    db.exec(`CREATE TABLE records (seq INTEGER PRIMARY KEY, ${others.join(', ')})`)
  })
  return db
}
