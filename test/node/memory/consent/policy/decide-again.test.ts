// What is remembered of decisions for the next call: the same answer as policies that nobody has asked yet.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePolicies } from '../../../../../src/memory/consent/policy/policy-decision.ts'
import { agent, makePolicy, noon, policy } from '../../../../support/consent/policy.ts'

const hourMs = 3_600_000
const conditions = fc.constantFrom<Record<string, unknown> | undefined>(
  undefined,
  { requireHttps: true },
  { timeOfDay: { start: '09:00', end: '17:00' } },
  { timeOfDay: { start: '22:00', end: '06:00', timezone: 'UTC' } },
  { timeOfDay: { start: '00:00', end: '23:00', timezone: 'Nowhere/Else' } },
  { rateLimit: { requests: 3, window: '1h' } },
  { rateLimit: { requests: 3, window: '2h' }, requireHttps: true },
  { unheard: 1 },
)
const ends = fc.constantFrom(undefined, '2026-07-01T06:00:00.000Z', '2026-07-01T12:00:00.000Z')
const some = fc.array(
  fc.tuple(policy, conditions, ends).map(([one, asked, expires_at]) => ({
    ...one,
    conditions: asked,
    expires_at,
  })),
  { minLength: 1, maxLength: 6 },
)
const calls = fc.array(
  fc.record({
    who: agent,
    hour: fc.constantFrom(0, 5, 6, 8, 9, 12, 16, 17, 23),
    way: fc.constantFrom('here' as const, 'https' as const, 'http' as const),
    count: fc.constantFrom(1, 3, 4),
  }),
  { minLength: 2, maxLength: 20 },
)

describe('a decision that is remembered', () => {
  it('is that of policies read anew, whatever was asked before and in whatever order', () => {
    fc.assert(
      fc.property(some, calls, (policies, asked) => {
        const compiled = compilePolicies(policies)
        for (const { who, hour, way, count } of asked) {
          const nowMs = Date.UTC(2026, 6, 1) + hour * hourMs
          const given = {
            ...noon,
            nowMs,
            way,
            // The wider the span, the more calls are in it.
            calls: (sinceMs: number) => count + (nowMs - sinceMs > hourMs ? 1 : 0),
          }
          expect(compiled.decide(who, given)).toEqual(compilePolicies(policies).decide(who, given))
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('is looked at once for each clock and each span, however many policies ask', () => {
    const asked: string[] = []
    const policies = Array.from({ length: 100 }, (_, n) =>
      makePolicy({
        conditions: {
          timeOfDay: { start: '00:00', end: `22:${10 + (n % 50)}` },
          rateLimit: { requests: 50 + n, window: '1h' },
        },
        allow: ['a2p:*'],
      }),
    )
    const { allowing } = compilePolicies(policies).decide('helper', {
      ...noon,
      zone(name) {
        asked.push('zone')
        return noon.zone(name)
      },
      calls() {
        asked.push('calls')
        return 1
      },
    })
    expect(allowing.length).toBe(100)
    expect(asked.toSorted()).toEqual(['calls', 'zone'])
  })
})
