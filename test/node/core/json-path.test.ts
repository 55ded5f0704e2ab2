// JSONPath over facts: what SQL finds, held against following the path in plain JavaScript, on random data and paths.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Scalar } from '../../../src/core/filter/filter.ts'
import { type JsonStep, parseJsonPath } from '../../../src/core/json/json-path.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json/path.ts'
import { finiteNumber, json, wellFormedText } from '../../support/arbitrary.ts'
import { makeKind, openTestStore, type TestStore } from '../../support/test-store.ts'

let store: TestStore | undefined
afterEach(() => store?.db.close())

/** The values that `steps` select in `value`, as RFC 9535 says. */
function select(value: Json, [step, ...rest]: readonly JsonStep[]): Json[] {
  if (!step) return [value]
  return childrenAt(value, step).flatMap((child) => select(child, rest))
}

function childrenAt(value: Json, step: JsonStep): Json[] {
  if (step.step === 'children') {
    if (Array.isArray(value)) return value as Json[]
    return isJsonObject(value) ? Object.values(value) : []
  }
  if (step.step === 'element') {
    const found = Array.isArray(value) ? (value as Json[]).at(step.index) : undefined
    return found === undefined ? [] : [found]
  }
  return isJsonObject(value) && Object.hasOwn(value, step.name) ? [value[step.name] as Json] : []
}

const names = ['x', 'y', '0', 'we ird', '$', 'a[0]', 'ключ', '🙂', "it's", 'constructor', '*', '%']
const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('x', 'y') }, fc.constantFrom(...names))
const data = fc.oneof(
  fc.dictionary(name, json, { maxKeys: 4 }),
  fc.record({
    x: fc.array(fc.record({ y: json, x: fc.array(json, { maxLength: 3 }) }), { maxLength: 3 }),
    y: json,
  }),
) as fc.Arbitrary<JsonObject>

const step: fc.Arbitrary<JsonStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ step: fc.constant('member' as const), name }) },
  {
    weight: 2,
    arbitrary: fc.record({ step: fc.constant('element' as const), index: fc.integer({ min: -3, max: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ step: fc.constant('children' as const) }) },
)
const scalar: fc.Arbitrary<Scalar> = fc.oneof(wellFormedText, finiteNumber, fc.boolean(), fc.constant(null))

/** A path through `value` that leads somewhere, with a wildcard here and there; `picks` decide the way. */
function pathInto(value: Json, picks: readonly number[]): JsonStep[] {
  const [pick, ...rest] = picks
  if (pick === undefined || typeof value !== 'object' || value === null) return []
  const entries: [string | number, Json][] = Array.isArray(value)
    ? (value as Json[]).map((item, i) => [i, item])
    : Object.entries(value)
  const chosen = entries[pick % Math.max(1, entries.length)]
  if (!chosen) return []
  const [key, child] = chosen
  const own: JsonStep =
    typeof key === 'number' ? { step: 'element', index: key } : { step: 'member', name: key }
  return [pick % 3 === 0 ? { step: 'children' } : own, ...pathInto(child, rest)]
}

function write(steps: readonly JsonStep[]): string {
  return `$${steps
    .map((one) => {
      if (one.step === 'children') return '[*]'
      if (one.step === 'element') return `[${one.index}]`
      return one.name.includes("'") ? `["${one.name}"]` : `['${one.name}']`
    })
    .join('')}`
}

describe('JSONPath', () => {
  test('finds in SQL what it means in JavaScript', () => {
    const book = (store = openTestStore([makeKind()]))
    let [asked, hit] = [0, 0]
    fc.assert(
      fc.property(
        fc.array(data, { minLength: 1, maxLength: 5 }),
        fc.array(
          fc.record({
            steps: fc.array(step, { maxLength: 4 }),
            picks: fc.array(fc.nat(), { maxLength: 5 }),
            value: scalar,
            taken: fc.boolean(),
            into: fc.boolean(),
          }),
          { minLength: 1, maxLength: 10 },
        ),
        (all, questions) => {
          book.db.exec('DELETE FROM records; DELETE FROM facets; DELETE FROM ops; DELETE FROM book')
          const rows = all.map((one, i) => ({ id: book.put({ data: one }, { id: `r-${i}` }).id, data: one }))
          for (const { steps: random, picks, value: given, taken, into } of questions) {
            const steps = (into ? pathInto(rows[0]?.data ?? {}, picks) : random).slice(0, 6)
            if (steps.filter((one) => one.step === 'children').length > 4) continue
            const [there] = rows.flatMap((row) => select(row.data, steps))
            const isScalar = there !== undefined && (typeof there !== 'object' || there === null)
            const value =
              taken && isScalar && !(typeof there === 'string' && !there.isWellFormed()) ? there : given
            const path = write(steps)
            expect(parseJsonPath(path)).toEqual(steps)
            for (const wanted of [value, undefined]) {
              const expected = rows
                .filter((row) => {
                  const found = select(row.data, steps)
                  return wanted === undefined ? found.length > 0 : found.some((one) => one === wanted)
                })
                .map(({ id }) => id)
              const selection = {
                steps: [{ step: 'member', name: 'data' } as const, ...steps],
                value: wanted,
              }
              const { records } = book.queries.query({ kind: 'thing', selection, orderBy: 'id' })
              expect({ path, wanted, ids: records.map(({ id }) => id) }).toEqual({
                path,
                wanted,
                ids: expected,
              })
              asked += rows.length
              hit += expected.length
            }
          }
        },
      ),
      { numRuns: 300 },
    )
    expect(hit / asked).toBeGreaterThan(0.15)
    expect(hit / asked).toBeLessThan(0.85)
  })

  test.each([
    ['$', []],
    ['$.a', [{ step: 'member', name: 'a' }]],
    [
      '$.größe.x-y',
      [
        { step: 'member', name: 'größe' },
        { step: 'member', name: 'x-y' },
      ],
    ],
    [
      `$["a b"]['c']`,
      [
        { step: 'member', name: 'a b' },
        { step: 'member', name: 'c' },
      ],
    ],
    [
      '$[ 0 ][-2][*].*',
      [
        { step: 'element', index: 0 },
        { step: 'element', index: -2 },
        { step: 'children' },
        { step: 'children' },
      ],
    ],
  ])('reads %s', (text, steps) => {
    expect(parseJsonPath(text)).toEqual(steps)
  })

  test.each([
    '',
    'a',
    '.a',
    '$.',
    '$..a',
    '$.a.',
    '$[',
    '$[]',
    '$[01]',
    '$[1:2]',
    '$[?@.a]',
    "$['a",
    '$.1a',
    '$ .a',
    `$['"']`,
    '$["\\n"]',
    `$.${'a.'.repeat(17)}a`,
  ])('refuses %j', (text) => {
    expect(() => parseJsonPath(text)).toThrow(
      expect.objectContaining({ code: 'invalid-filter', details: { path: 'path' } }),
    )
  })
})
