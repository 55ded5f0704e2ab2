// The database of a closed book in IndexedDB, for tests that change it behind its back.
import sqlite3InitModule from '@sqlite.org/sqlite-wasm'
import { browserPorts } from '../../../src/hosts/browser/port/browser-ports.ts'
import { openIndexedJournal } from '../../../src/hosts/browser/storage/indexed-journal.ts'
import { openJournalDatabase } from '../../../src/hosts/browser/storage/journal-database.ts'

export async function alterJournal(name: string, statements: readonly string[]): Promise<void> {
  const sqlite3 = await sqlite3InitModule()
  const { db, release } = openJournalDatabase(sqlite3, await openIndexedJournal(name), browserPorts)
  for (const statement of statements) db.exec(statement)
  db.close()
  await release()
}
