// The damaged files of books in IndexedDB: a repair puts each into one database, by the book and the time.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { faultOf } from './indexed-journal.ts'

/** OPFS folder for the damaged files of all books; the same name has the IndexedDB database for such files. */
export const asideFolder = 'daybook-aside'

interface AsideSchema extends DBSchema {
  files: { key: string; value: Uint8Array }
}

/** The name of the damaged file of a repair at the canonical time `now`. */
export const asideName = (book: string, now: string): string =>
  `${asideFolder}/${book}-${now.replaceAll(':', '-')}.sqlite3`

/** Whether `name` is the damaged file of a repair of `book`, without the folder. */
export const isAsideOf = (book: string, name: string): boolean =>
  name.startsWith(`${book}-`) && /^\d{4}-\d\d-\d\dT[\d.-]+Z\.sqlite3$/.test(name.slice(book.length + 1))

async function withAsides<Result>(work: (db: IDBPDatabase<AsideSchema>) => Promise<Result>): Promise<Result> {
  const db = await openDB<AsideSchema>(asideFolder, 1, {
    upgrade: (fresh) => void fresh.createObjectStore('files'),
  })
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

const keyOf = (name: string) => name.slice(asideFolder.length + 1)

/** Rejects with `storage-full` or `storage-failed`. */
export const saveInDatabase = (name: string, bytes: Uint8Array): Promise<unknown> =>
  withAsides((db) => {
    const change = db.transaction('files', 'readwrite', { durability: 'strict' })
    return Promise.all([change.store.put(bytes, keyOf(name)), change.done])
  }).catch((error: unknown) => {
    throw faultOf(error)
  })

export const isInDatabase = (name: string): Promise<boolean> =>
  withAsides(async (db) => (await db.getKey('files', keyOf(name))) !== undefined).catch(() => false)

/** Deletes the damaged files of an erased book. */
export const forgetAsides = (book: string): Promise<unknown> =>
  withAsides(async (db) => {
    for (const key of await db.getAllKeys('files')) if (isAsideOf(book, key)) await db.delete('files', key)
  })
