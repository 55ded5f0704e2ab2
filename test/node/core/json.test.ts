// The gate for input from outside: plain JSON passes unchanged, anything else is refused with its place.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type DaybookError, isDaybookError } from '../../../src/core/errors.ts'
import {
  checkJson,
  hasExactNumbers,
  isDeeper,
  jsonErrorPlace,
  jsonLimits,
} from '../../../src/core/json/json.ts'
import { isJsonObject } from '../../../src/core/json/path.ts'

function refusal(value: unknown): DaybookError | undefined {
  try {
    checkJson(value)
  } catch (error) {
    if (!isDaybookError(error)) throw error
    return error
  }
  return undefined
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value }
  return value
}

describe('plain JSON', () => {
  test('passes, and is left as it is', () => {
    const hasProto = (value: unknown): boolean =>
      Array.isArray(value)
        ? value.some(hasProto)
        : isJsonObject(value) &&
          Object.entries(value).some(([key, member]) => key === '__proto__' || hasProto(member))
    const hasInexact = (value: unknown): boolean =>
      typeof value === 'object' && value !== null
        ? Object.values(value).some(hasInexact)
        : typeof value === 'number' && /^-?\d{16,21}$/.test(String(value)) && !Number.isSafeInteger(value)
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const before = JSON.stringify(value)
        expect(refusal(value)?.code).toBe(hasProto(value) || hasInexact(value) ? 'invalid-input' : undefined)
        expect(JSON.stringify(value)).toBe(before)
      }),
    )
    for (const value of [
      undefined,
      null,
      Object.create(null),
      { a: undefined },
      'half \ud800',
      { constructor: 1, toString: 2 },
    ]) {
      expect(refusal(value)).toBeUndefined()
    }
  })

  test('passes to a stated depth', () => {
    expect(refusal(nested(jsonLimits.depth))).toBeUndefined()
    expect(refusal(nested(jsonLimits.depth + 1))?.code).toBe('invalid-input')
  })

  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  class Point {
    x = 1
  }
  const wrong: [what: string, value: unknown, path: string][] = [
    ['NaN', { a: [0, Number.NaN] }, 'a.1'],
    ['infinity', { a: -Infinity }, 'a'],
    ['an integer beyond what is exact', { a: [1, 2 ** 53] }, 'a.1'],
    ['a negative one', { a: -(2 ** 53) - 2 }, 'a'],
    ['a function', { a: { b: () => 1 } }, 'a.b'],
    ['a symbol', [Symbol('s')], '0'],
    ['a bigint', { n: 1n }, 'n'],
    ['a date', { at: new Date(0) }, 'at'],
    ['a map', { m: new Map() }, 'm'],
    ['bytes', { b: new Uint8Array(2) }, 'b'],
    ['an instance', { p: new Point() }, 'p'],
    ['inherited fields', { o: Object.create({ a: 1 }) as object }, 'o'],
    ['a boxed text', { s: Object('text') as object }, 's'],
    ['its own way to JSON', { o: { toJSON: () => 1 } }, 'o.toJSON'],
    ['__proto__', JSON.parse('{"a":{"__proto__":{"x":1}}}'), 'a.__proto__'],
    ['an error', { e: new Error('no') }, 'e'],
  ]
  test.each(wrong)('is not %s', (_what, value, path) => {
    const error = refusal(value)
    expect(error).toMatchObject({ code: 'invalid-input', retry: false, details: { path } })
    expect(error?.message).toContain(path)
  })

  test('is not a cycle', () => {
    expect(refusal(cycle)?.code).toBe('invalid-input')
    expect(refusal(cycle)?.message).toContain('or it contains itself')
  })

  test('is not a signal, and the error says where a signal belongs', () => {
    const error = refusal({ signal: new AbortController().signal })
    expect(error?.message).toContain(
      '`signal`: A signal is no part of the input: pass it in the last argument.',
    )
  })

  test.each([
    ['one text', () => 'x'.repeat(jsonLimits.length + 1)],
    ['many texts', () => Array.from({ length: 25 }, () => 'x'.repeat(1_000_000))],
    [
      'long names',
      () => Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`${i}`.padEnd(1_000_000), 1])),
    ],
    ['a hollow list', () => ({ a: Array(2 ** 32 - 1) as unknown[] })],
  ])('is not without bounds: %s', (_what, make) => {
    expect(refusal(make())).toMatchObject({
      code: 'too-large',
      details: { limitCharacters: jsonLimits.length },
    })
  })

  test('names long places shortly', () => {
    const error = refusal({ ['k'.repeat(10_000)]: Number.NaN })
    expect(String(error?.details['path']).length).toBeLessThanOrEqual(200)
    expect(error?.message.length).toBeLessThan(500)
  })
})

describe('values that only look like JSON', () => {
  const throwing = {
    get inner(): never {
      throw new Error('no')
    },
  }
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const proxy = new Proxy({}, { ownKeys: () => ['a'], get: () => undefined })
  const closed = new Proxy(
    {},
    {
      ownKeys() {
        throw new TypeError('closed')
      },
    },
  )
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const cases: readonly (readonly [what: string, value: unknown, path: string, code?: string])[] = [
    ['a getter that throws', throwing, 'data.inner'],
    ['a proxy that throws', closed, 'data'],
    ['a proxy that was revoked', revoked.proxy, 'data'],
    ['a toJSON that throws', { toJSON: () => throwing.inner }, 'data.toJSON'],
    ['a BigInt', { n: 1n }, 'data.n'],
    ['a list that is longer than a call may be', new Array(10_000_000_000 % 2 ** 32), 'data', 'too-large'],
  ]
  test.each(cases)('%s is refused with its path', (_, value, path, code = 'invalid-input') => {
    expect(refusal({ data: value })).toMatchObject({ code, details: { path } })
  })
  test('a circle is refused as nested too deep', () => {
    expect(refusal({ data: cyclic })).toMatchObject({ code: 'invalid-input' })
    expect(String(refusal({ data: cyclic })?.details['path'])).toMatch(/^data\.self\.self/)
  })
  test('a proxy that has nothing to hide passes', () => {
    expect(refusal({ data: proxy })).toBeUndefined()
  })
})

describe('the nesting of JSON text', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

  test('is what parsing it would find, whatever its texts hold', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[[\]{}"\\]{0,12}$/))
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 8 },
        texts,
        fc.integer(),
        fc.array(tie('value')),
        fc.dictionary(texts, tie('value')),
      ),
    })).value
    fc.assert(
      fc.property(values, fc.nat(10), (value, depth) => {
        expect(isDeeper(JSON.stringify(value), depth)).toBe(depthOf(value) > depth)
      }),
    )
  })

  test('of text that ends in the middle is looked at as far as it goes', () => {
    expect(isDeeper('['.repeat(81), 80)).toBe(true)
    expect(isDeeper(`${'['.repeat(80)}"${'['.repeat(80)}`, 80)).toBe(false)
    expect(isDeeper('"\\', 0)).toBe(false)
  })
})

it.each([
  ['not json', 'line 1, column 1'],
  ['', 'line 1, column 1'],
  ['{"a":1,\n "b":tru}', 'line 2, column 6'],
  ['[1,]', 'line 1, column 4'],
  ['{"a" 1}', 'line 1, column 6'],
  ['[1] 2', 'line 1, column 5'],
  ['{"a":[1', 'line 1, column 8'],
  ['[1}', 'line 1, column 3'],
  ['"open', 'line 1, column 1'],
])('%s stops being JSON at %s', (text, place) => {
  expect(jsonErrorPlace(text)).toBe(place)
})

it('does not read a text on which a pattern runs out of stack', () => {
  const long = `"${'a'.repeat(20_000_000)}`
  expect([jsonErrorPlace(long), hasExactNumbers(`${long}"`)]).toEqual([undefined, false])
})

it('finds a place exactly when JSON.parse refuses', () => {
  const edits = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '}', ']', ',', 'x', '\\', '\n', '0'))
  fc.assert(
    fc.property(edits, ([json, at, piece]) => {
      const cut = at % (json.length + 1)
      const text = json.slice(0, cut) + piece + json.slice(cut + 1)
      let parses = true
      try {
        JSON.parse(text)
      } catch {
        parses = false
      }
      expect(jsonErrorPlace(text) === undefined).toBe(parses)
    }),
    { numRuns: 2000 },
  )
})
