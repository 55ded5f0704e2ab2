// Names of books in the browser's storage. Pages load this file too, so it imports nothing.

/** The OPFS folder that has one folder for each book: the folder of its pool of files. */
export const booksFolder = 'daybook'

const databasePrefix = 'daybook-book-'

/** Name of the IndexedDB database of a book. */
export const databaseName = (book: string) => `${databasePrefix}${book}`

/** The book whose IndexedDB database has this name; undefined for other databases. */
export const bookOfDatabase = (database: string) =>
  database.startsWith(databasePrefix) ? database.slice(databasePrefix.length) : undefined
