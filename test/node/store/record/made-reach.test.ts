// What was made of records is in reach where all of those are: the condition of the query, and the look at one record, hold the
// same law, which is told here once more in plain words.
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { narrowReach, patternLimit, type Reach, readReach } from '../../../../src/core/access/reach.ts'
import { matchesScope } from '../../../../src/core/access/scope.ts'
import { defined } from '../../../../src/core/defined.ts'
import type { Kind } from '../../../../src/core/kind.ts'
import { SeenRecords } from '../../../../src/engine/context/seen-records.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

const sources = (body: object) => (body as { of: string[] }).of
const kinds: readonly Kind[] = [
  makeKind({ name: 'note', text: ['goal'], facets: { domain: 'domain' }, scopedBy: 'domain' }),
  makeKind({ name: 'ledger', guests: 'own' }),
  makeKind({ name: 'digest', text: ['goal'], madeFrom: { sources, rebuildVerb: 'test:tell' } }),
  makeKind({
    name: 'week',
    text: ['goal'],
    facets: { domain: 'domain' },
    scopedBy: 'domain',
    madeFrom: { sources, rebuildVerb: 'test:tell', of: ['digest'] },
  }),
  makeKind({ name: 'mark', madeFrom: { sources, reachOnly: true } }),
]

interface Made {
  readonly id: string
  readonly kind: string
  readonly agent: string
  readonly session?: string
  readonly domain?: string
  readonly of: readonly string[]
}

const place = fc.option(fc.constantFrom('a', 'b', 'a.b'), { nil: undefined })
const book = fc
  .array(
    fc.record({
      kind: fc.constantFrom('note', 'note', 'ledger', 'digest', 'digest', 'week', 'mark'),
      agent: fc.constantFrom('a', 'b'),
      session: place,
      domain: place,
      of: fc.array(fc.nat(10), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map((all) =>
    all.map(({ kind, agent, session, domain, of }, i): Made => {
      // Some sources are not here.
      const ids = ['note', 'ledger'].includes(kind) ? [] : of.map((n) => `r-${n}`)
      const scope = defined({ session })
      return { id: `r-${i}`, kind, agent, ...scope, ...defined({ domain }), of: ids }
    }),
  )
const pattern = fc.constantFrom(
  '**',
  '*',
  '*:a',
  'note',
  'note:**',
  'note:a.**',
  'digest',
  'digest:**',
  'week:a',
  'week:**',
  'mark',
  'agent:a',
  'agent:**',
  'session:a',
  'session:b',
  'session:**',
  'session:*.b',
  'ledger',
  'ledger:**',
)
const one = fc
  .record({
    scope: pattern,
    allow: fc.array(pattern, { maxLength: 2 }),
    deny: fc.array(pattern, { maxLength: 2 }),
  })
  .map((text) => readReach(text) ?? expect.unreachable())
const reach = fc.oneof(
  one,
  fc.tuple(one, one).map(([wide, narrow]) => narrowReach(wide, narrow)),
)

const namesOf = ({ kind, agent, session, domain }: Made): string[] => {
  const own = ['note', 'week'].includes(kind) && domain !== undefined ? `${kind}:${domain}` : kind
  return [own, `agent:${agent}`, ...(session === undefined ? [] : [`session:${session}`])]
}

/** In plain words: every level allows it and denies neither it nor anything that it was made from. */
function isSeen(all: readonly Made[], made: Made, reach: Reach): boolean {
  const known = new Set<string>()
  const closure = (id: string): (Made | undefined)[] => {
    if (known.has(id)) return []
    known.add(id)
    const found = all.find((other) => other.id === id)
    return [found, ...(found?.of ?? []).flatMap(closure)]
  }
  const below = made.of.flatMap(closure)
  const isLone = ({ kind, of }: Made) =>
    kind === 'mark' && of.some((id) => !all.some((other) => other.id === id))
  if (made.kind === 'ledger' || below.some((source) => source?.kind === 'ledger')) return false
  const isWhole = (each: Reach) => each.deny.length === 0 && each.allow.some(({ text }) => text === '**')
  // Of what is not here nobody knows: only who sees everything is shown what was made from it, and a mark of it is the owner's.
  if (below.includes(undefined) && !levelsOf(reach).every(isWhole)) return false
  if (isLone(made) || below.some((source) => source && isLone(source))) return false
  for (let level: Reach | undefined = reach; level; level = level.within) {
    const { allow, deny } = level
    const has = (patterns: Reach['allow'], who: Made) =>
      patterns.some((each) => namesOf(who).some((name) => matchesScope(each, name)))
    const isGranted = has(
      // Marks have nothing in them that could be granted.
      allow.filter(({ parts }) => !['note', 'mark'].includes(made.kind) && parts[0] === made.kind),
      made,
    )
    if (!has(allow, made) || has(deny, made)) return false
    for (const source of below) {
      if (source && (has(deny, source) || !(isGranted || has(allow, source)))) return false
    }
  }
  return true
}

const levelsOf = (reach: Reach): Reach[] => [reach, ...(reach.within ? levelsOf(reach.within) : [])]

const opened: TestStore[] = []
afterEach(() => {
  for (const store of opened.splice(0)) store.db.close()
})

function fill(all: readonly Made[]): TestStore {
  const store = openTestStore(kinds)
  opened.push(store)
  for (const { id, kind, agent, session, domain, of } of all) {
    const body = { goal: 'red', of: [...of], ...defined({ domain }) }
    store.put(body, { id, kind, agent, ...defined({ session }) })
  }
  return store
}

const guestOf = (reach: Reach) =>
  ({ role: 'guest', token: 't', agent: 'guest', reach, permissions: ['read'] }) as const

describe('what was made of records', () => {
  it('is in reach exactly where all of those are, for a page and for one record', () => {
    fc.assert(
      fc.property(book, reach, (all, reach) => {
        const store = fill(all)
        const expected = all.filter((made) => isSeen(all, made, reach)).map(({ id }) => id)
        const page = store.queries.within(reach).query({ limit: 100, include: { outdated: true } })
        const seen = new SeenRecords(store, guestOf(reach))
        const looked = all.flatMap(({ id }) => seen.live(id)?.id ?? [])
        const spelled = JSON.stringify(reach)
        expect([spelled, page.records.map(({ id }) => id).toSorted()]).toEqual([spelled, expected.toSorted()])
        expect([spelled, looked.toSorted()]).toEqual([spelled, expected.toSorted()])
      }),
      { numRuns: 400 },
    )
  }, 180_000)

  it('is told of by the largest reach there may be, with no more parameters than any host takes', () => {
    const store = fill([
      { id: 'r-0', kind: 'note', agent: 'a', of: [] },
      { id: 'r-1', kind: 'digest', agent: 'a', of: ['r-0'] },
    ])
    const many = Array.from({ length: patternLimit }, (_, i) => `*:y${i}.**`)
    const wide = readReach({ scope: 'agent:a', allow: many.slice(1), deny: many }) ?? expect.unreachable()
    const queries = store.queries.within(narrowReach(narrowReach(wide, wide), wide))
    expect(
      queries
        .query({})
        .records.map(({ id }) => id)
        .toSorted(),
    ).toEqual(['r-0', 'r-1'])
    expect(queries.search({ text: 'red' })).toHaveLength(2)
  })
})
