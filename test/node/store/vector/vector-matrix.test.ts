// The scan over vectors: SIMD, its scalar twin and plain floats say the same, whatever was set, moved and removed.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wasmOf } from '../../../../src/web/web-wasm.ts'
import { normalise, quantise, quantiseQuestion } from '../../../../src/store/vector/quantise.ts'
import { createScalarKernel, createVectorKernel } from '../../../../src/store/vector/vector-kernel.ts'
import { VectorMatrix } from '../../../../src/store/vector/vector-matrix.ts'

const nodeWasm = wasmOf(globalThis)
const unit = (vector: readonly number[]) => normalise(vector) ?? new Float32Array(vector.length)
const roomy = 64_000_000
const pair = (dimensions: number) => ({
  simd: new VectorMatrix(createVectorKernel(nodeWasm), dimensions, { maxBytes: roomy }),
  scalar: new VectorMatrix(createScalarKernel(), dimensions, { maxBytes: roomy }),
})
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

/** A vector from a seed, without a generator's cost for each of its numbers. */
function makeVector(seed: number, dimensions: number): Float32Array {
  let state = seed >>> 0
  const numbers = Array.from({ length: dimensions }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return state / 2 ** 31 - 1
  })
  return unit(numbers)
}

type Step = { readonly seq: number; readonly seed: number; readonly gone: boolean }
const steps = fc.array(
  fc.record({
    seq: fc.integer({ min: 1, max: 60 }),
    seed: fc.integer({ min: 1, max: 40 }),
    gone: fc.boolean(),
  }),
  { maxLength: 150 },
)

function apply(
  matrices: readonly VectorMatrix[],
  model: Map<number, Float32Array>,
  list: readonly Step[],
  dimensions: number,
) {
  for (const { seq, seed, gone } of list) {
    const vector = makeVector(seed, dimensions)
    if (gone) model.delete(seq)
    else model.set(seq, vector)
    for (const matrix of matrices) {
      if (gone) matrix.remove(seq)
      else matrix.set(seq, quantise(vector))
    }
  }
}

describe('vectors in memory', () => {
  test('WebAssembly with SIMD is what runs here', () => {
    expect(createVectorKernel(nodeWasm).kind).toBe('simd')
    expect(createVectorKernel(undefined).kind).toBe('scalar')
    expect(createVectorKernel({ instantiate: () => undefined }).kind).toBe('scalar')
  })

  test('SIMD equals the scalar twin bit by bit, and plain floats up to the bounds of quantisation', () => {
    fc.assert(
      fc.property(
        fc.record({
          dimensions: fc.integer({ min: 1, max: 150 }),
          list: steps,
          seed: fc.integer({ min: 100, max: 200 }),
          limit: fc.integer({ min: 1, max: 70 }),
          only: fc.option(fc.array(fc.integer({ min: 1, max: 70 })), { nil: undefined }),
        }),
        ({ dimensions, list, seed, limit, only }) => {
          const { simd, scalar } = pair(dimensions)
          const model = new Map<number, Float32Array>()
          apply([simd, scalar], model, list, dimensions)
          expect(simd.size()).toBe(model.size)
          const question = makeVector(seed, dimensions)
          const search = { limit, minSimilarity: -1, onlySeqs: only }
          const found = simd.search(question, search)
          expect(found).toEqual(scalar.search(question, search))

          const allowed = [...model].filter(([seq]) => !only || only.includes(seq))
          expect(found.length).toBe(Math.min(limit, allowed.length))
          const length = question.reduce((sum, value) => sum + Math.abs(value), 0)
          const into = new Int16Array(Math.ceil(dimensions / 32) * 32)
          const questionStep = quantiseQuestion(question, into)
          for (const { seq, similarity } of found) {
            const vector = model.get(seq) as Float32Array
            const bound =
              (quantise(vector).scale / 2) * length + (questionStep / 2) * 2 * Math.sqrt(dimensions) + 1e-5
            expect(Math.abs(similarity - dot(question, vector))).toBeLessThanOrEqual(bound)
          }
          // In order, and nothing left out is better than what is there by more than both may be off.
          for (let i = 1; i < found.length; i++)
            expect(found[i]?.similarity).toBeLessThanOrEqual(found[i - 1]?.similarity ?? 0)
          const least = found.at(-1)?.similarity ?? 1
          const left = allowed.filter(([seq]) => !found.some((hit) => hit.seq === seq))
          for (const [, vector] of found.length < limit ? [] : left)
            expect(dot(question, vector)).toBeLessThanOrEqual(least + 0.02 * Math.sqrt(dimensions))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('more rows than one answer of the scan holds: the best of all, equals by the higher seq', () => {
    const { simd, scalar } = pair(32)
    const same = makeVector(7, 32)
    for (let seq = 1; seq <= 5000; seq++) {
      // From worst to best, the hardest order; every fifth is the same vector.
      const vector =
        seq % 5 === 0
          ? same
          : unit(same.map((value, i) => value + (i === 0 ? 0.3 + (5000 - seq) / 2500 : 0)) as never)
      for (const matrix of [simd, scalar]) matrix.set(seq, quantise(vector))
    }
    const found = simd.search(same, { limit: 30, minSimilarity: 0.5 })
    expect(found).toEqual(scalar.search(same, { limit: 30, minSimilarity: 0.5 }))
    expect(found.slice(0, 3).map(({ seq }) => seq)).toEqual([5000, 4995, 4990])
    const onlySeqs = Array.from({ length: 100 }, (_, i) => 50 * (i + 1))
    expect(simd.search(same, { limit: 3, minSimilarity: 0, onlySeqs }).map(({ seq }) => seq)).toEqual([
      5000, 4950, 4900,
    ])
  })

  test('what is less similar than the floor is not found', () => {
    const { simd } = pair(3)
    simd.set(1, quantise(unit([1, 0, 0])))
    simd.set(2, quantise(unit([0.6, 0.8, 0])))
    simd.set(3, quantise(unit([-1, 0, 0])))
    const found = (minSimilarity: number) =>
      simd.search(unit([1, 0, 0]), { limit: 10, minSimilarity }).map(({ seq }) => seq)
    expect([found(0.5), found(0.7), found(-1)]).toEqual([[1, 2], [1], [1, 2, 3]])
  })

  test('a floor of -1 keeps everything, also what rounding puts a little beyond the opposite', () => {
    const { simd, scalar } = pair(2)
    for (const matrix of [simd, scalar]) matrix.set(1, quantise(makeVector(28, 2)))
    const search = { limit: 1, minSimilarity: -1 }
    const found = simd.search(makeVector(139, 2), search)
    expect(found).toEqual(scalar.search(makeVector(139, 2), search))
    expect(found).toEqual([{ seq: 1, similarity: -1 }])
  })

  test('the largest numbers at the most dimensions do not overflow', () => {
    const dimensions = 4096
    const { simd, scalar } = pair(dimensions)
    const all = new Float32Array(dimensions).fill(1)
    for (const matrix of [simd, scalar]) matrix.set(1, quantise(all))
    const [hit] = simd.search(unit([...all]), { limit: 1, minSimilarity: -1 })
    expect(hit).toEqual(scalar.search(unit([...all]), { limit: 1, minSimilarity: -1 })[0])
    expect(hit?.similarity).toBe(1)
  })

  test('zeros are similar to nothing, and a question of zeros finds nothing', () => {
    const { simd } = pair(8)
    simd.set(1, quantise(new Float32Array(8)))
    expect(simd.search(new Float32Array(8), { limit: 5, minSimilarity: -1 })).toEqual([])
    expect(simd.search(makeVector(1, 8), { limit: 5, minSimilarity: 0.1 })).toEqual([])
    expect(normalise([1, Number.NaN])).toBeUndefined()
    expect(normalise([1, Number.POSITIVE_INFINITY])).toBeUndefined()
  })

  test('says when there is no room left, and keeps what it has', () => {
    const matrix = new VectorMatrix(createScalarKernel(), 32, { maxBytes: 36 * 3 })
    const vector = quantise(makeVector(1, 32))
    expect([1, 2, 3, 4].map((seq) => matrix.set(seq, vector))).toEqual([true, true, true, false])
    expect(matrix.set(2, vector)).toBe(true)
    expect(matrix.size()).toBe(3)
  })

  test('what is usual is the mean and the deviation over all vectors but those of zeros', () => {
    for (const matrix of Object.values(pair(48))) {
      const question = makeVector(500, 48)
      expect(matrix.similarityDistribution(question)).toEqual({ count: 0, mean: 0, deviation: 0 })
      const similar: number[] = []
      for (let seq = 1; seq <= 900; seq++) {
        const vector = seq % 9 === 0 ? new Float32Array(48) : makeVector(seq, 48)
        matrix.set(seq, quantise(vector))
        if (seq % 9 !== 0) similar.push(dot(question, vector))
      }
      const mean = similar.reduce((sum, one) => sum + one, 0) / similar.length
      const variance = similar.reduce((sum, one) => sum + (one - mean) ** 2, 0) / similar.length
      const usual = matrix.similarityDistribution(question)
      expect(usual.mean).toBeCloseTo(mean, 3)
      expect(usual.deviation).toBeCloseTo(Math.sqrt(variance), 3)
    }
  })

  test('of many vectors some tell what is usual of all', () => {
    const { simd } = pair(32)
    const question = makeVector(9, 32)
    let sum = 0
    for (let seq = 1; seq <= 6000; seq++) {
      const vector = makeVector(seq, 32)
      simd.set(seq, quantise(vector))
      sum += dot(question, vector)
    }
    const { count, mean, deviation } = simd.similarityDistribution(question)
    expect(count).toBe(6000)
    expect(Math.abs(mean - sum / 6000)).toBeLessThan(deviation / 5)
  })

  test('the best are the same when the sample of a floor is better than the rest', () => {
    for (const matrix of Object.values(pair(32))) {
      const question = makeVector(7, 32)
      // Every fourth vector is in the sample of 1,000, and more similar than all others.
      for (let seq = 1; seq <= 4000; seq++) {
        const by = seq % 4 === 1 ? 0.1 : 0.5
        const near = Array.from(makeVector(seq, 32), (value, i) => by * value + (question[i] ?? 0))
        matrix.set(seq, quantise(unit(near)))
      }
      const all = matrix.search(question, { limit: 4000, minSimilarity: -1 })
      expect(all).toHaveLength(4000)
      for (const limit of [3, 300, 700])
        expect(matrix.search(question, { limit, minSimilarity: -1 })).toEqual(all.slice(0, limit))
    }
  })

  test('a question asked again counts the vectors that came and left', () => {
    for (const matrix of Object.values(pair(32))) {
      const question = makeVector(7, 32)
      matrix.set(1, quantise(question))
      expect(matrix.similarityDistribution(question).mean).toBeCloseTo(1, 1)
      matrix.set(2, quantise(question.map((value) => -value)))
      expect(matrix.similarityDistribution(question).mean).toBeCloseTo(0, 1)
      matrix.remove(1)
      expect(matrix.similarityDistribution(question).mean).toBeCloseTo(-1, 1)
    }
  })
})
