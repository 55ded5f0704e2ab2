// Legs of recall: how their ranks become one order, and what recall makes of a leg that is slow, empty or away.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { factorsOf, fuse, type LegCandidates, multiplierOf, applyFactors } from '../../../src/recall/fuse.ts'
import type { Leg, LegCandidate, LegResult } from '../../../src/recall/leg.ts'
import { createRecall } from '../../../src/recall/recall.ts'
import { createTextLegs } from '../../../src/recall/text-leg.ts'
import { makeKind, openTestStore, type TestStore } from '../../support/test-store.ts'

const reason = (rank: number) => ({ rank, bm25: 1, coverage: 1, words: [] })
const list = (weight: number, ...seqs: number[]): LegCandidates => ({
  name: 'text',
  weight,
  candidates: seqs.map((seq, i) => candidate(seq, i + 1)),
})
function candidate(seq: number, rank: number, more: Partial<LegCandidate> = {}): LegCandidate {
  return { seq, rank, strength: 1, isAnswer: true, because: reason(rank), ...more }
}
const sharesOf = (lists: readonly LegCandidates[]) =>
  new Map(fuse(lists).map(({ seq, score }) => [seq, score]))
const plain = { recency: 1, importance: 0.5, confidence: 1, use: 0, pin: 0 }

describe('fusion', () => {
  test('gives the first of every leg the whole share, and each rank its part by weight', () => {
    const shares = sharesOf([list(1, 7, 8), list(0.5, 9, 7), list(1)])
    const most = 1.5 / 21
    expect(shares.get(7)).toBeCloseTo((1 / 21 + 0.5 / 22) / most, 12)
    expect(shares.get(8)).toBeCloseTo(1 / 22 / most, 12)
    expect(shares.get(9)).toBeCloseTo(0.5 / 21 / most, 12)
    expect(sharesOf([list(1, 3), list(0.5, 3)]).get(3)).toBeCloseTo(1, 12)
  })

  test('leaves out what no leg calls an answer and what may not be recalled', () => {
    const weak = [candidate(1, 1, { isAnswer: false }), candidate(2, 2), candidate(3, 3)]
    const brought = fuse([{ name: 'text' as const, weight: 1, candidates: weak }])
    expect(brought.map(({ seq }) => seq)).toEqual([2, 3])
    expect(applyFactors(brought, (seq) => (seq === 3 ? undefined : plain)).map(({ seq }) => seq)).toEqual([2])
  })

  test('takes the highest strength of the legs, and orders by score, then by what was stored last', () => {
    const lists = [
      { name: 'text' as const, weight: 1, candidates: [candidate(1, 1, { strength: 0.5 }), candidate(2, 2)] },
      { name: 'text' as const, weight: 1, candidates: [candidate(2, 1), candidate(1, 2, { strength: 0.8 })] },
    ]
    const fused = applyFactors(fuse(lists), () => plain)
    expect(fused.map(({ seq }) => seq)).toEqual([2, 1])
    expect((fused[1]?.score ?? 0) / (fused[0]?.score ?? 1)).toBeCloseTo(0.8, 12)
    const even = fuse([list(1, 4), list(1, 5)])
    expect(applyFactors(even, () => plain).map(({ seq }) => seq)).toEqual([5, 4])
    expect(applyFactors(even, (seq) => ({ ...plain, pin: seq === 4 ? 1 : 0 })).map(({ seq }) => seq)).toEqual(
      [4, 5],
    )
  })
})

test('a record that a second witness sees is stronger than either says, and else as strong as the higher says', () => {
  const seen = (words: number, vector: number, isWitness: boolean) => {
    const by = (strength: number, more = {}) => [candidate(1, 1, { strength, ...more })]
    const text = { name: 'text' as const, weight: 1, candidates: by(words) }
    return fuse([text, { name: 'vector' as const, weight: 1, candidates: by(vector, { isWitness }) }])[0]
      ?.score
  }
  expect(seen(0.5, 0.4, true)).toBeCloseTo(0.7, 12)
  expect(seen(0, 0.4, true)).toBeCloseTo(0.4, 12)
  expect(seen(1, 1, true)).toBeCloseTo(1, 12)
  expect(seen(0.5, 0.4, false)).toBeCloseTo(0.5, 12)
  expect(seen(0.5, 0.6, false)).toBeCloseTo(0.6, 12)
})

describe('what weighs a hit', () => {
  const nothing = { importance: undefined, confidence: undefined, pinned: false, uses: 0 }
  const day = 86_400_000

  test('is stated: each part, and what all of them multiply by', () => {
    expect(factorsOf(nothing, 0)).toEqual({ recency: 1, importance: 0.5, confidence: 1, use: 0, pin: 0 })
    expect(multiplierOf(factorsOf(nothing, 0))).toBeCloseTo(1, 12)
    expect(factorsOf(nothing, 30 * day).recency).toBeCloseTo(0.5, 12)
    expect(factorsOf(nothing, -5 * day).recency).toBe(1)
    expect(factorsOf({ ...nothing, uses: 5 }, 0).use).toBeCloseTo(0.5, 12)
    expect(multiplierOf(factorsOf({ ...nothing, importance: 1 }, 0))).toBeCloseTo(1.1, 12)
    expect(multiplierOf(factorsOf({ ...nothing, confidence: 0.5 }, 0))).toBeCloseTo(0.9, 12)
    expect(multiplierOf(factorsOf({ ...nothing, pinned: true }, 0))).toBeCloseTo(1.25, 12)
    expect(multiplierOf(factorsOf({ ...nothing, uses: 10 }, 0))).toBeCloseTo(1.075, 12)
    expect(multiplierOf(factorsOf(nothing, 60 * day))).toBeCloseTo(0.925, 12)
  })

  test('stays in its bounds and never turns round, whatever a record says of itself', () => {
    const said = fc.record({
      importance: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
      confidence: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
      pinned: fc.boolean(),
      uses: fc.nat(),
    })
    fc.assert(
      fc.property(said, fc.integer(), fc.nat(), (weighed, age, more) => {
        const factors = factorsOf(weighed, age)
        for (const part of Object.values(factors)) expect(part >= 0 && part <= 1).toBe(true)
        const multiplier = multiplierOf(factors)
        expect(multiplier).toBeGreaterThanOrEqual(0.9 * 0.9 * 0.8 - 1e-9)
        expect(multiplier).toBeLessThanOrEqual(1.1 * 1.1 * 1.25 + 1e-9)
        expect(multiplierOf(factorsOf(weighed, age + more))).toBeLessThanOrEqual(multiplier)
        const used = { ...weighed, uses: weighed.uses + more }
        expect(multiplierOf(factorsOf(used, age))).toBeGreaterThanOrEqual(multiplier)
      }),
    )
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
    const recall = createRecall({ store: book, clock, legs: [away, ...createTextLegs(book)] })
    const { hits, degraded, legs } = await recall({ text: 'red door' })
    expect(hits.map(({ record }) => record.id)).toEqual(['door', 'car'])
    expect(degraded).toEqual(['The model is away.'])
    expect(legs).toEqual({ text: 2, window: 2, session: 2, name: 0 })
  })

  test('does not return what was forgotten while it waited for the slowest leg', async () => {
    const book = open()
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<LegResult<'text'>>()
    const slow: Leg<'text'> = {
      name: 'text',
      weight: 1,
      find: () => {
        asked.resolve()
        return answered.promise
      },
    }
    const recall = createRecall({ store: book, clock, legs: [...createTextLegs(book), slow] })
    const waiting = recall({ text: 'red door' })
    await asked.promise
    book.db.transaction(() => book.forget('door'))
    answered.resolve({ candidates: [], found: 0 })
    expect((await waiting).hits.map(({ record }) => record.id)).toEqual(['car'])
  })

  test('ends with `aborted` when the caller gave up meanwhile', async () => {
    const book = open()
    const recall = createRecall({ store: book, clock, legs: [...createTextLegs(book)] })
    await expect(recall({ text: 'red' }, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
  })

  test('ends a whole answer with `aborted` too, and returns nothing forgotten while its words were searched', async () => {
    const book = open()
    let searches = 0
    // Forgets a record between the first search and the second one.
    const forgetful = createTextLegs(book).map((leg) => ({
      ...leg,
      find: (question: Parameters<Leg['find']>[0]) => {
        if (leg.name === 'text' && ++searches === 2) book.db.transaction(() => book.forget('car'))
        return leg.find(question)
      },
    }))
    book.db.transaction(() => {
      book.put({ text: 'a red boat in the harbour' }, { id: 'boat' })
      book.put({ text: 'the harbour at night' }, { id: 'night' })
      // Only in a book of more records do words of the best ones find others.
      for (let i = 0; i < 100; i++) book.put({ text: `note ${i}` }, { id: `note-${i}` })
    })
    const query = { text: 'red', want: 'all' } as const
    const whole = createRecall({ store: book, clock, legs: createTextLegs(book) })
    await expect(whole(query, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
    expect((await whole(query)).hits.map(({ record }) => record.id)).toContain('car')
    const { hits, complete } = await createRecall({ store: book, clock, legs: forgetful })(query)
    expect(searches).toBe(2)
    expect(hits.map(({ record }) => record.id)).not.toContain('car')
    expect(complete).toBe(1)
  })

  test('finds nothing by words that go with every subject, when the book does not know the subject', async () => {
    const book = open()
    const recall = createRecall({ store: book, clock, legs: createTextLegs(book) })
    const ask = async (text: string) => (await recall({ text })).hits.map(({ record }) => record.id)
    book.db.transaction(() => {
      book.put({ text: 'we never want to go there without knowing the way' }, { id: 'walk' })
      book.put({ text: 'the penguins came to the harbour' }, { id: 'penguins' })
    })
    expect(await ask('so where did the elephants go')).toEqual([])
    expect(await ask('i want to know about the parrot i never had')).toEqual([])
    expect(await ask('where did the penguins go')).toEqual(expect.arrayContaining(['penguins']))
    // Who asks for nothing else asks for them.
    expect(await ask('never want')).toEqual(['walk'])
  })

  test('takes one known word of three for chance in a book of few long records as in one of many short ones', async () => {
    const book = open()
    const recall = createRecall({ store: book, clock, legs: createTextLegs(book) })
    const ask = async (text: string) => (await recall({ text })).hits.map(({ record }) => record.id)
    const words = (i: number) => Array.from({ length: 100 }, (_, j) => `word${i * 100 + j}`).join(' ')
    book.db.transaction(() => {
      for (let i = 0; i < 19; i++) book.put({ text: words(i) })
    })
    expect(await ask('red elephants dancing')).toEqual(['car', 'door'])
    book.put({ text: words(19) })
    book.put({ text: words(20) })
    expect(await ask('red elephants dancing')).toEqual([])
  })

  test('takes one known word of three for chance in a book of a hundred, and for an answer in a small one', async () => {
    const book = open()
    const recall = createRecall({ store: book, clock, legs: createTextLegs(book) })
    const ask = async (text: string) => (await recall({ text })).hits.map(({ record }) => record.id)
    expect(await ask('red elephants dancing')).toEqual(['car', 'door'])
    book.db.transaction(() => {
      for (let i = 0; i < 98; i++) book.put({ text: `note ${i} of somebody` })
    })
    expect(await ask('red elephants dancing')).toEqual([])
    expect(await ask('red elephants')).toEqual(['car', 'door'])
    expect(await ask('red elephants dancing by the door')).toEqual(['door', 'car'])
    // What did not answer is still counted as found, so that a dead leg is seen.
    expect((await recall({ text: 'red elephants dancing' })).legs['text']).toBe(2)
  })
})
