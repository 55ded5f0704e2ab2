// Deletes a book from this browser: its files, journal, keys and notes.
// Invariants: called only while the tab holds the owner lock, with the book's files closed. A mark in a
// separate database exists from before the first deletion until after the last, so that the next opening
// finishes the erasure.
import { type DBSchema, deleteDB, openDB } from 'idb'
import { DaybookError } from '../../../core/errors.ts'
import { withSpills } from '../background/spill-place.ts'
import { forgetPair } from '../key/key-store.ts'
import { forgetVault } from '../key/vault-store.ts'
import { booksFolder, databaseName } from './book-names.ts'
import { asideFolder, forgetAsides, isAsideOf } from './aside-store.ts'
import { forgetPlace } from './book-place.ts'
import { inWords } from './browser-fault.ts'

interface MarkSchema extends DBSchema {
  /** Start of the erasure, in milliseconds since 1970 UTC. */
  books: { key: string; value: number }
}

const marksName = 'daybook-erasing'

/**
 * Marks the book as erased: the next opening deletes its files first. Rejects if the mark can't be stored;
 * then nothing has changed.
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

/** The steps that delete all data of a book, in order. Each step may run again. */
export const eraseSteps: readonly ((book: string) => Promise<unknown>)[] = [
  (book) => removeFrom(booksFolder, (name) => name === book),
  (book) => removeFrom(asideFolder, (name) => isAsideOf(book, name)),
  forgetAsides,
  (book) => deleteDB(databaseName(book)),
  forgetPair,
  forgetVault,
  (book) => withSpills((db) => db.delete('entries', book)),
  forgetPlace,
]

/**
 * Runs `eraseSteps`, then deletes the mark. Call it only after `markErasing`. Rejects with `storage-failed`; then
 * the mark stays.
 */
export async function removeBook(book: string): Promise<void> {
  try {
    for (const step of eraseSteps) await step(book)
    const db = await openMarks()
    try {
      await db.delete('books', book)
    } finally {
      db.close()
    }
  } catch (cause) {
    const reason = inWords(cause)
    throw new DaybookError(
      'storage-failed',
      `The erasure of the book is not finished (${reason}). The next opening finishes it.`,
      { cause, details: { reason } },
    )
  }
}

/** Finishes an interrupted erasure. False if the book has no mark, or without IndexedDB. */
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

/** Removes the entries of an OPFS folder for which `isOwn` is true; does nothing without the folder. */
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
