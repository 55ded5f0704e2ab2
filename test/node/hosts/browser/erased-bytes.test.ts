import { beforeAll } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { openJournalDatabase } from '../../../../src/hosts/browser/storage/journal-database.ts'
import { openOpfsDatabase } from '../../../../src/hosts/browser/storage/opfs-database.ts'
import { erasedBytesContract } from '../../../contract/port/erased-bytes.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { FakeDisk } from './crash/fake-disk.ts'
import { loadBrowserSqlite, mount, mounted } from './crash/fake-opfs.ts'
import { MemoryJournals } from './journal/memory-journal.ts'

let sqlite3: Sqlite3Static
beforeAll(async () => {
  sqlite3 = await loadBrowserSqlite()
})
let opened = 0

erasedBytesContract('SQLite WASM on OPFS', async () => {
  const disk = new FakeDisk()
  mount(disk)
  const { db, release } = await openOpfsDatabase(sqlite3, `erased-${++opened}`, mounted)
  return {
    db: {
      ...db,
      close() {
        db.close()
        release()
      },
    },
    bytes: async () => Buffer.concat([...disk.files.values()].map(({ bytes }) => bytes)),
  }
})

erasedBytesContract('SQLite WASM in memory, over a journal', async () => {
  const journals = new MemoryJournals()
  const { db } = openJournalDatabase(sqlite3, journals.open(), createTestTime().ports)
  return {
    db,
    async bytes() {
      const { extents, changes } = journals.shelf
      return Buffer.concat([...extents.map(([, bytes]) => bytes), ...changes.map((change) => change.bytes)])
    },
  }
})
