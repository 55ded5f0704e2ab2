import { expect, test } from 'vitest'
import { compareRounds } from '../../bench/run/compare.ts'
import type { StoreRound } from '../../bench/store-page.ts'

const round = (speed: number, changes: Partial<StoreRound> = {}): StoreRound => ({
  single: 1000 * speed,
  concurrent: 5000 * speed,
  batch: 9000 * speed,
  batchThenRead: 6000 * speed,
  firstReadMs: 300 / speed,
  ...changes,
})
const slowRows = (...rounds: Parameters<typeof compareRounds>) =>
  compareRounds(...rounds).flatMap(({ row, isSlower }) => (isSlower ? [row] : []))

test('a machine that slows down in some rounds makes no row slower', () => {
  expect(slowRows([round(1), round(0.3), round(2)], [round(1), round(0.3), round(2)])).toEqual([])
})

test('a row is slower when it loses more than a tenth in most rounds', () => {
  const before = [round(1), round(1), round(1)]
  expect(slowRows([round(1, { batch: 8200 }), round(1, { batch: 8100 }), round(1)], before)).toEqual([])
  expect(slowRows([round(1, { batch: 8000 }), round(1, { batch: 8099 }), round(1)], before)).toEqual([
    'batch',
  ])
  expect(slowRows([round(0.8), round(0.8), round(0.8)], before)).toHaveLength(4)
})

test('a row without figures counts as slower', () => {
  expect(slowRows([], [round(1)])).toHaveLength(4)
})
