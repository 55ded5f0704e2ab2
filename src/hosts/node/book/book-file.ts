// The file of a book, opened whatever state it is in. A damaged one is set aside and a new one made of what it holds.
// Invariant: at every moment either the old file stands in its place, or the new one is whole.
import { isBook } from '../../../store/schema/newer-book.ts'
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Status } from '../../../core/capability/status.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import { formatTime } from '../../../core/time.ts'
import { isBroken } from '../../../store/repair/broken.ts'
import { mend, mendedOf, mendedText } from '../../../store/repair/mend.ts'
import { mendHeader, type Pages, pagesOf } from '../../../store/repair/page-scan.ts'
import { aboutCopy, columnsOf } from '../../../store/repair/record-copy.ts'
import { hasRecords, schemaFault } from '../../../store/repair/salvage.ts'
import { migrate } from '../../../store/schema/migrate.ts'
import { isBlamed } from '../../../store/repair/open-mark.ts'
import { bodyFault, checkTable, firstFault } from '../../../store/repair/table-check.ts'
import { eraseBook, finishErasing } from './erase-book.ts'
import { type DiskRoom, roomOf } from './disk-reserve.ts'
import { type NodeDatabaseOptions, openNodeDatabase } from './node-database.ts'
import { databaseSuffixes, narrowBook } from '../port/private-file.ts'

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

const mending = '.mending'
const mendingSource = '.mending-source'
const pageSize = 4096
const copying = '.checkpoint'

/**
 * Opens the book at `options.path` with `open`, which is given its file; mends the file first where it is damaged. Rejects
 * with `storage-failed` what is no book.
 */
export function openBookFile<Opened>(options: NodeDatabaseOptions, open: (file: BookFile) => Opened): Opened {
  const { path } = options
  if (path !== ':memory:') {
    finishErasing(path)
    narrowBook(path)
  }
  finish(path)
  const room = path === ':memory:' ? undefined : roomOf(path)
  const isBlank = isEmpty(path)
  // A new file is written to before it gets a reserve.
  const wasKept = isBlank && bytesOf(`${path}.reserve`) > 0
  const attempt = () => {
    if (isEmptied(path)) throw new Damaged('the file is empty')
    const own = openNodeDatabase({ ...options, ...(room ? { admit: room.admit } : {}) })
    let isErasing = false
    const db: SqlDatabase = { ...own, close: () => (isErasing ? undefined : own.close()) }
    try {
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
          const blank = isBlank && !wasKept && mendedOf(db) === undefined ? [blankText] : []
          return Promise.resolve({ degraded: [...blank, ...state.degraded] })
        },
        wasKept,
        erase(closeEngine) {
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
      throw error instanceof Damaged
        ? new DaybookError('storage-failed', `The book cannot be read: ${error.reason}.`)
        : error
    }
    return attemptWithRoom()
  }
}

/** SQLite's code of a file that may not be written, which a byte of its header says too. */
const readOnly = 8

function reasonOf(path: string, error: unknown): string | undefined {
  if (error instanceof Damaged) return error.reason
  if (isBroken(error)) return error.message
  const isDoubtful = !isDaybookError(error) || error.details['result'] === readOnly
  return isDoubtful && path !== ':memory:' && existsSync(path) ? faultOf(path) : undefined
}

const isEmpty = (path: string) => existsSync(path) && bytesOf(path) === 0

/** Until the next opening: a file that was made for a new book is the same. */
const blankText =
  'empty-file: the file of this book had no byte when it was opened, and a new book was begun in it. If there was one in it, import a copy of that.'

/** A file without a byte beside a copy of its records, or its log, once had more. SQLite would begin a new book in it. */
function isEmptied(path: string): boolean {
  return isEmpty(path) && (bytesOf(path + copying) > 0 || bytesOf(`${path}-wal`) > 0)
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
  const text = mended && existsSync(mended.aside) ? [mendedText(mended)] : []
  return { degraded: [...(room?.degraded(db.sizeBytes()) ?? []), ...text] }
}

/** Goes on where a mending was cut: a new file that stands alone is whole, one beside the old is not. */
function finish(path: string): void {
  if (path === ':memory:' || !existsSync(path + mending)) return
  if (existsSync(path)) {
    removeAll(path + mending)
    return
  }
  // A log of the old file would be taken for the new one's.
  setAside(path, `${path}.damaged-${stampOf(formatTime(Date.now()))}`)
  renameSync(path + mending, path)
}

/** The same as `mendFile`, with the space that is kept back where the disk has no other. */
function mendWithRoom(path: string, reason: string): boolean {
  // The opening that follows has one of its own: what was given up here is not taken back in the middle of it.
  const room = roomOf(path)
  try {
    return mendFile(path, reason)
  } catch (error) {
    if (!isFull(error)) throw error
    room.giveUp()
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

/** Of the log of the new file, and of what is written beside it. */
const spareBytes = 8 * 2 ** 20

function noRoom(path: string, reason: string): DaybookError {
  const book = bytesOf(path) + bytesOf(`${path}-wal`)
  // The new file, which takes twice what a copy of the records does, and for a broken header a copy of the old one.
  const wanted = book + Math.max(book, 2 * bytesOf(path + copying)) + spareBytes
  const { bavail, bsize } = statfsSync(dirname(path))
  const missingBytes = Math.max(bsize, wanted - bavail * bsize)
  const message = `The book is damaged (${reason}), and its disk has no room for the new file that mends it. Free ${missingBytes} more bytes there and open it again; the damaged file and its checkpoint are as they were.`
  // What the code says else, that the book stays readable, does not hold here.
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

const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** False when there is nothing to make a book of; then everything is as it was. */
function mendFile(path: string, reason: string): boolean {
  const now = formatTime(Date.now())
  const aside = `${path}.damaged-${stampOf(now)}`
  // Read before anything of it is open: closing a file lets go of the locks that SQLite holds on it.
  const pages = readPages(path)
  let damaged: SqlDatabase | undefined
  let checkpoint: SqlDatabase | undefined
  try {
    // In an empty one SQLite would begin a database, and drop its log.
    damaged = bytesOf(path) > 0 ? (openIfBook(path) ?? openWithHeader(path)) : undefined
    checkpoint = openIfPossible(checkpointAt(path))
    const isOurs = damaged !== undefined || (checkpoint !== undefined && aboutCopy(checkpoint) !== undefined)
    if (!isOurs && !(pages && holdsRecords(pages))) return false
    const fresh = openNodeDatabase({ path: path + mending, durability: 'strict' })
    try {
      mend({ damaged, checkpoint, pages, fresh, now, aside, reason })
    } finally {
      fresh.close()
    }
  } catch (error) {
    // Half of a new file only takes room; the old one stands as it did.
    removeAll(path + mending)
    throw error
  } finally {
    checkpoint?.close()
    damaged?.close()
    removeAll(path + mendingSource)
  }
  setAside(path, aside)
  renameSync(path + mending, path)
  return true
}

/** More than this is not read into memory to be looked through. */
const mostBytes = 2 ** 30

function readPages(path: string): Pages | undefined {
  if (bytesOf(path) + bytesOf(`${path}-wal`) > mostBytes) return undefined
  return pagesOf(readFileSync(path), existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : undefined)
}

function holdsRecords(pages: Pages): boolean {
  const sample = openNodeDatabase({ path: ':memory:' })
  try {
    migrate(sample, formatTime(Date.now()))
    return hasRecords(pages, columnsOf(sample))
  } finally {
    sample.close()
  }
}

/** A copy of the file in which the first bytes are again what they are in every book, if it can be read then. */
function openWithHeader(path: string): SqlDatabase | undefined {
  const source = path + mendingSource
  copyFileSync(path, source)
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${source}-wal`)
  return fixHeader(source) ? openIfBook(source) : undefined
}

/** True when the header of the file was not that of a book. */
function fixHeader(path: string): boolean {
  const bytes = new Uint8Array(pageSize)
  const file = openSync(path, 'r+')
  try {
    readSync(file, bytes, 0, pageSize, 0)
    const isChanged = mendHeader(bytes)
    if (isChanged) writeSync(file, bytes, 0, pageSize, 0)
    return isChanged
  } finally {
    closeSync(file)
  }
}

/** Why a file that could not be opened is damaged, where the error alone does not tell: it may be somebody else's fault. */
function faultOf(path: string): string | undefined {
  if (mendHeader(readFileSync(path).subarray(0, pageSize))) return 'the header of the file is damaged'
  const db = openIfBook(path)
  try {
    return db && (firstFault(db) ?? schemaFault(db))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    db?.close()
  }
}

function removeAll(path: string): void {
  for (const suffix of databaseSuffixes) rmSync(path + suffix, { force: true })
}

function checkpointAt(path: string): CheckpointFile {
  const own = path + copying
  return {
    exists: () => existsSync(own),
    open: () => openNodeDatabase({ path: own, durability: 'strict' }),
    remove() {
      removeAll(own)
    },
    // A disk that is full says so.
    fits: () => true,
  }
}

function openIfPossible(file: CheckpointFile): SqlDatabase | undefined {
  try {
    return file.exists() ? file.open() : undefined
  } catch (error) {
    return unread(error)
  }
}

/** Whatever SQLite says of a damaged file, nothing can be read of it; but a full disk is no damage. */
function unread(error: unknown): undefined {
  if (isDaybookError(error, 'storage-full')) throw error
  return undefined
}

/** For the name of a file. */
const stampOf = (time: string) => time.replaceAll(':', '-')

function setAside(path: string, aside: string): void {
  for (const suffix of databaseSuffixes)
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
}

/** The database, if that is what it is and a Daybook wrote it: no other file is touched. */
function openIfBook(path: string): SqlDatabase | undefined {
  let db: SqlDatabase | undefined
  try {
    db = openNodeDatabase({ path })
    if (isBook(db)) return db
  } catch (error) {
    db?.close()
    return unread(error)
  }
  db.close()
  return undefined
}
