// The bars of the inspector's histogram: none is lost, whatever the span, and days are those of the reader.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { slotsOf, spanOf } from '../../../../../demo/parts/chart/histogram-slot.ts'

const hourMs = 3_600_000
const zone = process.env['TZ']
beforeEach(() => {
  // Its clocks change in March and October.
  process.env['TZ'] = 'Europe/Berlin'
})
afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

const dayAt = (offset: number) => new Date(2026, 2, 20 + offset).toISOString()
const oneOf = (at: string) => ({ at, count: 1, failed: 0 })

describe('bars of a histogram', () => {
  it.each([6, 7, 8, 9, 10, 13, 14, 15, 19, 20, 25, 60])('cover %i days', (days) => {
    const buckets = [oneOf(dayAt(0)), oneOf(dayAt(days - 1))]
    expect(spanOf(buckets, 'day')).toBe(days)
    expect(slotsOf(buckets, 'day', 400)).toHaveLength(days)
  })

  it('begin at midnight where the clocks change, and each ends where the next begins', () => {
    const slots = slotsOf([oneOf(dayAt(0)), oneOf(dayAt(14))], 'day', 400)
    expect(slots.map(({ fromMs }) => new Date(fromMs).getHours())).toEqual(slots.map(() => 0))
    expect(slots.slice(1).map(({ fromMs }) => fromMs)).toEqual(slots.slice(0, -1).map(({ toMs }) => toMs))
    // 29 March 2026 has 23 hours.
    expect(slots.map(({ fromMs, toMs }) => (toMs - fromMs) / hourMs).sort()).toContain(23)
  })

  it('hold every record once, within the span of its bar, and are never more than fit', () => {
    const offsets = fc.uniqueArray(fc.nat(400), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(offsets, fc.integer({ min: 1, max: 100 }), (days, limit) => {
        const buckets = days.sort((a, b) => a - b).map((day) => oneOf(dayAt(day)))
        const slots = slotsOf(buckets, 'day', limit)
        expect(slots.length).toBeLessThanOrEqual(limit)
        for (const { fromMs, toMs, count } of slots)
          expect(buckets.filter(({ at }) => Date.parse(at) >= fromMs && Date.parse(at) < toMs)).toHaveLength(
            count,
          )
        expect(slots.reduce((sum, { count }) => sum + count, 0)).toBe(buckets.length)
      }),
    )
  })
})
