// Lists the books of this origin.
// Invariant: it opens and creates nothing.
import { isBookName } from '../../../core/book.ts'
import { bookOfDatabase, booksFolder } from '../storage/book-names.ts'

/** A book that this origin stores in this browser. */
export interface ListedBook {
  readonly name: string
  readonly storage: 'opfs' | 'indexeddb'
}

/**
 * The books of this origin, sorted by name; an erased book too, until its data is deleted. A storage that the
 * browser denies counts as empty.
 */
export async function listBooks(): Promise<ListedBook[]> {
  const [inFiles, inDatabases] = await Promise.all([booksInFiles(), booksInDatabases()])
  const books = new Map<string, ListedBook>()
  for (const name of inDatabases) books.set(name, { name, storage: 'indexeddb' })
  // A book in OPFS may also have an empty database, from an opening while OPFS was missing.
  for (const name of inFiles) books.set(name, { name, storage: 'opfs' })
  return [...books.values()]
    .filter(({ name }) => isBookName(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function booksInFiles(): Promise<string[]> {
  try {
    const root = await navigator.storage.getDirectory()
    const folder = await root.getDirectoryHandle(booksFolder)
    const names: string[] = []
    for await (const [name, { kind }] of folder.entries()) if (kind === 'directory') names.push(name)
    return names
  } catch {
    return []
  }
}

async function booksInDatabases(): Promise<string[]> {
  try {
    const databases = await indexedDB.databases()
    return databases.flatMap(({ name = '' }) => bookOfDatabase(name) ?? [])
  } catch {
    return []
  }
}
