// A book's files on OPFS: SQLite's access-handle pool, one directory for each book.
// Invariant: only called while the book's Web Lock is held. A failed start never deletes anything.
import type { SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { DaybookError } from '../../../core/errors.ts'
import { poolFolder } from './book-names.ts'
import { inWords, isQuotaFault } from './browser-fault.ts'

/** Database, WAL and what SQLite may need beside them, far below Safari's 252 handles. */
const poolFiles = 12
/** After a reload the page before may hold its handles for a moment. */
const handleWaitMs = 2000

/** Opens the pool of `book`, waiting for a predecessor that is letting go. */
export async function openPool(sqlite3: Sqlite3Static, book: string): Promise<SAHPoolUtil> {
  const begun = performance.now()
  for (let attempt = 0; ; attempt++) {
    try {
      const install = () => sqlite3.installOpfsSAHPoolVfs(poolOptions(book))
      const pool = await ((await hasFiles(book)) ? withoutTrial(install) : install())
      // This worker had the book before, and let go of it.
      const ready = pool.isPaused() ? await pool.unpauseVfs() : pool
      // A first opening that was cut short left fewer, and no later one would add any.
      await ready.reserveMinimumCapacity(poolFiles)
      return ready
    } catch (error) {
      if (isQuotaFault(error)) throw new DaybookError('storage-full', undefined, { cause: error })
      if (!(error instanceof DOMException) || error.name !== 'NoModificationAllowedError')
        throw unavailable(error)
      if (performance.now() - begun > handleWaitMs) {
        throw new DaybookError('open-elsewhere', 'Something still holds the files of this book.', {
          cause: error,
        })
      }
      await new Promise((resolve) => setTimeout(resolve, 25 + Math.random() * 25 * 2 ** Math.min(attempt, 4)))
    }
  }
}

/** Whether the book has files here already. */
async function hasFiles(book: string): Promise<boolean> {
  try {
    const root = await navigator.storage.getDirectory()
    await (await root.getDirectoryHandle(poolFolder)).getDirectoryHandle(book)
    return true
  } catch {
    return false
  }
}

/** The file with which the pool tries the browser begins with this. */
const trial = '.opfs-sahpool-sync-check-'

interface Folder {
  getFileHandle(name: string, options?: object): Promise<object>
  removeEntry(name: string, options?: object): Promise<void>
}

/**
 * Runs `work` without the trial file. On a disk with nothing left Chromium can't note that there is a new file, and may then
 * drop all files of the site; where a book has files, the browser was tried before.
 */
async function withoutTrial<Result>(work: () => Promise<Result>): Promise<Result> {
  const folder = FileSystemDirectoryHandle.prototype as unknown as Folder
  const { getFileHandle, removeEntry } = folder
  const tried = { createSyncAccessHandle: async () => ({ close: () => undefined }) }
  folder.getFileHandle = async function (name, options) {
    return name.startsWith(trial) ? tried : getFileHandle.call(this, name, options)
  }
  folder.removeEntry = async function (name, options) {
    if (!name.startsWith(trial)) await removeEntry.call(this, name, options)
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
    directory: `/${poolFolder}/${book}`,
    initialCapacity: poolFiles,
    // By default a start that fails removes the pool, the book with it.
    preserveOnInitFailure: true,
    // And a failure is remembered for ever. (The type does not know this option yet.)
    forceReinitIfPreviouslyFailed: true,
  }
}

function unavailable(error: unknown): DaybookError {
  const reason = inWords(error)
  return new DaybookError('storage-unavailable', `The browser gives no file storage (${reason}).`, {
    details: { medium: 'opfs', reason },
    cause: error,
  })
}
