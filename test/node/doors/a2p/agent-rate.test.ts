// What each caller may ask over the a2p protocol: the protocol's numbers, and never more.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DatabaseAgentGate,
  parseAgentRate,
  rateStateOf,
  defaultAgentRate,
} from '../../../../src/edge/agent/agent-gate.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { migrate } from '../../../../src/store/schema/version.ts'

function openGate(rate = defaultAgentRate) {
  let now = 1_767_225_600_000
  const db = openNodeDatabase({ path: ':memory:' })
  migrate(db, new Date(now).toISOString())
  const gate = new DatabaseAgentGate(db, { now: () => now }, rate)
  return { gate, db, pass: (ms: number) => (now += ms), now: () => now }
}

describe('an allowance', () => {
  it('is half as much again at once, a request a second, and told as the limit that is nearest', () => {
    const { gate, pass, now } = openGate()
    expect(gate.charge('a', 'other')).toEqual({ limit: 60, remaining: 60, resetS: now() / 1000 + 1 })
    for (let i = 1; i < 90; i++) expect(gate.charge('a', 'other').retryAfterMs).toBeUndefined()
    expect(gate.charge('a', 'other')).toMatchObject({ limit: 60, remaining: 0, retryAfterMs: 1000 })
    expect(gate.charge('b', 'other').retryAfterMs).toBeUndefined()
    pass(999)
    expect(gate.charge('a', 'other').retryAfterMs).toBeLessThanOrEqual(2)
    pass(1)
    expect(gate.charge('a', 'other').retryAfterMs).toBeUndefined()
  })

  it('refills from the time of a clock that was set back', () => {
    const { gate, pass } = openGate()
    while (gate.charge('a', 'other').retryAfterMs === undefined) pass(0)
    pass(-86_400_000)
    expect(gate.charge('a', 'other').retryAfterMs).toBe(1000)
    pass(1000)
    expect(gate.charge('a', 'other').retryAfterMs).toBeUndefined()
    expect(gate.charge('a', 'other').retryAfterMs).toBeDefined()
  })

  it('waits for the slower of two empty buckets', () => {
    const bucket = (key: string, perSecond: number) => ({ key, limit: 60, burst: 60, perSecond })
    const paid = [
      { bucket: bucket('minute', 1), remaining: -0.8 },
      { bucket: bucket('policy', 1 / 360), remaining: -0.5 },
    ]
    expect(rateStateOf(paid as never, 0)).toMatchObject({ remaining: 0, retryAfterMs: 180_000 })
  })

  it.each([
    ['read', 100],
    ['propose', 20],
    ['write', 50],
    ['policy', 10],
    ['consent', 30],
  ] as const)('of an hour for %s is %i, apart from all else', (operation, limit) => {
    const { gate, pass } = openGate()
    for (let i = 0; i < limit; i++) {
      // Slower than a minute's limit, faster than the hour's.
      if (i % 60 === 59) pass(60_000)
      expect(gate.charge('a', operation).retryAfterMs).toBeUndefined()
    }
    const some = limit > 60 ? 2 : 0
    for (let i = 0; i < some; i++) gate.charge('a', operation)
    const refused = gate.charge('a', operation)
    expect(refused).toMatchObject({ limit, remaining: 0 })
    expect(refused.retryAfterMs).toBeGreaterThan(0)
    expect(gate.charge('a', 'other').retryAfterMs).toBeUndefined()
  })

  it('lets no more through in any time than fits into its buckets', () => {
    const waits = fc.array(fc.nat(20_000), { minLength: 1, maxLength: 150 })
    fc.assert(
      fc.property(waits, (steps) => {
        const { gate, pass } = openGate({ perMinute: 10, perHour: 40 })
        let let_in = 0
        let passed = 0
        for (const step of steps) {
          pass(step)
          passed += step
          if (gate.charge('a', 'other').retryAfterMs === undefined) let_in += 1
        }
        expect(let_in).toBeLessThanOrEqual(15 + (passed / 60_000) * 10)
        expect(let_in).toBeLessThanOrEqual(40 + (passed / 3_600_000) * 40)
      }),
      { numRuns: 50 },
    )
  })

  it('is written down: whoever opens the book next knows what is left, also when its clock was set back', () => {
    const { gate, db, now } = openGate()
    for (let i = 0; i < 90; i++) gate.charge('a', 'other')
    const later = new DatabaseAgentGate(db, { now: () => now() - 3_600_000 }, defaultAgentRate)
    expect(later.charge('a', 'other').retryAfterMs).toBeGreaterThan(0)
  })

  it('is read from the setting of a deployment, or the deployment is told', () => {
    expect(parseAgentRate(undefined)).toEqual(defaultAgentRate)
    expect(parseAgentRate('120/5000')).toEqual({ perMinute: 120, perHour: 5000 })
    for (const text of ['60', '0/10', '10/0', '-1/5', '1.5/5', 'x', '60/1000/2'])
      expect(() => parseAgentRate(text)).toThrow('DAYBOOK_A2P_RATE')
  })
})

describe('a nonce', () => {
  it('is taken once for as long as it is kept, by each agent, and swept when that is over', () => {
    const { gate, pass, now } = openGate()
    const until = now() + 300_000
    expect(gate.takeNonce('a', 'n', until)).toBe(true)
    expect(gate.takeNonce('a', 'n', until)).toBe(false)
    expect(gate.takeNonce('b', 'n', until)).toBe(true)
    pass(300_000)
    expect(gate.takeNonce('a', 'n', until + 1)).toBe(false)
    expect(gate.sweep()).toBe(2)
    pass(1)
    expect(gate.sweep()).toBe(0)
    expect(gate.takeNonce('a', 'n', now() + 300_000)).toBe(true)
  })
})
