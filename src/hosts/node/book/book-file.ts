// Opens the file of a book, repairs a damaged one first, and erases it.
// Invariants of erasure: a mark exists from before the first file is deleted until after the last, so that
// the next opener finishes the work; and files are deleted while the database is locked, so that nobody
// creates a new book meanwhile.
import { existsSync, statSync, closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import type { Status } from '../../../core/capability/status.ts'
import { isDaybookError, DaybookError } from '../../../core/errors.ts'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import { bodyFault, checkTable, faultText, firstFault, isBroken } from '../../../store/repair/damage.ts'
import { goneReason, isNews, mendedOf, mendedText, olderReason } from '../../../store/repair/mend.ts'
import { bookIdKey, mayBeBehind } from '../../../store/repair/checkpoint.ts'
import { aboutCopy, lastStamp } from '../../../store/repair/record-copy.ts'
import { Settings } from '../../../store/schema/settings.ts'
import { isBlamed } from '../../../store/repair/open-mark.ts'
import { isBook } from '../../../store/schema/version.ts'
import { narrowBook, fileMode, filesOfBook, isPlain, removeOfBook } from '../port/private-file.ts'
import { checkpointAt, checkpointPath, copyBeside, hasCopy, lastStampBeside } from './checkpoint-file.ts'
import { bytesOf, type DiskRoom, reserveBytes, roomOf } from './disk-reserve.ts'
import { faultOf, finishMending, mendWithRoom } from './mend-file.ts'
import { leftAlone, refuseOthers } from './left-alone.ts'
import { type NodeDatabaseOptions, openNodeDatabase } from './node-database.ts'
import { isOfAnother, notOurs, otherBook } from './other-file.ts'
import { basename, dirname, join } from 'node:path'

export interface BookFile {
  readonly db: SqlDatabase
  check(table: string): string | undefined
  /** The copy of its records. */
  readonly checkpointFile: CheckpointFile
  storage(): Promise<Pick<Status, 'degraded'>>
  /** The file is empty, but files beside it show that it was a book. */
  readonly existedBefore: boolean
  /** Releases or refills the reserved disk space. Absent in memory. */
  readonly useReserve?: (isUsed: boolean) => void
  readonly isScarce?: () => boolean
  /** Deletes the book from this machine; `closeEngine` closes everything that uses it. */
  erase(closeEngine: () => void): void
}

/**
 * Opens the book at `options.path`, repairing a damaged file first, and passes the file to `open`. Throws
 * `storage-failed` if it is no book.
 */
export function openBookFile<Opened>(options: NodeDatabaseOptions, open: (file: BookFile) => Opened): Opened {
  const { path } = options
  if (path !== ':memory:') {
    refuseOtherThanFile(path)
    refuseOthers(path, '-')
    finishErasing(path)
    narrowBook(path)
  }
  finishMending(path)
  const room = path === ':memory:' ? undefined : roomOf(path)
  const isBlank = isEmpty(path)
  // A new file is written to before it gets a reserve.
  const existedBefore = isBlank && reserveBytes(path) > 0
  const attempt = () => {
    const loss = lossOf(path)
    if (loss !== undefined) throw new Damaged(loss)
    const own = openNodeDatabase({
      ...options,
      ...(room ? { admit: room.admit } : {}),
      look: refuseOther(path),
    })
    let isErasing = false
    const db: SqlDatabase = { ...own, close: () => (isErasing ? undefined : own.close()) }
    try {
      if (path !== ':memory:') checkIdentity(db, path)
      const found = isBlamed(db) ? (firstFault(db) ?? bodyFault(db)) : undefined
      if (found !== undefined) throw new Damaged(found)
      room?.renew(db.sizeBytes())
      return open({
        db,
        ...(room ? { useReserve: (isUsed: boolean) => room.use(db, isUsed), isScarce: room.isScarce } : {}),
        check: (table) => checkTable(db, table),
        checkpointFile: checkpointAt(path),
        storage: () => {
          const state = stateOf(db, room)
          const others = room ? leftAlone(path).map((text) => `left-alone: ${text}`) : []
          const blank = isBlank && !existedBefore && mendedOf(db) === undefined ? [blankText] : []
          return Promise.resolve({ degraded: [...blank, ...others, ...state.degraded] })
        },
        existedBefore,
        erase(closeEngine) {
          if (room) beginErasing(path)
          // It stays locked while its files are deleted.
          isErasing = path !== ':memory:'
          const end = () => {
            room?.release()
            closeEngine()
          }
          if (isErasing) eraseBook(path, own, end)
          else end()
        },
      })
    } catch (error) {
      db.close()
      throw error
    }
  }
  const attemptWithRoom = () => {
    try {
      return attempt()
    } catch (error) {
      if (!room || !isDaybookError(error, 'storage-full')) throw error
      room.release()
      return attempt()
    }
  }
  try {
    return attemptWithRoom()
  } catch (error) {
    const reason = reasonOf(path, error)
    if (reason === undefined || !room || !mendWithRoom(path, reason)) {
      throw error instanceof Damaged ? noBook(path, error.reason) : withPath(path, error)
    }
    return attemptWithRoom()
  }
}

/** Throws unless `db` is new, or the book whose checkpoint is beside it and not older. */
function checkIdentity(db: SqlDatabase, path: string): void {
  const copy = copyBeside(path)
  if (isBook(db)) {
    if (copy?.book === undefined) return
    const settings = new Settings(db)
    if (copy.book !== settings.get(bookIdKey)) throw otherBook(path)
    if (mayBeBehind(settings, copy) && lastStamp(db) < lastStampBeside(path)) throw new Damaged(olderReason)
    return
  }
  if (copy) throw new Damaged('the file has no book')
  if (aboutCopy(db)) throw new Damaged('the file is a checkpoint')
}

/** Throws before SQLite changes the database of another program. */
const refuseOther = (path: string) => (count: (sql: string) => number) => {
  if (path !== ':memory:' && isOfAnother(count)) throw notOurs(path, hasCopy(path))
}

/** SQLite's code for a read-only file, which a damaged header can claim too. */
const readOnly = 8

function reasonOf(path: string, error: unknown): string | undefined {
  if (error instanceof Damaged) return error.reason
  if (isBroken(error)) return faultText(error)
  const isDoubtful = !isDaybookError(error) || error.details['result'] === readOnly
  return isDoubtful && path !== ':memory:' && existsSync(path) ? faultOf(path) : undefined
}

const isEmpty = (path: string) => existsSync(path) && bytesOf(path) === 0

/** Shown until the next opening: an empty file may also be a new book. */
const blankText =
  'empty-file: the file of this book was empty when it was opened, and now has a new book. If it had a book before, import a copy of that.'

/**
 * Why a missing or empty file is a loss; undefined for a new book. SQLite would create a new book there, and
 * a later repair would mix in records of the old one.
 */
function lossOf(path: string): string | undefined {
  if (existsSync(path))
    return isEmpty(path) && (bytesOf(checkpointPath(path)) > 0 || bytesOf(`${path}-wal`) > 0)
      ? 'the file is empty'
      : undefined
  return path !== ':memory:' && hasCopy(path) ? goneReason : undefined
}

class Damaged extends Error {
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

function stateOf(db: SqlDatabase, room: DiskRoom | undefined): Pick<Status, 'degraded'> {
  const mended = mendedOf(db)
  const isShown = mended && (mended.aside ? existsSync(mended.aside) : isNews(mended, Date.now()))
  const text = isShown ? [mendedText(mended)] : []
  return { degraded: [...(room?.degraded(db.sizeBytes()) ?? []), ...text] }
}

const waysOut = 'Move it away to create a book here, or give the book another path.'

/** The usual message of this code advises to reopen the book, which doesn't help here. */
const refusal = (path: string, reason: string, message: string) =>
  DaybookError.from({ code: 'storage-failed', message, retry: false, details: { path, reason } })

/** Throws if `path` is a folder or no regular file. */
function refuseOtherThanFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || found.isFile()) return
  const type = found.isDirectory() ? 'a folder' : 'no regular file'
  throw refusal(path, 'not-a-book', `${path} is ${type} and not a book. ${waysOut}`)
}

/** Error for a file without any sign of a book. */
const noBook = (path: string, why: string): DaybookError =>
  refusal(
    path,
    'not-a-book',
    `${path} is not a book (${why}), and no record was found in it. If it was a book, restore a copy of it. ${waysOut}`,
  )

/** SQLite's codes for files that can't be opened or written. */
const accessCodes: ReadonlySet<unknown> = new Set([8, 14])

/** An error that names the file, if the file is the cause; otherwise `error`. */
function withPath(path: string, error: unknown): unknown {
  if (path === ':memory:' || !isDaybookError(error, 'storage-failed')) return error
  if (error.details['result'] === 26) return noBook(path, faultText(error))
  if (!accessCodes.has(error.details['result'])) return error
  return refusal(
    path,
    'cannot-open',
    `${path} can't be opened (${faultText(error)}). Check that this user may read and write it and its folder, and that the disk is mounted for writing.`,
  )
}

const mark = '.erasing'

/** Creates the mark of an erasure. Throws if another file is in its place. */
function beginErasing(path: string): void {
  refuseOthers(path, mark)
  closeSync(openSync(path + mark, 'w', fileMode))
  flush(dirname(path))
}

/**
 * Deletes the book at `path`, which has the mark and whose database is open and locked. `closeEngine` closes
 * everything else.
 */
function eraseBook(path: string, db: Pick<SqlDatabase, 'exec' | 'close'>, closeEngine: () => void): void {
  closeEngine()
  // Closing the database touches no log file from here on: one of that name might belong to a new book.
  db.exec('PRAGMA journal_mode = DELETE')
  removeFiles(path, db.close)
}

/**
 * Finishes an interrupted erasure; false without one. Throws `open-elsewhere` while another process
 * erases.
 */
function finishErasing(path: string): boolean {
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
    // Windows doesn't delete open files.
    close()
    rmSync(path, { force: true })
  }
  flush(folder)
  rmSync(path + mark, { force: true })
  flush(folder)
}

/** Flushes the folder: otherwise a power cut could restore deleted files. */
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
