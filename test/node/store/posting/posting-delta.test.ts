// Questions that are asked before what was written is derived: the same answers as after, from the postings, where
// they can.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import { markId } from '../../../../src/core/mark.ts'
import { ProjectionBehindError } from '../../../../src/store/record/projection.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'
import { fill, vocabulary } from './posting-case.ts'

const kinds = [
  makeKind({
    name: 'note',
    text: ['title', 'note', '@when'],
    facets: { happened_at: 'at', importance: 'weight', pinned: 'kept' },
    recallable: (body) => !('hidden' in body),
    expires: 'ends',
    names: ['title'],
  }),
  makeKind({ name: 'fact', text: ['title'], cites: [{ path: 'instead', supersedes: true }] }),
  makeKind({ name: 'mark', marks: 'about', recallable: false }),
]

const opened: TestStore[] = []
afterEach(() => opened.splice(0).forEach(({ db }) => db.close()))

function open(): TestStore {
  const store = openTestStore(kinds, { textIndex: true })
  opened.push(store)
  return store
}

const words = fc.array(fc.constantFrom(...vocabulary), { maxLength: 6 }).map((all) => all.join(' '))
/** Most are as traces and messages are; of the others each has something that must be derived first. */
const plain = fc.record({
  title: words,
  note: words,
  at: fc.constantFrom('2026-01-31T12:00:00.000Z', '2026-02-01T12:00:00.000Z'),
})
const odd = fc.constantFrom<JsonObject>(
  { hidden: true },
  { weight: 0.9 },
  { kept: true },
  { ends: '2026-01-01T00:00:00.000Z' },
  { ends: 'never' },
)
const id = fc.nat(20).map((n) => `r-${n}`)
const put = fc.record({ id, kind: fc.constant('note'), body: plain, session: fc.option(fc.constant('s')) })
const write = fc.oneof(
  { weight: 30, arbitrary: put },
  {
    weight: 2,
    arbitrary: fc.tuple(put, odd).map(([one, more]) => ({ ...one, body: { ...one.body, ...more } })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(id, id).map(([one, instead]) => ({
      id: `f-${one}`,
      kind: 'fact',
      body: { title: 'red', instead: `f-${instead}` },
    })),
  },
  {
    weight: 1,
    arbitrary: id.map((about) => ({ id: markId(about), kind: 'mark', body: { about, importance: 0.9 } })),
  },
  { weight: 2, arbitrary: id.map((forgotten) => ({ forgotten })) },
  { weight: 1, arbitrary: id.map((used) => ({ used })) },
)
/** As the index spells them; some of them are nowhere, or only the beginning of a word. */
const asked = ['red', 'blue', 'green', 'test', 'été', 'x1', 'januari', 'absent', 'tezt', 'gre']
const batches = fc.array(
  fc.record({
    writes: fc.array(write, { maxLength: 12 }),
    end: fc.constantFrom('nothing', 'nothing', 'derive some', 'derive', 'undo'),
    question: fc.uniqueArray(fc.constantFrom(...asked), { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 8 },
)

type Write =
  | { forgotten: string }
  | { used: string }
  | { id: string; kind: string; body: object; session?: string | null }

function apply(store: TestStore, one: Write): void {
  if ('forgotten' in one) store.forget(one.forgotten)
  else if ('used' in one) useOne(store, one.used)
  else {
    const { body, session, ...head } = one
    store.put(body as JsonObject, session ? { ...head, session } : head)
  }
}

function useOne({ db, projection, records }: TestStore, used: string): void {
  const row = records.row(used)
  if (!row) return
  db.run('INSERT OR REPLACE INTO uses (seq, count, last_at) VALUES (?, 1, ?)', [
    row.seq,
    '2026-01-01T00:00:00.000Z',
  ])
  projection.notifyChanged(row.seq)
}

const undo = new Error('undone')

function live(
  store: TestStore,
  { writes, end }: { readonly writes: readonly Write[]; readonly end: string },
): void {
  try {
    store.db.transaction(() => {
      for (const one of writes) apply(store, one)
      if (end === 'undo') throw undo
    })
  } catch (error) {
    if (error !== undo) throw error
  }
  if (end === 'derive some') store.projection.step(3)
  if (end === 'derive') store.projection.catchUp()
}

/** All that a recall asks of a store. */
function ask({ queries }: TestStore, question: readonly string[]) {
  const found = queries.candidates({ words: question, match: 'any', limit: 50 })
  const seqs = found.map(({ seq }) => seq)
  const list = <Key extends string | number, Value>(map: ReadonlyMap<Key, Value>) =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  // A session has a number here and its name there.
  const places = [...queries.neighbours(seqs, {})].map(([seq, { session, ...beside }]) => ({
    seq,
    ...beside,
    alone: session === undefined,
  }))
  return {
    found: found.map(({ seq, happenedAtMs, score, rank }) => [seq, happenedAtMs, score.toPrecision(9), rank]),
    places,
    weighed: list(queries.rankWeights(seqs, {})),
    counts: queries.termCounts(seqs, question),
    frequencies: question.map((term) => queries.frequencies([term]).get(term) ?? 0),
    begun: question.map((term) => queries.completion(term)),
    resembling: question.map((term) => list(queries.similarTerms(term, 1))),
    named: list(queries.names(seqs)),
    totals: queries.totals(),
    size: queries.indexedCount(),
  }
}

describe('questions before what was written is derived', () => {
  test('have the answers that they have after it', () => {
    let ahead = 0
    fc.assert(
      fc.property(batches, (past) => {
        const store = open()
        let question: readonly string[] = []
        let before
        for (const batch of past) {
          live(store, batch)
          question = batch.question
          before = ask(store, question)
        }
        if (store.projection.isBehind()) ahead += 1
        // The text index counts what was in it, so it is the same book that is asked once more.
        expect(ask(openTestStore(kinds, { db: store.db }), question)).toEqual(before)
        store.settings.clearCache()
        store.projection.catchUp()
        expect(ask(store, question)).toEqual(before)
        fill(store)
        expect(ask(store, question)).toEqual(before)
        opened.pop()?.db.close()
      }),
      { numRuns: 150 },
    )
    expect(ahead).toBeGreaterThan(30)
  })
  test('take many records in slices, and say so to a read that has no patience for them', () => {
    const store = open()
    const title = (i: number) => ({ title: `red t${i}` })
    store.db.transaction(() => Array.from({ length: 300 }, (_, i) => store.put(title(i))))
    const find = () => store.queries.candidates({ words: ['red', 't7'], match: 'any', limit: 5 })
    const { projection } = store
    let late: unknown
    try {
      projection.startRead(find, 10)
    } catch (error) {
      late = error
    }
    expect(late).toBeInstanceOf(ProjectionBehindError)
    let slices = 1
    while ((late as ProjectionBehindError).step(50)) slices += 1
    expect(slices).toBe(7)
    const found = projection.startRead(find, 10)
    expect(projection.derivedSeq()).toBe(0)
    fill(store)
    expect(projection.derivedSeq()).toBe(300)
    expect(find()).toEqual(found)
  })
  test('go on from what was kept when a book is opened again, and from nothing that does not fit it', () => {
    const store = open()
    const title = (i: number) => ({ title: `red t${i}` })
    const putMany = (to: TestStore, from: number, count: number) =>
      to.db.transaction(() =>
        Array.from({ length: count }, (_, i) => to.put(title(from + i), { id: `n-${from + i}` })),
      )
    putMany(store, 0, 300)
    fill(store)
    const again = openTestStore(kinds, { db: store.db, textIndex: true })
    putMany(again, 300, 200)
    const before = ask(again, ['red', 't7'])
    expect(again.projection.derivedSeq()).toBe(300)
    again.projection.catchUp()
    expect(ask(again, ['red', 't7'])).toEqual(before)
    fill(again)
    again.db.run('DELETE FROM facets WHERE seq = 7')
    again.db.run('DELETE FROM text_index WHERE rowid = 7')
    const damaged = openTestStore(kinds, { db: store.db, textIndex: true })
    putMany(damaged, 500, 200)
    const last = ask(damaged, ['red', 't7'])
    damaged.projection.catchUp()
    expect(ask(openTestStore(kinds, { db: store.db }), ['red', 't7'])).toEqual(last)
  })
})
