// The rules of a whole answer: exchanges, the floor, runs, the order of time, and the share that was returned.
import { describe, expect, it } from 'vitest'
import type { Kind } from '../../../src/core/kind.ts'
import { messageKind } from '../../../src/memory/conversation/message/message-kind.ts'
import { exchangeScores, type WholePlace } from '../../../src/recall/whole/exchange.ts'
import { feedbackWords } from '../../../src/recall/whole/feedback.ts'
import { gatherWhole, type WholeOptions } from '../../../src/recall/whole/gather.ts'
import { rerank, type RerankedRecord } from '../../../src/recall/rerank.ts'

const ranked = (seq: number, score: number, text = `record number ${seq}`): RerankedRecord<undefined> =>
  rerank(
    {
      item: undefined,
      seq,
      score,
      texts: [text],
      record: { id: `r-${seq}`, kind: 'message' } as unknown as RerankedRecord<undefined>['record'],
    },
    [],
  )
const place = (over: Partial<WholePlace> = {}): WholePlace => ({
  before: undefined,
  after: undefined,
  happenedAtMs: 0,
  role: undefined,
  ...over,
})
const options = (over: Partial<WholeOptions> = {}): WholeOptions => ({
  want: 'all',
  limit: 40,
  minScore: 0,
  distinct: true,
  diversity: 0,
  cut: 'none',
  ...over,
})
const seqsOf = ({ records }: { readonly records: readonly { readonly seq: number }[] }) =>
  records.map(({ seq }) => seq)

describe('repeated events', () => {
  const minute = 60_000
  const tablet = (seq: number) => ranked(seq, 1 - seq / 100, 'I took my iron tablet')
  const placesAt = (...times: readonly number[]) =>
    new Map(times.map((happenedAtMs, i) => [i + 1, place({ happenedAtMs })]))
  const records = [1, 2, 3].map(tablet)

  it.each(['all', 'order'] as const)('are all there: %s', (want) => {
    const whole = gatherWhole(records, placesAt(0, minute, 1440 * minute), options({ want }))
    expect(seqsOf(whole).toSorted()).toEqual([1, 2, 3])
  })

  it('are folded at the same time, with the same words and numbers only', () => {
    expect(seqsOf(gatherWhole(records, placesAt(0, minute - 1, 2 * minute), options()))).toEqual([1, 3])
    const cities = ['Oslo', 'Rome'].map((city, i) =>
      ranked(i + 1, 0.5, `I ran the marathon in ${city} with my friends and we had dinner near the station`),
    )
    expect(seqsOf(gatherWhole(cities, placesAt(0, 0), options())).toSorted()).toEqual([1, 2])
  })

  it('are folded in a summary', () => {
    const whole = gatherWhole(records, placesAt(0, minute, 1440 * minute), options({ want: 'summary' }))
    expect(seqsOf(whole)).toEqual([1])
  })
})

describe('exchangeScores', () => {
  // 1 and 2, 3 and 4 are exchanges of one session; 5 has no speaker.
  const talk = [
    { seq: 1, score: 0.2, place: place({ role: 'person', after: 2 }) },
    { seq: 2, score: 0.8, place: place({ role: 'agent', before: 1, after: 3 }) },
    { seq: 3, score: 0.4, place: place({ role: 'person', before: 2, after: 4 }) },
    { seq: 4, score: 0.1, place: place({ role: 'agent', before: 3 }) },
    { seq: 5, score: 0.3, place: place() },
  ]

  it('raises the message that a good answer answers, where a person speaks of own words', () => {
    const scores = exchangeScores(talk, 'all', true)
    expect(scores.get(1)).toBeCloseTo(0.8 + 0.1 * 0.4)
    expect(scores.get(2)).toBeCloseTo(0.2 * 0.8)
    expect(scores.get(3)).toBeCloseTo(0.4 + 0.1 * 0.2)
    expect(scores.get(5)).toBe(0.3)
  })

  it('leaves the answers where a question is not about own words', () => {
    expect(exchangeScores(talk, 'all', false).get(2)).toBe(0.8)
  })

  it('gives both messages of an exchange the same place in a summary', () => {
    const scores = exchangeScores(talk, 'summary', true)
    expect(scores.get(2)).toBe(0.8)
    expect(scores.get(1)).toBeCloseTo(0.8 + 0.1 * 0.4)
  })
})

describe('gatherWhole', () => {
  it('drops what is far below the best, and counts it as no answer', () => {
    const found = gatherWhole([ranked(1, 1), ranked(2, 0.5), ranked(3, 0.01)], new Map(), options())
    expect(seqsOf(found)).toEqual([1, 2])
    expect(found.complete).toBe(1)
  })

  it('drops more of an order, whose reader can not tell a weak record by its place', () => {
    const weak = [ranked(1, 0.05), ranked(2, 1), ranked(3, 0.07)]
    expect(seqsOf(gatherWhole(weak, new Map(), options({ want: 'order' })))).toEqual([2, 3])
    expect(seqsOf(gatherWhole(weak, new Map(), options()))).toEqual([2, 3, 1])
  })

  it('returns the best within the limit, and the share of the weight', () => {
    const found = gatherWhole(
      [ranked(1, 0.2), ranked(2, 1), ranked(3, 0.8)],
      new Map(),
      options({ limit: 2 }),
    )
    expect(seqsOf(found)).toEqual([2, 3])
    expect(found.complete).toBeCloseTo(1.8 / 2)
    expect(gatherWhole([ranked(2, 1)], new Map(), options(), 50).complete).toBe(1 / 50)
    expect(gatherWhole([], new Map(), options()).complete).toBe(1)
  })

  it('folds duplicates, which count as returned', () => {
    const text = 'the lift is out of order again'
    const three = [ranked(1, 1, text), ranked(2, 0.9, text), ranked(3, 0.8, 'the stairs are wet')]
    const found = gatherWhole(three, new Map(), options({ limit: 2 }))
    expect(seqsOf(found)).toEqual([1, 3])
    expect(found.complete).toBe(1)
    expect(gatherWhole(three, new Map(), options({ limit: 1 })).complete).toBeCloseTo(1.9 / 2.7)
    expect(gatherWhole(three, new Map(), options({ limit: 1, distinct: false })).complete).toBeCloseTo(
      1 / 2.7,
    )
    expect(gatherWhole(three.slice(0, 2), new Map(), options({ want: 'summary' })).complete).toBe(1)
    expect(seqsOf(gatherWhole(three, new Map(), options({ distinct: false })))).toEqual([1, 2, 3])
  })

  it('puts an order into the order of time, of equal times as stored', () => {
    const places = new Map([
      [1, place({ happenedAtMs: 3 })],
      [2, place({ happenedAtMs: 1 })],
      [3, place({ happenedAtMs: 1 })],
    ])
    const found = gatherWhole(
      [ranked(1, 1), ranked(3, 0.9), ranked(2, 0.8)],
      places,
      options({ want: 'order' }),
    )
    expect(seqsOf(found)).toEqual([2, 3, 1])
  })

  it('spreads an order over the talks, so that no event is lost beside a better told one', () => {
    // 1 to 3 follow each other and speak of one event; 9 is another one.
    const talk = new Map([
      [1, place({ after: 2, happenedAtMs: 1 })],
      [2, place({ before: 1, after: 3, happenedAtMs: 2 })],
      [3, place({ before: 2, happenedAtMs: 3 })],
      [9, place({ happenedAtMs: 9 })],
    ])
    const records = [ranked(1, 0.8), ranked(2, 1), ranked(3, 0.7), ranked(9, 0.6)]
    expect(seqsOf(gatherWhole(records, talk, options({ limit: 2 })))).toEqual([1, 2])
    const order = gatherWhole(records, talk, options({ want: 'order', limit: 2 }))
    expect(seqsOf(order)).toEqual([2, 9])
    expect(order.best.map(({ score }) => score)).toEqual([1, 0.6])
    // Records beside the best one have less weight: 0.8 and 0.7 × 0.5, then each loses to the other.
    const all = gatherWhole(records, talk, options({ want: 'order' })).best
    expect(all.map(({ seq }) => seq)).toEqual([2, 9, 1, 3])
    expect(all[3]?.score).toBeCloseTo(0.7 * 0.5 * 0.625)
    expect(order.complete).toBeCloseTo(1.6 / (1.6 + 0.4 + 0.7 * 0.5 * 0.625))
    // A higher limit gives the same first ones.
    const floored = gatherWhole(records, talk, options({ want: 'order', minScore: 0.5 }))
    expect(seqsOf(floored)).toEqual([2, 9])
  })

  it('puts records that follow each other with like scores together, the best run first', () => {
    const places = new Map([
      [1, place({ after: 2, happenedAtMs: 1 })],
      [2, place({ before: 1, after: 3, happenedAtMs: 2 })],
      [3, place({ before: 2, after: 4, happenedAtMs: 3 })],
      [4, place({ before: 3, happenedAtMs: 4 })],
      [9, place({ happenedAtMs: 9 })],
    ])
    const some = [ranked(3, 1), ranked(9, 0.9), ranked(1, 0.7), ranked(4, 0.2)]
    expect(seqsOf(gatherWhole(some, places, options()))).toEqual([1, 3, 9, 4])
  })

  it('keeps to the least score, the sharp cut and different records', () => {
    const some = [ranked(1, 1), ranked(2, 0.9), ranked(3, 0.2)]
    expect(seqsOf(gatherWhole(some, new Map(), options({ minScore: 0.5 })))).toEqual([1, 2])
    expect(seqsOf(gatherWhole(some, new Map(), options({ cut: 'sharp' })))).toEqual([1, 2])
    expect(seqsOf(gatherWhole(some, new Map(), options({ diversity: 0.5, limit: 2 })))).toHaveLength(2)
  })
})

describe('feedbackWords', () => {
  const frequencies = new Map([
    ['slate', 4],
    ['gutter', 3],
    ['onli', 1],
    ['water', 500],
  ])
  const kinds = new Map<string, Kind>([['message', messageKind as unknown as Kind]])
  const storeOf = (counts: ReadonlyMap<string, number>, indexed = 1000) => ({
    kinds,
    queries: {
      indexedCount: () => indexed,
      frequencies: (words: readonly string[]) =>
        new Map(words.flatMap((word) => (counts.has(word) ? [[word, counts.get(word) ?? 0]] : []))),
    },
  })
  const store = storeOf(frequencies)

  it('takes the rare words of the best records, neither those of one record nor those of most', () => {
    const words = feedbackWords(
      store,
      [ranked(1, 1, 'slates slates gutter roof only'), ranked(2, 0.5, 'water on the slates')],
      ['roof'],
      'all',
    )
    expect(words).toEqual(['slates', 'gutter'])
  })

  it('takes words of fewer records for an order than for a list', () => {
    const others = Array.from({ length: 9 }, (_, i) => ranked(i + 1, 1, 'roof'))
    const best = [...others, ranked(10, 0.5, 'gutter')]
    expect(feedbackWords(store, best, ['roof'], 'all')).toEqual(['gutter'])
    expect(feedbackWords(store, best, ['roof'], 'order')).toEqual([])
  })

  it.each([
    [1000, 20, ['slates']],
    [1000, 21, []],
    [100, 2, ['slates']],
    [100, 3, []],
    [99, 2, []],
    [50_000, 400, ['slates']],
    [50_000, 401, []],
    [4, 4, []],
  ])('of a book of %i records, a word of %i records: %j', (indexed, count, words) => {
    const counts = new Map([['slate', count]])
    expect(feedbackWords(storeOf(counts, indexed), [ranked(1, 1, 'slates')], ['roof'], 'all')).toEqual(words)
  })

  it('takes no words of the speaker', () => {
    const said = ranked(1, 1, 'ann slates')
    const record = { ...said.record, content: 'slates', source: { name: 'ann' } }
    const counts = new Map([
      ['ann', 3],
      ['slate', 3],
    ])
    const ofAnn = { ...said, record } as typeof said
    expect(feedbackWords(storeOf(counts), [ofAnn], ['roof'], 'all')).toEqual(['slates'])
  })
})
