// When a proposal is decided: by majority of who is there, and by the fixed numbers of other systems of claws.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  countByMajority,
  countByNumbers,
  deciderOf,
  type FixedPolicy,
  majorityOf,
} from '../../../../src/commons/pool/rule/quorum.ts'

const policy: FixedPolicy = { enabled: true, minPool: 3, yes: 2, no: 2, belowMinimum: 'approve' }
const minute = 60_000
type Votes = Readonly<Record<string, 'yes' | 'no'>>
const listed = (votes: Votes) => Object.entries(votes).map(([claw, vote]) => ({ claw, vote }))
const request = (votes: Votes, age: number, selfVote = false) => ({
  votes: listed(votes),
  proposer: 'proposer',
  selfVote,
  ageMs: age,
  votingTimeMs: 2 * minute,
})

describe('quorum by fixed numbers', () => {
  it.each([
    ['two say yes', 4, { a: 'yes', b: 'yes' }, 30_000, false, policy, 'approved', 2, 0],
    ['two say no', 4, { a: 'no', b: 'no', c: 'yes' }, 30_000, false, policy, 'rejected', 1, 2],
    ['the time is over', 4, { a: 'yes' }, 10 * minute, false, policy, 'expired', 1, 0],
    ['votes are missing', 4, { a: 'yes' }, 20_000, false, policy, 'pending', 1, 0],
    ['the pool is small', 2, {}, 1000, false, policy, 'approved', 0, 0],
    ['the pool is small and waits', 2, {}, 1000, false, { ...policy, belowMinimum: 'wait' }, 'pending', 0, 0],
    ['the proposer votes', 4, { Proposer: 'yes', a: 'yes' }, 1000, false, policy, 'pending', 1, 0],
    ['the proposer votes and may', 4, { Proposer: 'yes', a: 'yes' }, 1000, true, policy, 'approved', 2, 0],
    ['the policy is none', 4, {}, 1000, false, { ...policy, minPool: 0 }, 'rejected', 0, 0],
    ['nobody is to vote', 10, {}, 1000, false, { ...policy, enabled: false }, 'approved', 0, 0],
  ] as const)('when %s', (...row) => {
    const [, pool, votes, age, self, used, outcome, yes, no] = row
    const counted = countByNumbers({ ...request(votes, age, self), poolSize: pool }, used)
    expect(counted).toMatchObject({ outcome, yes, no })
  })

  it('says what is wrong with a policy', () => {
    const why = (used: FixedPolicy, timeout = minute) =>
      countByNumbers({ ...request({}, 0), votingTimeMs: timeout, poolSize: 4 }, used).reason
    expect(why({ ...policy, minPool: 0 })).toBe('min pool size must be > 0')
    expect(why({ ...policy, yes: 0 })).toBe('quorum yes/no must be > 0')
    expect(why(policy, 0)).toBe('timeout must be > 0')
    expect(why({ ...policy, enabled: false })).toBe('voting disabled')
  })
})

describe('quorum by majority of who is there', () => {
  it('takes two of three, three of four, three of five', () => {
    expect([3, 4, 5, 6, 7].map(majorityOf)).toEqual([2, 3, 3, 4, 4])
  })

  it('never decides by votes among fewer than three, nor below a majority, nor by who is not there', () => {
    const names = ['proposer', 'a', 'b', 'c', 'd', 'e']
    const vote = fc.constantFrom('yes' as const, 'no' as const)
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...names), vote),
        fc.uniqueArray(fc.constantFrom(...names)),
        fc.boolean(),
        (votes, active, selfVote) => {
          const { outcome, yes, no } = countByMajority({ ...request(votes, 0, selfVote), active })
          const counted = Object.entries(votes).filter(
            ([claw]) => active.includes(claw) && (selfVote || claw !== 'proposer'),
          )
          expect(yes + no).toBe(counted.length)
          const enough = majorityOf(active.length)
          if (active.length < 3) expect(outcome).toBe('pending')
          else if (yes >= enough) expect(outcome).toBe('approved')
          else expect(outcome).toBe(no >= enough ? 'rejected' : 'pending')
        },
      ),
    )
  })

  it('counts one vote of a claw, whatever its spelling', () => {
    const votes = { a: 'yes', A: 'yes' } as const
    expect(countByMajority({ ...request(votes, 0), active: ['a', 'b', 'c'] })).toMatchObject({
      outcome: 'pending',
      yes: 1,
    })
  })

  it('is decided by the proposer while it is there, else by the first that is', () => {
    expect(deciderOf('p', ['b', 'P', 'a'])).toBe('P')
    expect(deciderOf('p', ['b', 'A', 'c'])).toBe('A')
    expect(deciderOf('p', [])).toBeUndefined()
  })
})
