// Deletes the files of a book.
// Invariants: the file `<book>.erasing` exists from before the first file is deleted until after the last, so that the
// next opening finishes the erasure. Files are deleted while the database is locked, so that no process creates a new
// book before the end. If one can't be deleted, the lock ends, and no opening succeeds until all are deleted.
import { closeSync, existsSync, fsyncSync, openSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import { causeText } from '../../../store/repair/damage.ts'
import { fileMode, filesOfBook, isPlain, removeOfBook } from '../port/private-file.ts'
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
 * Deletes the book at `path`, and closes `db`. Call it only after `beginErasing`, with `db` open. `closeEngine` closes
 * everything except `db`.
 */
export function eraseBook(
  path: string,
  db: Pick<SqlDatabase, 'exec' | 'close'>,
  closeEngine: () => void,
): void {
  try {
    closeEngine()
    // Without a log, closing `db` later deletes no log file, which may belong to a new book then.
    db.exec('PRAGMA journal_mode = DELETE')
    removeFiles(path, db.close)
  } catch (error) {
    throw unfinished(path, error)
  } finally {
    db.close()
  }
}

/**
 * Finishes an interrupted erasure. Throws `open-elsewhere` while another process erases the book, `storage-failed` if a
 * file can't be deleted.
 */
export function finishErasing(path: string): void {
  if (!isPlain(path + erasingSuffix)) return
  try {
    const db = existsSync(path) ? openNodeDatabase({ path }) : undefined
    try {
      db?.exec('PRAGMA journal_mode = DELETE')
      removeFiles(path, () => db?.close())
    } finally {
      db?.close()
    }
  } catch (error) {
    throw isDaybookError(error, 'open-elsewhere') ? error : unfinished(path, error)
  }
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
 * Deletes all files of the book; the file itself and `.erasing` last. If `path` is a link, its target and the files
 * beside that are deleted too: they may have records. `close` closes the database. If a file can't be deleted, deletes
 * the others, and throws; the book's file stays for the lock of the next try.
 */
function removeFiles(path: string, close: () => void): void {
  const folder = dirname(path)
  const real = existsSync(path) ? realpathSync(path) : path
  const last = new Set([path, real, path + erasingSuffix, real + erasingSuffix])
  const names = [path, real].flatMap((one) => filesOfBook(one).map((name) => join(dirname(one), name)))
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
    rmSync(real, { force: true })
    close()
  } catch {
    // Windows deletes no open file, so close the database first.
    close()
    rmSync(real, { force: true })
  }
  flush(dirname(real))
  rmSync(path, { force: true })
  flush(folder)
  for (const one of [path, real]) rmSync(one + erasingSuffix, { force: true })
  flush(folder)
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
