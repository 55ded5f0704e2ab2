// Lists the books of this origin.
// Invariant: it opens and creates nothing.
import { isBookName } from '../../../core/book.ts'
import { bookOfDatabase, poolFolder } from '../storage/book-names.ts'

/** A book that this origin stores in this browser. */
export interface ListedBook {
  readonly name: string
  readonly storage: 'opfs' | 'indexeddb'
}

/**
 * The books of this origin, sorted by name. Empty without books, or if the browser denies access to storage.
 */
export async function listBooks(): Promise<ListedBook[]> {
  const [inFiles, inDatabases] = await Promise.all([booksInFiles(), booksInDatabases()])
  const books = new Map<string, ListedBook>()
  for (const name of inDatabases) books.set(name, { name, storage: 'indexeddb' })
  // A book may be in files and in a database: the files count.
  for (const name of inFiles) books.set(name, { name, storage: 'opfs' })
  return [...books.values()]
    .filter(({ name }) => isBookName(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function booksInFiles(): Promise<string[]> {
  try {
    const root = await navigator.storage.getDirectory()
    const folder = await root.getDirectoryHandle(poolFolder)
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
