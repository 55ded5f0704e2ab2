// The numbers behind the charts: places in time without a gap, percentiles by nearest rank, and sums of what is known alone.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  countByDay,
  growthOf,
  daySlots,
  slotAt,
  slotLimit,
} from '../../../../../demo/kind/chart/day-count.ts'
import {
  failuresByAction,
  figuresByTime,
  percentile,
  type TraceSample,
} from '../../../../../demo/kind/chart/trace-figure.ts'

const zone = process.env['TZ']
beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin'
})
afterAll(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

const sample = (more: Partial<TraceSample>): TraceSample => ({
  atMs: Date.parse('2026-03-01T12:00:00Z'),
  action: 'grind',
  failed: false,
  ms: undefined,
  tokens: undefined,
  cost: undefined,
  ...more,
})

describe('places in time', () => {
  const instant = fc.integer({ min: Date.parse('2000-01-01'), max: Date.parse('2040-01-01') })

  it('follow each other without a gap, few enough, with every instant of the span in the one that has it', () => {
    fc.assert(
      fc.property(instant, instant, instant, (one, other, any) => {
        const [first, last] = one < other ? [one, other] : [other, one]
        const slots = daySlots(first, last)
        expect(slots.length).toBeLessThanOrEqual(slotLimit)
        expect(slots.slice(1).map(({ fromMs }) => fromMs)).toEqual(slots.slice(0, -1).map(({ toMs }) => toMs))
        expect(slotAt(slots, first)).toBe(0)
        expect(slotAt(slots, last)).toBe(slots.length - 1)
        const slot = slots[slotAt(slots, any)]
        expect(slot === undefined).toBe(any < (slots[0]?.fromMs ?? 0) || any >= (slots.at(-1)?.toMs ?? 0))
        expect(slot === undefined || (slot.fromMs <= any && any < slot.toMs)).toBe(true)
      }),
    )
  })

  it('begin at midnight of the reader, also on the days of 23 and 25 hours', () => {
    const slots = daySlots(Date.parse('2026-03-27T12:00:00Z'), Date.parse('2026-03-31T12:00:00Z'))
    expect(slots.map(({ fromMs }) => new Date(fromMs).toISOString())).toEqual([
      '2026-03-26T23:00:00.000Z',
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      '2026-03-30T22:00:00.000Z',
    ])
  })
})

describe('figures of traces', () => {
  it('are null where no trace says anything, and leave out those that do not', () => {
    const next = Date.parse('2026-03-03T12:00:00Z')
    const { slots, count, p50, p95, tokens, cost } = figuresByTime([
      sample({ ms: 10, tokens: 5 }),
      sample({ ms: 30 }),
      sample({}),
      sample({ atMs: next, cost: 0.25 }),
      sample({ atMs: next, cost: 0.5 }),
    ])
    expect(slots).toHaveLength(3)
    expect([count, p50, p95, tokens, cost]).toEqual([
      [3, 0, 2],
      [10, null, null],
      [30, null, null],
      [5, null, null],
      [null, null, 0.75],
    ])
  })

  it('take percentiles by nearest rank', () => {
    const numbers = Array.from({ length: 20 }, (_, i) => i + 1)
    expect([0.5, 0.95, 1].map((share) => percentile(numbers, share))).toEqual([10, 19, 20])
    expect([percentile([7], 0.5), percentile([], 0.5)]).toEqual([7, null])
  })

  it('order actions by how often they failed, and leave out those that never did', () => {
    const samples = ['a', 'b', 'b', 'c'].flatMap((action) => [
      sample({ action, failed: action !== 'c' }),
      sample({ action }),
    ])
    expect(failuresByAction(samples)).toEqual([
      { action: 'b', count: 4, failed: 2 },
      { action: 'a', count: 2, failed: 1 },
    ])
  })
})

describe('counts by day', () => {
  it('grow over all types, with what was before the span in them', () => {
    const days = [
      { kind: 'trace', at: '2026-02-28T23:00:00.000Z', count: 4 },
      { kind: 'fact', at: '2026-03-02T23:00:00.000Z', count: 2 },
      { kind: 'trace', at: '2026-03-02T23:00:00.000Z', count: 1 },
    ]
    const all = growthOf(days)
    expect([all.total, all.mostOf]).toEqual([
      [4, 4, 7],
      ['trace', undefined, 'fact'],
    ])
    const part = growthOf(days, Date.parse('2026-03-02T12:00:00Z'))
    expect([part.slots.length, part.total]).toEqual([1, [7]])
    expect(growthOf([]).slots).toEqual([])
  })

  it('count every instant of the span once', () => {
    const day = Date.parse('2026-03-01T12:00:00Z')
    const { count } = countByDay(
      [day, day + 1, day + 86_400_000, day - 86_400_000],
      day,
      day + 2 * 86_400_000,
    )
    expect(count).toEqual([2, 1, 0])
  })
})
