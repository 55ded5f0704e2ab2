// A book in a journal after transactions that allocate pages and free them again: SQLite never writes such pages.
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { extentBytes } from '../../../../src/core/journal.ts'
import type { SqlDatabase } from '../../../../src/core/ports.ts'
import { createEngine } from '../../../../src/engine/engine.ts'
import { openJournalDatabase } from '../../../../src/hosts/browser/storage/journal-database.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { makeTrace } from '../../../support/trace.ts'
import { loadBrowserSqlite } from './crash/fake-opfs.ts'
import { MemoryJournals, type Shelf } from './journal/memory-journal.ts'

let sqlite3: Sqlite3Static
beforeAll(async () => {
  sqlite3 = await loadBrowserSqlite()
})

/** One transaction: adds rows of so many kilobytes, then removes rows, counted back from the last. */
interface Change {
  readonly do: 'change'
  readonly add: readonly number[]
  readonly remove: readonly number[]
}
type Step = Change | { readonly do: 'scrub' | 'rest' | 'reopen' }

const kilobytes = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 200, max: 1500 }))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      add: fc.array(kilobytes, { maxLength: 4 }),
      remove: fc.array(fc.nat(8), { maxLength: 6 }),
    }),
  },
  fc.record({ do: fc.constantFrom('scrub' as const, 'rest' as const, 'reopen' as const) }),
)

/** A table of texts, and the rows that it must have. */
class Rows {
  readonly #expected = new Map<number, string>()
  #last = 0

  change(db: SqlDatabase, { add, remove }: Change): void {
    db.transaction(() => {
      for (const size of add) {
        const value = String(++this.#last % 10).repeat(size << 10)
        this.#expected.set(this.#last, value)
        db.run('INSERT INTO t (id, v) VALUES (?, ?)', [this.#last, value])
      }
      for (const id of remove.map((back) => this.#last - back))
        if (this.#expected.delete(id)) db.run('DELETE FROM t WHERE id = ?', [id])
    })
  }

  check(db: SqlDatabase): void {
    expect(db.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
    const stored = db.all('SELECT id, v FROM t ORDER BY id')
    expect(stored.map(({ id }) => id)).toEqual([...this.#expected.keys()])
    expect(stored.every(({ id, v }) => this.#expected.get(Number(id)) === v)).toBe(true)
  }
}

function expectNoHole({ sizeBytes, extents }: Shelf): void {
  const count = Math.ceil(sizeBytes / extentBytes)
  expect(extents.map(([index]) => index)).toEqual(Array.from({ length: count }, (_, index) => index))
}

it('is whole and has all its rows after any transactions, snapshots and openings', async () => {
  const run = async (steps: readonly Step[]) => {
    const journals = new MemoryJournals()
    const { ports, pass } = createTestTime()
    const open = () => openJournalDatabase(sqlite3, journals.open(), ports)
    const rows = new Rows()
    let book = open()
    book.db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v)')
    for (const one of [...steps, { do: 'reopen' } as const]) {
      if (one.do === 'change') rows.change(book.db, one)
      else if (one.do === 'scrub') book.db.scrub()
      else if (one.do === 'rest') await pass(60_000)
      await book.db.settled?.('write')
      if (one.do === 'reopen') {
        book.db.close()
        await book.release()
        book = open()
        rows.check(book.db)
      }
      expectNoHole(journals.shelf)
    }
    book.db.close()
    await book.release()
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 12 }), run), { numRuns: 50 })
})

it('is read again after large documents were replaced in the transaction that stored them', async () => {
  const journals = new MemoryJournals()
  const { ports } = createTestTime()
  const open = () => {
    const storage = openJournalDatabase(sqlite3, journals.open(), ports)
    const { db } = storage
    const engine = createEngine({ db, ports, name: 'b', scope: { agent: 'a' }, durability: 'indexeddb' })
    return { db, engine, release: storage.release }
  }
  const { engine, release } = open()
  const write = (key: string, value: unknown) =>
    engine.call('document:write', { changes: [{ folder: 'run/', key, value }] })
  const keys = ['a', 'b', 'c', 'd']
  const large = { state: 'state '.repeat(200_000) }
  await Promise.all(
    engine.together(() => [
      ...keys.map((key) => write(key, large)),
      ...keys.map((key) => write(key, { state: 'done' })),
    ]),
  )
  for (let i = 0; i < 50; i++) await engine.call('kstar:store_trace', makeTrace())
  engine.close()
  await release()
  expect(journals.snapshots).toBeGreaterThan(0)
  expectNoHole(journals.shelf)
  const again = open()
  expect(again.db.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
  expect(await again.engine.call('kstar:count_traces', {})).toMatchObject({ total: 50 })
  again.engine.close()
  await again.release()
})
