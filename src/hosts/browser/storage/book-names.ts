// Names of books in the browser's storage. Pages use it too, so it imports nothing.

/** The OPFS folder with one folder for each book. */
export const poolFolder = 'daybook'

const databasePrefix = 'daybook-book-'

/** The IndexedDB database of a book, or of its copy. */
export const databaseName = (book: string) => `${databasePrefix}${book}`

/** The book of such a database; undefined for any other. */
export const bookOfDatabase = (database: string) =>
  database.startsWith(databasePrefix) ? database.slice(databasePrefix.length) : undefined
