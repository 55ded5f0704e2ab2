// Chooses the storage of a book: OPFS, otherwise IndexedDB, otherwise memory if `onUnavailable` is `memory`.
// Invariants: called only while the tab holds the owner lock. A book that fails to open is an error, never a
// reason to try another storage, where the book would be empty.
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import { browserPorts } from '../port/browser-ports.ts'
import { hasIndexedJournal, openIndexedJournal } from './indexed-journal.ts'
import { openMendedJournal } from './mend-journal.ts'
import type { Suspicion } from './open-whole.ts'
import { isPlaced, notePlace } from './book-place.ts'
import { hasFiles } from './opfs-pool.ts'
import { type BookStorage, openOpfsDatabase } from './opfs-database.ts'
import { combiner, loadSqlite } from './load-sqlite.ts'
import { createWasmDatabase } from './wasm-database.ts'
import { inWords, isQuotaFault } from './browser-fault.ts'
import type { SyncHandle } from './reserved-handle.ts'

export interface BookStorageOptions {
  readonly name: string
  /** Without durable storage: `reject`, or open the book in `memory`. */
  readonly onUnavailable: 'reject' | 'memory'
  /** Why the book is opened again after an error: its file is damaged, or may be. */
  readonly suspicion?: Suspicion | undefined
}

/**
 * Opens the book's database. Rejects with `storage-unavailable` without durable storage unless memory is
 * allowed, and with `open-elsewhere`, `storage-full`, `storage-failed` or `book-newer` if the book exists and
 * can't be opened.
 */
export async function openBookStorage({
  name,
  onUnavailable,
  suspicion,
}: BookStorageOptions): Promise<BookStorage> {
  const [sqlite3, noOpfs, isJournalled, isInOpfs] = await Promise.all([
    loadSqlite(),
    whyNoOpfs(),
    isInIndexedDb(name),
    isPlaced(name),
  ])
  let why = noOpfs ?? (isJournalled ? 'the book was created in IndexedDB while OPFS was missing' : undefined)
  if (why === undefined) {
    try {
      // The combiner joins adjacent writes of SQLite to one call of the browser.
      const storage = await openOpfsDatabase(sqlite3, name, combiner, suspicion)
      // Note it before the first write: a worker that ends early must not leave a book without a note.
      if (!isInOpfs) await notePlace(name)
      return storage
    } catch (error) {
      if (!isDaybookError(error, 'storage-unavailable')) throw error
      why = await whyNoHandle()
      // A new file can be opened, so the fault is in the book's own files.
      if (why === undefined) throw asFault(error)
    }
  }
  try {
    // Undefined: IndexedDB can't be read, so the book may be in OPFS.
    if (!isJournalled && isInOpfs !== false)
      throw unavailable(
        why,
        isInOpfs ? 'This book is in it.' : 'This book may be in it: IndexedDB can’t be read either.',
      )
    return await openJournalled(sqlite3, { name, why, suspicion })
  } catch (error) {
    if (onUnavailable !== 'memory' || !isDaybookError(error, 'storage-unavailable')) throw error
    return {
      db: openMemoryDatabase(sqlite3),
      durability: 'memory',
      degraded: async () => [`memory: the book is lost when the last tab is closed. ${error.message}`],
      makeStrict: () => undefined,
      release: () => undefined,
    }
  }
}

/** Whether the book is in IndexedDB. A book in OPFS doesn't need IndexedDB: a fault there doesn't matter then. */
async function isInIndexedDb(name: string): Promise<boolean> {
  try {
    return await hasIndexedJournal(name)
  } catch (error) {
    if (isDaybookError(error, 'storage-failed') && (await hasFiles(name))) return false
    throw error
  }
}

async function openJournalled(
  sqlite3: Sqlite3Static,
  { name, why, suspicion }: Pick<BookStorageOptions, 'name' | 'suspicion'> & { readonly why: string },
): Promise<BookStorage> {
  try {
    const estimate = await navigator.storage?.estimate?.().catch(() => undefined)
    const { quota = 0, usage = 0 } = estimate ?? {}
    const book = {
      name,
      openJournal: () => openIndexedJournal(name),
      scheduler: browserPorts.scheduler,
      ...(quota > 0 ? { spaceBytes: Math.max(0, quota - usage) } : {}),
    }
    const storage = await openMendedJournal(sqlite3, book, suspicion)
    return {
      ...storage,
      degraded: async () => [`opfs: not used (${why}); this book is in IndexedDB, without a checkpoint.`],
    }
  } catch (error) {
    if (!isDaybookError(error, 'storage-unavailable')) throw error
    throw unavailable(why, `No IndexedDB either (${String(error.details['reason'])}).`, error)
  }
}

/** `opfs`: why OPFS is missing; `state`: a sentence about IndexedDB or the book. */
const unavailable = (opfs: string, state: string, cause?: unknown) =>
  new DaybookError('storage-unavailable', `OPFS is not available: ${opfs}. ${state}`, {
    cause,
    details: { opfs },
  })

/** Makes of `storage-unavailable` an error that no other storage may answer. */
const asFault = ({ message, details }: DaybookError) =>
  new DaybookError('storage-failed', message, { details: { ...details } })

/** Opens an empty database in memory. */
export function openMemoryDatabase(sqlite3: Sqlite3Static): SqlDatabase {
  return createWasmDatabase(sqlite3, new sqlite3.oo1.DB(':memory:'), { pragmas: ['foreign_keys = OFF'] })
}

/** A file handle in a worker; TypeScript's types for pages lack this method. */
interface SyncFile {
  createSyncAccessHandle(): Promise<Pick<SyncHandle, 'close'>>
}

/** Why this browser has no OPFS, as text; undefined if OPFS is available. Creates and opens no file. */
async function whyNoOpfs(): Promise<string | undefined> {
  const storage = globalThis.navigator?.storage as Partial<StorageManager> | undefined
  if (typeof storage?.getDirectory !== 'function') return 'the browser has no origin private file system'
  const files: object | undefined = globalThis.FileSystemFileHandle?.prototype
  if (!files || !('createSyncAccessHandle' in files)) return 'the browser has no synchronous file access'
  // Private windows of some browsers fail only at this call.
  return storage.getDirectory().then(() => undefined, inWords)
}

/** Like `whyNoOpfs`, for browsers that fail only when a file is opened: opens and deletes an empty file. */
async function whyNoHandle(): Promise<string | undefined> {
  const name = `.daybook-probe-${crypto.randomUUID()}`
  try {
    const root = await navigator.storage.getDirectory()
    try {
      const file = (await root.getFileHandle(name, { create: true })) as FileSystemFileHandle & SyncFile
      ;(await file.createSyncAccessHandle()).close()
    } finally {
      await root.removeEntry(name).catch(() => undefined)
    }
    return undefined
  } catch (error) {
    return isQuotaFault(error) ? undefined : inWords(error)
  }
}
