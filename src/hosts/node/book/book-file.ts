// Opens the file of a book, and repairs a damaged file first.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import type { Status } from '../../../core/capability/status.ts'
import { isDaybookError, DaybookError } from '../../../core/errors.ts'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import { bodyFault, checkTable, causeText, firstFault, isDamageError } from '../../../store/repair/damage.ts'
import {
  missingFileReason,
  isRecentRepair,
  readRepairReport,
  describeRepair,
  olderFileReason,
} from '../../../store/repair/repair-report.ts'
import { bookIdKey, mayBeBehind } from '../../../store/repair/checkpoint.ts'
import { describeCopy } from '../../../store/repair/record-copy.ts'
import { Settings } from '../../../store/schema/settings.ts'
import { isMarkedDamaged } from '../../../store/repair/open-mark.ts'
import { isBook } from '../../../store/schema/version.ts'
import { narrowBook } from '../port/private-file.ts'
import type { BookPath } from '../port/book-path.ts'
import { checkpointAt, checkpointPath, copyBeside, hasCopy, isCopyAhead } from './checkpoint-file.ts'
import { bytesOf, type DiskRoom, reserveBytes, roomOf } from './disk-reserve.ts'
import { beginErasing, eraseBook, finishErasing } from './erase-file.ts'
import { faultOf, finishMending, isMending, mendWithRoom, whileMending } from './mend-file.ts'
import { leftAlone, refuseOthers } from './left-alone.ts'
import { memoryPath, type NodeDatabaseOptions, openNodeDatabase } from './node-database.ts'
import { isOfAnother, notOurs, otherBook } from './other-file.ts'
import { cannotOpen, withPathFault } from './path-fault.ts'
import { rootFault } from './root-pages.ts'

export interface BookFile {
  readonly db: SqlDatabase
  /** Returns the fault of a damaged table; undefined if the table is whole. */
  check(table: string): string | undefined
  /** The checkpoint, the copy of the book's records. */
  readonly checkpointFile: CheckpointFile
  /** Texts for the status: a repair, a full disk, foreign files, an empty file. */
  storage(): Promise<Pick<Status, 'degraded'>>
  /** True: the file was missing or empty, but a file beside it shows that there was a book. */
  readonly existedBefore: boolean
  /** True deletes the reserved disk space, false fills it again. Absent in memory. */
  readonly useReserve?: (isUsed: boolean) => void
  /** Whether less space is free than twice the size of the file. Absent in memory. */
  readonly isScarce?: () => boolean
  /**
   * Deletes the book from this machine. `closeEngine` must close everything that uses the book. Throws `storage-failed`,
   * before `closeEngine` if the erasure can't begin: then the book stays open.
   */
  erase(closeEngine: () => void): void
}

/** `path`: without links. */
type BookFileOptions = Pick<NodeDatabaseOptions, 'durability'> & BookPath

/**
 * Opens the book at `options.path`, repairs a damaged file first, and returns the result of `open`. Throws
 * `storage-failed` if the file is no book or can't be opened, `open-elsewhere` if another process has it.
 */
export const openBookFile = <Opened extends object>(
  options: BookFileOptions,
  open: (file: BookFile) => Opened,
): Opened => withPathFault(options.path, () => openOrMend(options, open))

function openOrMend<Opened extends object>(
  options: BookFileOptions,
  open: (file: BookFile) => Opened,
): Opened {
  const { path } = options
  if (path === memoryPath) return attemptAt(options, open, true)()
  refuseOtherThanFile(path)
  // SQLite would write through links with the names of its log and journal.
  refuseOthers(path, '-')
  finishErasing(options)
  narrowBook(path)
  try {
    return openIfWhole(options, open) ?? whileMending(path, () => mendAndOpen(options, open))
  } catch (error) {
    throw withPath(path, error)
  }
}

/** Opens the book; undefined if it is damaged, or another process may be repairing it. */
function openIfWhole<Opened extends object>(
  options: BookFileOptions,
  open: (file: BookFile) => Opened,
): Opened | undefined {
  const { path } = options
  if (isMending(path)) return undefined
  try {
    return attemptAt(options, open, false)()
  } catch (error) {
    if (reasonOf(path, error) === undefined) throw error
    return undefined
  }
}

/** Opens the book while no other process repairs it. Repairs it if it is still damaged. */
function mendAndOpen<Opened extends object>(
  options: BookFileOptions,
  open: (file: BookFile) => Opened,
): Opened {
  const { path } = options
  finishMending(path)
  const attempt = attemptAt(options, open, true)
  try {
    return attempt()
  } catch (error) {
    const reason = reasonOf(path, error)
    if (reason === undefined || !mendWithRoom(path, reason))
      throw reason !== undefined && (error instanceof Damaged || isDamageError(error))
        ? noBook(path, reason)
        : error
    return attempt()
  }
}

/**
 * Returns a function that opens the book once, and again with the space of the reserve if the disk is full.
 * `isAlone`: no other process can repair the book meanwhile.
 */
function attemptAt<Opened extends object>(
  options: BookFileOptions,
  open: (file: BookFile) => Opened,
  isAlone: boolean,
): () => Opened {
  const { path } = options
  // The reserved disk space of the book.
  const room = path === memoryPath ? undefined : roomOf(path)
  const isBlank = isEmpty(path)
  // A book gets its reserve only after its first write, so a reserve without a file, or with an empty one, shows a loss.
  const existedBefore = (isBlank || (room !== undefined && !existsSync(path))) && reserveBytes(path) > 0
  const attempt = () => {
    const loss = lossOf(path)
    if (loss !== undefined) throw new Damaged(loss)
    const own = openNodeDatabase({
      ...options,
      ...(room ? { admit: room.admit } : {}),
      look: refuseOther(path),
    })
    let isErasing = false
    // In an erasure the end of the engine leaves the file open and locked; `eraseBook` closes it later.
    const db: SqlDatabase = { ...own, close: () => (isErasing ? undefined : own.close()) }
    try {
      // A repair has begun since this opening began, and will replace the file.
      if (!isAlone && isMending(path)) throw new DaybookError('open-elsewhere')
      if (path !== memoryPath) checkIdentity(db, path)
      // The engine found damage while the book was open before: look for its reason.
      const found = isMarkedDamaged(db) ? (firstFault(db) ?? bodyFault(db)) : rootFault(db)
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
          const blank = isBlank && !existedBefore && readRepairReport(db) === undefined ? [blankText] : []
          return Promise.resolve({ degraded: [...blank, ...others, ...state.degraded] })
        },
        existedBefore,
        erase(closeEngine) {
          if (room) beginErasing(path)
          // The database stays open and locked while its files are deleted.
          isErasing = path !== memoryPath
          const end = () => {
            room?.release()
            closeEngine()
          }
          if (isErasing) eraseBook(options, own, end)
          else end()
        },
      })
    } catch (error) {
      db.close()
      throw error
    }
  }
  return () => {
    try {
      return attempt()
    } catch (error) {
      // Opening writes; the reserve exists so that a book opens on a full disk.
      if (!room || !isDaybookError(error, 'storage-full')) throw error
      room.release()
      return attempt()
    }
  }
}

/**
 * Throws unless `db` is a new file, or the book of the checkpoint beside it and not older than the
 * checkpoint.
 */
function checkIdentity(db: SqlDatabase, path: string): void {
  const copy = copyBeside(path)
  if (isBook(db)) {
    // No checkpoint, or one of an earlier Daybook, which has no id of its book.
    if (copy?.book === undefined) return
    const settings = new Settings(db)
    if (copy.book !== settings.get(bookIdKey)) throw otherBook(path)
    if (mayBeBehind(settings, copy) && isCopyAhead(path, db)) throw new Damaged(olderFileReason)
    return
  }
  if (copy) throw new Damaged('the file has no book')
  if (describeCopy(db)) throw new Damaged('the file is a checkpoint')
}

/** Throws if the file is the database of another program, before SQLite changes it. */
const refuseOther = (path: string) => (count: (sql: string) => number) => {
  if (path !== memoryPath && isOfAnother(count)) throw notOurs(path, hasCopy(path))
}

/** SQLite's result code for a read-only file; a damaged header can cause it too. */
const readOnly = 8
/** SQLite's result codes for an I/O error, for a file that can't be opened, and for a file that is no database. */
const ioError = 10
const cantOpen = 14
const notADatabase = 26

/** The reason to repair the file after this error; undefined: the error has another cause. */
function reasonOf(path: string, error: unknown): string | undefined {
  if (error instanceof Damaged) return error.reason
  if (isDamageError(error)) return causeText(error)
  // An error of unknown cause, or a file that seems read-only: its header may be damaged.
  const isDoubtful = !isDaybookError(error) || error.details['result'] === readOnly
  return isDoubtful && path !== memoryPath && existsSync(path) ? faultOf(path) : undefined
}

const isEmpty = (path: string) => existsSync(path) && bytesOf(path) === 0

/** Text for the status until the next opening, because an empty file may be a lost book. */
const blankText =
  'empty-file: the file of this book was empty when it was opened, and now has a new book. If it had a book before, import a copy of that.'

/**
 * Why a missing or empty file means lost data; undefined for a new book. Check this before SQLite opens the
 * file: it would create a new book, and a later repair would mix the records of both books.
 */
function lossOf(path: string): string | undefined {
  if (existsSync(path)) {
    // SQLite treats such a file as empty, and would write a new book over it.
    if (bytesOf(path) === 1) return 'the file has one byte'
    return isEmpty(path) && (bytesOf(checkpointPath(path)) > 0 || bytesOf(`${path}-wal`) > 0)
      ? 'the file is empty'
      : undefined
  }
  return path !== memoryPath && hasCopy(path) ? missingFileReason : undefined
}

/** The file is damaged, or has lost changes, for `reason`: a repair comes next. */
class Damaged extends Error {
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

function stateOf(db: SqlDatabase, room: DiskRoom | undefined): Pick<Status, 'degraded'> {
  // `aside`: the damaged file. The report is shown while that exists; without one, for a week.
  const mended = readRepairReport(db)
  const isShown = mended && (mended.aside ? existsSync(mended.aside) : isRecentRepair(mended, Date.now()))
  const text = isShown ? [describeRepair(mended)] : []
  return { degraded: [...(room?.degraded(db.sizeBytes()) ?? []), ...text] }
}

const waysOut = 'Move it away to create a book here, or give the book another path.'

/**
 * Has its own message: the default message of `storage-failed` advises to reopen the book, which doesn't help
 * here.
 */
const refusal = (path: string, reason: string, message: string) =>
  DaybookError.from({ code: 'storage-failed', message, retry: false, details: { path, reason } })

/** Throws `storage-failed` if something other than a regular file is at `path`. */
function refuseOtherThanFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || found.isFile()) return
  const type = found.isDirectory() ? 'a folder' : 'no regular file'
  throw refusal(path, 'not-a-book', `${path} is ${type} and not a book. ${waysOut}`)
}

/** The error for a file without a record of a book. */
const noBook = (path: string, why: string): DaybookError =>
  refusal(
    path,
    'not-a-book',
    `${path} is not a book (${why}), and no record was found in it. If it was a book, restore a copy of it. ${waysOut}`,
  )

const accessCodes: ReadonlySet<unknown> = new Set([readOnly, cantOpen])

/**
 * Replaces an error that the file caused by an error that names the file; returns other errors unchanged.
 */
function withPath(path: string, error: unknown): unknown {
  if (path === memoryPath || !isDaybookError(error, 'storage-failed')) return error
  if (error.details['result'] === notADatabase) return noBook(path, causeText(error))
  const isClosed = accessCodes.has(error.details['result'])
  // SQLite reports a file that nobody may write, such as an immutable one, as an I/O error.
  if (!isClosed && !(error.details['result'] === ioError && isUnwritable(path))) return error
  return cannotOpen(path, causeText(error))
}

function isUnwritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return false
  } catch {
    return true
  }
}
