// Mends the damaged file of a book: a new file is made beside it of what it holds, and takes its place.
// Invariant: at every moment the path holds the old file, or the whole new one is beside it or in its place.
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import { formatTime } from '../../../core/time.ts'
import { faultText, firstFault, ignoreDamage, openIfBook, readAbout } from '../../../store/repair/damage.ts'
import { bookIdKey } from '../../../store/repair/checkpoint.ts'
import { mend } from '../../../store/repair/mend.ts'
import { mendHeader, type Pages, pagesOf } from '../../../store/repair/page-scan.ts'
import { aboutCopy, columnsOf } from '../../../store/repair/record-copy.ts'
import { hasRecords, schemaFault, sharesRecord } from '../../../store/repair/salvage.ts'
import { Settings } from '../../../store/schema/settings.ts'
import { migrate } from '../../../store/schema/version.ts'
import { databaseSuffixes, fileMode, isPlain, removeDatabase } from '../port/private-file.ts'
import { checkpointPath, openCheckpoint } from './checkpoint-file.ts'
import { bytesOf, roomOf } from './disk-reserve.ts'
import { refuseOthers } from './left-alone.ts'
import { openNodeDatabase } from './node-database.ts'
import { otherCopy } from './other-file.ts'

const mending = '.mending'
const mendingSource = '.mending-source'
const pageSize = 4096

/** Goes on where a mending was cut: a new file that stands alone is whole, one beside the old is not. */
export function finishMending(path: string): void {
  if (path === ':memory:' || !isPlain(path + mending)) return
  if (existsSync(path)) {
    removeDatabase(path + mending)
    return
  }
  // A log of the old file would be taken for the new one's.
  setAside(path, `${path}.damaged-${stampOf(formatTime(Date.now()))}`)
  renameSync(path + mending, path)
}

/** The same as `mendFile`, with the space that is kept back where the disk has no other. */
export function mendWithRoom(path: string, reason: string): boolean {
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
  const wanted = book + Math.max(book, 2 * bytesOf(checkpointPath(path))) + spareBytes
  const { bavail, bsize } = statfsSync(dirname(path))
  const missingBytes = Math.max(bsize, wanted - bavail * bsize)
  const message = `The book is damaged (${reason}), and its disk has no room for the new file that mends it. Free ${missingBytes} more bytes there and open it again; the damaged file and its checkpoint are as they were.`
  // The usual message of this code says that the book stays readable: here it does not.
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

/** False when there is nothing to make a book of; then everything is as it was. */
function mendFile(path: string, reason: string): boolean {
  refuseOthers(path, mending)
  const now = formatTime(Date.now())
  const aside = `${path}.damaged-${stampOf(now)}`
  const isGone = !existsSync(path)
  const hasLog = existsSync(`${path}-wal`)
  // A new file beside no old one would count as whole: until it is, an empty one stands there.
  if (isGone) closeSync(openSync(path, 'a', fileMode))
  // Free pages of a checkpoint may hold what was forgotten: only its tables count.
  const isCopy = bytesOf(path) > 0 && readAbout(() => openNodeDatabase({ path })) !== undefined
  // Read before anything of it is open: closing a file lets go of the locks that SQLite holds on it.
  const pages = isCopy ? undefined : readPages(path)
  let damaged: SqlDatabase | undefined
  let checkpoint: SqlDatabase | undefined
  try {
    // In an empty one SQLite would begin a database, and drop its log.
    damaged =
      bytesOf(path) > 0 && !isCopy
        ? (openIfBook(() => openNodeDatabase({ path })) ?? openWithHeader(path))
        : undefined
    checkpoint = openCheckpoint(path) ?? (isCopy ? openNodeDatabase({ path }) : undefined)
    const about = checkpoint && aboutCopy(checkpoint)
    if (checkpoint && about?.file !== undefined && about.file !== basename(path)) {
      const isSure = isCopy || bytesOf(path) === 0 || bookIdOf(damaged) !== undefined
      if (!isSure && !(pages && sharesRecord(pages, checkpoint))) throw otherCopy(path, about.file)
    }
    const isOurs = damaged !== undefined || about !== undefined
    if (!isOurs && !(pages && holdsRecords(pages))) return false
    const fresh = openNodeDatabase({ path: path + mending, durability: 'strict' })
    try {
      const kept = isGone ? (hasLog ? `${aside}-wal` : undefined) : aside
      mend({ damaged, checkpoint, pages, fresh, now, aside: kept, reason })
    } finally {
      fresh.close()
    }
  } catch (error) {
    // Half of a new file only takes room; the old one stands as it did.
    removeDatabase(path + mending)
    throw error
  } finally {
    checkpoint?.close()
    damaged?.close()
    removeDatabase(path + mendingSource)
    // It may have been made at the end of a link.
    if (isGone) rmSync(realpathSync(path))
  }
  setAside(path, aside)
  renameSync(path + mending, path)
  return true
}

/** The id of a book, if it can be read and there is one. */
function bookIdOf(damaged: SqlDatabase | undefined): string | undefined {
  try {
    return damaged && new Settings(damaged).get(bookIdKey)
  } catch (error) {
    return ignoreDamage(error)
  }
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
  return fixHeader(source) ? openIfBook(() => openNodeDatabase({ path: source })) : undefined
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
export function faultOf(path: string): string | undefined {
  if (mendHeader(readFileSync(path).subarray(0, pageSize))) return 'the header of the file is damaged'
  const db = openIfBook(() => openNodeDatabase({ path }))
  try {
    return db && (firstFault(db) ?? schemaFault(db))
  } catch (error) {
    return faultText(error)
  } finally {
    db?.close()
  }
}

/** For the name of a file. */
const stampOf = (time: string) => time.replaceAll(':', '-')

function setAside(path: string, aside: string): void {
  for (const suffix of databaseSuffixes)
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
}
