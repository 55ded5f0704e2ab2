// The vector leg: records lifted by their neighbours in the session, and the scale of similarities.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { neverAborted } from '../../../src/core/abort.ts'
import type { Embedder } from '../../../src/core/ports.ts'
import { loneScale, similarityScale } from '../../../src/recall/embed/similarity-scale.ts'
import { fuse } from '../../../src/recall/fuse.ts'
import type { LegCandidate, Question } from '../../../src/recall/leg.ts'
import { createVectorLeg, rankWithNeighbours } from '../../../src/recall/vector-leg.ts'
import type { BookStore } from '../../../src/store/book-store.ts'
import type { VectorSearch } from '../../../src/store/vector/vector-matrix.ts'
import { fingerprintOf } from '../../../src/store/vector/vector-space.ts'
import type { SessionNeighbours } from '../../../src/store/query/evidence.ts'

/** One session of records 1, 2, 3 …, as similar as said. */
function sessionOf(similar: readonly number[]) {
  const placeOf = (seq: number): SessionNeighbours => ({
    session: 's',
    before: seq > 1 ? seq - 1 : undefined,
    after: seq < similar.length ? seq + 1 : undefined,
  })
  const hit = (seq: number) => ({ seq, similarity: similar[seq - 1] ?? 0 })
  return (neighbourFrom: number) => {
    const hits = similar
      .map((_, i) => hit(i + 1))
      .filter(({ similarity }) => similarity >= neighbourFrom)
      .sort((a, b) => b.similarity - a.similarity)
    return rankWithNeighbours(hits, {
      neighbourFrom,
      neighbours: (seqs) => new Map(seqs.map((seq) => [seq, placeOf(seq)])),
      similarities: (seqs) => seqs.map(hit),
    })
  }
}

test('an answer comes before what is as similar and answers nothing', () => {
  const order = sessionOf([0.4, 0, 0, 0.8, 0.4, 0.3])(0.2).map(({ seq }) => seq)
  // 5 follows what is very similar; 1 stands alone.
  expect(order.indexOf(5)).toBeLessThan(order.indexOf(1))
  expect(order[0]).toBe(4)
})

test('what follows counts as well, and less than what goes before', () => {
  expect(sessionOf([0.4, 0.9, 0, 0, 0.45])(0.2).map(({ seq }) => seq)).toEqual([2, 1, 5, 3, 4])
  expect(sessionOf([0.4, 0.8, 0.4, 0])(0.2).map(({ seq }) => seq)).toEqual([2, 3, 1, 4])
})

test('what stands beside the best comes along with its own similarity, and what is below the usual lifts nothing', () => {
  const ranked = sessionOf([0.1, 0.9, -0.3, 0.25])(0.2)
  expect(ranked).toContainEqual({ seq: 1, similarity: 0.1 })
  expect(ranked).toContainEqual({ seq: 3, similarity: -0.3 })
  expect(ranked.map(({ seq }) => seq)).toEqual([2, 4, 1, 3])
})

test('without sessions the order is that of the similarities, and nothing is asked for', () => {
  const hits = [3, 1, 2].map((seq, i) => ({ seq, similarity: 0.9 - i / 10 }))
  const alone = { session: undefined, before: undefined, after: undefined }
  const similarities = () => expect.unreachable('nobody stands beside')
  const neighbours = (seqs: readonly number[]) => new Map(seqs.map((seq) => [seq, alone]))
  expect(rankWithNeighbours(hits, { neighbourFrom: 0, neighbours, similarities })).toEqual(hits)
})

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
          for (const mark of ['boostFrom', 'matchFrom', 'aloneFrom'] as const)
            fc.pre(one[mark] < 1 && other[mark] < 1 && times * deviation >= 0.01)
          for (const mark of ['boostFrom', 'matchFrom', 'aloneFrom'] as const)
            expect(other[mark]).toBeCloseTo(times * one[mark] + by, 10)
          expect(one.boostFrom).toBeGreaterThan(mean)
          expect(one.matchFrom).toBeGreaterThan(one.boostFrom)
          expect(one.aloneFrom).toBeGreaterThan(one.matchFrom)
          expect(one.fullStrengthAt).toBeGreaterThanOrEqual(one.aloneFrom)
        },
      ),
    )
  })

  test('asks for more, the more records chance may choose among', () => {
    const sure = [30, 300, 3000, 300_000].map(
      (count) => similarityScale(undefined, { count, mean: 0.05, deviation: 0.07 }).aloneFrom,
    )
    expect(sure).toEqual(sure.toSorted((a, b) => a - b))
    expect(new Set(sure).size).toBe(4)
    // 0.05 + 1.75 × 0.07 × √(2 ln 300).
    expect(sure[1]).toBeCloseTo(0.4637, 3)
  })

  test('is what most models have in a book of few records, and what somebody named in any', () => {
    const few = similarityScale(undefined, { count: 19, mean: 0.8, deviation: 0.01 })
    expect(few).toEqual(similarityScale(undefined, { count: 0, mean: 0, deviation: 0 }))
    expect([few.matchFrom, few.aloneFrom]).toEqual([expect.closeTo(0.18, 5), expect.closeTo(0.525, 5)])
    for (const named of [-1, 0, 0.3, 0.8])
      expect(similarityScale(named, { count: 500, mean: 0.1, deviation: 0.1 })).toEqual({
        boostFrom: named > 0 ? named / 2 : named,
        matchFrom: named,
        aloneFrom: named,
        fullStrengthAt: named + 0.5,
      })
  })
})

test('what answers only besides is left out when no other leg has an answer', () => {
  const one = (seq: number, more: Partial<LegCandidate> = {}): LegCandidate => ({
    seq,
    rank: seq,
    strength: 0.5,
    isAnswer: true,
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
  const besides = { alone: { strength: 0.5, isAnswer: false } }
  expect(seqs([], [one(1, besides), one(2, besides)])).toEqual([])
  expect(seqs([one(3, { isAnswer: false })], [one(1, besides), one(2)])).toEqual([2])
  expect(seqs([one(3)], [one(1, besides), one(2)])).toEqual([1, 2, 3])
  // A closer look, which is taken only if no other leg answers.
  const agrees = (does: boolean) => ({ alone: { ...besides.alone, agrees: () => does } })
  expect(seqs([], [one(1, agrees(true)), one(2, agrees(false))])).toEqual([1])
  const unused = { alone: { ...besides.alone, agrees: () => expect.unreachable('another leg answers') } }
  expect(seqs([one(3)], [one(1, unused)])).toEqual([1, 3])
})

test('a book of similar records has limits of a centred embedder where only vectors answer', () => {
  const scale = similarityScale(undefined, { count: 66, mean: 0.45, deviation: 0.11 })
  expect(scale.boostFrom).toBeGreaterThan(0.5)
  expect(loneScale(scale, {})).toEqual(scale)
  expect(loneScale(scale, { isCentred: true, minSimilarity: 0.2 })).toEqual(scale)
  const lone = loneScale(scale, { isCentred: true })
  expect(lone).toEqual({ ...scale, boostFrom: 0.3, matchFrom: 0.4, aloneFrom: 0.6 })
  const usual = similarityScale(undefined, { count: 66, mean: 0, deviation: 0.06 })
  expect(loneScale(usual, { isCentred: true })).toEqual(usual)
})

test('a record that a leg cannot find loses nothing by it', () => {
  const at = (seq: number, rank: number) => ({
    seq,
    rank,
    strength: 1,
    isAnswer: true,
    because: { rank, similarity: 0.5 },
  })
  const scores = (canFind?: (seq: number) => boolean) =>
    Object.fromEntries(
      fuse([
        { name: 'text', weight: 1, candidates: [at(1, 1), at(2, 2)] },
        { name: 'vector', weight: 3, candidates: [at(2, 1)], canFind },
      ]).map(({ seq, score }) => [seq, score]),
    )
  expect(scores()[1]).toBeCloseTo(0.25)
  const fair = scores((seq) => seq !== 1)
  expect(fair[1]).toBeCloseTo(1)
  expect(fair[2]).toBe(scores()[2])
})

test('more is searched when the scope hides too many of the best', async () => {
  const searchPast = async (hidden: number) => {
    const searched: number[] = []
    const best = (limit: number) =>
      Array.from({ length: Math.min(limit, 1000) }, (_, i) => ({ seq: i + 1, similarity: 1 - i / 1000 }))
    const store = {
      vectors: {
        fingerprint: () => fingerprintOf({ provider: 'test', model: 'test', dimensions: 2 }),
        similarityDistribution: () => ({ count: 0, mean: 0, deviation: 0 }),
        search(_question: Float32Array, { limit }: VectorSearch) {
          searched.push(limit)
          return best(limit)
        },
      },
      queries: {
        matching: (seqs: readonly number[]) => new Set(seqs.filter((seq) => seq > hidden)),
        seqsInScope: () => [],
        neighbours: () => new Map(),
      },
    } as unknown as BookStore
    const leg = createVectorLeg({
      store,
      embedder: { provider: 'test', model: 'test', weight: 1 } as unknown as Embedder,
      questions: { vectorOf: async () => new Float32Array(2) },
      catchUp: () => undefined,
      lack: () => undefined,
      degradedReason: () => undefined,
    })
    const question = {
      text: 'where',
      words: ['where'],
      match: 'any',
      scope: {},
      limit: 200,
      signal: neverAborted,
    }
    const found = await leg.find(question as unknown as Question)
    return { searched, seqs: found.candidates.map(({ seq }) => seq) }
  }
  const from = (first: number) => Array.from({ length: 200 }, (_, i) => first + i)
  expect(await searchPast(0)).toEqual({ searched: [240], seqs: from(1) })
  expect(await searchPast(100)).toEqual({ searched: [240, 400], seqs: from(101) })
  expect((await searchPast(300)).searched).toEqual([240, 400, 200])
})
