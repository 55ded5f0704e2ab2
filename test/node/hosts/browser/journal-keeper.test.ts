// When commits in memory are kept, who waits for it, and what becomes of those who were promised what can't be had.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { createEngine } from '../../../../src/engine/engine.ts'
import { openJournalDatabase } from '../../../../src/hosts/browser/storage/journal-database.ts'
import { failure } from '../../../contract/book-case.ts'
import { makeTrace } from '../../../support/trace.ts'
import { loadBrowserSqlite } from './crash/fake-opfs.ts'
import { readShelf } from './journal/journal-run.ts'
import { type JournalFault, MemoryJournals } from './journal/memory-journal.ts'
import { createTestTime } from '../../../support/test-engine.ts'

let sqlite3: Sqlite3Static
beforeAll(async () => {
  sqlite3 = await loadBrowserSqlite()
})

/** A database with one table that is kept already, and a journal whose changes wait while it is held. */
async function openKept() {
  const journals = new MemoryJournals()
  const { ports, pass } = createTestTime()
  const storage = openJournalDatabase(sqlite3, journals.open(), ports)
  const { db } = storage
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v)')
  await db.settled?.('write')
  const began = journals.shelves.length
  let isFaulted = false
  storage.watchFault?.(() => (isFaulted = true))
  const add = (v: string) => db.transaction(() => db.run('INSERT INTO t (v) VALUES (?)', [v]))
  return {
    journals,
    db,
    pass,
    add,
    release: storage.release,
    write: (v: string) => {
      add(v)
      return Promise.resolve(db.settled?.('write'))
    },
    isFaulted: () => isFaulted,
    kept: () => journals.shelves.length - began,
    hold() {
      const held = Promise.withResolvers<void>()
      journals.gate = () => held.promise
      return held.resolve
    },
    failWith: (fault: JournalFault, times = Infinity) => {
      let left = times
      journals.fault = () => (left-- > 0 ? fault : undefined)
    },
    async stored() {
      const again = openJournalDatabase(sqlite3, new MemoryJournals(journals.shelf).open(), ports)
      const values = again.db.all('SELECT v FROM t ORDER BY id').map(({ v }) => v)
      again.db.close()
      await again.release()
      return values
    },
  }
}

const turns = () => new Promise((resolve) => setImmediate(resolve))
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const nothing = {}
  await turns()
  return (await Promise.race([promise, Promise.resolve(nothing)])) === nothing
}

describe('a write', () => {
  it('waits until its commit is kept', async () => {
    const book = await openKept()
    const goOn = book.hold()
    const written = book.write('a')
    expect(await isPending(written)).toBe(true)
    expect(await book.stored()).toEqual([])
    goOn()
    await written
    expect(await book.stored()).toEqual(['a'])
  })

  it('shares a change with all that was committed while another was on its way', async () => {
    const book = await openKept()
    const goOn = book.hold()
    const first = book.write('a')
    await turns()
    const others = Promise.all(['b', 'c', 'd'].map(book.write))
    goOn()
    await first
    expect(await isPending(others)).toBe(false)
    expect(book.kept()).toBe(2)
    expect(await book.stored()).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('a read', () => {
  it('waits for what was committed before it, and for nothing else', async () => {
    const book = await openKept()
    expect(book.db.settled?.('read')).toBeUndefined()
    const goOn = book.hold()
    book.add('a')
    const read = Promise.resolve(book.db.settled?.('read'))
    expect(await isPending(read)).toBe(true)
    goOn()
    await read
    expect(await book.stored()).toEqual(['a'])
  })
})

describe('a storage that is full', () => {
  it('refuses a write and breaks the keeper, whose end is known before it is told', async () => {
    const book = await openKept()
    book.failWith('full')
    let knewThen = false
    const error = await failure(book.write('a').finally(() => (knewThen = book.isFaulted())))
    expect([error.code, knewThen]).toEqual(['storage-full', true])
    expect((await failure(Promise.resolve(book.db.settled?.('read')))).code).toBe('storage-failed')
    expect(() => book.add('b')).toThrow(/closed/)
    expect(await book.stored()).toEqual([])
    book.db.close()
    await book.release()
  })

  it('does not keep anybody from reading where nothing was promised, and keeps all of it once there is room', async () => {
    const book = await openKept()
    book.failWith('full')
    // On pages of its own, which nothing later writes.
    const derived = 'derived '.repeat(5000)
    book.add(derived)
    await book.db.settled?.('read')
    book.add('derived too')
    expect(book.db.settled?.('read')).toBeUndefined()
    expect(book.isFaulted()).toBe(false)
    expect(await book.stored()).toEqual([])
    book.failWith(undefined)
    await book.write('a')
    expect(await book.stored()).toEqual([derived, 'derived too', 'a'])
  })

  it('lets a change through for which there is room when there is none for a snapshot', async () => {
    const book = await openKept()
    book.add('a')
    await book.db.settled?.('write')
    book.failWith('full', 1)
    book.db.scrub()
    await book.db.settled?.('write')
    expect([book.isFaulted(), book.journals.snapshots]).toEqual([false, 0])
    await book.write('b')
    expect(book.journals.snapshots).toBe(1)
    expect(await book.stored()).toEqual(['a', 'b'])
  })
})

describe('a snapshot', () => {
  it('takes the place of eight megabytes of changes', async () => {
    const book = await openKept()
    const large = 'x'.repeat(1_000_000)
    for (let i = 0; i < 8; i++) await book.write(large)
    expect(book.journals.snapshots).toBe(0)
    await book.write(large)
    expect([book.journals.snapshots, book.journals.shelf.changes.length]).toEqual([1, 0])
    await book.write('after')
    expect((await book.stored()).length).toBe(10)
  })

  it('is made of a megabyte when nothing was committed for a while, or at the end', async () => {
    for (const way of ['rest', 'end']) {
      const book = await openKept()
      await book.write('x'.repeat(10_000))
      await book.pass(60_000)
      expect(book.journals.snapshots).toBe(0)
      await book.write('x'.repeat(1_100_000))
      if (way === 'rest') await book.pass(60_000)
      else {
        book.db.close()
        await book.release()
      }
      expect([book.journals.snapshots, book.journals.shelf.changes.length]).toEqual([1, 0])
      expect(await book.stored()).toHaveLength(2)
    }
  })

  it('takes in what was appended before the book was opened again', async () => {
    const book = await openKept()
    await book.write('a'.repeat(600_000))
    const { ports } = createTestTime()
    const journals = new MemoryJournals(book.journals.shelf)
    const again = openJournalDatabase(sqlite3, journals.open(), ports)
    again.db.scrub()
    await again.db.settled?.('write')
    expect(journals.snapshots).toBe(1)
    const { said, integrity } = await readShelf(sqlite3, journals.shelf)
    expect([integrity, said]).toEqual(['ok', '[[],[],[],[]]'])
    expect(journals.shelf.sizeBytes).toBeGreaterThan(600_000)
  })

  it('leaves nothing of what was purged in the journal', async () => {
    const book = await openKept()
    await book.write('xylophone '.repeat(2000))
    const bytes = () =>
      [
        ...book.journals.shelf.extents.map(([, part]) => part),
        ...book.journals.shelf.changes.map((one) => one.bytes),
      ]
        .map((part) => Buffer.from(part).toString('latin1'))
        .join('')
    expect(bytes()).toContain('xylophone')
    book.db.transaction(() => book.db.run('DELETE FROM t'))
    book.db.scrub()
    await book.db.settled?.('write')
    expect(bytes()).not.toContain('xylophone')
  })
})

it('keeps what is on its way before it lets go', async () => {
  const book = await openKept()
  const goOn = book.hold()
  const written = book.write('a')
  book.db.close()
  const released = Promise.resolve(book.release())
  expect(await isPending(released)).toBe(true)
  goOn()
  await Promise.all([released, written])
  expect(await book.stored()).toEqual(['a'])
})

it('does not keep the next owner waiting for a journal that does not answer', async () => {
  const book = await openKept()
  book.hold()
  book.write('a').catch(() => undefined)
  book.db.close()
  const released = Promise.resolve(book.release())
  expect(await isPending(released)).toBe(true)
  await book.pass(5000)
  await released
})

describe('an engine', () => {
  it('tells nobody of what is not kept yet, by an answer or by an error', async () => {
    const book = await openKept()
    const { ports } = createTestTime()
    const { db } = book
    const engine = createEngine({ db, ports, name: 'b', scope: { agent: 'a' }, durability: 'indexeddb' })
    await db.settled?.('write')
    const goOn = book.hold()
    const store = (goal: string) =>
      engine.call('kstar:store_trace', makeTrace({ task: { goal, constraints: [] } }), { requestId: 'once' })
    const written = store('a')
    await turns()
    expect(db.get('SELECT count(*) AS n FROM records')).toEqual({ n: 1 })
    const read = engine.call('kstar:count_traces', {})
    const refused = failure(store('another'))
    for (const call of [written, read, refused]) expect(await isPending(call)).toBe(true)
    goOn()
    await written
    expect(await read).toMatchObject({ total: 1 })
    expect((await refused).code).toBe('request-reused')
    engine.close()
    await book.release()
  })
})

describe('a limit of room', () => {
  it('refuses what makes the book larger than it, and nothing else', async () => {
    const journals = new MemoryJournals()
    const { ports } = createTestTime()
    const room = 1_000_000
    const open = () => openJournalDatabase(sqlite3, journals.open(), { ...ports, spaceBytes: room })
    const first = open()
    first.db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v)')
    const add = (db: typeof first.db, v: string) => {
      db.transaction(() => db.run('INSERT INTO t (v) VALUES (?)', [v]))
      return db.settled?.('write')
    }
    await add(first.db, 'a'.repeat(300_000))
    // Derived for a read: not promised, and not refused.
    first.db.transaction(() => first.db.run('INSERT INTO t (v) VALUES (?)', ['d'.repeat(300_000)]))
    await first.db.settled?.('read')
    expect((await failure(Promise.resolve(add(first.db, 'b'.repeat(9000))))).code).toBe('storage-full')
    first.db.close()
    await first.release()

    const { db, release } = open()
    expect(db.all('SELECT length(v) AS n FROM t').map(({ n }) => n)).toEqual([300_000, 300_000])
    db.transaction(() => db.run('DELETE FROM t WHERE id = 1'))
    await db.settled?.('write')
    await add(db, 'c'.repeat(200_000))
    db.scrub()
    await db.settled?.('write')
    expect(db.all('SELECT length(v) AS n FROM t').map(({ n }) => n)).toEqual([300_000, 200_000])
    db.close()
    await release()
  })
})
