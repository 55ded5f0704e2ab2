// Full-text search with whatever users type, held against a reading of the texts in JavaScript.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import {
  parseSearch,
  matchesWords,
  textQueryLimits,
  queryWords,
} from '../../../../src/store/word/text-query.ts'
import { textsOfRecord } from '../../../../src/store/word/text.ts'
import { tokenize } from '../../../../src/store/word/tokenize.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

const kind = makeKind({
  text: ['title', 'result.outcome', '@when', 'action.deep.note', 'tags'],
  facets: { happened_at: 'at' },
})
const at = '2026-01-31T12:00:00.000Z'

let store: TestStore | undefined
afterEach(() => store?.db.close())

function fill(bodies: readonly JsonObject[]): TestStore {
  store?.db.close()
  const book = (store = openTestStore([kind]))
  book.db.transaction(() => bodies.forEach((body, i) => book.put({ at, ...body }, { id: `r-${i}` })))
  return book
}

const search = (book: TestStore, text: string, more: object = {}) =>
  book.queries.search({ text, kind: 'thing', limit: 1000, ...more }).map(({ record }) => record.id)

const syntax = [
  '"',
  "'",
  '*',
  '^',
  '(',
  ')',
  '{',
  '}',
  ':',
  '+',
  '-',
  ',',
  '.',
  ';',
  '--',
  '/*',
  '\0',
  '\n',
  '\\',
  '%',
  '$',
  '?',
  '\u0301',
  '\ud800',
  '😀',
  '🦆',
]
const keywords = [
  'AND',
  'OR',
  'NOT',
  'NEAR',
  'NEAR(a b, 2)',
  't0',
  't0:',
  '{t0 t1} :',
  '- t0 :',
  'rank',
  'text_index',
  '""',
  '"a',
  'a"*',
  '^a',
  'a*',
]
const plain = [
  'red',
  'blue',
  'running',
  'runs',
  'naïve',
  'Straße',
  'ΣΊΣΥΦΟΣ',
  'हिन्दी',
  '日本語',
  'ᎠᎡ',
  '𞤀𞤁',
  'İstanbul',
  'ǅ',
  '5°',
  'ok🦆',
  'ok😀',
]
const word = fc.oneof(
  fc.constantFrom(...plain),
  fc.constantFrom(...keywords),
  fc.constantFrom(...syntax),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const sentence = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '', '\t', '-')), { maxLength: 6 })
  .map((parts) => parts.flat().join(''))
const how = fc.record({ match: fc.constantFrom('any' as const, 'all' as const), prefix: fc.boolean() })

describe('words of a user', () => {
  test('are never syntax: what is found is what has the words', () => {
    const body = fc.record({ title: sentence, tags: fc.array(sentence, { maxLength: 2 }) })
    fc.assert(
      fc.property(
        fc.array(body, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(sentence, how), { minLength: 1, maxLength: 10 }),
        (bodies, questions) => {
          const book = fill(bodies)
          for (const [text, how] of questions) {
            const { words, isOpen } = parseSearch(text)
            const asked = { ...how, prefix: how.prefix === true && isOpen }
            const has = (body: JsonObject) => matchesWords(textsOfRecord(kind, body, at), words, asked)
            const expected = bodies.flatMap((body, i) => (words.length > 0 && has(body) ? [`r-${i}`] : []))
            expect({ text, how, ids: search(book, text, how).toSorted() }).toEqual({
              text,
              how,
              ids: expected.toSorted(),
            })
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  test('find the text they were taken from, in any script', () => {
    const letter = fc.oneof(
      ...[
        [0x41, 0x24f],
        [0x300, 0x34f],
        [0x370, 0x52f],
        [0x1e00, 0x1fff],
        [0x900, 0xdff],
        [0x13a0, 0x13ff],
        [0x1c80, 0x1cbf],
        [0xa640, 0xa7ff],
      ].map(([min = 0, max = 0]) => fc.integer({ min, max })),
      ...[
        [0x10400, 0x104ff],
        [0x1e900, 0x1e95f],
        [0x1f300, 0x1faff],
      ].map(([min = 0, max = 0]) => fc.integer({ min, max })),
    )
    const text = fc
      .array(fc.oneof({ weight: 6, arbitrary: letter }, { weight: 1, arbitrary: fc.constant(0x20) }), {
        minLength: 1,
        maxLength: 12,
      })
      .map((codes) => String.fromCodePoint(...codes))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 30 }), (texts) => {
        const book = fill(texts.map((title) => ({ title })))
        texts.forEach((text, i) => {
          const found = search(book, text, { match: 'all' }).includes(`r-${i}`)
          expect({ text, found }).toEqual({ text, found: queryWords(text).length > 0 })
        })
      }),
      { numRuns: 60 },
    )
  })

  test('are bounded, and a cut never splits into syntax', () => {
    const book = fill([{ title: 'needle hay' }])
    const many = Array.from({ length: 5000 }, (_, i) => `w${i}`).join(' ')
    expect(queryWords(many)).toHaveLength(textQueryLimits.words)
    expect(search(book, `needle ${many}`)).toEqual(['r-0'])
    expect(search(book, `${many} needle`)).toEqual([])
    expect(search(book, `${'x'.repeat(textQueryLimits.length - 1)}🙂`)).toEqual([])
    expect(search(book, 'a'.repeat(100_000))).toEqual([])
  })

  test('that leave nothing in the index are left out', () => {
    const book = fill([{ title: 'dog' }])
    expect(search(book, 'dog \u0301', { match: 'all' })).toEqual(['r-0'])
    expect(search(book, '\u0301 ☃')).toEqual([])
    expect(queryWords('dog DOG Dog dög ☃')).toEqual(['dog'])
  })

  test('may end in the beginning of one, a phrase only in its last part', () => {
    expect(matchesWords(['a cd'], ['a c'], { prefix: true })).toBe(true)
    expect(matchesWords(['ab c'], ['a c'], { prefix: true })).toBe(false)
    expect(matchesWords(['ab', 'c'], ['ab', 'c'], { match: 'all' })).toBe(true)
    expect(matchesWords(['a', 'c'], ['a c'])).toBe(false)
  })

  test('are folded as the index folds them', () => {
    const book = fill([{ title: 'Grüße aus İstanbul, naïve ᎠᎡ ΣΊΣΥΦΟΣ' }])
    for (const text of ['GRUSSE', 'grüße', 'GRÜßE', 'istanbul', 'İSTANBUL', 'naive', 'ᎠᎡ', 'σίσυφος']) {
      expect({ text, found: search(book, text).length > 0 }).toEqual({ text, found: text !== 'GRUSSE' })
    }
  })
})

describe('hits', () => {
  test('come best first, newest first among equals, a page at a time', () => {
    const book = fill([
      { title: 'red' },
      { title: 'red red red' },
      { title: 'red' },
      { title: 'blue and a long text besides red' },
    ])
    const all = book.queries.search({ text: 'red', kind: 'thing' })
    expect(all.map(({ record }) => record.id)).toEqual(['r-1', 'r-2', 'r-0', 'r-3'])
    expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).toSorted((a, b) => b - a))
    const paged = [0, 1, 2, 3, 4].flatMap((offset) => search(book, 'red', { limit: 1, offset }))
    expect(paged).toEqual(['r-1', 'r-2', 'r-0', 'r-3'])
  })

  test('are of any kind when none is named', () => {
    const other = makeKind({ name: 'other', text: ['note'] })
    store?.db.close()
    const book = (store = openTestStore([kind, other]))
    book.put({ at, title: 'red' }, { id: 'a' })
    book.put({ note: 'red' }, { id: 'b', kind: 'other' })
    expect(search(book, 'red', { kind: undefined }).toSorted()).toEqual(['a', 'b'])
    expect(search(book, 'red', { kind: 'other' })).toEqual(['b'])
    expect(search(book, 'red', { kind: undefined, filters: { agent: 'tester', kind: 'thing' } })).toEqual([
      'a',
    ])
  })

  test('are what a phrase means when the index parts a word', () => {
    const book = fill([{ title: 'हिन्दी' }, { title: 'दी हिन' }])
    expect(tokenize('हिन्दी').length).toBeGreaterThan(1)
    expect(search(book, 'हिन्दी')).toEqual(['r-0'])
  })
})
