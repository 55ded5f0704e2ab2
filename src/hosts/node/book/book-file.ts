// The file of a book, opened whatever state it is in: a damaged one is mended first.
import { existsSync } from 'node:fs'
import type { Status } from '../../../core/capability/status.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import { bodyFault, checkTable, faultText, firstFault, isBroken } from '../../../store/repair/damage.ts'
import { goneReason, isNews, mendedOf, mendedText, olderReason } from '../../../store/repair/mend.ts'
import { bookIdKey, mayBeBehind } from '../../../store/repair/checkpoint.ts'
import { aboutCopy, lastStamp } from '../../../store/repair/record-copy.ts'
import { Settings } from '../../../store/schema/settings.ts'
import { isBlamed } from '../../../store/repair/open-mark.ts'
import { isBook } from '../../../store/schema/version.ts'
import { narrowBook } from '../port/private-file.ts'
import { checkpointAt, checkpointPath, copyBeside, hasCopy, lastStampBeside } from './checkpoint-file.ts'
import { bytesOf, type DiskRoom, reserveBytes, roomOf } from './disk-reserve.ts'
import { beginErasing, eraseBook, finishErasing } from './erase-book.ts'
import { faultOf, finishMending, mendWithRoom } from './mend-file.ts'
import { leftAlone, refuseOthers } from './left-alone.ts'
import { type NodeDatabaseOptions, openNodeDatabase } from './node-database.ts'
import { noBook, ofFile, refuseOtherThanFile } from './no-book.ts'
import { isOfAnother, notOurs, otherBook } from './other-file.ts'

export interface BookFile {
  readonly db: SqlDatabase
  check(table: string): string | undefined
  /** Where a copy of its records is kept. */
  readonly checkpointFile: CheckpointFile
  storage(): Promise<Pick<Status, 'degraded'>>
  /** The file is empty, and beside it is what only a book leaves. */
  readonly wasKept: boolean
  /** Gives up the space that is kept back, or makes it again. Absent in memory. */
  readonly useReserve?: (isUsed: boolean) => void
  readonly isScarce?: () => boolean
  /** Takes the book away from this machine; `closeEngine` closes what works on it. */
  erase(closeEngine: () => void): void
}

/**
 * Opens the book at `options.path` with `open`, which is given its file; mends the file first where it is damaged. Rejects
 * with `storage-failed` what is no book.
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
  const wasKept = isBlank && reserveBytes(path) > 0
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
          const blank = isBlank && !wasKept && mendedOf(db) === undefined ? [blankText] : []
          return Promise.resolve({ degraded: [...blank, ...others, ...state.degraded] })
        },
        wasKept,
        erase(closeEngine) {
          if (room) beginErasing(path)
          // While its files go it stays locked.
          isErasing = path !== ':memory:'
          const end = () => {
            room?.giveUp()
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
      room.giveUp()
      return attempt()
    }
  }
  try {
    return attemptWithRoom()
  } catch (error) {
    const reason = reasonOf(path, error)
    if (reason === undefined || !room || !mendWithRoom(path, reason)) {
      throw error instanceof Damaged ? noBook(path, error.reason) : ofFile(path, error)
    }
    return attemptWithRoom()
  }
}

/** Throws unless `db` is new, or is a book, the one whose checkpoint lies beside it, and no older than that. */
function checkIdentity(db: SqlDatabase, path: string): void {
  const copy = copyBeside(path)
  if (isBook(db)) {
    if (copy?.book === undefined) return
    const settings = new Settings(db)
    if (copy.book !== settings.get(bookIdKey)) throw otherBook(path)
    if (mayBeBehind(settings, copy) && lastStamp(db) < lastStampBeside(path)) throw new Damaged(olderReason)
    return
  }
  if (copy) throw new Damaged('the file holds no book')
  if (aboutCopy(db)) throw new Damaged('the file is a checkpoint')
}

/** Throws before SQLite changes anything in the database of another program. */
const refuseOther = (path: string) => (count: (sql: string) => number) => {
  if (path !== ':memory:' && isOfAnother(count)) throw notOurs(path, hasCopy(path))
}

/** SQLite's code of a file that may not be written, which a byte of its header says too. */
const readOnly = 8

function reasonOf(path: string, error: unknown): string | undefined {
  if (error instanceof Damaged) return error.reason
  if (isBroken(error)) return faultText(error)
  const isDoubtful = !isDaybookError(error) || error.details['result'] === readOnly
  return isDoubtful && path !== ':memory:' && existsSync(path) ? faultOf(path) : undefined
}

const isEmpty = (path: string) => existsSync(path) && bytesOf(path) === 0

/** Until the next opening: a file that was made for a new book is the same. */
const blankText =
  'empty-file: the file of this book had no byte when it was opened, and a new book was begun in it. If there was one in it, import a copy of that.'

/**
 * Why a file that is not there or has not a byte is a loss; undefined where a new book begins. SQLite would begin one in
 * either, and a later mending would bring the records of the old one into it.
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
  const isTold = mended && (mended.aside ? existsSync(mended.aside) : isNews(mended, Date.now()))
  const text = isTold ? [mendedText(mended)] : []
  return { degraded: [...(room?.degraded(db.sizeBytes()) ?? []), ...text] }
}
