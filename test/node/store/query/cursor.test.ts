// Order and paging, held against a plain sort: every record once, in order, even while others are added.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { defined } from '../../../../src/core/defined.ts'
import { type Json, type JsonObject, readPath } from '../../../../src/core/json/path.ts'
import { toRecord } from '../../../../src/store/schema/record-row.ts'
import { body, facets, finiteNumber, heads, json, path, wellFormedText } from '../../../support/arbitrary.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

const kind = makeKind({ facets })
let store: TestStore | undefined
afterEach(() => store?.db.close())

const hotTypes: Record<string, string> = {
  [facets.domain]: 'string',
  [facets.actor]: 'string',
  [facets.name]: 'string',
  [facets.confidence]: 'number',
  [facets.success]: 'boolean',
}

/** What a record sorts by: numbers before texts before what is missing. Texts are compared as bytes of UTF-8. */
function sortKey(record: object, path: string): [rank: number, value: number | string] {
  const value = readPath(record, path)
  const type = hotTypes[path]
  if (value === undefined || value === null || (type !== undefined && typeof value !== type)) return [2, 0]
  if (typeof value === 'number' || typeof value === 'boolean') return [0, Number(value)]
  return [1, firstBytes(typeof value === 'string' ? value : JSON.stringify(value))]
}

/** The first bytes of `text` in UTF-8, halves of characters included, in hexadecimal. */
function firstBytes(text: string): string {
  const bytes = Array.from(text.slice(0, 4000)).flatMap((char) => {
    const code = char.codePointAt(0) ?? 0
    if (code < 0x80) return [code]
    const tail = [code & 63, (code >> 6) & 63, (code >> 12) & 63].map((bits) => 0x80 | bits)
    const [last = 0, third = 0, second = 0] = tail
    if (code < 0x800) return [0xc0 | (code >> 6), last]
    return code < 0x10000 ? [0xe0 | (code >> 12), third, last] : [0xf0 | (code >> 18), second, third, last]
  })
  return Buffer.from(bytes.slice(0, 4000)).toString('hex')
}

function compare(a: object, b: object, order: readonly string[]): number {
  for (const key of order) {
    const path = key.replace(/^-/, '')
    const [[rankA, valueA], [rankB, valueB]] = [sortKey(a, path), sortKey(b, path)]
    // What is missing comes last in either direction.
    if (rankA !== rankB && (rankA === 2 || rankB === 2)) return rankA - rankB
    const direction = key.startsWith('-') ? -1 : 1
    if (rankA !== rankB) return direction * (rankA - rankB)
    if (valueA !== valueB) return direction * (valueA < valueB ? -1 : 1)
  }
  return 0
}

function expectedOrder(records: readonly { readonly id: string }[], order: readonly string[]): string[] {
  const last = (order.at(-1) ?? '-at').startsWith('-') ? -1 : 1
  const numbered = records.map((record, i) => ({ record, i }))
  const sorted = numbered.sort((a, b) => compare(a.record, b.record, order) || last * (a.i - b.i))
  return sorted.map(({ record }) => record.id)
}

const longText = fc
  .tuple(
    fc.constantFrom('a', '🙂', '\0', '"'),
    fc.constantFrom(990, 1000, 1001, 3999, 4000, 4001),
    wellFormedText,
  )
  .map(([unit, n, end]) => unit.repeat(n) + end)
const sortable: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: json },
  { weight: 2, arbitrary: finiteNumber },
  { weight: 1, arbitrary: longText },
)
const orderKey = fc
  .tuple(
    fc.oneof(fc.constantFrom('free', 'free.x', 'sure', 'done', 'place.domain', 'at'), path),
    fc.boolean(),
  )
  .map(([path, down]) => (down ? `-${path}` : path))

describe('pages', () => {
  test('hold every record once, in the order asked for, while others are added', () => {
    const book = (store = openTestStore([kind]))
    const record = fc.tuple(body, fc.option(sortable, { nil: undefined }), heads)
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 14 }),
        fc.array(orderKey, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 4 }),
        (records, orderBy, limit) => {
          book.db.exec(
            'DELETE FROM records; DELETE FROM facets; DELETE FROM links; DELETE FROM ops; DELETE FROM book',
          )
          const put = (i: number, id: string) => {
            const [body, free, head] = records[i % records.length] ?? [{}, undefined, {}]
            const whole: JsonObject = free === undefined ? body : { ...body, free }
            book.now += i % 2
            return toRecord(book.put(whole, { ...head, id }))
          }
          const rows = records.map((_, i) => put(i, `r-${i}`))
          const seen: string[] = []
          for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
            const { records: found, cursor: next } = book.queries.query({
              kind: 'thing',
              orderBy,
              limit,
              ...defined({ cursor }),
            })
            seen.push(...found.map(({ id }) => id))
            if (page < 3) put(page * 5, `new-${page}`)
            cursor = next
          }
          expect(new Set(seen).size).toBe(seen.length)
          const old = seen.filter((id) => id.startsWith('r-'))
          expect({ orderBy, old }).toEqual({ orderBy, old: expectedOrder(rows, orderBy) })
        },
      ),
      { numRuns: 400 },
    )
  })

  test('come newest first when no order is asked for', () => {
    const book = (store = openTestStore([kind]))
    const at = (minute: number) => `2026-01-31T12:0${minute}:00.000Z`
    for (const [i, minute] of [3, 1, 3, 2].entries()) book.put({ at: at(minute) }, { id: `r-${i}` })
    const first = book.queries.query({ kind: 'thing', limit: 2 })
    expect(first.records.map(({ id }) => id)).toEqual(['r-2', 'r-0'])
    book.put({ at: at(9) }, { id: 'newer' })
    const rest = book.queries.query({ kind: 'thing', limit: 2, cursor: first.cursor })
    expect(rest.records.map(({ id }) => id)).toEqual(['r-3', 'r-1'])
    expect(rest.cursor).toBeUndefined()
  })

  const hard: [what: string, values: Json[]][] = [
    ['halves of characters', ['\ud7ff', '\ud800', '\udfff', '\ue000', '\ufffd']],
    ['long texts', ['\uffff'.repeat(100_000), '🙂'.repeat(3000), `${'🙂'.repeat(3000)}a`]],
    ['integers beyond doubles', [2 ** 53, 2 ** 60, 2 ** 63, 1e21]],
  ]
  test.each(hard)('go on after %s', (_what, values) => {
    const book = (store = openTestStore([kind]))
    values.forEach((value, i) =>
      book.put(
        { at: '2026-01-31T00:00:00.000Z', free: value, more: { x: value, y: value } },
        { id: `r-${i}` },
      ),
    )
    const orderBy = ['free', 'more.x', 'more.y']
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = book.queries.query({ kind: 'thing', orderBy, limit: 1, cursor })
      seen.push(...page.records.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== undefined && seen.length < 10)
    expect(seen).toEqual(values.map((_, i) => `r-${i}`))
  })

  const long = `c1.["${'a'.repeat(50_000)}",1]`
  const forged = [
    '',
    'c1.',
    'c1.[]',
    'c1.[1]',
    'c1.[1,"2"]',
    'c1.[{},1]',
    'c1.[1e999,1]',
    'c1.%',
    'c1.%ff',
    'c2.[1,2]',
    long,
  ]
  test.each(forged)('refuse a cursor that is none (%#)', (cursor) => {
    const book = (store = openTestStore([kind]))
    const asked = () => book.queries.query({ kind: 'thing', orderBy: 'free', cursor })
    expect(asked).toThrow(
      expect.objectContaining({ code: 'invalid-filter', details: { path: 'cursor' } }) as Error,
    )
  })
})
