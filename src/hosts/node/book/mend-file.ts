// Repairs the damaged file of a book: makes a new file from the readable content, and replaces the damaged
// file by it.
// Invariants: at every moment the old file is at its path, or the whole new file is beside it or at its path. One
// process at a time repairs a book, or finishes a repair: the one that has locked the file `<book>.mending-lock`.
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import { formatTime } from '../../../core/time.ts'
import {
  causeText,
  firstFault,
  ignoreDamage,
  openIfBook,
  readCopyDescription,
} from '../../../store/repair/damage.ts'
import { bookIdKey } from '../../../store/repair/checkpoint.ts'
import { repairBook } from '../../../store/repair/mend.ts'
import { repairHeader, statedBytes } from '../../../store/repair/page-scan.ts'
import { describeCopy } from '../../../store/repair/record-copy.ts'
import { schemaFault } from '../../../store/repair/salvaged-tables.ts'
import { sharesRecord } from '../../../store/repair/salvage.ts'
import { Settings } from '../../../store/schema/settings.ts'
import { databaseSuffixes, fileMode, isPlain, removeDatabase } from '../port/private-file.ts'
import { isOfBook, readHead, readPages } from './book-sign.ts'
import { checkpointPath, openCheckpoint } from './checkpoint-file.ts'
import { bytesOf, roomOf } from './disk-reserve.ts'
import { refuseOthers } from './left-alone.ts'
import { lockFile, openNodeDatabase, pageBytes } from './node-database.ts'
import { otherCopy } from './other-file.ts'

/** Suffix of the new file while it is made. */
const mending = '.mending'
/** Suffix of a copy of the damaged file with a corrected header. */
const mendingSource = '.mending-source'
/** Suffix of the file that is locked during a repair. It exists until then, or until the next opening after a crash. */
const mendingLock = '.mending-lock'

/** Whether a process repairs the book at `path`, or ended before it had finished that. */
export const isMending = (path: string): boolean => isPlain(path + mending) || isPlain(path + mendingLock)

/**
 * Runs `work` while no other process repairs the book at `path`. Throws `open-elsewhere` if one does. `work` must lock
 * the book's file before it returns, so that the next process finds the book open.
 */
export function whileMending<Result>(path: string, work: () => Result): Result {
  refuseOthers(path, mendingLock)
  const unlock = lockFile(path + mendingLock)
  try {
    return work()
  } finally {
    try {
      rmSync(path + mendingLock, { force: true })
    } catch {
      // Windows deletes no open file. The file does no harm: the next opening locks it.
    }
    unlock()
  }
}

/**
 * Finishes an interrupted repair; call it in `whileMending`. If the old file is at its path, the new file may be incomplete and is
 * deleted; otherwise the new file is whole and gets the path.
 */
export function finishMending(path: string): void {
  if (!isPlain(path + mending)) return
  if (existsSync(path)) {
    removeDatabase(path + mending)
    return
  }
  // Move the log of the old file away: SQLite would apply it to the new file.
  setAside(path, `${path}.damaged-${stampOf(formatTime(Date.now()))}`)
  renameSync(path + mending, path)
}

/**
 * Like `mendFile`; on a full disk it repeats the repair with the reserved space. Throws `storage-full` if
 * that fails too.
 */
export function mendWithRoom(path: string, reason: string): boolean {
  // A separate `DiskRoom` for the repair, so that nothing fills the reserve during the repair.
  const room = roomOf(path)
  try {
    return mendFile(path, reason)
  } catch (error) {
    if (!isFull(error)) throw error
    room.release()
  }
  try {
    return mendFile(path, reason)
  } catch (error) {
    if (!isFull(error)) throw error
    const fault = noRoom(path, reason)
    room.renew(bytesOf(path))
    throw fault
  }
}

/** Bytes for the log of the new file and for files beside it. */
const spareBytes = 8 * 2 ** 20

function noRoom(path: string, reason: string): DaybookError {
  const book = bytesOf(path) + bytesOf(`${path}-wal`)
  // The new file needs up to twice the size of the checkpoint; a damaged header needs a copy of the old file.
  const wanted = book + Math.max(book, 2 * bytesOf(checkpointPath(path))) + spareBytes
  const { bavail, bsize } = statfsSync(dirname(path))
  const missingBytes = Math.max(bsize, wanted - bavail * bsize)
  const message = `The book is damaged (${reason}), and its disk has no space to repair it. Free ${missingBytes} more bytes there and open it again; the damaged file and its checkpoint are unchanged.`
  // Has its own message: the default message of `storage-full` says that the book stays readable, which is
  // wrong here.
  return DaybookError.from({
    code: 'storage-full',
    message,
    retry: false,
    details: { path, reason, missingBytes },
  })
}

const isFull = (error: unknown) =>
  isDaybookError(error, 'storage-full') ||
  (error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code)))

/**
 * Repairs the book at `path`. False if the file is of no book; then nothing has changed. Throws `storage-failed`
 * if the checkpoint may belong to another book.
 */
function mendFile(path: string, reason: string): boolean {
  refuseOthers(path, mending)
  const now = formatTime(Date.now())
  const aside = `${path}.damaged-${stampOf(now)}`
  const isFileMissing = !existsSync(path)
  const hasLog = existsSync(`${path}-wal`)
  // A new file without an old file counts as whole (`finishMending`), so create an empty old file until the
  // new file is whole.
  if (isFileMissing) closeSync(openSync(path, 'a', fileMode))
  // The file may be a checkpoint. Its free pages may contain forgotten records, so use only its tables.
  const isCopy = !isBlank(path) && readCopyDescription(() => openNodeDatabase({ path })) !== undefined
  // Read the file before SQLite opens it: on POSIX, closing a file releases SQLite's locks on it.
  const pages = isCopy ? undefined : readPages(path)
  let damaged: SqlDatabase | undefined
  let checkpoint: SqlDatabase | undefined
  try {
    // Don't open an empty file: SQLite would create a database in it and delete its log.
    damaged =
      !isBlank(path) && !isCopy
        ? (openIfBook(() => openNodeDatabase({ path })) ?? openWithHeader(path))
        : undefined
    checkpoint = openCheckpoint(path) ?? (isCopy ? openNodeDatabase({ path }) : undefined)
    // `about.file`: name of the file from which the checkpoint was made.
    const about = checkpoint && describeCopy(checkpoint)
    if (checkpoint && about?.file !== undefined && about.file !== basename(path)) {
      // The checkpoint was made from a file of another name. It belongs to this book if the file has the book's id, if
      // nothing of the file is left, or if both have a record in common.
      const isSure = isCopy || isBlank(path) || bookIdOf(damaged) !== undefined
      if (!isSure && !(pages && sharesRecord(pages, checkpoint))) throw otherCopy(path, about.file)
    }
    const isOurs = damaged !== undefined || about !== undefined
    if (!isOurs && !isOfBook(path, pages)) return false
    const target = openNodeDatabase({ path: path + mending, durability: 'strict' })
    try {
      // Path of the old file after the repair, for the report; of its log, if only that exists.
      const oldFile = isFileMissing ? (hasLog ? `${aside}-wal` : undefined) : aside
      repairBook({ damaged, checkpoint, pages, target, now, aside: oldFile, reason })
    } finally {
      target.close()
    }
  } catch (error) {
    // Delete the incomplete new file; the old file is unchanged.
    removeDatabase(path + mending)
    throw error
  } finally {
    checkpoint?.close()
    damaged?.close()
    removeDatabase(path + mendingSource)
    // Delete the empty file that was created above.
    if (isFileMissing) rmSync(path)
  }
  setAside(path, aside)
  renameSync(path + mending, path)
  return true
}

/** Whether SQLite treats the file as empty. */
const isBlank = (path: string) => bytesOf(path) <= 1

/** The id of the book; undefined if it can't be read. */
function bookIdOf(damaged: SqlDatabase | undefined): string | undefined {
  try {
    return damaged && new Settings(damaged).get(bookIdKey)
  } catch (error) {
    return ignoreDamage(error)
  }
}

/**
 * Opens a copy of the file with a corrected header, and with the size that the header states. Undefined if
 * both are correct, or the copy can't be opened.
 */
function openWithHeader(path: string): SqlDatabase | undefined {
  const source = path + mendingSource
  copyFileSync(path, source)
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${source}-wal`)
  const isChanged = [fixHeader(source), fixSize(source)].includes(true)
  return isChanged ? openIfBook(() => openNodeDatabase({ path: source })) : undefined
}

/** Corrects the header of the file. True if the header was damaged. */
function fixHeader(path: string): boolean {
  const bytes = readHead(path, pageBytes)
  if (!repairHeader(bytes)) return false
  const file = openSync(path, 'r+')
  try {
    writeSync(file, bytes)
    return true
  } finally {
    closeSync(file)
  }
}

/** The largest size that is believed: a damaged header may state any. */
const mostStatedBytes = 2 ** 30

/** Adds zeros in place of the missing pages of a cut file: SQLite opens no file that is too small. True if it was cut. */
function fixSize(path: string): boolean {
  const stated = statedBytes(readHead(path, pageBytes))
  if (stated <= bytesOf(path) || stated > mostStatedBytes) return false
  truncateSync(path, stated)
  return true
}

/**
 * The fault of a file that failed to open with an error that doesn't show damage. Undefined: the file is
 * whole, and the error has another cause.
 */
export function faultOf(path: string): string | undefined {
  if (repairHeader(readHead(path, pageBytes))) return 'the header of the file is damaged'
  const db = openIfBook(() => openNodeDatabase({ path }))
  try {
    return db && (firstFault(db) ?? schemaFault(db))
  } catch (error) {
    return causeText(error)
  } finally {
    db?.close()
  }
}

/** The time without colons, for file names. */
const stampOf = (time: string) => time.replaceAll(':', '-')

/** Renames the old file, its log and its journal. */
function setAside(path: string, aside: string): void {
  for (const suffix of databaseSuffixes)
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
}
