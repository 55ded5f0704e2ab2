// Repairs the file of a book in its pool: copies readable records into a new file of the pool, copies the old
// file to a plain OPFS file, and replaces it by the new file.
// Invariant: the complete new file stays in the pool until it has replaced the old file; the next opening
// finishes an interrupted repair.
import type { SAHPoolUtil } from '@sqlite.org/sqlite-wasm'
import { isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import { formatTime } from '../../../core/time.ts'
import {
  missingFileReason,
  isRecentRepair,
  type RepairReport,
  readRepairReport,
  describeRepair,
} from '../../../store/repair/repair-report.ts'
import {
  ignoreDamage,
  openIfBook,
  openIfPossible,
  readCopyDescription,
} from '../../../store/repair/damage.ts'
import { repairHeader, statedBytes, type Pages, openPages } from '../../../store/repair/page-scan.ts'
import { isBook } from '../../../store/schema/version.ts'
import { Settings } from '../../../store/schema/settings.ts'
import { asideFolder, asideName } from './aside-store.ts'
import { loadRepair } from './load-repair.ts'
import { bookFile, pageBytes, type SyncHandle } from './reserved-handle.ts'

/** Path in the pool of the checkpoint, the copy of the book's records. */
export const checkpointPath = '/checkpoint.sqlite3'
/** Path in the pool of the new file, while it is made and until it has replaced the old file. */
const mending = '/mending.sqlite3'
const walFile = `${bookFile}-wal`
/** Setting in the new file: the old file has been copied to `asideFolder`. */
const asideKey = 'mended_kept'

export interface PoolToMend {
  readonly book: string
  readonly pool: SAHPoolUtil
  /** Opens a file of the pool. */
  open(file: string): SqlDatabase
  /** Size of a file in bytes; 0 for a missing file. */
  sizeOf(file: string): number
  /** Opens these bytes as a database in memory. */
  openImage(bytes: Uint8Array): SqlDatabase
  /** Makes all bytes of the database file readable, also the bytes behind its end. */
  showAll(): void
}

/**
 * Why a missing or empty file means lost data; undefined for a new book. Check this before SQLite opens the
 * file: it would create a new database and delete the log.
 */
export function lossOf(target: PoolToMend): string | undefined {
  const { pool, sizeOf } = target
  if (sizeOf(bookFile) > 0) return undefined
  const hasLog = openPages(new Uint8Array(), bytesOf(pool, walFile)).count > 0
  if (!hasLog && !hasCopy(target)) return undefined
  return hasFile(pool, bookFile) ? 'the file is empty' : missingFileReason
}

/** Whether the book has a readable checkpoint. */
export function hasCopy({ pool, open }: PoolToMend): boolean {
  return hasFile(pool, checkpointPath) && readCopyDescription(() => open(checkpointPath)) !== undefined
}

/**
 * Makes a new file from the readable records, keeps the damaged file aside, and puts the new file in its
 * place.
 */
export async function mendPool(target: PoolToMend, reason: string): Promise<void> {
  const { repairBook } = await loadRepair()
  const { book, pool, open, sizeOf } = target
  const isEmpty = sizeOf(bookFile) === 0
  // Read all bytes: a damaged header may contain a wrong end of the database.
  target.showAll()
  const now = formatTime(Date.now())
  // Path of the copy of the old file; undefined without an old file.
  const aside = hasFile(pool, bookFile) ? asideName(book, now) : undefined
  drop(pool, mending)
  const pages = readPages(pool)
  const damaged = isEmpty ? undefined : (openBook(open) ?? openRepaired(target.openImage, pages))
  const checkpoint = hasFile(pool, checkpointPath) ? openIfPossible(() => open(checkpointPath)) : undefined
  try {
    const fresh = open(mending)
    try {
      repairBook({ damaged, checkpoint, pages, target: fresh, now, aside, reason })
    } finally {
      fresh.close()
    }
  } finally {
    checkpoint?.close()
    damaged?.close()
  }
  await finishMending(target)
}

function readPages(pool: SAHPoolUtil): Pages {
  return openPages(bytesOf(pool, bookFile), bytesOf(pool, walFile))
}

/** Whether the header of the book's file is damaged. */
export function isHeaderDamaged(pool: SAHPoolUtil): boolean {
  const first = readPages(pool).page(1)
  return first !== undefined && repairHeader(first.slice())
}

/** Most bytes of a file that is copied into memory. */
const mostImageBytes = 2 ** 29

/**
 * Opens the pages in memory with a corrected header, and with zeros in place of the missing pages of a cut file.
 * Undefined if the header and the size are correct, or the pages can't be read.
 */
export function openRepaired(openImage: PoolToMend['openImage'], pages: Pages): SqlDatabase | undefined {
  const bytes = pages.count * pageBytes
  const stated = statedBytes(pages.page(1) ?? new Uint8Array())
  // A damaged header may state any size.
  const size = Math.max(bytes, stated <= mostImageBytes ? stated : 0)
  if (bytes === 0 || size > mostImageBytes) return undefined
  const image = new Uint8Array(size)
  for (let n = 1; n <= pages.count; n++) image.set(pages.page(n) ?? [], (n - 1) * pageBytes)
  if (!repairHeader(image) && size === bytes) return undefined
  // A database in memory has no log: set the format versions from WAL to rollback journal.
  image.fill(1, 18, 20)
  return openIfBook(() => openImage(image))
}

/**
 * Finishes an interrupted repair: uses the new file if it is whole, otherwise deletes it. Does nothing
 * without a repair.
 */
export async function finishMending({ pool, open, showAll }: PoolToMend): Promise<void> {
  if (!hasFile(pool, mending)) return
  const { mended, isSavedAside } = readNew(open)
  if (!mended) return drop(pool, mending)
  // The path of the copy that the report names; undefined: there was no old file.
  const { aside } = mended
  if (aside !== undefined && !isSavedAside) {
    showAll()
    await saveAside(aside, bytesOf(pool, bookFile))
    // Note it before the old file is overwritten: after a crash, a part of the new file may be in its place.
    const fresh = open(mending)
    fresh.transaction(() => new Settings(fresh).set(asideKey, 1))
    fresh.close()
  }
  await putInPlace(pool)
}

/** The repair report in the new file, if that file is whole, and whether the old file is stored aside. */
function readNew(open: PoolToMend['open']): {
  readonly mended?: RepairReport | undefined
  readonly isSavedAside: boolean
} {
  try {
    const fresh = open(mending)
    const mended = readRepairReport(fresh)
    const isSavedAside = mended !== undefined && new Settings(fresh).get(asideKey) !== undefined
    fresh.close()
    return { mended, isSavedAside }
  } catch (error) {
    if (!isDaybookError(error)) throw error
    return { isSavedAside: false }
  }
}

/** Texts for the status about the repair of the book in `db`. */
export async function mendedTexts(db: SqlDatabase, isStored = isAside): Promise<string[]> {
  const mended = readRepairReport(db)
  if (!mended) return []
  // While the damaged file exists; without such a file, for a time after the repair.
  const isShown =
    mended.aside === undefined ? isRecentRepair(mended, Date.now()) : await isStored(mended.aside)
  return isShown ? [describeRepair(mended)] : []
}

/** Whether the damaged file still exists. */
async function isAside(path: string): Promise<boolean> {
  const [folder = '', file = ''] = path.split('/')
  try {
    const root = await navigator.storage.getDirectory()
    await (await root.getDirectoryHandle(folder)).getFileHandle(file)
    return true
  } catch {
    return false
  }
}

async function putInPlace(pool: SAHPoolUtil): Promise<void> {
  // The log belongs to the old file, so delete it first.
  drop(pool, walFile, `${bookFile}-journal`)
  await pool.importDb(bookFile, pool.exportFile(mending))
  drop(pool, mending)
}

/** Whether the pool has the file. */
export const hasFile = (pool: SAHPoolUtil, file: string): boolean => pool.getFileNames().includes(file)

const bytesOf = (pool: SAHPoolUtil, file: string): Uint8Array =>
  hasFile(pool, file) ? pool.exportFile(file) : new Uint8Array()

/** Deletes closed files of the pool, with SQLite's log and journal of each. */
export function drop(pool: SAHPoolUtil, ...files: string[]): void {
  const there = pool.getFileNames()
  for (const file of files.flatMap((one) => [`${one}-wal`, `${one}-journal`, one]))
    if (there.includes(file)) pool.unlink(file)
}

/** The database of the book, if it opens and has a book's tables; undefined otherwise. */
function openBook(open: PoolToMend['open']): SqlDatabase | undefined {
  const db = openIfPossible(() => open(bookFile))
  try {
    if (db && isBook(db)) return db
  } catch (error) {
    ignoreDamage(error)
    // The list of tables is unreadable, but some tables may be readable.
    return db
  }
  db?.close()
  return undefined
}

/** A file handle in a worker; TypeScript's types for pages lack this method. */
type WorkerFile = FileSystemFileHandle & { createSyncAccessHandle(): Promise<SyncHandle> }

async function saveAside(path: string, bytes: Uint8Array): Promise<void> {
  const root = await navigator.storage.getDirectory()
  const folder = await root.getDirectoryHandle(asideFolder, { create: true })
  const name = path.slice(asideFolder.length + 1)
  const file = (await folder.getFileHandle(name, { create: true })) as WorkerFile
  const handle = await file.createSyncAccessHandle()
  try {
    handle.truncate(0)
    handle.write(bytes, { at: 0 })
    handle.flush()
  } finally {
    handle.close()
  }
}
