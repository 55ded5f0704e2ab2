// Figures of answers that need several records.
import { expect, test } from 'vitest'
import { coverage, orderOfPairs } from '../../golden/measure.ts'

test('counts the records that are among the first k', () => {
  expect(coverage(['a', 'b', 'c', 'd'], ['x', 'a', 'b', 'c'], 3)).toBe(0.5)
  expect(coverage([], ['a'], 3)).toBe(0)
})

test('counts pairs in the right order; a pair with a missing one is wrong', () => {
  expect(orderOfPairs(['a', 'b', 'c'], ['a', 'x', 'b', 'c'], 10)).toBe(1)
  expect(orderOfPairs(['a', 'b', 'c'], ['c', 'b', 'a'], 10)).toBe(0)
  expect(orderOfPairs(['a', 'b', 'c'], ['b', 'a', 'c'], 10)).toBeCloseTo(2 / 3)
  expect(orderOfPairs(['a', 'b', 'c'], ['a', 'b', 'c'], 2)).toBeCloseTo(1 / 3)
})
