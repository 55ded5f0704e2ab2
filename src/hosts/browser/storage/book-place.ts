// Notes in IndexedDB which books are in OPFS: while OPFS is missing, such a book must not be taken for a new
// one.
// Invariant: a note is deleted only with its book. A book in IndexedDB is known by its journal.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

interface PlaceSchema extends DBSchema {
  /** Time of the note, in milliseconds since 1970 UTC. */
  opfs: { key: string; value: number }
}

/** Rejects if the page has no IndexedDB. */
const openPlaces = async (terminated: () => void): Promise<IDBPDatabase<PlaceSchema>> =>
  openDB<PlaceSchema>('daybook-places', 1, {
    upgrade: (fresh) => void fresh.createObjectStore('opfs'),
    // Let others delete the database at once.
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

/**
 * Notes that `book` is in OPFS. Also resolves if notes are impossible: then no book can be created in
 * IndexedDB either.
 */
export async function notePlace(book: string): Promise<void> {
  await withPlaces(async (db) => {
    const change = db.transaction('opfs', 'readwrite', { durability: 'strict' })
    await Promise.all([change.store.put(Date.now(), book), change.done])
  }).catch(() => undefined)
}

/** The book is erased: deletes its note. */
export async function forgetPlace(book: string): Promise<void> {
  await withPlaces((db) => db.delete('opfs', book))
}

/** Whether `book` was ever opened in OPFS. False without IndexedDB. */
export async function isPlaced(book: string): Promise<boolean> {
  return withPlaces(async (db) => (await db.getKey('opfs', book)) !== undefined).catch(() => false)
}

/**
 * Calls `hear` when the browser deletes the data of this site with its files and locks. Writes to open files
 * then succeed but are lost, and new openers don't see the locks. Returns a function that stops.
 */
export function watchPlaces(hear: () => void): () => void {
  let stopped = false
  const opened = openPlaces(() => {
    if (!stopped) hear()
  }).catch(() => undefined)
  return () => {
    stopped = true
    void opened.then((db) => db?.close())
  }
}
