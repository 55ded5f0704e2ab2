// What is derived from records, after any history of them, held against deriving it from nothing.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import type { SqlDatabase } from '../../../../src/core/ports.ts'
import { createReads } from '../../../../src/engine/door/read-again.ts'
import { Projection } from '../../../../src/store/record/projection.ts'
import { Settings } from '../../../../src/store/schema/settings.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

const kinds = [
  makeKind({
    name: 'thing',
    text: ['title', 'note', '@when'],
    facets: { happened_at: 'at', domain: 'place', success: 'done' },
    cites: [{ path: 'cites' }, { path: 'instead', supersedes: true }],
    expires: 'until',
  }),
  makeKind({
    name: 'other',
    text: ['note'],
    facets: { name: 'title', confidence: 'sure' },
    recallable: (body) => !('hidden' in body),
    cites: [{ path: 'instead', supersedes: true }],
  }),
  makeKind({ name: 'silent' }),
]
const words = ['red', 'blue', 'green', 'january', '31']
const ids = ['a', 'b', 'c', 'd']

const opened: SqlDatabase[] = []
afterEach(() => opened.splice(0).forEach((db) => db.close()))

function open(): TestStore {
  const store = openTestStore(kinds)
  opened.push(store.db)
  return store
}

/** Everything that is derived, the text index word by word. */
function derived({ db }: { readonly db: SqlDatabase }) {
  // Merging the index to one piece drops what was deleted from it, which its vocabulary still shows.
  db.exec("INSERT INTO text_index (text_index) VALUES ('optimize')")
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS text_places USING fts5vocab (text_index, instance)')
  const has = (word: string, column: string) =>
    db.all('SELECT rowid FROM text_index WHERE text_index MATCH ? ORDER BY rowid', [
      `{${column}} : ("${word}")`,
    ])
  return {
    facets: db.all('SELECT * FROM facets ORDER BY seq'),
    links: db.all('SELECT * FROM links ORDER BY target, seq, path'),
    indexed: db.all('SELECT id FROM text_index_docsize ORDER BY id'),
    places: db.all('SELECT term, doc, col, offset FROM text_places ORDER BY doc, col, offset, term'),
    found: words.flatMap((word) => ['t0', 't1', 't2'].map((column) => [word, column, has(word, column)])),
  }
}

/** The same from a copy of the records, all at once. */
function rebuilt(store: TestStore) {
  const fresh = open()
  for (const row of store.db.all('SELECT * FROM records')) {
    const names = Object.keys(row)
    fresh.db.run(
      `INSERT INTO records (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      Object.values(row),
    )
  }
  new Projection(fresh.db, fresh.kinds, new Settings(fresh.db)).catchUp()
  return derived(fresh)
}

const title = fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((some) => some.join(' '))
const body: fc.Arbitrary<JsonObject> = fc.record(
  {
    title,
    note: fc.oneof(title, fc.record({ deep: title })),
    at: fc.constantFrom('2026-01-31T12:00:00.000Z', '2026-02-01T12:00:00.000Z'),
    place: fc.constantFrom('here', 'there', 5),
    done: fc.boolean(),
    sure: fc.constantFrom(0, 0.5, 'very'),
    hidden: fc.constant(true),
    cites: fc.array(fc.constantFrom(...ids), { maxLength: 3 }),
    instead: fc.constantFrom(...ids),
    until: fc.constantFrom('2026-01-31', '2026-02-01T12:00:00+01:00', 'for ever', 5),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>

type Step =
  | { readonly do: 'put'; readonly id: string; readonly kind: string; readonly body: JsonObject }
  | { readonly do: 'forget'; readonly id: string }
  | { readonly do: 'derive'; readonly limit: number }
  | { readonly do: 'catchUp' | 'catchUpWithin' | 'reopen' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('put'),
      id: fc.constantFrom(...ids),
      kind: fc.constantFrom('thing', 'other', 'silent'),
      body,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('forget'), id: fc.constantFrom(...ids) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('derive'), limit: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('catchUp', 'catchUpWithin', 'reopen') }) },
) as fc.Arbitrary<Step>

const history = fc.array(
  fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    together: fc.boolean(),
    fails: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
)

function play(store: TestStore, steps: readonly Step[], inside: boolean): void {
  for (const step of steps) {
    store.now += 1000
    if (step.do === 'put') store.put(step.body, { id: step.id, kind: step.kind })
    else if (step.do === 'forget') store.forget(step.id)
    else if (step.do === 'catchUpWithin' && inside) store.projection.catchUpInTransaction()
    else if (step.do === 'derive' && !inside) store.projection.step(step.limit)
    else if (step.do === 'catchUp' && !inside) store.projection.catchUp()
  }
}

describe('derived rows', () => {
  test('equal a full rebuild after any history, undone transactions included', () => {
    fc.assert(
      fc.property(history, (transactions) => {
        const store = open()
        for (const { steps, together, fails } of transactions) {
          if (!together) play(store, steps, false)
          else if (!fails) store.db.transaction(() => play(store, steps, true))
          else {
            const undone = () =>
              store.db.transaction(() => {
                play(store, steps, true)
                throw new Error('undone')
              })
            expect(undone).toThrow('undone')
          }
        }
        const records = store.db.get<{ n: number }>('SELECT count(*) AS n FROM records')?.n ?? 0
        expect(store.projection.lagCount()).toBeLessThanOrEqual(records)
        const live = store.db.all<{ kind: string }>(
          'SELECT kind FROM records WHERE deleted = 0 ORDER BY kind',
        )
        const counts = Object.fromEntries(
          live.map(({ kind }) => [kind, live.filter((row) => row.kind === kind).length]),
        )
        expect(store.queries.countsByKind()).toEqual(counts)
        store.projection.catchUp()
        expect(store.projection.lagCount()).toBe(0)
        expect(store.queries.countsByKind()).toEqual(counts)
        expect(store.queries.indexedCount()).toBe(live.length)
        expect(derived(store)).toEqual(rebuilt(store))
        opened.splice(0).forEach((db) => db.close())
      }),
      { numRuns: 300 },
    )
  })

  test('can be caught up inside the transaction of a change', () => {
    const store = open()
    store.put({ cites: ['b'] }, { id: 'a' })
    store.projection.catchUp()
    store.db.transaction(() => {
      store.put({ cites: ['c'] }, { id: 'a' })
      store.projection.catchUpInTransaction()
      expect(store.queries.citing('b')).toEqual([])
      expect(store.queries.citing('c')).toEqual([{ id: 'a', kind: 'thing', path: 'cites' }])
    })
  })

  test('are made for many records in bounded steps', () => {
    const store = open()
    store.db.transaction(() => {
      for (let i = 0; i < 5000; i++) store.put({ title: 'red' }, { id: `r-${i}` })
    })
    expect(store.projection.lagCount()).toBe(5000)
    expect(store.projection.step(500)).toBe(true)
    expect(store.projection.lagCount()).toBe(4500)
    store.projection.catchUp()
    expect(store.projection.lagCount()).toBe(0)
    expect(store.projection.step(500)).toBe(false)
    expect(store.queries.search({ text: 'red', limit: 1000 })).toHaveLength(1000)
  })

  test('are made for large records a few at a time, also for a read that pauses between', async () => {
    const store = open()
    const note = 'blue '.repeat(60_000)
    const putAll = () => {
      for (let i = 0; i < 12; i++) store.put({ title: 'red', note }, { id: `r-${i}` })
    }
    putAll()
    expect(store.projection.step(100)).toBe(true)
    expect(store.projection.lagCount()).toBe(10)
    while (store.projection.step(100));
    // Changed ones, which were derived before, are taken in as small pages.
    putAll()
    expect(store.projection.step(100)).toBe(true)
    expect(store.projection.lagCount()).toBe(10)
    let pauses = 0
    const read = createReads(store.projection, () => Promise.resolve(void (pauses += 1)))
    expect(await read(() => store.queries.search({ text: 'red', limit: 100 }))).toHaveLength(12)
    expect(store.projection.lagCount()).toBe(0)
    expect(pauses).toBeGreaterThan(2)
  })

  test('are caught up before every question', () => {
    const store = open()
    store.put({ title: 'red', at: '2026-01-31T12:00:00.000Z', cites: ['b'] }, { id: 'a' })
    expect(store.queries.search({ text: 'red' })).toHaveLength(1)
    store.put({ title: 'blue', at: '2026-01-31T12:00:00.000Z', place: 'there' }, { id: 'a' })
    expect(store.queries.query({ kind: 'thing', filters: { place: 'there' } }).records).toHaveLength(1)
    expect(store.queries.search({ text: 'red' })).toHaveLength(0)
    store.forget('a')
    expect(store.queries.count({ kind: 'thing', by: 'day' }).total).toBe(0)
  })
})
