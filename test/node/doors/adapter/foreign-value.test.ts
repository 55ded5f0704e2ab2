// Values of frameworks that have no fields to keep, or too many levels: refused by name and place, never emptied.
import { expect, it } from 'vitest'
import { valueFromJson, valueToJson } from '../../../../src/doors/adapter/foreign-value.ts'

const nested = (levels: number, around: (inner: unknown) => unknown) => {
  let value: unknown = 'end'
  for (let i = 0; i < levels; i++) value = around(value)
  return value
}

it.each([
  ['objects', (inner: unknown) => ({ a: inner })],
  ['lists', (inner: unknown) => [inner]],
])('keeps 500 levels of %s, and says so where there are more', (_what, around) => {
  const value = nested(500, around)
  expect(JSON.stringify(valueFromJson(valueToJson(value)))).toBe(JSON.stringify(value))
  for (const levels of [600, 1000, 20_000])
    expect(() => valueToJson(nested(levels, around))).toThrow(/nested deeper than 512 levels/)
})

it.each([
  ['RegExp', /x/gi],
  ['BigInt', Object(5n)],
  ['Promise', Promise.resolve()],
])('refuses a %s, which would come back as an empty object', (name, value) => {
  expect(() => valueToJson({ field: value as unknown })).toThrow(new RegExp(`\`field\`.*not ${name}`))
})
