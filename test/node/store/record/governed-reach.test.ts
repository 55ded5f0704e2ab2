// A book whose policies keep memories from somebody answers as one that does not have them, nor what was made of
// them.
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { governedBy, isGoverned } from '../../../../src/core/access/governed.ts'
import { narrowReach, type Reach, readReach } from '../../../../src/core/access/reach.ts'
import { defined } from '../../../../src/core/defined.ts'
import type { Kind } from '../../../../src/core/kind.ts'
import { compilePolicies } from '../../../../src/memory/consent/policy/policy-decision.ts'
import { receiptReach } from '../../../../src/memory/consent/policy/receipt.ts'
import { createRecall } from '../../../../src/recall/recall.ts'
import { createTextLegs } from '../../../../src/recall/text-leg.ts'
import { namesOf, noon, policies, scope } from '../../../support/consent/policy.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

interface MemoryBody {
  readonly goal: string
  readonly type: string
  readonly category: string
}

const kinds: readonly Kind[] = [
  makeKind({ name: 'trace', text: ['goal'] }),
  makeKind({
    name: 'memory',
    text: ['goal'],
    byPolicy: true,
    scopeNames: (body) => namesOf(body as MemoryBody),
  }),
  makeKind({
    name: 'digest',
    text: ['goal'],
    madeFrom: { sources: (body) => (body as { made: string[] }).made, rebuildVerb: 'test:tell' },
  }),
]

interface Made {
  readonly id: string
  readonly kind: 'trace' | 'memory' | 'digest'
  readonly sensitivity: 'public' | 'standard'
  readonly body: {
    readonly goal: string
    readonly type: string
    readonly category: string
    readonly made: string[]
  }
}

const word = fc.constantFrom('red', 'green', 'ocean', 'running')
const made = fc.record({
  kind: fc.constantFrom('trace', 'memory', 'memory', 'digest', 'digest'),
  sensitivity: fc.constantFrom('public', 'standard'),
  goal: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
  type: fc.constantFrom('semantic', 'episodic'),
  category: fc.constantFrom('a2p:preferences.food', 'a2p:health', 'a2p:episodic', 'ext:music:taste'),
  of: fc.array(fc.nat(9), { maxLength: 2 }),
})
const book = fc.array(made, { minLength: 1, maxLength: 10 }).map((all) => {
  const idOf = (n: number) => `${all[n]?.kind === 'memory' ? 'mem-' : 'r-'}${n}`
  return all.map(({ kind, sensitivity, goal, type, category, of }, i): Made => {
    // What was made is made of what came before it.
    const sources = of.filter((n) => n < i).map(idOf)
    return {
      id: idOf(i),
      kind: kind as Made['kind'],
      sensitivity: sensitivity as Made['sensitivity'],
      body: { goal, type, category, made: sources },
    }
  })
})

const everything = readReach({ scope: '**' }) ?? expect.unreachable()
const byPolicies = policies.map((all): Reach => {
  const { governed } = compilePolicies(all).decide('coach', noon)
  return { ...everything, governed }
})
const scopes = fc.array(scope, { maxLength: 2 })
/** What is left by policies; and of that what a receipt says. */
const reach = fc.oneof(
  byPolicies,
  fc
    .record({
      wide: byPolicies,
      allow: scopes,
      denied: scopes,
      method: fc.constantFrom('policy_match', 'explicit_grant'),
    })
    .map(({ wide, allow, denied, method }) => {
      const receipt = { scopes: allow, denied, permissions: ['read_full'], method } as never
      return narrowReach(everything, receiptReach(receipt, wide.governed ?? governedBy([], [])))
    }),
)

function isSeen(all: readonly Made[], one: Made, reach: Reach): boolean {
  const readable = (each: Made, level: Reach): boolean => {
    const isMemory = each.kind === 'memory'
    const isIn =
      !isMemory || !level.governed || isGoverned(level.governed, namesOf(each.body), each.sensitivity)
    return (
      isIn &&
      each.body.made
        .filter(() => each.kind === 'digest')
        .every((id) => {
          const source = all.find((other) => other.id === id)
          return !source || readable(source, level)
        })
    )
  }
  const isNamed = (level: Reach) =>
    level.allow.some(({ text }) => text === '**') || (one.kind === 'memory' && isInScopes(level, one))
  for (let level: Reach | undefined = reach; level; level = level.within)
    if (!isNamed(level) || !readable(one, level)) return false
  return true
}

function isInScopes({ allow, deny }: Reach, { body }: Made): boolean {
  const rule = { place: 0, allow, upTo: 'restricted' } as const
  return isGoverned({ rules: [rule], deny }, namesOf(body), 'public')
}

const opened: TestStore[] = []
afterEach(() => {
  for (const store of opened.splice(0)) store.db.close()
})

function fill(all: readonly Made[], isWanted: (one: Made) => boolean = () => true): TestStore {
  const store = openTestStore(kinds)
  opened.push(store)
  for (const one of all) {
    const { id, kind, sensitivity, body } = one
    if (isWanted(one)) store.put({ ...body }, { id, kind, agent: 'a', sensitivity })
    // The clock goes on for all.
    store.now += 1000
  }
  return store
}

async function answers(store: TestStore, reach: Reach) {
  const queries = store.queries.within(reach)
  const pages: unknown[] = []
  for (let cursor: string | undefined; ;) {
    const page = queries.query({ limit: 2, ...defined({ cursor }) })
    pages.push(page)
    if (page.cursor === undefined) break
    cursor = page.cursor
  }
  const { hits, legs } = await createRecall({
    store: { kinds: store.kinds, queries },
    clock: { now: () => 1_769_900_100_000 },
    legs: createTextLegs({ kinds: store.kinds, queries }),
  })({ text: 'red running by the ocean' })
  return {
    pages,
    hits,
    legs,
    search: queries.search({ text: 'red running' }),
    days: queries.count({ kind: 'memory', by: 'day' }),
    counts: queries.countsByKind(),
    extents: queries.timeExtents(),
    size: queries.indexedCount(),
    totals: queries.totals(),
    usage: queries.usage().bytes,
    frequencies: [...queries.frequencies(['red', 'run', 'ocean'])].sort(),
    snapshot: [...queries.snapshot({ kinds: ['trace', 'memory', 'digest'] }).counts],
  }
}

/** Milliseconds: each run fills two books, and asks them all there is to ask. */
const slow = 180_000

describe('a book whose policies keep memories from somebody', () => {
  it(
    'shows exactly those that may be read, and what was made of no other',
    () => {
      fc.assert(
        fc.property(book, reach, (all, reach) => {
          const found = fill(all).queries.within(reach).query({ limit: 100 }).records
          const expected = all.filter((one) => isSeen(all, one, reach)).map(({ id }) => id)
          expect(found.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
        }),
        { numRuns: 150 },
      )
    },
    slow,
  )

  it(
    'answers as if it had nothing else: no hit, score, word, count, page or sum tells of a memory',
    async () => {
      await fc.assert(
        fc.asyncProperty(book, reach, async (all, reach) => {
          const part = fill(all, (one) => isSeen(all, one, reach))
          expect(await answers(fill(all), reach)).toEqual(await answers(part, reach))
        }),
        { numRuns: 60 },
      )
    },
    slow,
  )
})
