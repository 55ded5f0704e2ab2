// When a policy allows anything: by which way a call comes, at which time of the day, and how often.
import { describe, expect, it } from 'vitest'
import { parseConditions, unmetCondition } from '../../../../../src/memory/consent/policy/policy-condition.ts'
import { findZone } from '../../../../../src/web/web-zone.ts'
import { noon } from '../../../../support/consent/policy.ts'

const unmet = (stored: Readonly<Record<string, unknown>>, given: Partial<typeof noon> = {}) =>
  unmetCondition(parseConditions(stored), { ...noon, zone: (name) => findZone(name ?? 'UTC'), ...given })
const at = (time: string) => ({ nowMs: Date.parse(time) })

describe('the conditions of a policy', () => {
  it('ask for HTTPS of what comes over a network alone', () => {
    expect(unmet({ requireHttps: true }, { way: 'http' })).toBe('requireHttps')
    expect(unmet({ requireHttps: true }, { way: 'https' })).toBeUndefined()
    expect(unmet({ requireHttps: true }, { way: 'here' })).toBeUndefined()
    expect(unmet({ requireHttps: false }, { way: 'http' })).toBeUndefined()
  })

  it.each([
    ['2026-07-01T07:59:59.999Z', 'timeOfDay'],
    ['2026-07-01T08:00:00.000Z', undefined],
    ['2026-07-01T17:29:59.999Z', undefined],
    ['2026-07-01T17:30:00.000Z', 'timeOfDay'],
  ])('hold from the first minute to before the last: %s', (time, expected) => {
    expect(unmet({ timeOfDay: { start: '08:00', end: '17:30' } }, at(time))).toBe(expected)
  })

  it.each([
    ['2026-07-01T21:59:00.000Z', 'timeOfDay'],
    ['2026-07-01T22:00:00.000Z', undefined],
    ['2026-07-02T00:00:00.000Z', undefined],
    ['2026-07-02T05:59:00.000Z', undefined],
    ['2026-07-02T06:00:00.000Z', 'timeOfDay'],
  ])('go over midnight where they end before they begin: %s', (time, expected) => {
    expect(unmet({ timeOfDay: { start: '22:00', end: '06:00' } }, at(time))).toBe(expected)
  })

  // In Berlin clocks went from 02:00 to 03:00 on 29 March 2026, and from 03:00 back to 02:00 on 25 October.
  it.each([
    ['2026-03-28T01:30:00.000Z', undefined],
    ['2026-03-29T00:59:00.000Z', 'timeOfDay'],
    ['2026-03-29T01:00:00.000Z', 'timeOfDay'],
    ['2026-10-25T00:30:00.000Z', undefined],
    ['2026-10-25T01:30:00.000Z', undefined],
    ['2026-10-25T02:00:00.000Z', 'timeOfDay'],
  ])('follow the clocks of their zone when those are changed: %s', (time, expected) => {
    const timeOfDay = { start: '02:00', end: '03:00', timezone: 'Europe/Berlin' }
    expect(unmet({ timeOfDay }, at(time))).toBe(expected)
  })

  it('do not hold in a zone that nobody knows', () => {
    expect(unmet({ timeOfDay: { start: '00:00', end: '23:59', timezone: 'Nowhere/Land' } })).toBe('timeOfDay')
  })

  it('count the calls of their span, the one that is made included', () => {
    const rateLimit = { requests: 3, window: '1h' }
    const asked: number[] = []
    const counted = (n: number) => ({
      calls(since: number) {
        asked.push(noon.nowMs - since)
        return n
      },
    })
    expect(unmet({ rateLimit }, counted(3))).toBeUndefined()
    expect(unmet({ rateLimit }, counted(4))).toBe('rateLimit')
    expect(asked).toEqual([3_600_000, 3_600_000])
  })

  it('are not met by being told how long the reader may keep what it read', () => {
    expect(unmet({ maxDataRetention: '24h' })).toBeUndefined()
  })

  it.each([
    { minTrustScore: 0 },
    { requireVerifiedOperator: false },
    { requireHttps: 'true' },
    { timeOfDay: { start: '8:00', end: '17:00' } },
    { timeOfDay: { start: '08:00', end: '08:00' } },
    { timeOfDay: { start: '08:00', end: '24:00' } },
    { rateLimit: { requests: 0, window: '1h' } },
    { rateLimit: { requests: 1, window: '0h' } },
    { rateLimit: { requests: 1, window: '8d' } },
    { rateLimit: { requests: 1.5, window: '1h' } },
    { maxDataRetention: 'for ever' },
  ])('do not hold where one is not known or says what can’t be read: %j', (stored) => {
    expect(unmet(stored)).toBe('unknown')
  })
})
