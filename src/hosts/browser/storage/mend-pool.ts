// Mends the file of a book in its pool: what can be read goes into a new file beside it, the old one out of the pool into
// a plain file of OPFS, and then the new one into its place. Invariant: until the new file stands in its place it is whole
// beside it, and whoever opens the pool puts it there.
import type { SAHPoolUtil } from '@sqlite.org/sqlite-wasm'
import { isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import { formatTime } from '../../../core/time.ts'
import { goneReason, isNews, mend, type Mended, mendedOf, mendedText } from '../../../store/repair/mend.ts'
import { ignoreDamage, openIfBook, openIfPossible, readAbout } from '../../../store/repair/damage.ts'
import { mendHeader, type Pages, pagesOf } from '../../../store/repair/page-scan.ts'
import { isBook } from '../../../store/schema/version.ts'
import { Settings } from '../../../store/schema/settings.ts'
import { bookFile, pageBytes, type SyncHandle } from './kept-tail.ts'

/** Holds the checkpoint: a copy of the records beside the book. */
export const checkpointPath = '/checkpoint.sqlite3'
const mending = '/mending.sqlite3'
const walFile = `${bookFile}-wal`
/** Where damaged files of all books are set aside. */
export const asideFolder = 'daybook-aside'
const keptKey = 'mended_kept'

export interface PoolToMend {
  readonly book: string
  readonly pool: SAHPoolUtil
  /** Opens a file of the pool. */
  open(file: string): SqlDatabase
  /** 0 for one that is not there. */
  sizeOf(file: string): number
  /** Opens these bytes of a database in memory. */
  openImage(bytes: Uint8Array): SqlDatabase
  /** From now on the database file has all its bytes, also those behind its end. */
  showAll(): void
}

/**
 * Why the file of the book, which is not there or has not a byte, is a loss; undefined where a new book begins. SQLite would
 * begin one in either, and delete the log.
 */
export function lossOf(given: PoolToMend): string | undefined {
  const { pool, sizeOf } = given
  if (sizeOf(bookFile) > 0) return undefined
  const hasLog = pagesOf(new Uint8Array(), bytesOf(pool, walFile)).count > 0
  if (!hasLog && !hasCopy(given)) return undefined
  return hasFile(pool, bookFile) ? 'the file is empty' : goneReason
}

/** Whether there is a copy of the records of a book. */
export function hasCopy({ pool, open }: PoolToMend): boolean {
  return hasFile(pool, checkpointPath) && readAbout(() => open(checkpointPath)) !== undefined
}

/** Takes the damaged file out and puts a new one in its place. */
export async function mendPool(given: PoolToMend, reason: string): Promise<void> {
  const { book, pool, open, sizeOf } = given
  const isEmpty = sizeOf(bookFile) === 0
  // The end is told by a header that may be wrong.
  given.showAll()
  const now = formatTime(Date.now())
  const aside = hasFile(pool, bookFile)
    ? `${asideFolder}/${book}-${now.replaceAll(':', '-')}.sqlite3`
    : undefined
  drop(pool, mending)
  const pages = readPages(pool)
  const damaged = isEmpty ? undefined : (openBook(open) ?? openWithHeader(given, pages))
  const checkpoint = hasFile(pool, checkpointPath) ? openIfPossible(() => open(checkpointPath)) : undefined
  try {
    const fresh = open(mending)
    try {
      mend({ damaged, checkpoint, pages, fresh, now, aside, reason })
    } finally {
      fresh.close()
    }
  } finally {
    checkpoint?.close()
    damaged?.close()
  }
  await finishMending(given)
}

function readPages(pool: SAHPoolUtil): Pages {
  return pagesOf(bytesOf(pool, bookFile), bytesOf(pool, walFile))
}

/** Whether bytes of the first page that are the same in every book are others in this one. */
export function isHeaderDamaged(pool: SAHPoolUtil): boolean {
  const first = readPages(pool).page(1)
  return first !== undefined && mendHeader(first.slice())
}

/** More than this is not put into memory once more. */
const mostImageBytes = 2 ** 29

/** The pages with a first one whose header is again what it is in every book, if they can be read then. */
function openWithHeader({ openImage }: PoolToMend, pages: Pages): SqlDatabase | undefined {
  if (pages.count * pageBytes > mostImageBytes) return undefined
  const image = new Uint8Array(pages.count * pageBytes)
  for (let n = 1; n <= pages.count; n++) image.set(pages.page(n) ?? [], (n - 1) * pageBytes)
  if (!mendHeader(image)) return undefined
  // There is no log in memory.
  image.fill(1, 18, 20)
  return openIfBook(() => openImage(image))
}

/** Goes on where a mending was cut: with a new file that is whole, or from the beginning. */
export async function finishMending({ pool, open, showAll }: PoolToMend): Promise<void> {
  if (!hasFile(pool, mending)) return
  const { mended, isKept } = readNew(open)
  if (!mended) return drop(pool, mending)
  const { aside } = mended
  if (aside !== undefined && !isKept) {
    showAll()
    await keepAside(aside, bytesOf(pool, bookFile))
    // Noted before the old file is written over: from here on what stands in its place may be half of the new one.
    const fresh = open(mending)
    fresh.transaction(() => new Settings(fresh).set(keptKey, 1))
    fresh.close()
  }
  await putInPlace(pool)
}

/** What the new file says of itself, if it is whole, and whether the old one is kept. */
function readNew(open: PoolToMend['open']): {
  readonly mended?: Mended | undefined
  readonly isKept: boolean
} {
  try {
    const fresh = open(mending)
    const mended = mendedOf(fresh)
    const isKept = mended !== undefined && new Settings(fresh).get(keptKey) !== undefined
    fresh.close()
    return { mended, isKept }
  } catch (error) {
    if (!isDaybookError(error)) throw error
    return { isKept: false }
  }
}

/** What the status says of how the book in `db` was mended. */
export async function mendedTexts(db: SqlDatabase): Promise<string[]> {
  const mended = mendedOf(db)
  if (!mended) return []
  const isTold = mended.aside === undefined ? isNews(mended, Date.now()) : await isAside(mended.aside)
  return isTold ? [mendedText(mended)] : []
}

/** Whether the damaged file is still kept. */
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
  // What an old log holds belongs to the old file.
  drop(pool, walFile, `${bookFile}-journal`)
  await pool.importDb(bookFile, pool.exportFile(mending))
  drop(pool, mending)
}

export const hasFile = (pool: SAHPoolUtil, file: string): boolean => pool.getFileNames().includes(file)

const bytesOf = (pool: SAHPoolUtil, file: string): Uint8Array =>
  hasFile(pool, file) ? pool.exportFile(file) : new Uint8Array()

/** Deletes files of the pool that are there and not open, with what SQLite keeps beside them. */
export function drop(pool: SAHPoolUtil, ...files: string[]): void {
  const there = pool.getFileNames()
  for (const file of files.flatMap((one) => [`${one}-wal`, `${one}-journal`, one]))
    if (there.includes(file)) pool.unlink(file)
}

/** The database of the book, if it can be opened and a Daybook wrote it: of another one nothing is known to be whole. */
function openBook(open: PoolToMend['open']): SqlDatabase | undefined {
  const db = openIfPossible(() => open(bookFile))
  try {
    if (db && isBook(db)) return db
  } catch (error) {
    ignoreDamage(error)
    // Its list of tables can't be read; some tables may be.
    return db
  }
  db?.close()
  return undefined
}

/** A worker's file can be opened at once; the page's types do not say so. */
type WorkerFile = FileSystemFileHandle & { createSyncAccessHandle(): Promise<SyncHandle> }

async function keepAside(path: string, bytes: Uint8Array): Promise<void> {
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
