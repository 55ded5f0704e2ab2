// What policies let an agent read, held against the same told plainly, and against the laws that it must keep.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isGoverned } from '../../../../../src/core/access/governed.ts'
import { compilePolicies, type Policy } from '../../../../../src/memory/consent/policy/policy-decision.ts'
import {
  agent,
  makePolicy,
  mayRead,
  memory,
  type Memory,
  namesOf,
  noon,
  policies,
  policy,
  scope,
} from '../../../../support/consent/policy.ts'

function reads(all: readonly Policy[], who: string, one: Memory, given = noon): boolean {
  const { governed } = compilePolicies(all).decide(who, given)
  return isGoverned(governed, namesOf(one), one.sensitivity)
}

const taste: Memory = { type: 'semantic', category: 'a2p:preferences.food', sensitivity: 'standard' }
const sleep: Memory = { type: 'semantic', category: 'a2p:health.sleep', sensitivity: 'restricted' }

describe('a decision about memories', () => {
  it('says what the policies say, told plainly', () => {
    fc.assert(
      fc.property(policies, agent, memory, (all, who, one) => {
        expect(reads(all, who, one)).toBe(mayRead(all, who, one))
      }),
      { numRuns: 10_000 },
    )
  })

  it('is never widened by a denial, wherever it stands', () => {
    const denial = fc
      .tuple(policy, fc.array(scope, { maxLength: 3 }))
      .map(([one, deny]) => ({ ...one, allow: [], deny }))
    fc.assert(
      fc.property(policies, denial, agent, memory, (all, more, who, one) => {
        if (!reads(all, who, one)) expect(reads([...all, more], who, one)).toBe(false)
      }),
      { numRuns: 3000 },
    )
  })

  it('is never widened by a scope that one of its policies denies besides', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.array(policy, { minLength: 1, maxLength: 6 }), fc.nat()),
        scope,
        agent,
        memory,
        ([all, n], more, who, one) => {
          const wider = all.map((each, i) =>
            i === n % all.length ? { ...each, deny: [...each.deny, more] } : each,
          )
          if (!reads(all, who, one)) expect(reads(wider, who, one)).toBe(false)
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('does not depend on the order in which policies are given, also where they are of one priority', () => {
    const shuffled = policies.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, agent, ([all, other], who) => {
        const { governed } = compilePolicies(all).decide(who, noon)
        expect(compilePolicies(other).decide(who, noon).governed.text).toBe(governed.text)
      }),
      { numRuns: 2000 },
    )
  })

  it('is never widened by a condition that does not hold', () => {
    const bound = { ...noon, way: 'http' as const, calls: () => 1000 }
    const some = fc.constantFrom(
      { requireHttps: true },
      { rateLimit: { requests: 1, window: '1h' } },
      { unheard: 1 },
    )
    fc.assert(
      fc.property(
        fc.tuple(fc.array(policy, { minLength: 1, maxLength: 6 }), fc.nat()),
        some,
        agent,
        memory,
        ([all, n], conditions, who, one) => {
          const bounded = all.map((each, i) => (i === n % all.length ? { ...each, conditions } : each))
          if (!reads(all, who, one, bound)) expect(reads(bounded, who, one, bound)).toBe(false)
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('keeps to the least of those at one place whose conditions do not hold', () => {
    const little = makePolicy({ allow: ['a2p:*'], permissions: ['read_scoped'], priority: 0 })
    const unheard = makePolicy({
      allow: ['a2p:health'],
      permissions: ['propose'],
      priority: 0,
      conditions: { unheard: 1 },
    })
    const all = makePolicy({ allow: ['a2p:health'], permissions: ['read_full'], priority: 100 })
    expect(reads([unheard, all], 'coach', sleep)).toBe(true)
    expect(reads([little, unheard, all], 'coach', sleep)).toBe(false)
    expect(reads([{ ...little, conditions: { unheard: 1 } }, unheard, all], 'coach', sleep)).toBe(false)
  })

  it('lets nobody read without a policy that is for him', () => {
    expect(reads([], 'coach', taste)).toBe(false)
    const other = makePolicy({ forAgents: 'somebody', allow: ['a2p:*'] })
    expect(reads([other], 'coach', taste)).toBe(false)
    expect(reads([{ ...other, forAgents: 'coach' }], 'coach', taste)).toBe(true)
    expect(reads([{ ...other, forAgents: 'coach', enabled: false }], 'coach', taste)).toBe(false)
  })

  it('takes the lower priority first, 0 before 1, and says by it how much may be read', () => {
    const wide = makePolicy({ allow: ['a2p:*'], permissions: ['read_full'], priority: 1 })
    const narrow = makePolicy({ allow: ['a2p:preferences'], permissions: ['read_public'], priority: 0 })
    expect(reads([wide], 'coach', taste)).toBe(true)
    expect(reads([wide, narrow], 'coach', taste)).toBe(false)
    expect(reads([wide, { ...narrow, priority: 2 }], 'coach', taste)).toBe(true)
  })

  it('lets a denial of any priority win', () => {
    const allowed = makePolicy({ allow: ['a2p:*'], priority: 0 })
    const denied = makePolicy({ deny: ['a2p:preferences'], priority: 1_000_000 })
    expect(reads([allowed, denied], 'coach', taste)).toBe(false)
  })

  it('reads `a2p:episodic` as a category and as a type', () => {
    const both = makePolicy({ allow: ['a2p:episodic'] })
    const byType: Memory = { type: 'episodic', category: 'a2p:preferences', sensitivity: 'standard' }
    const byCategory: Memory = { type: 'semantic', category: 'a2p:episodic', sensitivity: 'standard' }
    expect(reads([both], 'coach', byType)).toBe(true)
    expect(reads([both], 'coach', byCategory)).toBe(true)
    expect(reads([both], 'coach', taste)).toBe(false)
    const shut = makePolicy({ allow: ['a2p:*'], deny: ['a2p:episodic.*'] })
    expect(reads([shut], 'coach', byType)).toBe(false)
    expect(reads([shut], 'coach', byCategory)).toBe(false)
    expect(reads([shut], 'coach', taste)).toBe(true)
  })

  it('reads a scope of both as that type of that category alone', () => {
    const both = makePolicy({ allow: ['a2p:semantic.preferences'] })
    expect(reads([both], 'coach', taste)).toBe(true)
    expect(reads([both], 'coach', { ...taste, type: 'procedural' })).toBe(false)
    expect(reads([both], 'coach', { ...taste, category: 'a2p:interests' })).toBe(false)
    expect(reads([both], 'coach', { ...taste, category: 'a2p:preferencesX' })).toBe(false)
  })

  it.each([
    ['none', [false, false, false, false]],
    ['read_public', [true, false, false, false]],
    ['read_scoped', [true, true, false, false]],
    ['read_full', [true, true, true, false]],
    ['propose', [true, true, true, false]],
    ['write', [true, true, true, false]],
  ] as const)(
    'lets somebody with `%s` read public, standard, sensitive, restricted: %j',
    (level, expected) => {
      const one = makePolicy({ allow: ['a2p:*'], permissions: [level] })
      const sensitivities = ['public', 'standard', 'sensitive', 'restricted'] as const
      expect(sensitivities.map((sensitivity) => reads([one], 'coach', { ...taste, sensitivity }))).toEqual(
        expected,
      )
    },
  )

  it('lets nobody read what is restricted unless a scope names its category', () => {
    const full = (allow: string[]) => [makePolicy({ allow, permissions: ['read_full'] })]
    expect(reads(full(['a2p:*']), 'coach', sleep)).toBe(false)
    expect(reads(full(['a2p:semantic']), 'coach', sleep)).toBe(false)
    expect(reads(full(['a2p:health']), 'coach', sleep)).toBe(true)
    expect(reads(full(['a2p:semantic.health']), 'coach', sleep)).toBe(true)
    expect(reads([makePolicy({ allow: ['a2p:health'] })], 'coach', sleep)).toBe(false)
  })

  it('lets somebody who may read little and propose not read more for that', () => {
    const one = makePolicy({ allow: ['a2p:*'], permissions: ['read_scoped', 'propose'] })
    expect(reads([one], 'coach', { ...taste, sensitivity: 'sensitive' })).toBe(false)
  })

  it('says which policies allow, and why others do not', () => {
    const open = makePolicy({
      id: 'policy_open',
      allow: ['a2p:interests'],
      conditions: { maxDataRetention: '7d' },
    })
    const late = makePolicy({
      id: 'policy_late',
      allow: ['a2p:*'],
      conditions: { timeOfDay: { start: '20:00', end: '22:00' } },
    })
    const odd = makePolicy({ id: 'policy_odd', allow: ['a2p:*'], conditions: { minTrustScore: 1 } })
    const over = makePolicy({ id: 'policy_over', allow: ['a2p:*'], expiresAt: '2026-07-01T12:00:00.000Z' })
    const made = compilePolicies([open, late, odd, over]).decide('coach', noon)
    expect(made).toMatchObject({
      allowing: ['policy_open'],
      matched: ['policy_late', 'policy_odd', 'policy_open'],
    })
    expect(made.unmet).toEqual([
      { id: 'policy_late', condition: 'timeOfDay' },
      { id: 'policy_odd', condition: 'unknown' },
    ])
    expect(made.retention).toEqual(['7d'])
  })
})
