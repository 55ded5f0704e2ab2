// The codes of vectors: WebAssembly and its twin say the same, and among many vectors the most similar are found by
// them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createCodeKernel,
  createScalarCodeKernel,
  createVectorKernel,
  layout,
} from '../../../../src/store/vector/vector-kernel.ts'
import { normalise, quantise } from '../../../../src/store/vector/quantise.ts'
import { createVectorCodes } from '../../../../src/store/vector/vector-codes.ts'
import { VectorMatrix } from '../../../../src/store/vector/vector-matrix.ts'
import { wasmOf } from '../../../../src/web/web-wasm.ts'

const wasm = wasmOf(globalThis)
const limitBytes = 64_000_000

/** Numbers like those of a normal distribution: the sum of four even ones. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  const even = () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return state / 2 ** 31 - 1
  }
  return () => even() + even() + even() + even()
}

/** Vectors as models make them: each of a few of 400 subjects, and all of them a little alike. */
function createTexts(dimensions: number) {
  const random = createRandom(11)
  const vector = () => Float32Array.from({ length: dimensions }, random)
  const usual = vector()
  const subjects = Array.from({ length: 400 }, vector)
  return (seed: number, near?: Float32Array) => {
    const own = createRandom(seed)
    const pick = () => subjects[Math.floor(Math.abs(own()) * 1e6) % subjects.length] as Float32Array
    const [first, second, third] = [pick(), pick(), pick()]
    const numbers = usual.map(
      (mean, i) =>
        0.25 * mean + (first?.[i] ?? 0) + 0.8 * (second?.[i] ?? 0) + 0.5 * (third?.[i] ?? 0) + 0.5 * own(),
    )
    const length = Math.hypot(...numbers)
    return normalise(numbers.map((one, i) => one / length + (near?.[i] ?? 0))) ?? new Float32Array()
  }
}

describe('codes of vectors', () => {
  it('are scanned by WebAssembly as by its twin, byte for byte', () => {
    fc.assert(
      fc.property(
        fc.record({
          dimensions: fc.integer({ min: 1, max: 300 }),
          rows: fc.integer({ min: 1, max: 3000 }),
          seed: fc.integer({ min: 1, max: 1000 }),
          count: fc.integer({ min: 1, max: 40 }),
          sparse: fc.option(fc.integer({ min: 2, max: 9 }), { nil: undefined }),
        }),
        ({ dimensions, rows, seed, count, sparse }) => {
          const random = createRandom(seed)
          const vector = () => Float32Array.from({ length: dimensions }, random)
          const vectors = Array.from({ length: rows }, () => quantise(vector()))
          const question = vector()
          const usual = vector()
          const mask = sparse === undefined ? undefined : new Uint8Array((rows + 7) >>> 3)
          for (let row = 0; mask && row < rows; row += sparse ?? 1)
            mask[row >>> 3] = (mask[row >>> 3] ?? 0) | (1 << (row & 7))
          const [found, twin] = [createCodeKernel(wasm), createScalarCodeKernel()].map((kernel) => {
            const codes = createVectorCodes(kernel, usual)
            vectors.forEach((one, row) => codes.set(row, one))
            const nearest = codes.nearest(question, { rows, count, mask })
            return { nearest, bytes: new Uint8Array(kernel.memory(), 0, layout.mask).slice() }
          })
          expect(found).toEqual(twin)

          const bits = (numbers: ArrayLike<number>, scale: number) =>
            Array.from({ length: dimensions }, (_, i) => Number(numbers[i] ?? 0) > (usual[i] ?? 0) / scale)
          const asked = bits(question, 1)
          const differ = vectors.map(
            ({ numbers, scale }) => bits(numbers, scale).filter((bit, i) => bit !== asked[i]).length,
          )
          const allowed = differ.flatMap((one, row) => (row % (sparse ?? 1) === 0 ? [{ one, row }] : []))
          const worst = allowed.toSorted((a, b) => a.one - b.one)[count - 1]?.one ?? dimensions
          const nearer = allowed.filter(({ one }) => one < worst).map(({ row }) => row)
          const nearest = found?.nearest ?? []
          expect(nearest.filter((row) => (differ[row] ?? 0) < worst)).toEqual(nearer)
          expect(nearest.every((row) => (differ[row] ?? 0) <= worst && row % (sparse ?? 1) === 0)).toBe(true)
          expect(nearest.length).toBeGreaterThanOrEqual(Math.min(count, allowed.length))
          expect(nearest.length).toBeLessThanOrEqual(2 * count)
        },
      ),
      { numRuns: 60 },
    )
  })

  const filled = (matrix: VectorMatrix, size: number, dimensions: number) => {
    const text = createTexts(dimensions)
    for (let seq = 1; seq <= size; seq++) matrix.set(seq, quantise(text(seq)))
    return text
  }

  it('find what comparing every vector finds, whatever was written over and removed', () => {
    const dimensions = 384
    const matrix = new VectorMatrix(createVectorKernel(wasm), dimensions, {
      maxBytes: limitBytes,
      codeKernel: createCodeKernel(wasm),
      codesAbove: 5000,
    })
    const text = filled(matrix, 30_000, dimensions)
    for (let seq = 3; seq <= 30_000; seq += 3) matrix.remove(seq)
    for (let seq = 4; seq <= 30_000; seq += 3) matrix.set(seq, quantise(text(seq + 50_000)))
    let same = 0
    for (let i = 0; i < 50; i++) {
      const question = text(100_000 + i, text(4 + 3 * i + 50_000))
      const seqs = (exact: boolean, onlySeqs?: readonly number[]) =>
        matrix.search(question, { limit: 10, minSimilarity: 0.1, exact, onlySeqs }).map(({ seq }) => seq)
      const best = seqs(true)
      same += seqs(false).filter((seq) => best.includes(seq)).length
      const even = Array.from({ length: 15_000 }, (_, n) => 2 * n)
      expect(seqs(false, even)).toEqual(seqs(true, even))
      expect(seqs(false, [1, 2, 4])).toEqual(seqs(true, [1, 2, 4]))
    }
    expect(same / 500).toBeGreaterThanOrEqual(0.99)
  })

  it('are done without where there is no space for them', () => {
    const full = { ...createScalarCodeKernel(), grow: () => false }
    const options = { maxBytes: limitBytes, codeKernel: full, codesAbove: 10 }
    const matrix = new VectorMatrix(createVectorKernel(wasm), 64, options)
    const text = filled(matrix, 200, 64)
    const hits = matrix.search(text(7), { limit: 3, minSimilarity: 0 })
    expect(hits[0]?.seq).toBe(7)
    expect(hits).toEqual(matrix.search(text(7), { limit: 3, minSimilarity: 0, exact: true }))
  })
})
