import { beforeAll, expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { openOpfsDatabase } from '../../../../src/hosts/browser/storage/opfs-database.ts'
import { failure } from '../../../contract/book-case.ts'
import { FakeDisk } from './crash/fake-disk.ts'
import { loadBrowserSqlite, mount, mounted } from './crash/fake-opfs.ts'

let sqlite3: Sqlite3Static
beforeAll(async () => {
  sqlite3 = await loadBrowserSqlite()
})

it.for(['UnknownError', 'NotReadableError', 'NoModificationAllowedError'])(
  'a start that fails with %s leaves the book as it was, and the next one opens it',
  async (name) => {
    const disk = new FakeDisk()
    mount(disk)
    const first = await openOpfsDatabase(sqlite3, `pool-${name}`, mounted)
    first.db.exec('CREATE TABLE kept (said TEXT); INSERT INTO kept VALUES (1)')
    first.db.close()
    first.release()

    const next = new FakeDisk(disk.files)
    mount(next)
    let handles = 0
    const { handle } = next
    next.handle = function (file) {
      if (++handles % 5 === 0) throw new DOMException('Not now.', name)
      return handle.call(this, file)
    }
    // Another worker than the first one's: its pool starts from nothing.
    const error = await failure(openOpfsDatabase(sqlite3, `pool-${name}-again`, mounted))
    expect(error.code).toBe(name === 'NoModificationAllowedError' ? 'open-elsewhere' : 'storage-unavailable')
    expect(next.isOpen).toBe(false)

    next.handle = handle
    const { db, release } = await openOpfsDatabase(sqlite3, `pool-${name}-again`, mounted)
    expect(db.all('SELECT said FROM kept')).toEqual([{ said: '1' }])
    db.close()
    release()
  },
)
