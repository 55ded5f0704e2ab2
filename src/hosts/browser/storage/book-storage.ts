// Where a book is kept in this browser: in OPFS; in IndexedDB where there is no OPFS; in memory if that was agreed to.
// Invariants: only opened while the book's owner lock is held. A book that fails to open is an error, never a reason to
// look elsewhere: it does not become an empty one in silence.
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import { browserPorts } from '../port/browser-ports.ts'
import { hasIndexedJournal, openIndexedJournal } from './indexed-journal.ts'
import { openJournalDatabase } from './journal-database.ts'
import { isPlaced, notePlace } from './book-place.ts'
import { whyNoHandle, whyNoOpfs } from './opfs-access.ts'
import { type BookStorage, openOpfsDatabase, type Suspicion } from './opfs-database.ts'
import { combiner, loadSqlite } from './load-sqlite.ts'
import { createWasmDatabase } from './wasm-database.ts'

export interface BookStorageOptions {
  readonly name: string
  readonly onUnavailable: 'reject' | 'memory'
  readonly suspicion?: Suspicion | undefined
}

/**
 * Opens the book's database. Rejects with `storage-unavailable` where nothing durable can be had and memory was not agreed
 * to, and with `open-elsewhere`, `storage-full`, `storage-failed` or `book-newer` where it is there and can't be opened.
 */
export async function openBookStorage({
  name,
  onUnavailable,
  suspicion,
}: BookStorageOptions): Promise<BookStorage> {
  const [sqlite3, noOpfs, isJournalled, isInOpfs] = await Promise.all([
    loadSqlite(),
    whyNoOpfs(),
    hasIndexedJournal(name),
    isPlaced(name),
  ])
  let why = noOpfs ?? (isJournalled ? 'the book was begun here while it was missing' : undefined)
  if (why === undefined) {
    try {
      const storage = await openOpfsDatabase(sqlite3, name, combiner, suspicion)
      // Before anything is written: a worker that ends early must not leave a book that nothing tells of.
      if (!isInOpfs) await notePlace(name)
      return storage
    } catch (error) {
      if (!isDaybookError(error, 'storage-unavailable')) throw error
      why = await whyNoHandle()
      // Other files can be opened, so it is the book's own that failed.
      if (why === undefined) throw asFault(error)
    }
  }
  try {
    if (!isJournalled && isInOpfs) throw unavailable(why, 'This book is in it.')
    return await openJournalled(sqlite3, name, why)
  } catch (error) {
    if (onUnavailable !== 'memory' || !isDaybookError(error, 'storage-unavailable')) throw error
    return {
      db: openMemoryDatabase(sqlite3),
      durability: 'memory',
      degraded: async () => [`memory: nothing is kept when the last tab is closed. ${error.message}`],
      makeStrict: () => undefined,
      release: () => undefined,
    }
  }
}

async function openJournalled(sqlite3: Sqlite3Static, name: string, why: string): Promise<BookStorage> {
  try {
    const [journal, estimate] = await Promise.all([
      openIndexedJournal(name),
      navigator.storage?.estimate?.().catch(() => undefined),
    ])
    const { quota = 0, usage = 0 } = estimate ?? {}
    const storage = openJournalDatabase(sqlite3, journal, {
      scheduler: browserPorts.scheduler,
      ...(quota > 0 ? { spaceBytes: Math.max(0, quota - usage) } : {}),
    })
    return { ...storage, degraded: async () => [`opfs: not used (${why}); this book is kept in IndexedDB.`] }
  } catch (error) {
    if (!isDaybookError(error, 'storage-unavailable')) throw error
    throw unavailable(why, `No IndexedDB either (${String(error.details['reason'])}).`, error)
  }
}

/** `why` there is no OPFS, and what is the matter with IndexedDB. */
const unavailable = (why: string, what: string, cause?: unknown) =>
  new DaybookError('storage-unavailable', `OPFS can't be had: ${why}. ${what}`, {
    cause,
    details: { opfs: why },
  })

const asFault = ({ message, details }: DaybookError) =>
  new DaybookError('storage-failed', message, { details: { ...details } })

/** A database in memory, gone when it is closed. */
export function openMemoryDatabase(sqlite3: Sqlite3Static): SqlDatabase {
  return createWasmDatabase(sqlite3, new sqlite3.oo1.DB(':memory:'), { pragmas: ['foreign_keys = OFF'] })
}
