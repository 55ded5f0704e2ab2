// Which books of this origin are in OPFS, noted in IndexedDB: where OPFS is gone for a while, a book that is in it must not be
// taken for a new one. Invariant: a note goes only with its book; that a book is in IndexedDB is told by its journal.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

interface PlaceSchema extends DBSchema {
  /** When it was noted, in milliseconds since 1970 UTC. */
  opfs: { key: string; value: number }
}

/** Rejects where there is no IndexedDB, or none for this page. */
const openPlaces = async (terminated: () => void): Promise<IDBPDatabase<PlaceSchema>> =>
  openDB<PlaceSchema>('daybook-places', 1, {
    upgrade: (fresh) => void fresh.createObjectStore('opfs'),
    // Whoever wants to delete it need not wait.
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

/** Notes that `book` is in OPFS. Resolves also where nothing can be noted: no book can be begun there either. */
export async function notePlace(book: string): Promise<void> {
  await withPlaces(async (db) => {
    const change = db.transaction('opfs', 'readwrite', { durability: 'strict' })
    await Promise.all([change.store.put(Date.now(), book), change.done])
  }).catch(() => undefined)
}

/** The book is erased: nothing is noted of it any more. */
export async function forgetPlace(book: string): Promise<void> {
  await withPlaces((db) => db.delete('opfs', book))
}

/** Whether `book` was ever opened in OPFS. False where that can't be known, for want of IndexedDB. */
export async function isPlaced(book: string): Promise<boolean> {
  return withPlaces(async (db) => (await db.getKey('opfs', book)) !== undefined).catch(() => false)
}

/**
 * Calls `hear` when the browser takes the data of this site away, its files and locks with it: files that are open can still be
 * written to then, but what is written is nowhere, and who begins anew sees none of the locks. Answers how to stop.
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
