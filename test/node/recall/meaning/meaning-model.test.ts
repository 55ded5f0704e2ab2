// Vectors of `daybook/meaning`: their bits, and texts that the table does not know.
import { expect, test } from 'vitest'
import { createMeaningModel } from '../../../../src/recall/embed/meaning/meaning-model.ts'
import { readMeaningTable } from '../../../../src/recall/embed/meaning/meaning-table.ts'
import { meaningBits, rightMeaningBits } from '../../../support/meaning-bits.ts'
import { smallTable, tableFile } from '../../../support/meaning-table.ts'

const small = () => createMeaningModel(readMeaningTable(smallTable()))
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0)

test('a vector is the sum of the scaled rows of its pieces, of length 1', () => {
  const parts = {
    name: 'two',
    vocabulary: ['mean', '##ing', 'so'],
    scales: [0.5, 2, 1],
    rows: [
      [2, 0],
      [0, 1],
      [3, 3],
    ],
  }
  const { embed, dimensions } = createMeaningModel(readMeaningTable(tableFile(parts)))
  expect(dimensions).toBe(2)
  const length = Math.hypot(4, 5)
  expect(embed('So, Meaning!')).toEqual(Float32Array.of(4 / length, 5 / length))
  expect(embed('meaning')).toEqual(Float32Array.of(1 / Math.hypot(1, 2), 2 / Math.hypot(1, 2)))
})

test('the same text has the same vector, whatever was embedded before', () => {
  const model = small()
  const before = model.embed('fix the broken car')
  const words = Array.from({ length: 200_000 }, (_, i) => `fix${i}`)
  for (let i = 0; i < words.length; i += 100) model.embed(words.slice(i, i + 100).join(' '))
  expect(model.embed('fix the broken car')).toEqual(before)
  expect(dot(before, before)).toBeCloseTo(1, 6)
})

test.each([
  '',
  '   ',
  '!!!',
  'สวัสดีครับ',
  'שלום עולם',
  '你好你',
  'Привет, мир',
  'qqqq zzzz',
  'carracracarraca',
  '\ud83d',
])('a text that it does not know has zeros: %s', (text) =>
  expect(
    small()
      .embed(text)
      .every((number) => number === 0),
  ).toBe(true),
)

test.each(['the car', 'THE CAR, repaired: nicé', '你 the car', 'a', 'fix zzz'])(
  'a text that it knows: %s',
  (text) => {
    const vector = small().embed(text)
    expect(dot(vector, vector)).toBeCloseTo(1, 6)
  },
)

test('opposite rows make zeros, not numbers that are none', () => {
  const parts = { name: 'zero', vocabulary: ['yes', 'no'], scales: [1, 1], rows: [[5], [-5]] }
  const { embed } = createMeaningModel(readMeaningTable(tableFile(parts)))
  expect([...embed('yes no'), ...embed('yes')]).toEqual([0, 1])
})

test('all hosts compute these bits', () => {
  expect(meaningBits()).toEqual(rightMeaningBits)
})
