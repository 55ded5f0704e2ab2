// How many letters two words differ by.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance } from '../../../../src/store/word/edit-distance.ts'

test.each([
  ['', '', 0],
  ['same', 'same', 0],
  ['typsecript', 'typescript', 1],
  ['restarant', 'restaurant', 1],
  ['accesibility', 'accessibility', 1],
  ['ca', 'abc', 3],
  ['kitten', 'sitting', 3],
])('%s and %s differ by %i', (a, b, distance) => {
  expect(editDistance(a, b, 5)).toBe(distance)
  expect(editDistance(a, b, 2)).toBe(Math.min(distance, 3))
})

test('is the same both ways, no more than the longer word, and 0 for equals alone', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abc'), maxLength: 7 })
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b, 9)
      expect(editDistance(b, a, 9)).toBe(distance)
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
      expect(distance === 0).toBe(a === b)
      expect(editDistance(a, b, 1)).toBe(Math.min(distance, 2))
    }),
  )
})
