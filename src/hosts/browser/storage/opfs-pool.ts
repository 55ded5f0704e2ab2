// Opens a book's files on OPFS: SQLite's access-handle pool, one directory for each book.
// Invariant: called only while the tab holds the owner lock. A failed start deletes nothing.
import type { SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { DaybookError } from '../../../core/errors.ts'
import { booksFolder } from './book-names.ts'
import { inWords, isQuotaFault } from './browser-fault.ts'

/**
 * Number of files in the pool, for the database, its WAL and other SQLite files; far below Safari's limit of
 * 252 handles.
 */
const poolFiles = 12
/** Longest wait for the handles of the previous page after a reload. */
const handleWaitMs = 2000

/**
 * Opens the pool of `book`. Rejects with `open-elsewhere` if another page keeps the files open,
 * `storage-full`, or `storage-unavailable` for any other failure.
 */
export async function openPool(sqlite3: Sqlite3Static, book: string): Promise<SAHPoolUtil> {
  const beganMs = performance.now()
  for (let attempt = 0; ; attempt++) {
    try {
      const install = () => sqlite3.installOpfsSAHPoolVfs(poolOptions(book))
      const pool = await ((await hasFiles(book)) ? withoutTestFile(install) : install())
      // A paused pool: this worker had the book open before, and released it.
      const ready = pool.isPaused() ? await pool.unpauseVfs() : pool
      // An interrupted first opening may have created too few files.
      await ready.reserveMinimumCapacity(poolFiles)
      return ready
    } catch (error) {
      if (isQuotaFault(error)) throw new DaybookError('storage-full', undefined, { cause: error })
      if (!(error instanceof DOMException) || error.name !== 'NoModificationAllowedError')
        throw unavailable(error)
      if (performance.now() - beganMs > handleWaitMs) {
        throw new DaybookError(
          'open-elsewhere',
          'Another page still has the files of this book open: close it or reload.',
          {
            cause: error,
          },
        )
      }
      // Random and longer with each attempt, so that waiting pages don't try at the same time.
      await new Promise((resolve) => setTimeout(resolve, 25 + Math.random() * 25 * 2 ** Math.min(attempt, 4)))
    }
  }
}

/** Whether the book has a folder in OPFS. */
export async function hasFiles(book: string): Promise<boolean> {
  try {
    const root = await navigator.storage.getDirectory()
    await (await root.getDirectoryHandle(booksFolder)).getDirectoryHandle(book)
    return true
  } catch {
    return false
  }
}

/** Prefix of the pool's test file. */
const testFile = '.opfs-sahpool-sync-check-'

interface Folder {
  getFileHandle(name: string, options?: object): Promise<object>
  removeEntry(name: string, options?: object): Promise<void>
}

/**
 * Runs `work` without the test file that the pool creates. On a full disk Chromium can't record a new file,
 * and may then delete all files of the site. Call it only if the book exists: then OPFS works.
 */
async function withoutTestFile<Result>(work: () => Promise<Result>): Promise<Result> {
  const folder = FileSystemDirectoryHandle.prototype as unknown as Folder
  const { getFileHandle, removeEntry } = folder
  const fakeFile = { createSyncAccessHandle: async () => ({ close: () => undefined }) }
  folder.getFileHandle = async function (name, options) {
    return name.startsWith(testFile) ? fakeFile : getFileHandle.call(this, name, options)
  }
  folder.removeEntry = async function (name, options) {
    if (!name.startsWith(testFile)) await removeEntry.call(this, name, options)
  }
  try {
    return await work()
  } finally {
    Object.assign(folder, { getFileHandle, removeEntry })
  }
}

function poolOptions(book: string) {
  return {
    name: `daybook-${book}`,
    directory: `/${booksFolder}/${book}`,
    initialCapacity: poolFiles,
    // Without this option a failed start deletes the pool with the book.
    preserveOnInitFailure: true,
    // Without this option a failed start can't be repeated. (The types lack this option.)
    forceReinitIfPreviouslyFailed: true,
  }
}

function unavailable(error: unknown): DaybookError {
  const reason = inWords(error)
  return new DaybookError('storage-unavailable', `The browser offers no file storage (${reason}).`, {
    details: { medium: 'opfs', reason },
    cause: error,
  })
}
