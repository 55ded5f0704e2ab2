import { expect, expectTypeOf, it } from 'vitest'
import { defined } from '../../../src/core/defined.ts'

it('leaves out keys whose value is undefined and keeps every other value', () => {
  const value = { a: undefined, b: null, c: 0, d: '', e: false }
  expect(Object.keys(defined(value))).toEqual(['b', 'c', 'd', 'e'])
  expect(defined(value)).toStrictEqual({ b: null, c: 0, d: '', e: false })
  expect(value).toHaveProperty('a')
})

it('types keys that may be undefined as optional and keeps the others required', () => {
  const session = 'noon' as string | undefined
  expectTypeOf(defined({ id: 'a', session })).toExtend<{ id: string; session?: string }>()
  expectTypeOf<{ session?: string }>().not.toExtend<ReturnType<typeof defined<{ session: string }>>>()
})
