// Deletes a book from this browser: its files, journal, keys and notes.
// Invariants: only called while the owner lock is held and the files are closed. A mark in a separate
// database exists from before the first deletion until after the last, so that the next opener finishes the
// work.
import { type DBSchema, deleteDB, openDB } from 'idb'
import { withSpills } from '../background/spill-place.ts'
import { forgetPair } from '../key/key-store.ts'
import { forgetVault } from '../key/vault-store.ts'
import { databaseName, poolFolder } from './book-names.ts'
import { forgetPlace } from './book-place.ts'
import { asideFolder } from './mend-pool.ts'

interface MarkSchema extends DBSchema {
  /** Start of the erasure, in milliseconds since 1970 UTC. */
  books: { key: string; value: number }
}

const marksName = 'daybook-erasing'

/**
 * Marks the book as being erased: nobody finds it any more. Rejects if the mark can't be stored; then nothing
 * has changed.
 */
export async function markErasing(book: string): Promise<void> {
  const db = await openMarks()
  try {
    const change = db.transaction('books', 'readwrite', { durability: 'strict' })
    await Promise.all([change.store.put(Date.now(), book), change.done])
  } finally {
    db.close()
  }
}

/** Deletes everything of a book, step by step. Each step may be repeated. */
export const eraseSteps: readonly ((book: string) => Promise<unknown>)[] = [
  (book) => removeFrom(poolFolder, (name) => name === book),
  (book) => removeFrom(asideFolder, (name) => isAsideOf(book, name)),
  (book) => deleteDB(databaseName(book)),
  forgetPair,
  forgetVault,
  (book) => withSpills((db) => db.delete('entries', book)),
  forgetPlace,
]

/** Deletes everything, and the mark last. */
export async function removeBook(book: string): Promise<void> {
  for (const step of eraseSteps) await step(book)
  const db = await openMarks()
  try {
    await db.delete('books', book)
  } finally {
    db.close()
  }
}

/** Finishes an interrupted erasure; false without one, or without IndexedDB. */
export async function finishErasing(book: string): Promise<boolean> {
  if (!(await isMarked(book))) return false
  await removeBook(book)
  return true
}

async function isMarked(book: string): Promise<boolean> {
  try {
    const db = await openMarks()
    try {
      return (await db.getKey('books', book)) !== undefined
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}

const openMarks = () =>
  openDB<MarkSchema>(marksName, 1, { upgrade: (fresh) => void fresh.createObjectStore('books') })

const isAsideOf = (book: string, name: string) =>
  name.startsWith(`${book}-`) && /^\d{4}-\d\d-\d\dT[\d.-]+Z\.sqlite3$/.test(name.slice(book.length + 1))

/** Removes entries of an OPFS folder, if there is one. */
async function removeFrom(folder: string, isOwn: (name: string) => boolean): Promise<void> {
  const storage = navigator.storage as Partial<StorageManager> | undefined
  const found = await storage
    ?.getDirectory?.()
    .then((root) => root.getDirectoryHandle(folder))
    .catch(() => undefined)
  if (!found) return
  const names: string[] = []
  for await (const name of found.keys()) if (isOwn(name)) names.push(name)
  for (const name of names) await found.removeEntry(name, { recursive: true })
}
