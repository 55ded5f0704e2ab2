// What books are called where the browser keeps them. Known to pages as well, so it imports nothing.

/** The folder of OPFS that has a folder for each book. */
export const poolFolder = 'daybook'

const databasePrefix = 'daybook-book-'

/** The database of IndexedDB that a book is kept in, or its copy. */
export const databaseName = (book: string) => `${databasePrefix}${book}`

/** The book that is kept in this database; undefined for any other. */
export const bookOfDatabase = (database: string) =>
  database.startsWith(databasePrefix) ? database.slice(databasePrefix.length) : undefined
