import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Kind } from '../../../src/core/kind.ts'
import {
  decideWinner,
  isLater,
  survivesRemoval,
  hasSameContent,
} from '../../../src/sync/conflict/conflict-policy.ts'

const stamp = fc.constantFrom('019b00000000-0000-d_a', '019b00000000-0001-d_a', '019b00000001-0000-d_b')
const edit = fc.record({ stamp, device: fc.constantFrom('d_a', 'd_b', 'd_c') })
const policy = fc.constantFrom(
  'local_wins' as const,
  'remote_wins' as const,
  'last_write_wins' as const,
  'merge' as const,
  'manual' as const,
)

describe('conflict policies', () => {
  it('C1 are total, and the same every time they are asked', () => {
    fc.assert(
      fc.property(policy, edit, edit, (name, arriving, present) => {
        const winner = decideWinner(name, arriving, present)
        expect(['arriving', 'present', 'device']).toContain(winner)
        expect(decideWinner(name, { ...arriving }, { ...present })).toBe(winner)
      }),
    )
  })

  it('C1 last_write_wins picks one winner, whichever side comes first', () => {
    fc.assert(
      fc.property(edit, edit, (one, other) => {
        fc.pre(one.stamp !== other.stamp || one.device !== other.device)
        const oneWins = decideWinner('last_write_wins', one, other) === 'arriving'
        expect(decideWinner('last_write_wins', other, one) === 'present').toBe(oneWins)
      }),
    )
  })

  it('C3 nothing outlives a forget but a later edit of a kind that says so, and nothing at all a purge', () => {
    const kindOf = (laterEditRevives: boolean) => ({ laterEditRevives }) as Kind
    fc.assert(
      fc.property(edit, edit, fc.boolean(), fc.boolean(), (put, removal, revives, isPurge) => {
        const lives = survivesRemoval(kindOf(revives), put, { ...removal, isPurge })
        expect(lives).toBe(revives && !isPurge && isLater(put, removal))
        expect(survivesRemoval(undefined, put, { ...removal, isPurge })).toBe(false)
      }),
    )
  })

  it('last_write_wins is an order: of three, one beats both others', () => {
    const beats = (a: { stamp: string; device: string }, b: typeof a) =>
      decideWinner('last_write_wins', a, b) === 'arriving'
    fc.assert(
      fc.property(edit, edit, edit, (a, b, c) => {
        if (beats(a, b) && beats(b, c)) expect(beats(a, c)).toBe(true)
      }),
    )
  })
})

describe('saying the same', () => {
  const said = (body: unknown, more: object = {}) => ({ op: 'put' as const, body, ...more })

  it('does not depend on the order of fields, and on nothing else', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const turned = Object.fromEntries(Object.entries(body).toReversed())
        expect(hasSameContent(said(body), said(turned))).toBe(true)
        expect(hasSameContent(said(body), said({ ...body, 'one more field of no other name': 1 }))).toBe(
          false,
        )
      }),
    )
  })

  it.each([
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: [1] }, { a: { 0: 1 } }],
    [{ a: null }, {}],
    [
      { a: undefined, b: 1 },
      { c: 1, b: 1 },
    ],
    [{ a: '1' }, { a: 1 }],
    [{}, { toString: 1 }],
  ])('tells %j from %j', (one, other) => {
    expect(hasSameContent(said(one), said(other))).toBe(false)
    expect(hasSameContent(said(other), said(one))).toBe(false)
  })

  it('looks at the op and the scope', () => {
    expect(hasSameContent({ op: 'forget' }, { op: 'forget' })).toBe(true)
    expect(hasSameContent({ op: 'forget' }, said({}))).toBe(false)
    expect(hasSameContent(said({}), said({}, { session: 's' }))).toBe(false)
    expect(hasSameContent(said({}, { resource: 'r' }), said({}, { resource: 'r' }))).toBe(true)
  })
})
