// Vectors of `daybook/meaning`: their bits, and texts that the table does not know.
import { expect, test } from 'vitest'
import { createMeaningModel } from '../../../../src/recall/embed/meaning/meaning-model.ts'
import { readMeaningTable } from '../../../../src/recall/embed/meaning/meaning-table.ts'
import { wasmOf } from '../../../../src/web/web-wasm.ts'
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
  // The pieces count 1, 50 / 51 and 50 / 52.
  const [x, y] = [3 + 50 / 51, 3 + 100 / 52]
  const vector = embed('So, Meaning!')
  // The factors are rounded to 16 bits.
  expect(vector[0]).toBeCloseTo(x / Math.hypot(x, y), 4)
  expect(vector[1]).toBeCloseTo(y / Math.hypot(x, y), 4)
  expect(embed('mean')).toEqual(Float32Array.of(1, 0))
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

test('a row of zeros makes zeros, not numbers that are none', () => {
  const parts = { name: 'zero', vocabulary: ['yes', 'no'], scales: [1, 1], rows: [[5], [0]] }
  const { embed } = createMeaningModel(readMeaningTable(tableFile(parts)))
  expect([...embed('no no'), ...embed('no yes')]).toEqual([0, 1])
})

test('all hosts compute these bits', () => {
  expect(meaningBits()).toEqual(rightMeaningBits)
  expect(meaningBits(wasmOf(globalThis))).toEqual(rightMeaningBits)
})
