// Notes in IndexedDB which books are in OPFS, so that such a book isn't created again in IndexedDB while OPFS
// is missing.
// Invariant: a note is deleted only with its book. A book in IndexedDB needs no note: it has a journal there.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

interface PlaceSchema extends DBSchema {
  /** Time of the note, in milliseconds since 1970 UTC. */
  opfs: { key: string; value: number }
}

/** Rejects if the page has no IndexedDB. */
const openPlaces = async (terminated: () => void): Promise<IDBPDatabase<PlaceSchema>> =>
  openDB<PlaceSchema>('daybook-places', 1, {
    upgrade: (fresh) => void fresh.createObjectStore('opfs'),
    // Close at once when another tab deletes or upgrades the database.
    blocking: (_old, _new, event) => (event.target as IDBDatabase).close(),
    terminated,
  })

async function withPlaces<Result>(work: (db: IDBPDatabase<PlaceSchema>) => Promise<Result>): Promise<Result> {
  const db = await openPlaces(() => undefined)
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

/** Notes that `book` is in OPFS. Never rejects: without IndexedDB, no book can be created there either. */
export async function notePlace(book: string): Promise<void> {
  await withPlaces(async (db) => {
    const change = db.transaction('opfs', 'readwrite', { durability: 'strict' })
    await Promise.all([change.store.put(Date.now(), book), change.done])
  }).catch(() => undefined)
}

/** Deletes the note of an erased book. */
export async function forgetPlace(book: string): Promise<void> {
  await withPlaces((db) => db.delete('opfs', book))
}

/** Whether `book` was ever opened in OPFS; undefined if IndexedDB can't be read. */
export async function isPlaced(book: string): Promise<boolean | undefined> {
  return withPlaces(async (db) => (await db.getKey('opfs', book)) !== undefined).catch(() => undefined)
}

export interface PlaceWatch {
  /** Resolves once the watch works, or can't. Never rejects. */
  readonly ready: Promise<void>
  stop(): void
}

/**
 * Calls `hear` when the browser deletes the data of this site with its files and locks. Then writes to open
 * files succeed but are lost, and other tabs don't see the locks.
 */
export function watchPlaces(hear: () => void): PlaceWatch {
  let stopped = false
  const opened = openPlaces(() => {
    if (!stopped) hear()
  }).catch(() => undefined)
  return {
    ready: opened.then(() => undefined),
    stop() {
      stopped = true
      void opened.then((db) => db?.close())
    },
  }
}
