// Takes a book away from this browser: its files, its journal, its keys and every note of it.
// Invariants: only called while the book's owner lock is held and its files are let go of; a mark stands in a database of its own
// from before the first thing goes until after the last, so that whoever opens the book next finishes what was cut.
import { type DBSchema, deleteDB, openDB } from 'idb'
import { withSpills } from '../background/spill-place.ts'
import { forgetPair } from '../key/key-store.ts'
import { forgetVault } from '../key/vault-store.ts'
import { databaseName, poolFolder } from './book-names.ts'
import { forgetPlace } from './book-place.ts'
import { asideFolder } from './mend-pool.ts'

interface MarkSchema extends DBSchema {
  /** When it was begun, in milliseconds since 1970 UTC. */
  books: { key: string; value: number }
}

const marksName = 'daybook-erasing'

/** Marks the book as being erased: from now on nobody finds it. Rejects where that can't be kept; then nothing was changed. */
export async function markErasing(book: string): Promise<void> {
  const db = await openMarks()
  try {
    const change = db.transaction('books', 'readwrite', { durability: 'strict' })
    await Promise.all([change.store.put(Date.now(), book), change.done])
  } finally {
    db.close()
  }
}

/** Everything of a book goes, step by step. Each may be done again. */
export const eraseSteps: readonly ((book: string) => Promise<unknown>)[] = [
  (book) => removeFrom(poolFolder, (name) => name === book),
  (book) => removeFrom(asideFolder, (name) => isAsideOf(book, name)),
  (book) => deleteDB(databaseName(book)),
  forgetPair,
  forgetVault,
  (book) => withSpills((db) => db.delete('entries', book)),
  forgetPlace,
]

/** Takes everything away, and the mark last. */
export async function removeBook(book: string): Promise<void> {
  for (const step of eraseSteps) await step(book)
  const db = await openMarks()
  try {
    await db.delete('books', book)
  } finally {
    db.close()
  }
}

/** Finishes an erasure that was cut; false when there was none, or there is no IndexedDB to tell. */
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

/** Takes entries out of a folder of OPFS; where there is no such folder, or no OPFS, there is nothing to take. */
async function removeFrom(folder: string, isMeant: (name: string) => boolean): Promise<void> {
  const storage = navigator.storage as Partial<StorageManager> | undefined
  const found = await storage
    ?.getDirectory?.()
    .then((root) => root.getDirectoryHandle(folder))
    .catch(() => undefined)
  if (!found) return
  const names: string[] = []
  for await (const name of found.keys()) if (isMeant(name)) names.push(name)
  for (const name of names) await found.removeEntry(name, { recursive: true })
}
