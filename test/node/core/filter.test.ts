// The SQL of a filter, held against its meaning in plain JavaScript, on random records and random filters.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { filterLimits, matchesFilter, parseFilters } from '../../../src/core/filter/filter.ts'
import { resolveTimes } from '../../../src/core/filter/filter-time.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import { toRecord } from '../../../src/store/schema/record-row.ts'
import { body, facets, filterFor, heads } from '../../support/arbitrary.ts'
import { meant, refusalOf } from '../../support/filter-meaning.ts'
import { makeKind, openTestStore, type TestStore } from '../../support/test-store.ts'

const kind = makeKind({ facets })
let store: TestStore | undefined
afterEach(() => store?.db.close())

function clear({ db }: TestStore): void {
  db.exec('DELETE FROM records; DELETE FROM facets; DELETE FROM links; DELETE FROM ops; DELETE FROM book')
}

/** Whether a record with this body is found, by SQL and by plain JavaScript alike. */
function isFound(book: TestStore, body: JsonObject, filters: unknown): boolean {
  clear(book)
  const record = toRecord(book.put(body, { id: 'r-0' }))
  const meant = matchesFilter(resolveTimes(parseFilters(filters), kind), record)
  expect({ filters, found: book.queries.query({ kind: 'thing', filters }).records.length === 1 }).toEqual({
    filters,
    found: meant,
  })
  return meant
}

const at = '2026-01-31T12:00:00.000Z'
const noon: [body: JsonObject, filters: Record<string, unknown>, found: boolean][] = [
  [{}, { at }, true],
  [{}, { at: '2026-01-31' }, true],
  [{}, { at: '2026-01-30' }, false],
  [{}, { at: '2026-01-31T13:00+01:00' }, true],
  [{}, { at: { ne: '2026-01-31' } }, false],
  [{}, { at: ['2026-01-31', '2026-02-01'] }, true],
  [{}, { at: ['2026-02-01', '2026-01-31T13:00+01:00'] }, true],
  [{}, { at: ['2026-02-01'] }, false],
  [{}, { at: { gt: '2026-01-31' } }, false],
  [{}, { at: { gte: '2026-01-31' } }, true],
  [{}, { at: { lt: '2026-01-31' } }, false],
  [{}, { at: { lte: '2026-01-31' } }, true],
  [{}, { at: { gt: '2026-01-31T12:59+01:00' } }, true],
  [{}, { at: { lt: '2026-01-31T13:01+01:00' } }, true],
  [{}, { at: { contains: '2026-01' } }, true],
  [{ when: at }, { when: '2026-01-31' }, false],
]

const typed: typeof noon = [
  [{ free: [] }, { free: '[]' }, false],
  [{ free: { a: 1 } }, { free: ['{"a":1}'] }, false],
  [{ free: 'true' }, { free: true }, false],
  [{ free: 1 }, { free: true }, false],
  [{ free: 5 }, { free: '5' }, false],
  [{ free: null }, { free: { exists: true } }, true],
  [{ free: [1, [2], { x: 3 }] }, { free: { contains: 2 } }, false],
  [{ free: 2 ** 60 }, { free: 2 ** 60 }, true],
  [{ sure: 2 ** 60 }, { sure: [2 ** 60] }, true],
  [{ sure: true }, { sure: 1 }, false],
  [{ done: 1 }, { done: true }, false],
  [{ done: null }, { done: { exists: true } }, true],
  [{ name: 5 }, { name: '5' }, false],
  [{ name: 5 }, { name: { in: ['a', 5] } }, true],
  [{ name: ['a'] }, { name: { contains: 'a' } }, true],
  [{ name: '\ud800' }, { name: '\ufffd' }, false],
  [{ name: '\ud800' }, { name: { exists: true } }, true],
  [{ session: 'forged' }, { session: 'forged' }, false],
  [{ agent: { x: 1 } }, { 'agent.x': 1 }, false],
]

describe('filters', () => {
  test.each(noon)('on instants: %j %j %j', (body, filters, found) => {
    const book = (store = openTestStore([kind]))
    expect(isFound(book, { at, ...body }, filters)).toBe(found)
  })

  test.each(typed)('tell types apart: %j %j %j', (body, filters, found) => {
    const book = (store = openTestStore([kind]))
    expect(isFound(book, { at, ...body }, filters)).toBe(found)
  })

  test.each([[{ at: { lt: 5 } }], [{ not: { at: { lt: 5 } } }], [{ at: 'noon' }]])(
    'refuse what is no instant where one is compared: %j',
    (filters) => {
      const book = (store = openTestStore([kind]))
      const refusal = meant(filters, kind)
      expect(refusal).toEqual({ refused: expect.stringMatching(/^filters\.(?:not\.)?at(?:\.lt)?$/) })
      expect(refusalOf(() => book.queries.query({ kind: 'thing', filters }))).toEqual(refusal)
    },
  )

  const each: Record<string, unknown> = { eq: 'a', contains: 'a', in: ['a'], gt: 'a', exists: true }
  test.each(Object.entries(each))('may be as many as the limit says: %s', (operator, operand) => {
    const book = (store = openTestStore([kind]))
    const or = Array.from({ length: filterLimits.predicates }, (_, i) => ({
      [`free.x${i}`]: { [operator]: operand },
    }))
    expect(isFound(book, { at, free: { x29: 'ab' } }, { or })).toBe(operator !== 'eq' && operator !== 'in')
    book.queries.query({ kind: 'thing', filters: { or }, orderBy: ['free.a', 'free.b', 'free.c'] })
  })

  test('find in SQL what they mean in JavaScript', () => {
    const book = (store = openTestStore([kind]))
    let [asked, hit, refused] = [0, 0, 0]
    fc.assert(
      fc.property(
        fc.array(fc.tuple(body, heads), { minLength: 1, maxLength: 8 }),
        fc.array(filterFor, { minLength: 1, maxLength: 20 }),
        (records, questions) => {
          clear(book)
          const rows = records.map(([body, head], i) => {
            book.now += i % 3
            return toRecord(book.put(body, { ...head, id: `r-${i}` }))
          })
          for (const question of questions) {
            const filters = question(rows)
            const predicate = meant(filters, kind)
            if ('refused' in predicate) {
              expect(refusalOf(() => book.queries.query({ kind: 'thing', filters }))).toEqual(predicate)
              refused += 1
              continue
            }
            const expected = rows.filter((row) => matchesFilter(predicate, row)).map(({ id }) => id)
            const page = book.queries.query({ kind: 'thing', filters, limit: 1000, orderBy: 'id' })
            expect({ filters, ids: page.records.map(({ id }) => id) }).toEqual({ filters, ids: expected })
            asked += rows.length
            hit += expected.length
          }
        },
      ),
      { numRuns: 200 },
    )
    // Guards the generators: filters that find nothing, or everything, would show nothing.
    expect(hit / asked).toBeGreaterThan(0.2)
    expect(hit / asked).toBeLessThan(0.8)
    expect(refused).toBeGreaterThan(0)
  })
})
