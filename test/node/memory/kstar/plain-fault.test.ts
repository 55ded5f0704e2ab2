// A value that doesn't match a JSON Schema is refused in plain words.
import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../../src/core/json/path.ts'
import { assertMatchesSchema } from '../../../../src/memory/kstar/json-schema/json-schema.ts'

it.each<[JsonObject, Json, string]>([
  [{ type: 'string' }, 1, 'Must be a text, not 1.'],
  [{ type: 'integer' }, 1.5, 'Must be a whole number, not 1.5.'],
  [{ type: ['object', 'null'] }, [], 'Must be an object or null, not a list.'],
  [{ enum: ['a', 'b', 1] }, 'c', 'Must be `a`, `b` or 1.'],
  [{ const: 2 }, 1, 'Must be 2, not 1.'],
  [
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
    true,
    'It has none of the forms that the schema allows.',
  ],
  [
    { oneOf: [{ type: 'string' }, { type: 'number' }] },
    true,
    'It has none of the forms that the schema allows.',
  ],
  [
    { oneOf: [{ minLength: 1 }, {}] },
    'a',
    'It has more than one of the forms of which the schema allows one.',
  ],
  [{ not: { type: 'string' } }, 'a', 'It has a form that the schema excludes.'],
  [{ minItems: 1 }, [], 'Must have at least 1 item.'],
  [{ maxItems: 2 }, [1, 2, 3], 'Must have at most 2 items.'],
  [{ uniqueItems: true }, [1, 1], 'It has an item twice.'],
  [{ contains: { type: 'string' } }, [1], 'No item matches `contains`.'],
  [{ contains: { type: 'string' }, minContains: 2 }, ['a'], 'at least 2 items that match `contains`.'],
  [{ minProperties: 2 }, { a: 1 }, 'Must have at least 2 fields.'],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, 'Must have at most 1 field.'],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'It has `a`, so it needs `b`.'],
  [{ minLength: 3 }, 'a', 'Must have at least 3 characters.'],
  [{ minimum: 2.5 }, 2, 'Must be at least 2.5.'],
  [{ exclusiveMaximum: -1 }, 0, 'Must be less than -1.'],
  [{ multipleOf: 5 }, 7, 'Must be a multiple of 5.'],
  [{ pattern: '^a' }, 'b', 'It does not match the pattern of the schema.'],
  [{ format: 'date' }, 'b', 'It is not a valid `date`.'],
  [
    { properties: { a: { type: 'number' } } },
    { a: 'x' },
    '`data.a` does not match the schema `s`: Must be a number',
  ],
  [
    { additionalProperties: false },
    { a: 1 },
    '`data.a` does not match the schema `s`: It is not allowed here.',
  ],
])('%j refuses %j', (schema, value, message) => {
  expect(() => assertMatchesSchema(schema, value, 'data', 's')).toThrow(message)
})
