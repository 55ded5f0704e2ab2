// Takes a book away from this machine: every file that it has left in its folder, the database last but one.
// Invariants: a mark beside the book stands from before the first file goes until after the last, so that whoever opens the
// book next finishes what was cut; and files go while the database is locked, so that nobody begins a new book meanwhile.
import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SqlDatabase } from '../../../core/ports.ts'
import { fileMode, filesOfBook, isPlain, removeOfBook } from '../port/private-file.ts'
import { refuseOthers } from './left-alone.ts'
import { openNodeDatabase } from './node-database.ts'

const mark = '.erasing'

/** Sets the mark of an erasure. Throws where something else stands in its place. */
export function beginErasing(path: string): void {
  refuseOthers(path, mark)
  closeSync(openSync(path + mark, 'w', fileMode))
  flush(dirname(path))
}

/**
 * Takes away the book at `path`, which has the mark, and whose database is open and locked. `closeEngine` lets go of all else
 * that is open.
 */
export function eraseBook(
  path: string,
  db: Pick<SqlDatabase, 'exec' | 'close'>,
  closeEngine: () => void,
): void {
  closeEngine()
  // From now on closing the database touches no other file: a log of its name might be another book's by then.
  db.exec('PRAGMA journal_mode = DELETE')
  removeFiles(path, db.close)
}

/** Finishes an erasure that was cut; false when there was none. Throws `open-elsewhere` while it goes on elsewhere. */
export function finishErasing(path: string): boolean {
  if (!isPlain(path + mark)) return false
  if (!existsSync(path)) {
    removeFiles(path, () => undefined)
    return true
  }
  const db = openNodeDatabase({ path })
  try {
    db.exec('PRAGMA journal_mode = DELETE')
    removeFiles(path, () => db.close())
  } finally {
    db.close()
  }
  return true
}

function removeFiles(path: string, close: () => void): void {
  const folder = dirname(path)
  const own = basename(path)
  const names = filesOfBook(path).filter((name) => name !== own && name !== own + mark)
  for (const name of names) removeOfBook(join(folder, name))
  try {
    rmSync(path, { force: true })
    close()
  } catch {
    // Windows takes away no file that is open.
    close()
    rmSync(path, { force: true })
  }
  flush(folder)
  rmSync(path + mark, { force: true })
  flush(folder)
}

/** A power cut brings back what was taken out of a folder that was not flushed. */
function flush(folder: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
