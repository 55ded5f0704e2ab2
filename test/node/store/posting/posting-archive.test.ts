// Postings kept in the book: read back they rank as fresh ones and as FTS5 do, whatever happened to book and bytes.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { SqlDatabase, SqlRow, SqlValue } from '../../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { compare, compareStores, fill, history, kinds, live, vocabulary } from './posting-case.ts'
import { mergeCount, segmentLimits } from '../../../../src/store/posting/posting-merge.ts'
import { openTestStore, type TestStore } from '../../../support/test-store.ts'

const opened: SqlDatabase[] = []
afterEach(() => opened.splice(0).forEach((db) => db.close()))

/** What more is missing than this, is FTS5's to answer until it was taken in. */
const catchUpLimit = 50
/** Small, so that a short history has many tails and merges. */
const small = {
  records: 1e6,
  bytes: 1e9,
  segments: { minNewDocuments: 2, maxNewDocuments: 5, maxMergedDocuments: 16 },
}

/** A book that is opened again and again; `fail` makes the nth statement that writes of postings throw, once. */
function openBook() {
  const db = openNodeDatabase({ path: ':memory:' })
  opened.push(db)
  let left = Infinity
  let taken = 0
  const faulty: SqlDatabase = {
    ...db,
    all<Row extends SqlRow>(sql: string, params?: readonly SqlValue[]) {
      const rows = db.all<Row>(sql, params)
      if (/AS light/.test(sql)) taken += rows.length
      return rows
    },
    run(sql, params) {
      if (/posting_/.test(sql) && --left === 0) throw crash
      db.run(sql, params)
    },
  }
  return {
    db,
    open: (textIndex: typeof small | true = small) => openTestStore(kinds, { db: faulty, textIndex }),
    fail: (statement: number) => (left = statement),
    /** How many records postings were made from, so far. */
    taken: () => taken,
  }
}
const crash = new Error('crash')

const segmentsOf = ({ db }: Pick<TestStore, 'db'>) =>
  db.get<{ n: number }>('SELECT count(*) AS n FROM posting_segments')?.n ?? 0
const staleOf = ({ db }: Pick<TestStore, 'db'>) =>
  db.get<{ n: number }>('SELECT count(*) AS n FROM posting_stale')?.n ?? 0

/** How many records have to be read beside what is kept. */
const outdated = ({ db }: Pick<TestStore, 'db'>) =>
  db.get<{ n: number }>(
    `SELECT (SELECT count(*) FROM posting_stale) + (SELECT count(*) FROM records
       WHERE seq > (SELECT ifnull(max(last_seq), 0) FROM posting_segments)) AS n`,
  )?.n ?? 0

/**
 * Reads what is kept until all of it is in memory, and answers how many records that brought without one being read.
 */
function reload(store: TestStore): number {
  store.projection.catchUp()
  let most = 0
  while (store.textIndex?.state().state !== 'warm') {
    if (most === 0 && store.textIndex?.search(['red'], 1)) break
    store.textIndex?.step(1)
    most = Math.max(most, store.textIndex?.state().records ?? 0)
  }
  return store.textIndex?.state().records ?? 0
}

type Past = typeof history extends fc.Arbitrary<infer Value> ? Value : never

/** The same where nothing is in memory to be filled. */
const bare = (past: Past): Past =>
  past.map(({ steps, undone }) => ({ undone, steps: steps.filter((one) => one.do !== 'fill') }))

/** What may happen to a book between two openings. */
type Between =
  | { readonly do: 'reopen' | 'scrub' | 'without' }
  | { readonly do: 'crash'; readonly statement: number }
  | { readonly do: 'damage'; readonly at: number; readonly how: number }
const between: fc.Arbitrary<Between> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('scrub' as const, 'without' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('crash' as const), statement: fc.integer({ min: 1, max: 12 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('damage' as const), at: fc.nat(4000), how: fc.nat(5) }),
  },
)

function damage({ db }: TestStore, at: number, how: number): void {
  const parts = db.all<{ rowid: number; bytes: Uint8Array }>('SELECT rowid, bytes FROM posting_parts')
  const part = parts[at % Math.max(1, parts.length)]
  if (!part) return
  const bytes = part.bytes.slice()
  const i = at % bytes.length
  if (how === 0) bytes[i] = (bytes[i] ?? 0) ^ (1 << (at & 7))
  const cut = how === 1 ? bytes.subarray(0, i) : bytes
  if (how <= 1) db.run('UPDATE posting_parts SET bytes = ? WHERE rowid = ?', [cut, part.rowid])
  if (how === 2) db.run('DELETE FROM posting_parts WHERE rowid = ?', [part.rowid])
  if (how === 3) db.run('UPDATE posting_segments SET last_seq = last_seq + 1')
  if (how === 5) db.run('DELETE FROM posting_segments WHERE n = (SELECT max(n) FROM posting_segments)')
  if (how === 4) db.run('DELETE FROM posting_segments WHERE n = (SELECT min(n) FROM posting_segments)')
}

describe('postings kept in the book', () => {
  test('rank as fresh ones and as FTS5 do, after crashes, damage, purges and any history', () => {
    let [hits, kept] = [0, 0]
    fc.assert(
      fc.property(
        fc.array(fc.tuple(history, between), { minLength: 1, maxLength: 4 }),
        fc.array(fc.constantFrom(...vocabulary, 'absent'), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 8 }),
        (past, words, limit) => {
          const book = openBook()
          let store = book.open()
          for (const [steps, then] of past) {
            live(store, steps)
            if (then.do === 'crash') {
              book.fail(then.statement)
              try {
                fill(store)
              } catch (error) {
                if (error !== crash) throw error
              }
              book.fail(Infinity)
            } else if (then.do === 'scrub') store.purge.scrub()
            else if (then.do === 'damage') damage(store, then.at, then.how)
            else if (then.do === 'without') live(openTestStore(kinds, { db: book.db }), bare(steps))
            store = book.open()
            kept += segmentsOf(store)
            store.projection.catchUp()
            const isFar = store.projection.derivedSeq() > catchUpLimit
            if (then.do === 'damage') {
              if (isFar) fill(store)
              compareStores(store, [...new Set(words)], limit)
              fill(store)
              store = book.open()
            }
            // What nobody damaged is read, not made anew.
            const most = outdated(store)
            const before = book.taken()
            if (isFar) fill(store)
            compareStores(store, [...new Set(words)], limit)
            expect(book.taken() - before).toBeLessThanOrEqual(most)
          }
          fill(store)
          hits += compare(store, words, limit)
          compareStores(store, [...new Set(words)], limit)
          opened.pop()?.close()
        },
      ),
      { numRuns: 60 },
    )
    expect(hits).toBeGreaterThan(100)
    expect(kept).toBeGreaterThan(100)
  })

  test('are read back, not made from the records again, and what came later is taken from those', () => {
    const book = openBook()
    const store = book.open()
    store.db.transaction(() => {
      for (let i = 0; i < 40; i++) store.put({ title: `red t${i}`, note: 'blue' }, { id: `r-${i}` })
    })
    fill(store)
    expect(segmentsOf(store)).toBeGreaterThan(1)
    store.put({ title: 'green' }, { id: 'r-3' })
    store.forget('r-4')
    store.put({ title: 'red' }, { id: 'late' })
    store.projection.catchUp()
    // No record is read but those three: the others have nothing left to be read.
    const emptyAllBut = (ids: readonly string[]) =>
      book.db.run("UPDATE records SET body = '{}' WHERE id NOT IN (SELECT value FROM json_each(?))", [
        JSON.stringify(ids),
      ])
    emptyAllBut(['r-3', 'late'])
    const again = book.open()
    expect(again.textIndex?.state().state).toBe('cold')
    expect(staleOf(again)).toBe(2)
    const ask = (asked: TestStore) => {
      asked.projection.catchUp()
      const counts = ['red', 'green', 't3'].map((term) => asked.textIndex?.search([term], 99)?.length)
      expect(counts).toEqual([39, 1, 0])
      expect(asked.textIndex?.state()).toMatchObject({ state: 'warm', records: 40 })
      compare(asked, ['red', 'blue', 'green', 't7'], 20)
    }
    ask(again)
    // Now these are kept as well, and what is gone.
    fill(again)
    expect(staleOf(again)).toBe(0)
    emptyAllBut([])
    ask(book.open())
  })

  test('are kept in few segments however they came in, each document written a few times', () => {
    const limits = segmentLimits
    const sizes: number[] = []
    let written = 0
    for (let i = 0; i < 2000; i++) {
      sizes.push(limits.minNewDocuments)
      written += limits.minNewDocuments
      for (let run = mergeCount(sizes, limits); run > 0; run = mergeCount(sizes, limits)) {
        const merged = sizes.splice(-run).reduce((sum, one) => sum + one, 0)
        sizes.push(merged)
        written += merged
        expect(merged).toBeLessThanOrEqual(limits.maxMergedDocuments)
      }
    }
    const total = sizes.reduce((sum, one) => sum + one, 0)
    expect(total).toBe(2000 * limits.minNewDocuments)
    expect(sizes.length).toBeLessThan(20)
    expect(written / total).toBeLessThan(7)
  })

  test('forget what a purge takes away, and are kept anew without it', () => {
    const book = openBook()
    const store = book.open()
    for (let i = 0; i < 9; i++) store.put({ title: i === 2 ? 'xylophonist' : 'red' }, { id: `r-${i}` })
    fill(store)
    const holds = () =>
      book.db
        .all<{ bytes: Uint8Array }>('SELECT bytes FROM posting_parts')
        .some(({ bytes }) => String.fromCharCode(...bytes).includes('xylophonist'))
    expect(holds()).toBe(true)
    store.forget('r-2')
    store.purge.scrub()
    expect(segmentsOf(store)).toBe(0)
    fill(store)
    expect(segmentsOf(store)).toBeGreaterThan(0)
    expect(holds()).toBe(false)
    expect(reload(book.open())).toBe(8)
  })

  test('are missed when a segment is gone, the first or the last', () => {
    for (const which of ['min', 'max']) {
      const book = openBook()
      const store = book.open()
      for (let i = 0; i < 9; i++) store.put({ title: 'red' }, { id: `r-${i}` })
      fill(store)
      for (let i = 0; i < 3; i++) store.put({ title: 'green' }, { id: `r-${i}` })
      fill(store)
      expect(segmentsOf(store)).toBeGreaterThan(1)
      book.db.run(`DELETE FROM posting_segments WHERE n = (SELECT ${which}(n) FROM posting_segments)`)
      const again = book.open()
      again.projection.catchUp()
      expect(compare(again, ['red', 'green'], 9)).toBe(9)
    }
  })

  test('keep their places when documents get new numbers, while they are read and after', () => {
    const book = openBook()
    const put = (store: TestStore, from: number, to: number) => {
      store.db.transaction(() => {
        for (let i = from; i < to; i++) store.put({ title: `red ${i % 2 ? 'blue' : ''}` }, { id: `r-${i}` })
      })
      fill(store)
    }
    const limits = {
      ...small,
      segments: { minNewDocuments: 50, maxNewDocuments: 400, maxMergedDocuments: 1600 },
    }
    let store = book.open(limits)
    put(store, 0, 1500)
    put(store, 0, 700)
    put(store, 300, 1400)
    for (const part of [0, 1]) {
      store = book.open(limits)
      store.projection.catchUp()
      const before = book.taken()
      compare(store, ['red', 'blue'], 30)
      expect(book.taken() - before, `opened anew, ${part}`).toBe(0)
      put(store, 0, 1450)
      put(store, 1400, 1600)
    }
    compare(store, ['red', 'blue'], 30)
  })

  test('go with the derived tables, and when the projection starts over', () => {
    const book = openBook()
    const store = book.open()
    for (let i = 0; i < 9; i++) store.put({ title: 'red' })
    fill(store)
    store.db.exec('DELETE FROM facets; DELETE FROM text_index')
    store.settings.set('derived_seq', 0)
    const again = book.open()
    fill(again)
    expect(compare(again, ['red'], 20)).toBe(9)
    again.settings.set('derived_tables', 1)
    expect(segmentsOf(book.open())).toBe(0)
  })

  test('are written anew once most of what is written is no longer so', () => {
    const book = openBook()
    const store = book.open({
      ...small,
      segments: { minNewDocuments: 2, maxNewDocuments: 8, maxMergedDocuments: 8 },
    })
    const bytes = () =>
      book.db.get<{ n: number }>('SELECT sum(size_bytes) AS n FROM posting_segments')?.n ?? 0
    const putAll = () => {
      for (let i = 0; i < 24; i++) store.put({ title: `red t${i}` }, { id: `r-${i}` })
      fill(store)
    }
    putAll()
    const first = bytes()
    for (let i = 0; i < 6; i++) putAll()
    expect(bytes()).toBeLessThan(4 * first)
    const again = book.open()
    fill(again)
    expect(compare(again, ['red', 't3'], 30)).toBe(24)
  })
})
