// What the tests of postings share: kinds, histories of a book, and the comparison of whatever answers from memory
// with FTS5 and with a store that has nothing in memory.
import fc from 'fast-check'
import { expect } from 'vitest'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import { createKinds } from '../../../../src/core/kind.ts'
import { createQueryStore, type QueryStore } from '../../../../src/store/query/query-store.ts'
import { tokenize } from '../../../../src/store/word/tokenize.ts'
import { makeKind, type TestStore } from '../../../support/test-store.ts'

export const kinds = [
  makeKind({
    text: ['title', 'note', '@when'],
    facets: { happened_at: 'at', domain: 'place', importance: 'weight', pinned: 'kept' },
    recallable: (body) => !('hidden' in body),
    expires: 'ends',
    cites: [{ path: 'instead', supersedes: true }],
  }),
  makeKind({ name: 'other', text: ['note'] }),
]

export const fill = ({ projection, textIndex }: TestStore) => {
  projection.catchUp()
  while (textIndex?.step(7));
  expect(textIndex?.state().state).toBe('warm')
}

const isNear = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))

/** The same rows in the same order; of rows whose scores differ by a rounding, either may come first. */
export function expectSame(
  found: readonly { seq: number; score: number }[],
  wanted: readonly { seq: number; score: number }[],
): void {
  expect(found.map(({ seq }) => seq)).toEqual(wanted.map(({ seq }) => seq))
  found.forEach(({ score }, i) => expect(isNear(score, wanted[i]?.score ?? NaN)).toBe(true))
}

/** Asks the postings and FTS5 the same. */
export function compare(store: TestStore, words: readonly string[], limit: number): number {
  const expression = words.map((word) => `"${word}"`).join(' OR ')
  const wanted = store.db.all<{ seq: number; score: number }>(
    `SELECT rowid AS seq, -bm25(text_index) AS score FROM text_index WHERE text_index MATCH ?
     ORDER BY score DESC, rowid DESC LIMIT ?`,
    [expression, limit],
  )
  const terms = words.flatMap((word) => tokenize(word))
  const found = store.textIndex?.search(terms, limit) ?? []
  expectSame(found, wanted)
  const rowsWith = words.map(
    (word) =>
      new Set(
        store.db
          .all<{ seq: number }>('SELECT rowid AS seq FROM text_index WHERE text_index MATCH ?', [`"${word}"`])
          .map(({ seq }) => seq),
      ),
  )
  for (const { seq, matchedTerms } of found) {
    const there = words.filter((_, i) => rowsWith[i]?.has(seq))
    expect(matchedTerms).toEqual([...new Set(there.flatMap((word) => tokenize(word)))])
  }
  return found.length
}

const bySeq = <Value>(map: ReadonlyMap<number, Value>) => [...map].sort(([a], [b]) => a - b)

/** Asks the store, which has the postings, and another way to the same book, which has not. */
export function compareStores(store: TestStore, words: readonly string[], limit: number): void {
  const plain = createQueryStore({
    db: store.db,
    kinds: createKinds(kinds),
    projection: store.projection,
    clock: { now: () => store.now },
  })
  const bare = ({ seq, happenedAtMs, rank }: ReturnType<typeof plain.candidates>[number]) => [
    seq,
    happenedAtMs,
    rank,
  ]
  const scopes = [
    {},
    { kinds: ['thing'] },
    { session: 's' },
    { filters: { place: 'here' }, kinds: ['thing'] },
  ]
  for (const scope of scopes) {
    const question = { words, match: 'any' as const, limit, ...scope }
    const found = store.queries.candidates(question)
    const wanted = plain.candidates(question)
    expectSame(found, wanted)
    expect(found.map(bare)).toEqual(wanted.map(bare))
    expect(found.every(({ matchedTerms }) => matchedTerms !== undefined)).toBe(true)
    const seqs = found.map(({ seq }) => seq)
    expect(store.queries.neighbours(seqs, scope).size).toBe(seqs.length)
    // A session has a number here and its name there.
    const beside = (queries: QueryStore) =>
      [...queries.neighbours(seqs, scope)].map(([seq, { session, before, after }]) => [
        seq,
        session !== undefined,
        before,
        after,
      ])
    expect(beside(store.queries)).toEqual(beside(plain))
    expect(bySeq(store.queries.rankWeights(seqs, scope))).toEqual(bySeq(plain.rankWeights(seqs, scope)))
    const counted = (queries: QueryStore) => queries.termCounts(seqs, ['red', 'test', 'absent'])
    expect(counted(store.queries)).toEqual(counted(plain))
  }
  const searches = [
    {},
    { filters: { place: 'here' } },
    { filters: { place: { ne: 'here' } } },
    { match: 'all' as const },
    { prefix: true },
    { fields: ['note'] },
  ]
  for (const how of searches) {
    const query = { text: words.join(' ').slice(0, -1), kind: 'thing', limit, offset: 1, ...how }
    const ids = (queries: QueryStore) => queries.search(query).map(({ record }) => record.id)
    expect(ids(store.queries)).toEqual(ids(plain))
  }
  const terms = [...new Set(words.flatMap((word) => tokenize(word)))]
  for (const term of terms)
    expect(store.queries.frequencies([term]).get(term) ?? 0).toBe(plain.frequencies([term]).get(term) ?? 0)
}

export const vocabulary = ['red', 'reds', 'blue', 'green', 'testing', 'tests', 'été', 'x1', 'january']
const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...vocabulary), { maxLength: 8 }).map((all) => all.join(' ')),
  },
  // More often than a byte holds.
  { weight: 1, arbitrary: fc.integer({ min: 250, max: 600 }).map((n) => 'red '.repeat(n)) },
)
const body = fc.record(
  {
    title: text,
    note: text,
    at: fc.constantFrom('2026-01-31T12:00:00.000Z', '2026-02-01T12:00:00.000Z'),
    place: fc.constantFrom('here', 'there'),
    hidden: fc.constant(true),
    ends: fc.constantFrom('2026-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z'),
    instead: fc.nat(24).map((n) => `r-${n}`),
    weight: fc.constantFrom(0.2, 0.9),
    kept: fc.boolean(),
  },
  { requiredKeys: ['title'] },
)
export type Step =
  | {
      readonly do: 'put'
      readonly id: number
      readonly kind: string
      readonly session: boolean
      readonly body: object
    }
  | { readonly do: 'forget'; readonly id: number }
  | { readonly do: 'derive' | 'deriveWithin' | 'fill' | 'step' }
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      id: fc.nat(24),
      kind: fc.constantFrom('thing', 'thing', 'other'),
      session: fc.boolean(),
      body,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('forget' as const), id: fc.nat(24) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('derive', 'deriveWithin', 'fill', 'step') }) },
)
/** Steps that commit together, or that are all undone. */
export const history = fc.array(
  fc.record({ steps: fc.array(step, { maxLength: 12 }), undone: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 12,
  },
)
const undo = new Error('undone')

export function live(
  store: TestStore,
  past: readonly { readonly steps: readonly Step[]; readonly undone: boolean }[],
): void {
  for (const { steps, undone } of past) {
    const inside = steps.filter((one) => one.do !== 'derive' && one.do !== 'fill' && one.do !== 'step')
    try {
      store.db.transaction(() => {
        for (const one of inside) {
          if (one.do === 'put')
            store.put(one.body as JsonObject, {
              id: `r-${one.id}`,
              kind: one.kind,
              ...(one.session ? { session: 's' } : {}),
            })
          else if (one.do === 'forget') store.forget(`r-${one.id}`)
          else store.projection.catchUpInTransaction()
        }
        if (undone) throw undo
      })
    } catch (error) {
      if (error !== undo) throw error
    }
    for (const one of steps) {
      if (one.do === 'derive') store.projection.step(3)
      else if (one.do === 'step') store.textIndex?.step(2)
      else if (one.do === 'fill') fill(store)
    }
  }
}
