// JSON Schema for facts: which schemas are let in, what a value is told, and that no check runs away.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDaybookError } from '../../../../src/core/errors.ts'
import type { Json } from '../../../../src/core/json/path.ts'
import {
  assertMatchesSchema,
  assertSchema,
  type JsonSchema,
} from '../../../../src/memory/kstar/json-schema/json-schema.ts'
import { json } from '../../../support/arbitrary.ts'

function faultOf(work: () => void): { code: string; path: unknown; message: string } | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (!isDaybookError(error)) throw error
    return { code: error.code, path: error.details['path'], message: error.message }
  }
}

/** What is wrong with `value` under `schema`, which must be a sound one. */
function check(schema: JsonSchema, value: Json) {
  expect(faultOf(() => assertSchema(schema, 'schema'))).toBeUndefined()
  return faultOf(() => assertMatchesSchema(schema, value, 'data', 'test'))
}

describe('a schema', () => {
  test.each<[JsonSchema, string]>([
    [{ properties: { 'a\ud800': true } }, 'schema.properties.a\ud800'],
    [{ $defs: { '\ud800': true } }, 'schema.$defs.\ud800'],
    [{ items: { 'x\ud800': 1 } }, 'schema.items.x\ud800'],
    [{ custom: { '\ud800': 1 } }, 'schema.custom.\ud800'],
    [{ id: 'http://[' }, 'schema'],
  ])('%j is refused, because no value could be checked', (schema, path) => {
    expect(faultOf(() => assertSchema(schema, 'schema'))).toMatchObject({ code: 'invalid-input', path })
  })
})

describe('a value', () => {
  const told: [schema: JsonSchema, value: Json, path: string][] = [
    [{ type: 'object', required: ['a'] }, {}, 'data.a'],
    [{ properties: { a: { required: ['b"c'] } } }, { a: {} }, 'data.a.b"c'],
    [{ properties: { 'a/b~c': { type: 'string' } } }, { 'a/b~c': 1 }, 'data.a/b~c'],
    [{ properties: { 'ключ %': { type: 'string' } } }, { 'ключ %': 1 }, 'data.ключ %'],
    [{ items: { prefixItems: [true, { type: 'number' }] } }, [[1, 'x']], 'data.0.1'],
    [{ allOf: [{ properties: { a: { minimum: 5 } } }] }, { a: 1 }, 'data.a'],
    [{ anyOf: [{ type: 'string' }, { required: ['x'] }] }, {}, 'data'],
    [{ properties: { a: { oneOf: [{ type: 'number' }, { minimum: 0 }] } } }, { a: 1 }, 'data.a'],
    [{ additionalProperties: false }, { x: 1 }, 'data.x'],
    [{ unevaluatedProperties: false, properties: { a: true } }, { a: 1, x: 1 }, 'data.x'],
    [{ patternProperties: { '^n_': { type: 'number' } } }, { n_a: 'x' }, 'data.n_a'],
    [{ propertyNames: { maxLength: 2 } }, { abc: 1 }, 'data.abc'],
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword's name
    [{ if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }, 'data.b'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'data'],
    [{ contains: { type: 'number' } }, ['a'], 'data'],
    [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], 'data'],
    [{ not: { type: 'object' } }, {}, 'data'],
    [{ const: { a: [1] } }, { a: [2] }, 'data'],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#b' }, b: { $anchor: 'b', type: 'null' } } }, 1, 'data'],
    [false, {}, 'data'],
  ]
  test.each(told)('%j does not allow %j, and says where', (schema, value, path) => {
    expect(check(schema, value)).toMatchObject({ code: 'invalid-input', path })
  })

  test.each<[JsonSchema, Json, string]>([
    [{ additionalProperties: { type: 'number' } }, { 'a\ud800': 1 }, 'data.a\ud800'],
    [{ items: { propertyNames: true } }, [{ b: { '\udc00': 1 } }, { '\udc00': 1 }], 'data.0.b.\udc00'],
    [{ unevaluatedProperties: false }, { '\ud800': 1 }, 'data.\ud800'],
  ])('%j names half a character in a name of %j', (schema, value, path) => {
    expect(check(schema, value)).toMatchObject({ code: 'invalid-input', path })
  })

  test('may have half a character in a name that its schema does not check', () => {
    expect(check({ properties: { a: true } }, { a: 1, '\ud800': 1 })).toBeUndefined()
    expect(check({ enum: [{ '\ud800': 1 }] }, { '\ud800': 1 })).toBeUndefined()
  })

  test.each([
    [true, { any: 1 }],
    [{}, [null]],
    [{ type: ['string', 'null'] }, null],
    [{ type: 'integer' }, 5],
    [{ multipleOf: 0.01 }, 19.99],
    [
      {
        $defs: { node: { properties: { l: { $ref: '#/$defs/node' }, r: { $ref: '#/$defs/node' } } } },
        $ref: '#/$defs/node',
      },
      { l: { r: {} } },
    ],
    [{ properties: { constructor: { type: 'number' } } }, {}],
    [{ minLength: 2, maxLength: 2 }, '🙂🙂'],
  ] as [JsonSchema, Json][])('%j allows %j', (schema, value) => {
    expect(check(schema, value)).toBeUndefined()
  })

  test('is never the reason for anything but a fault of it', () => {
    fc.assert(
      fc.property(json, json, (schema, value) => {
        if (
          typeof schema !== 'boolean' &&
          (typeof schema !== 'object' || schema === null || Array.isArray(schema))
        )
          return
        if (faultOf(() => assertSchema(schema as JsonSchema, 'schema'))) return
        faultOf(() => assertMatchesSchema(schema as JsonSchema, value, 'data', 'test'))
      }),
    )
  })
})

describe('a check', () => {
  test('that would double with each level of the value is refused at once', () => {
    const branching = { anyOf: [{ $ref: '#' }, { $ref: '#' }, { type: 'string' }] }
    const schema = { type: 'object', properties: { x: branching } }
    let value: Json = 'end'
    for (let i = 0; i < 40; i++) value = { x: value }
    expect(check(schema, value)).toMatchObject({ code: 'invalid-input', path: 'data' })
    expect(check(schema, { x: { x: 'end' } })).toBeUndefined()
  })

  test('that doubles with each reference is refused at once', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        i === 39
          ? { type: 'string' }
          : { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    )
    expect(check({ $ref: '#/$defs/d0', $defs }, 1)).toMatchObject({ path: 'data' })
  })

  test('of many unique items is refused at once, of some it is made', () => {
    const items = (length: number) => Array.from({ length }, (_, i) => i)
    expect(check({ uniqueItems: true }, items(50_000))).toMatchObject({ path: 'data' })
    expect(check({ uniqueItems: true }, items(1000))).toBeUndefined()
  })

  test('of a long text against a slow pattern is refused, with its path', () => {
    const schema = { properties: { a: { pattern: 'x.*y.*z' } } }
    expect(check(schema, { a: 'x'.repeat(100_000) })).toMatchObject({ path: 'data.a' })
    expect(check({ patternProperties: { 'x.*y': true } }, { ['x'.repeat(100_000)]: 1 })).toMatchObject({
      code: 'invalid-input',
    })
    expect(check(schema, { a: 'x 1 y 2 z' })).toBeUndefined()
    expect(faultOf(() => assertSchema({ items: { pattern: '^(a+)+$' } }, 'schema'))).toMatchObject({
      path: 'schema.items.pattern',
    })
  })

  test('of a large value against a plain schema is made', () => {
    const row = {
      type: 'object',
      properties: { n: { type: 'number' }, s: { type: 'string', pattern: '^[a-z]+$' } },
    }
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ n, s: 'abc' }))
    expect(check({ items: row }, rows)).toBeUndefined()
  })

  test('of a schema that is too long is refused', () => {
    expect(faultOf(() => assertSchema({ description: 'x'.repeat(200_000) }, 'schema'))).toMatchObject({
      code: 'too-large',
    })
  })
})
