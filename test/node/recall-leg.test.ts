// Legs of recall: how their ranks become one order, and what recall makes of a leg that is slow, empty or away.
import { afterEach, describe, expect, test } from 'vitest'
import { fuse, fuseRanks, type LegList } from '../../src/recall/fuse.ts'
import type { Leg, LegCandidate } from '../../src/recall/leg.ts'
import { createRecall } from '../../src/recall/recall.ts'
import { createTextLeg } from '../../src/recall/text-leg.ts'
import { makeKind, openTestStore, type TestStore } from './test-store.ts'

const reason = (rank: number) => ({ rank, bm25: 1, coverage: 1, words: [] })
const list = (weight: number, ...seqs: number[]): LegList => ({
  name: 'text',
  weight,
  candidates: seqs.map((seq, i) => candidate(seq, i + 1)),
})
function candidate(seq: number, rank: number, more: Partial<LegCandidate> = {}): LegCandidate {
  return { seq, rank, strength: 1, answers: true, because: reason(rank), ...more }
}
const all = { limit: 10, minScore: 0 }

describe('fusion', () => {
  test('gives the first of every leg the whole share, and each rank its part by weight', () => {
    const shares = fuseRanks([list(1, 7, 8), list(0.5, 9, 7), list(1)])
    const most = 1.5 / 61
    expect(shares.get(7)).toBeCloseTo((1 / 61 + 0.5 / 62) / most, 12)
    expect(shares.get(8)).toBeCloseTo(1 / 62 / most, 12)
    expect(shares.get(9)).toBeCloseTo(0.5 / 61 / most, 12)
    expect(fuseRanks([list(1, 3), list(0.5, 3)]).get(3)).toBeCloseTo(1, 12)
  })

  test('leaves out what no leg calls an answer and what may not be recalled', () => {
    const weak = [candidate(1, 1, { answers: false }), candidate(2, 2), candidate(3, 3)]
    const lists = [{ name: 'text' as const, weight: 1, candidates: weak }]
    const ageMs = (seq: number) => (seq === 3 ? undefined : 0)
    expect(fuse(lists, ageMs, all).map(({ seq }) => seq)).toEqual([2])
  })

  test('takes the highest strength of the legs, and orders by score, then by what was stored last', () => {
    const lists = [
      { name: 'text' as const, weight: 1, candidates: [candidate(1, 1, { strength: 0.5 }), candidate(2, 2)] },
      { name: 'text' as const, weight: 1, candidates: [candidate(2, 1), candidate(1, 2, { strength: 0.8 })] },
    ]
    const fused = fuse(lists, () => 0, all)
    expect(fused.map(({ seq }) => seq)).toEqual([2, 1])
    expect((fused[1]?.score ?? 0) / (fused[0]?.score ?? 1)).toBeCloseTo(0.8, 12)
    const even = [list(1, 4), list(1, 5)]
    expect(fuse(even, () => 0, all).map(({ seq }) => seq)).toEqual([5, 4])
    expect(fuse(even, () => 0, { limit: 10, minScore: 0.6 })).toEqual([])
    expect(fuse(even, () => 0, { limit: 1, minScore: 0 })).toHaveLength(1)
  })
})

describe('recall', () => {
  let store: TestStore | undefined
  afterEach(() => store?.db.close())
  const open = () => {
    store = openTestStore([makeKind({ text: ['text'] })])
    store.db.transaction(() => {
      store?.put({ text: 'a red door' }, { id: 'door' })
      store?.put({ text: 'a red car' }, { id: 'car' })
    })
    return store
  }
  const clock = { now: () => 0 }
  const away: Leg<'text'> = {
    name: 'text',
    weight: 1,
    find: async () => ({ candidates: [], found: 0, degraded: 'The model is away.' }),
  }

  test('says which leg was away, and answers by the others', async () => {
    const book = open()
    const recall = createRecall({ store: book, clock, legs: [away, createTextLeg(book)] })
    const { hits, degraded, legs } = await recall({ text: 'red door' })
    expect(hits.map(({ record }) => record.id)).toEqual(['door', 'car'])
    expect(degraded).toEqual(['The model is away.'])
    expect(legs).toEqual({ text: 2 })
  })

  test('does not return what was forgotten while it waited for the slowest leg', async () => {
    const book = open()
    let answer: () => void = () => undefined
    const slow: Leg<'text'> = {
      name: 'text',
      weight: 1,
      find: () =>
        new Promise((resolve) => {
          answer = () => resolve({ candidates: [], found: 0 })
        }),
    }
    const recall = createRecall({ store: book, clock, legs: [createTextLeg(book), slow] })
    const waiting = recall({ text: 'red door' })
    book.db.transaction(() => book.forget('door'))
    answer()
    expect((await waiting).hits.map(({ record }) => record.id)).toEqual(['car'])
  })

  test('ends with `aborted` when the caller gave up meanwhile', async () => {
    const book = open()
    const recall = createRecall({ store: book, clock, legs: [createTextLeg(book)] })
    await expect(recall({ text: 'red' }, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
  })
})
