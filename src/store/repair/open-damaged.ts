// Opens databases that may be damaged. Invariant: a full disk is never taken for damage.
import { isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { isBook } from '../schema/newer-book.ts'
import { type AboutCopy, aboutCopy } from './record-copy.ts'

/** Undefined where nothing can be read of a database, whatever SQLite says of it. Throws `storage-full`. */
export function unread(error: unknown): undefined {
  if (isDaybookError(error, 'storage-full')) throw error
  return undefined
}

/** The database, if it can be opened. */
export function openIfPossible(open: () => SqlDatabase): SqlDatabase | undefined {
  try {
    return open()
  } catch (error) {
    return unread(error)
  }
}

/** The database, if it can be opened and a Daybook wrote it: no other is touched. */
export function openIfBook(open: () => SqlDatabase): SqlDatabase | undefined {
  let db: SqlDatabase | undefined
  try {
    db = open()
    if (isBook(db)) return db
  } catch (error) {
    db?.close()
    return unread(error)
  }
  db.close()
  return undefined
}

/** What a database says of itself that is a copy of the records of a book; undefined for any other. */
export function readAbout(open: () => SqlDatabase): AboutCopy | undefined {
  const copy = openIfPossible(open)
  try {
    return copy && aboutCopy(copy)
  } finally {
    copy?.close()
  }
}
