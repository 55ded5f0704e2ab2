import { beforeAll } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { openJournalDatabase } from '../../../../src/hosts/browser/storage/journal-database.ts'
import { journalContract } from '../../../contract/port/journal.ts'
import { sqlDatabaseContract } from '../../../contract/port/sql-database.ts'
import { loadBrowserSqlite } from './crash/fake-opfs.ts'
import { MemoryJournals } from './journal/memory-journal.ts'
import { createTestTime } from '../../../support/test-engine.ts'

let sqlite3: Sqlite3Static
beforeAll(async () => {
  sqlite3 = await loadBrowserSqlite()
})

sqlDatabaseContract('SQLite WASM in memory, over a journal', async () => {
  const { ports } = createTestTime()
  return openJournalDatabase(sqlite3, new MemoryJournals().open(), ports).db
})

const books = new Map<string, MemoryJournals>()
journalContract('in memory, as the other tests use it', async (book) => {
  const journals = books.get(book) ?? new MemoryJournals()
  books.set(book, journals)
  return journals.open()
})
