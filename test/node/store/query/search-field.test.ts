// Search within fields, at any depth, held against an index of exactly their texts.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { collectText } from '../../../../src/core/kind.ts'
import { type Json, type JsonObject, readPath } from '../../../../src/core/json/path.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { matchExpression, queryWords } from '../../../../src/store/word/text-query.ts'
import { textsOfRecord } from '../../../../src/store/word/text.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

const kind = makeKind({
  text: ['title', 'result.outcome', '@when', 'action.deep.note', 'tags'],
  facets: { happened_at: 'at' },
})
const at = '2026-01-31T12:00:00.000Z'

const how = fc.record({ match: fc.constantFrom('any' as const, 'all' as const), prefix: fc.boolean() })

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

/** What FTS5 finds in an index of these texts alone, each record a row with as many columns. */
function oracle(
  rows: readonly (readonly string[])[],
  text: string,
  how: { match: 'any' | 'all'; prefix: boolean },
): string[] {
  const expression = matchExpression(queryWords(text), how)
  if (expression === undefined) return []
  const db = openNodeDatabase({ path: ':memory:' })
  try {
    const names = rows[0]?.map((_, i) => `c${i}`) ?? []
    db.exec(
      `CREATE VIRTUAL TABLE x USING fts5 (${names.join(', ')}, tokenize = 'porter unicode61 remove_diacritics 2')`,
    )
    rows.forEach((texts, i) =>
      db.run(`INSERT INTO x (rowid, ${names.join(', ')}) VALUES (?, ${names.map(() => '?').join(', ')})`, [
        i,
        ...texts,
      ]),
    )
    return db
      .all<{ rowid: number }>('SELECT rowid FROM x WHERE x MATCH ? ORDER BY rowid', [expression])
      .map(({ rowid }) => `r-${rowid}`)
  } finally {
    db.close()
  }
}

describe('fields', () => {
  const text = fc
    .array(fc.constantFrom('red', 'blue', 'runs', 'run-time', 'note', 'a', 'score'), { maxLength: 3 })
    .map((words) => words.join(' '))
  const leaf: fc.Arbitrary<Json> = fc.oneof(
    text,
    fc.array(text, { maxLength: 2 }),
    fc.record({ note: text, score: text }),
    fc.constantFrom(5, null, true),
  )
  const body = fc.record(
    {
      title: leaf,
      tags: leaf,
      result: fc.record({
        outcome: fc.oneof(leaf, fc.record({ feedback: leaf, score: leaf, a: fc.record({ note: leaf }) })),
      }),
      action: fc.record({ deep: fc.record({ note: leaf }) }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>
  const field = fc.constantFrom(
    'title',
    'title.note',
    'tags',
    'tags.score',
    'result',
    'result.outcome',
    'result.outcome.feedback',
    'result.outcome.a.note',
    'result.outcome.nowhere',
    'action',
    'action.deep',
    'action.deep.note',
    'action.deep.note.score',
    '@when',
  )

  /** The texts of `field`: of each declared field within it, or what stands at exactly its path. */
  const textsAt = (body: JsonObject, field: string): string[] => {
    const all = textsOfRecord(kind, body, at)
    const within = kind.text.flatMap((path, i) =>
      path === field || path.startsWith(`${field}.`) ? [all[i] ?? ''] : [],
    )
    return within.length > 0 ? within : [collectText(readPath(body, field)).join(' ')]
  }

  test('restrict a search to what stands exactly there, at any depth', () => {
    let hits = 0
    fc.assert(
      fc.property(
        fc.array(body, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(text, fc.array(field, { minLength: 1, maxLength: 3 }), how), {
          minLength: 1,
          maxLength: 8,
        }),
        (bodies, questions) => {
          const book = fill(bodies)
          for (const [text, fields, how] of questions) {
            const expected = oracle(
              bodies.map((body) => fields.flatMap((field) => textsAt(body, field))),
              text,
              how,
            )
            expect({ text, fields, how, ids: search(book, text, { fields, ...how }).toSorted() }).toEqual({
              text,
              fields,
              how,
              ids: expected.toSorted(),
            })
            hits += expected.length
          }
        },
      ),
      { numRuns: 150 },
    )
    expect(hits).toBeGreaterThan(50)
  })

  test('below a declared one are looked through until enough is found', () => {
    const book = fill(
      Array.from({ length: 350 }, (_, i) => ({
        result: {
          outcome:
            i % 50 === 7
              ? { feedback: 'needle', other: 'hay' }
              : { feedback: 'hay', other: 'needle needle needle' },
        },
      })),
    )
    const found = search(book, 'needle', { fields: ['result.outcome.feedback'], limit: 5 })
    expect(found).toEqual(['r-307', 'r-257', 'r-207', 'r-157', 'r-107'])
    expect(
      search(book, 'hay needle', { fields: ['result.outcome.other', 'result.outcome.feedback'] }),
    ).toHaveLength(350)
    const rest = search(book, 'needle', { fields: ['result.outcome.feedback'], limit: 5, offset: 5 })
    expect(rest).toEqual(['r-57', 'r-7'])
    expect(
      search(book, 'needle', { fields: ['result.outcome.feedback', 'result.outcome'], limit: 3 }),
    ).toHaveLength(3)
    expect(search(book, 'needle', { fields: ['result.outcome.feedback'], filters: { id: 'r-57' } })).toEqual([
      'r-57',
    ])
  })

  test('do not take a name for a text', () => {
    const book = fill([{ result: { outcome: { feedback: 'good' } } }])
    expect(search(book, 'feedback', { fields: ['result.outcome'] })).toEqual(['r-0'])
    expect(search(book, 'feedback', { fields: ['result.outcome.feedback'] })).toEqual([])
  })

  test.each([
    'nowhere',
    'resul',
    'result.outcomes',
    'titles',
    '',
    '.',
    'title.',
    'title..x',
    '@when.day',
    '__proto__',
    'at',
  ])('refuse %j, and name those there are', (field) => {
    const book = fill([])
    const asked = () => search(book, 'x', { fields: ['title', field] })
    const details = { path: 'fields.1', searchable: ['title', 'result.outcome', 'action.deep.note', 'tags'] }
    expect(asked).toThrow(expect.objectContaining({ code: 'invalid-input', details }) as Error)
  })

  test('need a kind', () => {
    const book = fill([])
    expect(() => search(book, 'x', { kind: undefined, fields: ['title'] })).toThrow(
      expect.objectContaining({ code: 'invalid-input', details: { path: 'kind' } }) as Error,
    )
  })
})
