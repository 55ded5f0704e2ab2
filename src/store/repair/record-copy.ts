// The file of a checkpoint: rows of `records` as they were, and whose they are.
// Invariant: whatever fails here fails as `CopyFault`, so that it is never taken for a fault of the book.
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
 * Of which state of the book a copy is: `word` is another one for each opening, `serial` counts what was copied since. The
 * book notes it before it is read, the copy with what was read: a book with a lower one has lost what the copy has seen.
 */
export interface CopyMark {
  readonly word: string
  readonly serial: number
}

export interface RecordCopy {
  /** False: it was made just now. */
  readonly wasThere: boolean
  /** The greatest number of a record in it; 0 for none. */
  last(): number
  /** Takes out the records at `gone` and puts in `rows`, as one. It is on the disk when this returns. */
  put(gone: readonly number[], rows: readonly SqlRow[], serial: number): void
  /** It has everything now. */
  complete(now: string): void
  completeAt(): string | undefined
  /** From now on the book, which is `id`, knows it by `word`; until `settleName` by the word before, too. */
  name(id: string, word: string, before: string | undefined): void
  settleName(): void
  scrub(): void
  close(): void
}

/** The columns of a table, in its order. */
export const columnsOf = (db: SqlDatabase, table = 'records'): string[] =>
  db
    .all<{ name: string }>('SELECT name FROM pragma_table_info(?) ORDER BY cid', [table])
    .map(({ name }) => name)

/**
 * Opens the copy in `file` that belongs to the book as it is, by what it noted. Any other begins anew: it is of a state of
 * the book that was put back or that a power cut took, or of an earlier schema.
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
  /** The id of the book; undefined where an earlier Daybook made the copy. */
  readonly book: string | undefined
  /** The name of the file of the book. */
  readonly file: string | undefined
  /** True where the book noted `mark`: it has all that the copy has seen. */
  knows(mark: CopyMark): boolean
}

/** The latest stamp of a record in a book or a copy. Reads all of them. */
export const lastStamp = (db: SqlDatabase): string =>
  db.get<{ stamp: string | null }>('SELECT max(stamp) AS stamp FROM records')?.stamp ?? ''

/** What is known of a copy that may be damaged itself; undefined when nothing of it can be read, or it is none. */
export function aboutCopy(db: SqlDatabase): AboutCopy | undefined {
  try {
    if (!isBegun(db)) return undefined
    const [completeAt, book, of] = ['complete_at', 'book', 'file'].map((key) => noted(db, key))
    return { completeAt, book, file: of, knows: knownMarks(db) }
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
  isBegun(db) && columnsOf(db).join() === columns.join() && knownMarks(db)(mark)

function knownMarks(db: SqlDatabase): (mark: CopyMark) => boolean {
  const [own, before, copied] = ['word', 'word_before', 'serial'].map((key) => noted(db, key))
  // Under `before` the copy was named anew, and the book was cut before it noted the new word.
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
