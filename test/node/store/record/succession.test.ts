// Which records are current, held against the rule read off all of them at once: whatever was written, changed and
// forgotten in whatever order, and however often derived rows were caught up with in between.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConflictPolicy } from '../../../../src/core/kind.ts'
import { readReach } from '../../../../src/core/access/reach.ts'
import { successionOf } from '../../../../src/core/succession.ts'
import { makeKind, openTestStore } from '../../../support/test-store.ts'

interface Live {
  readonly id: string
  readonly made: number
  readonly targets: readonly string[]
}

const id = fc.nat(7).map((n) => `r-${n}`)
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ op: fc.constant('put' as const), id, targets: fc.array(id, { maxLength: 2 }) }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('forget' as const), id }) },
  { weight: 2, arbitrary: fc.constant({ op: 'read' as const }) },
  { weight: 2, arbitrary: fc.constant({ op: 'wait' as const }) },
)

function isBefore(policy: ConflictPolicy, one: Live, other: Live): boolean {
  const isEarlier = one.made === other.made ? one.id < other.id : one.made < other.made
  return policy === 'remote_wins' ? isEarlier : !isEarlier
}

/** What nothing that stands supersedes, and what neither yields to a rival nor stands on what does. */
function expected(policy: ConflictPolicy, live: readonly Live[]): string[] {
  const yields = (one: Live) =>
    one.targets.some((target) =>
      live.some((other) => other !== one && other.targets.includes(target) && isBefore(policy, other, one)),
    )
  const stands = (one: Live, above = new Set<string>()): boolean =>
    !yields(one) &&
    one.targets.every((target) => {
      const found = live.find((other) => other.id === target)
      return !found || above.has(target) || stands(found, new Set([...above, one.id]))
    })
  return live
    .filter((one) => !live.some((other) => other.targets.includes(one.id) && stands(other)) && stands(one))
    .map((one) => one.id)
    .toSorted()
}

describe('records that supersede each other', () => {
  it('are current as all of them say together, whatever came in which order', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<ConflictPolicy>('remote_wins', 'last_write_wins'),
        fc.array(step, { minLength: 1, maxLength: 30 }),
        (policy, steps) => {
          const store = openTestStore([makeKind({ policy, cites: [{ path: 'cites', supersedes: true }] })])
          const live = new Map<string, Live>()
          const read = () => store.queries.query({ kind: 'thing', limit: 100 }).records.map((one) => one.id)
          try {
            for (const one of steps) {
              if (one.op === 'read') read()
              else if (one.op === 'wait') store.now += 1000
              else if (one.op === 'forget') {
                if (live.delete(one.id)) store.forget(one.id)
              } else {
                store.put({ cites: [...one.targets] }, { id: one.id })
                const made = Date.parse(String(store.records.row(one.id)?.created_at))
                live.set(one.id, { id: one.id, made, targets: one.targets })
              }
            }
            expect(read().toSorted()).toEqual(expected(policy, [...live.values()]))
          } finally {
            store.db.close()
          }
        },
      ),
      { numRuns: 400 },
    )
  })

  it('costs a long chain no more than its last link', () => {
    const store = openTestStore([
      makeKind({ policy: 'remote_wins', cites: [{ path: 'cites', supersedes: true }] }),
    ])
    const heirs: string[] = []
    for (let i = 1; i <= 500; i++) store.put({ cites: `r-${i - 1}` }, { id: `r-${i}` })
    store.projection.catchUp()
    const { current } = successionOf('r-499', 'remote_wins', {
      get: () => expect.unreachable(),
      mayBeDisplaced: (one) => store.queries.isDisplaced(one),
      heirs(one) {
        heirs.push(one)
        return store.queries.citing(one).map((found) => ({ id: found.id, created_at: '', target: one }))
      },
    })
    expect(current).toBe('r-500')
    expect(heirs).toEqual(['r-499', 'r-500'])
    store.db.close()
  })

  it('shows nobody what stands only because of what he does not see', () => {
    const store = openTestStore([makeKind({ name: 'thing', cites: [{ path: 'cites', supersedes: true }] })])
    store.put({ cites: ['gone', 'old'] }, { id: 'new', agent: 'a' })
    store.put({ cites: [] }, { id: 'old', agent: 'a' })
    // It displaces `new`, which yields what it stood for; who does not see it sees `new` in the place of `old`.
    store.now += 1000
    store.put({ cites: ['gone'] }, { id: 'hidden', agent: 'b' })
    const shown = (queries = store.queries) => queries.query({}).records.map((record) => record.id)
    expect(shown().toSorted()).toEqual(['hidden', 'old'])
    expect(shown(store.queries.within(readReach({ scope: 'agent:a' }) ?? expect.unreachable()))).toEqual([
      'new',
    ])
    store.db.close()
  })
})
