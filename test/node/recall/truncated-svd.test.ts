// Truncated SVD: the directions of a matrix that is known, the same each time.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type SparseMatrix, truncatedSvd } from '../../../src/recall/embed/truncated-svd.ts'

function sparse(rows: readonly (readonly number[])[]): SparseMatrix {
  const width = rows[0]?.length ?? 0
  const entries = rows.map((row) => row.flatMap((value, i) => (value === 0 ? [] : [[i, value] as const])))
  const starts = [0]
  for (const row of entries) starts.push((starts.at(-1) ?? 0) + row.length)
  return {
    rows: rows.length,
    width,
    starts: Uint32Array.from(starts),
    columns: Uint32Array.from(entries.flat(), ([i]) => i),
    values: Float64Array.from(entries.flat(), ([, value]) => value),
  }
}

function run(matrix: SparseMatrix, rank: number, seed?: number) {
  const steps = truncatedSvd(matrix, rank, seed)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, i) => sum + value * (b[i] as number), 0)

describe('truncated SVD', () => {
  test('finds the singular values and vectors of a matrix that was made of them', () => {
    // 9·u₁v₁ᵀ + 4·u₂v₂ᵀ + 1·u₃v₃ᵀ over axes.
    const rows = [
      [0, 9, 0, 0, 0],
      [0, 0, 0, -4, 0],
      [0, 0, 1, 0, 0],
      [0, 0, 0, 0, 0],
    ]
    const { values, vectors } = run(sparse(rows), 3)
    expect([...values]).toEqual([9, 4, 1].map((value) => expect.closeTo(value, 9) as number))
    expect(vectors.map((vector) => vector.findIndex((value) => Math.abs(value) > 0.5))).toEqual([1, 3, 2])
    for (const vector of vectors) expect(Math.max(...vector)).toBeCloseTo(1, 9)
  })

  test('gives zeros for directions that a matrix does not have', () => {
    const { values, vectors } = run(
      sparse([
        [1, 1, 0],
        [2, 2, 0],
        [3, 3, 0],
      ]),
      3,
    )
    expect(values[0]).toBeCloseTo(Math.sqrt(28), 9)
    expect([...values].slice(1)).toEqual([0, 0])
    expect(vectors.slice(1).map((vector) => [...vector])).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
  })

  test('directions are orthonormal, explain what the values say, and are the same each time', () => {
    const matrices = fc
      .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
      .chain(([n, m]) =>
        fc.array(
          fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -9, max: 9 })), { minLength: m, maxLength: m }),
          {
            minLength: n,
            maxLength: n,
          },
        ),
      )
    fc.assert(
      fc.property(matrices, fc.integer({ min: 1, max: 12 }), (rows, rank) => {
        const matrix = sparse(rows)
        const { values, vectors } = run(matrix, rank)
        expect(run(matrix, rank)).toEqual({ values, vectors })
        for (const [i, vector] of vectors.entries()) {
          const value = values[i] as number
          expect(dot(vector, vector)).toBeCloseTo(value > 0 ? 1 : 0, 6)
          for (const other of vectors.slice(0, i)) expect(Math.abs(dot(vector, other))).toBeLessThan(1e-6)
          // |A v| is the singular value of v.
          const image = rows.map((row) => dot(row, vector))
          expect(Math.sqrt(dot(image, image))).toBeCloseTo(value, 5)
          if (i > 0) expect(value).toBeLessThanOrEqual((values[i - 1] as number) + 1e-9)
        }
        // All directions together explain the whole matrix.
        if (rank >= Math.min(rows.length, matrix.width)) {
          const energy = rows.flat().reduce((sum, value) => sum + value * value, 0)
          expect(values.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(energy, 4)
        }
      }),
      { numRuns: 200 },
    )
  })
})
