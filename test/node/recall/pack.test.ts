// The packer of prompt context: lanes in their order, each sure of its share, records cut before they are left out.
import fc from 'fast-check'
import { estimateTokens } from '../../../src/core/text/estimate-tokens.ts'
import { expect, it } from 'vitest'
import {
  laneShares,
  lanes,
  pack,
  type PackOptions,
  preamble,
  type QuotedHit,
  quotedShare,
} from '../../../src/recall/pack.ts'

const options = (over: Partial<PackOptions> = {}): PackOptions => ({
  budget: 300,
  caps: {},
  itemLimit: 100,
  measure: estimateTokens,
  session: 's',
  resource: 'r',
  agent: 'a',
  ...over,
})

const owners = {
  thread: { session: 's', resource: 'x', agent: 'b' },
  resource: { session: 't', resource: 'r', agent: 'b' },
  agent: { agent: 'a' },
  pool: { agent: 'b' },
  other: { agent: 'b' },
}

const quotedOf = (lane: keyof typeof owners, id: string, text: string): QuotedHit => ({
  hit: {
    record: { id, kind: 'message', ...owners[lane] },
    score: 0.5,
    because: {},
  } as unknown as QuotedHit['hit'],
  text,
  ...(lane === 'pool' ? { pool: { votes: { yes: 2, no: 0 }, version: 1 } } : {}),
  happenedAt: '2026-01-31T10:00:00.000Z',
})

const words = fc
  .array(fc.constantFrom('tide', 'garden\n', 'été', '庭', 'with a longer run of words'), {
    minLength: 1,
    maxLength: 60,
  })
  .map((all) => all.join(' '))
const recalled = fc
  .array(fc.tuple(fc.constantFrom(...lanes), words), { maxLength: 30 })
  .map((all) => all.map(([lane, said], i) => quotedOf(lane, `m-${i}`, said)))
const someOptions = fc.record({
  budget: fc.nat(1000),
  itemLimit: fc.integer({ min: 8, max: 300 }),
  measure: fc.constantFrom(estimateTokens, (text: string) => text.length),
  caps: fc.record({ thread: fc.nat(300), agent: fc.nat(300), other: fc.nat(300) }, { requiredKeys: [] }),
})

it('keeps to the budget and to each cap, in the order of lanes, and counts what it leaves out', () => {
  fc.assert(
    fc.property(recalled, someOptions, (all, over) => {
      const { budget, caps, measure } = over
      const { text, items, overflow } = pack(all, options(over))
      expect(measure(text)).toBeLessThanOrEqual(budget)
      expect(items.length + overflow.hits).toBe(all.length)
      const places = items.map(({ lane, id }) => lanes.indexOf(lane) * 1000 + Number(id.slice(2)))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
      for (const lane of lanes) {
        const own = items.filter((item) => item.lane === lane)
        const ofLane = all.filter(({ hit }) => laneIn(hit.record.id, all) === lane)
        expect(own.length + overflow.lanes[lane]).toBe(ofLane.length)
        if (measure === estimateTokens)
          expect(own.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(
            caps[lane as 'thread'] ?? budget,
          )
      }
      for (const { id, cut } of items) if (!cut) expect(text).toContain(`[${id}] message`)
    }),
  )
})

it('lets nobody push out what fits the share of a lane', () => {
  fc.assert(
    fc.property(recalled, fc.integer({ min: 100, max: 1000 }), (all, budget) => {
      const room = Math.floor((budget - estimateTokens(`${preamble}\n\n`)) * laneShares.thread)
      const packed = pack(all, options({ budget }))
      const own = all.filter(({ hit }) => laneIn(hit.record.id, all) === 'thread')
      let left = room
      for (const one of own) {
        const alone = pack([one], options({ budget: 100_000 })).items[0]?.tokens ?? Infinity
        // It waits to be cut, and keeps room from worse ones.
        if (alone > left) break
        left -= alone
        expect(packed.items.map(({ id }) => id)).toContain(one.hit.record.id)
      }
    }),
  )
})

it("keeps this run's own words when other agents' records are better and many", () => {
  const others = Array.from({ length: 50 }, (_, i) =>
    quotedOf('other', `o-${i}`, 'The garden was dry all summer.'),
  )
  const own = quotedOf('thread', 'own', 'The tidal garden floods at spring tide.')
  const { items, overflow } = pack([...others, own], options({ budget: 120 }))
  expect(items[0]).toMatchObject({ id: 'own', lane: 'thread', cut: false })
  expect(overflow.lanes).toMatchObject({ thread: 0, other: 51 - items.length })
})

it('keeps a place for each lane, however much the lanes before it have', () => {
  const own = Array.from({ length: 50 }, (_, i) => quotedOf('thread', `t-${i}`, 'The tide was high.'))
  const few = [
    quotedOf('other', 'o', 'It was dry.'),
    quotedOf('agent', 'a', 'It rained.'),
    quotedOf('resource', 'r', 'Mud.'),
  ]
  const { items } = pack([...own, ...few], options({ budget: 300 }))
  expect(items.slice(-3).map(({ id }) => id)).toEqual(['r', 'a', 'o'])
  expect(items.length).toBeGreaterThan(6)
})

it('gives what a lane leaves to the others, and cuts a record before it leaves it out', () => {
  const others = Array.from({ length: 3 }, (_, i) => quotedOf('other', `o-${i}`, 'word '.repeat(60)))
  const { items, tokens } = pack(others, options({ budget: 240 }))
  expect(items.map(({ cut }) => cut)).toEqual([false, false, true])
  expect(tokens).toBeGreaterThan(200)
})

function laneIn(id: string, all: readonly QuotedHit[]) {
  const found = all.find(({ hit }) => hit.record.id === id)
  if (found?.pool) return 'pool'
  const record = found?.hit.record
  if (record?.session === 's') return 'thread'
  if (record?.resource === 'r') return 'resource'
  return record?.agent === 'a' ? 'agent' : 'other'
}

it('packs a whole answer in the order of time, and all of its records rather than a few long ones', () => {
  const long = 'a sentence of a long talk about the boiler '.repeat(30)
  const hits = Array.from({ length: 10 }, (_, i): QuotedHit => {
    const lane = (['other', 'thread', 'agent'] as const)[i % 3] ?? 'other'
    const one = quotedOf(lane, `r-${i}`, `${i} ${long}`)
    return {
      ...one,
      hit: { ...one.hit, score: i / 10 },
      happenedAt: `2026-01-${String(((i * 7) % 10) + 10)}T10:00:00.000Z`,
    }
  })
  const budget = 1500
  const whole = pack(hits, options({ budget, itemLimit: 300, isWhole: true }))
  expect(whole.overflow.hits).toBe(0)
  const times = whole.items.map(({ happenedAt }) => happenedAt)
  expect(times).toEqual(times.toSorted())
  expect(whole.tokens).toBeLessThanOrEqual(budget)
  expect(pack(hits, options({ budget, itemLimit: 300 })).overflow.hits).toBeGreaterThan(0)
  // With too little room, the best ones of their lanes stay.
  const few = pack(hits, options({ budget: 300, itemLimit: 300, isWhole: true }))
  const ids = few.items.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining(['r-7', 'r-8']))
  expect(few.overflow.hits).toBe(10 - ids.length)
})

it.each([
  ['words', 'It is dull and the days are long. '.repeat(16), 'The turquoise valve has the number 4471.'],
  ['letters', '今日は雨です。'.repeat(60), '青い弁の番号は4471です。'],
])('quotes the part of a passage with the most matched %s', (_, filler, answer) => {
  const text = `${filler}${filler}${answer}`
  const from = filler.length
  const matches = ['4471', 'valve', '青い弁', 'The'].map((record) => ({ question: record, record }))
  const quoted = quotedOf('agent', 'm', text)
  const hit = { ...quoted.hit, because: { text: { matches } } } as unknown as QuotedHit['hit']
  for (const budget of [90, 100, 120])
    expect(pack([{ ...quoted, hit, focus: { from, to: text.length } }], options({ budget })).text).toContain(
      answer,
    )
})

it('the quoted share of a whole answer is that of the scores', () => {
  const hits = [{ score: 0.6 }, { score: 0.3 }, { score: 0.1 }]
  expect(quotedShare(0.5, hits, hits.slice(0, 1))).toBeCloseTo(0.3)
  expect(quotedShare(1, hits, hits)).toBeCloseTo(1)
  expect(quotedShare(1, hits, [])).toBe(0)
  expect(quotedShare(1, [], [])).toBe(1)
  expect(quotedShare(undefined, hits, hits)).toBeUndefined()
})

it('quotes the best record of a lane at every budget that has room for a part of it', () => {
  const best = quotedOf(
    'agent',
    'best',
    'The spare key of the boathouse hangs behind the blue door. '.repeat(40),
  )
  const others = Array.from({ length: 6 }, (_, i) => quotedOf('agent', `m-${i}`, 'It rained again.'))
  for (let budget = 90; budget <= 400; budget += 5) {
    const { items } = pack([best, ...others], options({ budget, session: undefined, resource: undefined }))
    expect([budget, items[0]?.id]).toEqual([budget, 'best'])
  }
})
