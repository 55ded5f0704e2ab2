// The sums of rows: WebAssembly and plain JavaScript compute the same integers, for every size and length of list.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createScalarSum, createWasmSum } from '../../../../src/recall/embed/meaning/sum-rows.ts'
import { wasmOf } from '../../../../src/web/web-wasm.ts'

const wasm = wasmOf(globalThis)

const tables = fc
  .record({ dimensions: fc.integer({ min: 1, max: 70 }), count: fc.integer({ min: 1, max: 40 }) })
  .chain(({ dimensions, count }) =>
    fc.record({
      dimensions: fc.constant(dimensions),
      scales: fc
        .array(fc.float({ min: 0, max: 4, noNaN: true }), { minLength: count, maxLength: count })
        .map((scales) => Float32Array.from(scales)),
      rows: fc
        .array(fc.integer({ min: -8, max: 7 }), {
          minLength: dimensions * count,
          maxLength: dimensions * count,
        })
        .map((rows) => Int8Array.from(rows)),
    }),
  )

test('WebAssembly and JavaScript compute the same sums', () => {
  fc.assert(
    fc.property(tables, fc.array(fc.nat(), { maxLength: 200 }), (table, wanted) => {
      const list = Int32Array.from(wanted, (one) => one % table.scales.length)
      const [one, other] = [new Int32Array(table.dimensions), new Int32Array(table.dimensions)]
      createWasmSum(table, wasm)?.(one, list, list.length)
      createScalarSum(table)(other, list, list.length)
      expect(one).toEqual(other)
    }),
    { numRuns: 60 },
  )
})

test('a list longer than the space for it, with the greatest numbers, overflows nothing', () => {
  const table = {
    dimensions: 33,
    scales: Float32Array.of(2, 0.5),
    rows: Int8Array.from({ length: 66 }, (_, i) => (i % 2 === 0 ? -8 : 7)),
  }
  const count = 1_000_000
  const list = new Int32Array(count)
  const [one, other] = [new Int32Array(33), new Int32Array(33)]
  createWasmSum(table, wasm)?.(one, list, count)
  createScalarSum(table)(other, list, count)
  let factors = 0
  for (let i = 0; i < count; i++) factors += Math.round(32_767 * (50 / (50 + i)))
  expect([one[0], one[1]]).toEqual([-8 * factors, 7 * factors])
  expect(one).toEqual(other)
})
