// Candidates of a recall: the short way, through the best of the index, and the way through every match give the same.
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

const recallable = (body: object) => !('hidden' in body)
const kinds = [
  makeKind({ text: ['text'], facets: { happened_at: 'at' }, recallable }),
  makeKind({ name: 'other', text: ['text'], recallable }),
]

let store: TestStore | undefined
afterEach(() => store?.db.close())

const body = fc.record(
  {
    // Many of one text: equals must be ordered too, also where the short way stops among them.
    text: fc.oneof(
      { weight: 3, arbitrary: fc.constant('red') },
      {
        weight: 2,
        arbitrary: fc
          .array(fc.constantFrom('red', 'blue', 'green'), { maxLength: 5 })
          .map((words) => words.join(' ')),
      },
    ),
    at: fc.constantFrom('2026-01-31T12:00:00.000Z', '2026-02-01T12:00:00.000Z'),
    hidden: fc.constant(true),
  },
  { requiredKeys: ['text', 'at'] },
)
const record = fc.tuple(body, fc.constantFrom('thing', 'thing', 'other'))

test('are the best matches that may be recalled, however they are found', () => {
  let cut = 0
  fc.assert(
    fc.property(
      fc.array(record, { minLength: 1, maxLength: 80, size: 'max' }),
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom(undefined, ['thing'], ['other', 'thing']),
      (records, limit, asked) => {
        store?.db.close()
        const book = (store = openTestStore(kinds))
        book.db.transaction(() =>
          records.forEach(([body, kind], i) => book.put(body, { kind, id: `r-${i}` })),
        )
        const questions = [
          [['red'], 'any'],
          [['red', 'blue'], 'any'],
          [['green'], 'any'],
          [['red', 'green'], 'all'],
        ] as const
        for (const [words, match] of questions) {
          const question = { words, match, limit, kinds: asked }
          const short = book.queries.candidates(question)
          // An empty filter changes nothing but the way.
          const long = book.queries.candidates({ ...question, filters: {} })
          expect(short).toEqual(long)
          const records = [...book.queries.read(short.map(({ seq }) => seq)).values()]
          expect(records.every((one) => !('hidden' in one))).toBe(true)
          if (short.length === limit) cut += 1
        }
      },
    ),
    { numRuns: 100 },
  )
  expect(cut).toBeGreaterThan(10)
})
