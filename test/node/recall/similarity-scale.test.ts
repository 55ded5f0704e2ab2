// From which similarity on a record answers: read off the book, whatever the model's numbers are.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fuse } from '../../../src/recall/fuse.ts'
import { similarityScale } from '../../../src/recall/embed/similarity-scale.ts'
import type { LegCandidate } from '../../../src/recall/leg.ts'

describe('the scale of similarities', () => {
  test('moves and stretches with the similarities of the model', () => {
    const small = fc.double({ min: 0.02, max: 0.06, noNaN: true })
    fc.assert(
      fc.property(
        fc.record({
          count: fc.integer({ min: 20, max: 1_000_000 }),
          mean: fc.double({ min: -0.1, max: 0.1, noNaN: true }),
          deviation: small,
          by: fc.double({ min: 0, max: 0.1, noNaN: true }),
          times: fc.double({ min: 0.5, max: 1, noNaN: true }),
        }),
        ({ count, mean, deviation, by, times }) => {
          const one = similarityScale(undefined, { count, mean, deviation })
          const other = similarityScale(undefined, {
            count,
            mean: times * mean + by,
            deviation: times * deviation,
          })
          for (const mark of ['lowest', 'least', 'sure'] as const)
            fc.pre(one[mark] < 1 && other[mark] < 1 && times * deviation >= 0.01)
          for (const mark of ['lowest', 'least', 'sure'] as const)
            expect(other[mark]).toBeCloseTo(times * one[mark] + by, 10)
          expect(one.lowest).toBeGreaterThan(mean)
          expect(one.least).toBeGreaterThan(one.lowest)
          expect(one.sure).toBeGreaterThan(one.least)
          expect(one.full).toBeGreaterThanOrEqual(one.sure)
        },
      ),
    )
  })

  test('asks for more, the more records chance may choose among', () => {
    const sure = [30, 300, 3000, 300_000].map(
      (count) => similarityScale(undefined, { count, mean: 0.05, deviation: 0.07 }).sure,
    )
    expect(sure).toEqual(sure.toSorted((a, b) => a - b))
    expect(new Set(sure).size).toBe(4)
    // 0.05 + 1.5 × 0.07 × √(2 ln 300).
    expect(sure[1]).toBeCloseTo(0.4046, 3)
  })

  test('is what most models have in a book of few records, and what somebody named in any', () => {
    const few = similarityScale(undefined, { count: 19, mean: 0.8, deviation: 0.01 })
    expect(few).toEqual(similarityScale(undefined, { count: 0, mean: 0, deviation: 0 }))
    expect([few.least, few.sure]).toEqual([expect.closeTo(0.225, 5), expect.closeTo(0.45, 5)])
    for (const named of [-1, 0, 0.3, 0.8])
      expect(similarityScale(named, { count: 500, mean: 0.1, deviation: 0.1 })).toEqual({
        lowest: named > 0 ? named / 2 : named,
        least: named,
        sure: named,
        full: named + 0.5,
      })
  })
})

test('what answers only besides is left out when no other leg has an answer', () => {
  const one = (seq: number, more: Partial<LegCandidate> = {}): LegCandidate => ({
    seq,
    rank: seq,
    strength: 0.5,
    answers: true,
    because: { rank: seq, similarity: 0.5 },
    ...more,
  })
  const seqs = (text: LegCandidate[], vector: LegCandidate[]) =>
    fuse([
      { name: 'text', weight: 1, candidates: text },
      { name: 'vector', weight: 1, candidates: vector },
    ])
      .map(({ seq }) => seq)
      .toSorted((a, b) => a - b)
  const besides = { besides: true }
  expect(seqs([], [one(1, besides), one(2, besides)])).toEqual([])
  expect(seqs([one(3, { answers: false })], [one(1, besides), one(2)])).toEqual([2])
  expect(seqs([one(3)], [one(1, besides), one(2)])).toEqual([1, 2, 3])
})
