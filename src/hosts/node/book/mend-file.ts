// Repairs the damaged file of a book: makes a new file from its content, which then replaces it.
// Invariant: at every moment the path has the old file, or the whole new one is beside it or in its place.
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

/** Finishes an interrupted repair: a new file without the old one is whole, one beside the old is not. */
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

/** Like `mendFile`; uses the reserved disk space if there is no other. */
export function mendWithRoom(path: string, reason: string): boolean {
  // The next opening has a reserve of its own; the space released here isn't taken back during the repair.
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

/** Space for the log of the new file and for files beside it. */
const spareBytes = 8 * 2 ** 20

function noRoom(path: string, reason: string): DaybookError {
  const book = bytesOf(path) + bytesOf(`${path}-wal`)
  // The new file needs twice the size of the records, and a broken header a copy of the old file.
  const wanted = book + Math.max(book, 2 * bytesOf(checkpointPath(path))) + spareBytes
  const { bavail, bsize } = statfsSync(dirname(path))
  const missingBytes = Math.max(bsize, wanted - bavail * bsize)
  const message = `The book is damaged (${reason}), and its disk has no space to repair it. Free ${missingBytes} more bytes there and open it again; the damaged file and its checkpoint are unchanged.`
  // The usual message of this code says that the book stays readable, which is wrong here.
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

/** False if there is nothing to make a book of; then nothing has changed. */
function mendFile(path: string, reason: string): boolean {
  refuseOthers(path, mending)
  const now = formatTime(Date.now())
  const aside = `${path}.damaged-${stampOf(now)}`
  const isGone = !existsSync(path)
  const hasLog = existsSync(`${path}-wal`)
  // A new file without an old one would count as whole: until it is, keep an empty one there.
  if (isGone) closeSync(openSync(path, 'a', fileMode))
  // Free pages of a checkpoint may contain forgotten records: use only its tables.
  const isCopy = bytesOf(path) > 0 && readAbout(() => openNodeDatabase({ path })) !== undefined
  // Read it before SQLite opens it: closing a file releases the locks that SQLite holds on it.
  const pages = isCopy ? undefined : readPages(path)
  let damaged: SqlDatabase | undefined
  let checkpoint: SqlDatabase | undefined
  try {
    // In an empty file SQLite would create a database and delete its log.
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
      const oldFile = isGone ? (hasLog ? `${aside}-wal` : undefined) : aside
      mend({ damaged, checkpoint, pages, fresh, now, aside: oldFile, reason })
    } finally {
      fresh.close()
    }
  } catch (error) {
    // Half of a new file only takes space; the old one is unchanged.
    removeDatabase(path + mending)
    throw error
  } finally {
    checkpoint?.close()
    damaged?.close()
    removeDatabase(path + mendingSource)
    // It may have been created at the end of a link.
    if (isGone) rmSync(realpathSync(path))
  }
  setAside(path, aside)
  renameSync(path + mending, path)
  return true
}

/** The id of a book, if it can be read. */
function bookIdOf(damaged: SqlDatabase | undefined): string | undefined {
  try {
    return damaged && new Settings(damaged).get(bookIdKey)
  } catch (error) {
    return ignoreDamage(error)
  }
}

/** Larger files aren't read into memory for a search. */
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

/** A copy of the file with a corrected header, if it can be read then. */
function openWithHeader(path: string): SqlDatabase | undefined {
  const source = path + mendingSource
  copyFileSync(path, source)
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${source}-wal`)
  return fixHeader(source) ? openIfBook(() => openNodeDatabase({ path: source })) : undefined
}

/** True if the header was not that of a book. */
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

/**
 * Why a file that did not open is damaged, if the error alone doesn't tell: it may be another program's
 * fault.
 */
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

/** For file names. */
const stampOf = (time: string) => time.replaceAll(':', '-')

function setAside(path: string, aside: string): void {
  for (const suffix of databaseSuffixes)
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
}
