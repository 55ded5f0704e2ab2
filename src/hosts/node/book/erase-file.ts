// Deletes the files of a book.
// Invariants: the file `<book>.erasing` exists from before the first file is deleted until after the last, so that the
// next opening finishes the erasure. Files are deleted while the database is locked, so that no process creates a new
// book before the end. If one can't be deleted, the lock ends, and no opening succeeds until all are deleted.
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import { causeText } from '../../../store/repair/damage.ts'
import { fileMode, filesOfBook, isLink, isPlain, removeOfBook } from '../port/private-file.ts'
import { type BookPath, bookPathOf } from '../port/book-path.ts'
import { refuseOthers } from './left-alone.ts'
import { openNodeDatabase } from './node-database.ts'
import { withPathFault } from './path-fault.ts'

const erasingSuffix = '.erasing'

/** Whether the book at `path` is erased, or its erasure has begun. */
export const isErased = (path: string): boolean => !existsSync(path) || isPlain(path + erasingSuffix)

/** Creates the file that shows an erasure. Throws `storage-failed` if that fails, or if a foreign file has its name. */
export function beginErasing(path: string): void {
  refuseOthers(path, erasingSuffix)
  const mark = path + erasingSuffix
  withPathFault(mark, () => {
    closeSync(openSync(mark, 'w', fileMode))
    try {
      flush(dirname(path))
    } catch (error) {
      // The book stays open: with the mark, the next opening would erase it.
      rmSync(mark, { force: true })
      throw error
    }
  })
}

/**
 * Deletes the book, and closes `db`. Call it only after `beginErasing`, with `db` open. `closeEngine` closes everything
 * except `db`.
 */
export function eraseBook(
  place: BookPath,
  db: Pick<SqlDatabase, 'exec' | 'close'>,
  closeEngine: () => void,
): void {
  try {
    closeEngine()
    // Without a log, closing `db` later deletes no log file, which may belong to a new book then.
    db.exec('PRAGMA journal_mode = DELETE')
    removeFiles(place, true, db.close)
  } catch (error) {
    throw unfinished(place.path, error)
  } finally {
    db.close()
  }
}

/**
 * Finishes an interrupted erasure; a link stays, and then leads to the new book. Throws `open-elsewhere` while another
 * process erases the book, `storage-failed` if a file can't be deleted.
 */
export function finishErasing(place: BookPath): void {
  const { path, link } = place
  // An earlier Daybook created it beside the link.
  const oldMark = link !== undefined && isPlain(link + erasingSuffix) ? link + erasingSuffix : undefined
  if (oldMark === undefined && !isPlain(path + erasingSuffix)) return
  if (oldMark !== undefined) refuseWritten(path, oldMark)
  try {
    const db = existsSync(path) ? openNodeDatabase({ path }) : undefined
    try {
      if (oldMark !== undefined) {
        beginErasing(path)
        rmSync(oldMark)
      }
      db?.exec('PRAGMA journal_mode = DELETE')
      removeFiles(place, false, () => db?.close())
    } finally {
      db?.close()
    }
  } catch (error) {
    throw isDaybookError(error, 'open-elsewhere') ? error : unfinished(path, error)
  }
}

/** Longest time from the mark of an erasure to the last write to the book's file. */
const lastWriteMs = 60_000

/** Throws if the book was written after the erasure at `mark` began: another path opened it, which shows no mark. */
function refuseWritten(path: string, mark: string): void {
  const timeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (Math.max(timeOf(path), timeOf(`${path}-wal`)) <= timeOf(mark) + lastWriteMs) return
  throw DaybookError.from({
    code: 'storage-failed',
    message: `An earlier Daybook began to erase the book at ${path} and did not finish, and the book was written since. Nothing was changed. Delete ${mark}; then open the book to use it, or to erase it again.`,
    retry: false,
    details: { path: mark, reason: 'erasing' },
  })
}

/** The error of an erasure that `error` stopped. It names the file that can't be deleted, and the way out. */
function unfinished(path: string, error: unknown): DaybookError {
  const file = error instanceof Error && 'path' in error ? String(error.path) : path
  return DaybookError.from({
    code: 'storage-failed',
    message: `The erasure of the book at ${path} is not finished: ${file} can't be deleted (${causeText(error)}). Allow this user to delete it, or delete it yourself; then open the book again: that finishes the erasure and starts an empty book.`,
    retry: false,
    details: { path: file, reason: 'erasing' },
  })
}

/**
 * Deletes all files of the book; the file itself and `.erasing` last. The files of a book beside a link are deleted too:
 * an earlier Daybook stored records there. `withLink`: the link too. `close` closes the database. If a file can't be
 * deleted, deletes the others, and throws; the book's file stays for the lock of the next try.
 */
function removeFiles({ path, link }: BookPath, withLink: boolean, close: () => void): void {
  const last = new Set([path, link, path + erasingSuffix])
  const names = [path, link ?? path].flatMap((one) =>
    filesOfBook(one).map((name) => join(dirname(one), name)),
  )
  const faults: unknown[] = []
  for (const name of names) {
    try {
      if (!last.has(name)) removeOfBook(name)
    } catch (error) {
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
  try {
    rmSync(path, { force: true })
    close()
  } catch {
    // Windows deletes no open file, so close the database first.
    close()
    rmSync(path, { force: true })
  }
  flush(dirname(path))
  if (link !== undefined) {
    // Somebody may have replaced the link.
    if (withLink && isLink(link) && bookPathOf(link).path === path) rmSync(link, { force: true })
    flush(dirname(link))
  }
  rmSync(path + erasingSuffix, { force: true })
  flush(dirname(path))
}

/** Flushes the folder, so that a power cut restores no deleted file. */
function flush(folder: string): void {
  // Windows can't open folders.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
