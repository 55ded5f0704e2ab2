// A narrowed store answers as if there were nothing outside its reach: it is held against a store that has nothing
// else.
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createKinds, type Kind } from '../../../../src/core/kind.ts'
import {
  isInReach,
  narrowReach,
  patternLimit,
  type Reach,
  readReach,
} from '../../../../src/core/access/reach.ts'
import { defined } from '../../../../src/core/defined.ts'
import { createRecall } from '../../../../src/recall/recall.ts'
import { createTextLegs } from '../../../../src/recall/text-leg.ts'
import { type Head, makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

const kinds: readonly Kind[] = [
  makeKind({
    name: 'trace',
    text: ['goal'],
    facets: { domain: 'domain' },
    scopedBy: 'domain',
    cites: [{ path: 'links' }],
  }),
  makeKind({ name: 'note', text: ['goal'], cites: [{ path: 'links', supersedes: true }] }),
  makeKind({ name: 'secret', text: ['goal'], guests: 'none' }),
  makeKind({
    name: 'rule',
    text: ['goal'],
    facets: { domain: 'domain' },
    scopedBy: 'domain',
    scopedAs: 'trace',
    guests: 'read',
  }),
  // A record has the name of the kind, one for each of its labels, and none at all with a label that can't be one.
  makeKind({
    name: 'memory',
    text: ['goal'],
    cites: [{ path: 'links', supersedes: true }],
    scopeNames: (body) => ['memory', ...((body as { labels?: string[] }).labels ?? [])],
  }),
]
const known = createKinds(kinds)

interface Made {
  readonly head: Head & { readonly id: string; readonly kind: string; readonly agent: string }
  readonly body: {
    readonly goal: string
    readonly domain?: string
    readonly links: string[]
    readonly labels?: string[]
  }
}

const name = fc.constantFrom(
  'a',
  'b',
  'a.b',
  'a.b.c',
  'a:b',
  'x"y',
  "it's",
  'trace:a',
  'agent:a',
  '*',
  '**',
  '',
  'ü🙂',
  'a..b',
  '.',
  'a\\',
  '%',
)
const word = fc.constantFrom('red', 'green', 'blue', 'running', 'runs', 'ocean', 'the')
const labels = [
  'memory:a',
  'a2p:semantic',
  'a2p:semantic.a',
  'a2p:preferences.a',
  'a2p:preferences.b',
  'ext:x:y',
  'ext:a.b',
  // What makes all the names of a record worthless.
  'agent:a',
]
const made = fc.record({
  kind: fc.constantFrom('trace', 'trace', 'note', 'secret', 'rule', 'memory', 'memory'),
  agent: fc.constantFrom('a', 'b', 'team.one', 'a:b'),
  session: fc.option(name, { nil: undefined }),
  resource: fc.option(fc.oneof(name, fc.constantFrom('course:CS101', 'course:CS102', 'session:a')), {
    nil: undefined,
  }),
  domain: fc.option(name, { nil: undefined }),
  goal: fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
  cites: fc.array(fc.nat(12), { maxLength: 2 }),
  labels: fc.array(fc.constantFrom(...labels), { maxLength: 3 }),
})
const book = fc.array(made, { minLength: 1, maxLength: 12 }).map((all) =>
  all.map(({ kind, agent, session, resource, domain, goal, cites, labels }, i): Made => {
    const lane = defined({ session, resource })
    return {
      head: { id: `r-${i}`, kind, agent, ...lane },
      body: {
        goal,
        links: cites.map((n) => `r-${n}`),
        ...defined({ domain }),
        ...(kind === 'memory' ? { labels } : {}),
      },
    }
  }),
)
const pattern = fc.oneof(
  fc.constantFrom(
    '**',
    '*',
    '*:*',
    '*:a',
    '*.**',
    '*:**',
    '*.b',
    '*:*.b',
    'trace',
    'trace:**',
    'trace.**',
    'trace:a',
    'trace:a.**',
    'trace:*',
  ),
  fc.constantFrom(
    'trace:*.b',
    'trace:*.**',
    'trace:a:**',
    'note',
    'note:a',
    'secret',
    'secret:**',
    'rule',
    'rule:**',
    'agent',
    'agent:a',
    'agent:**',
    'agent:team.*',
  ),
  fc.constantFrom(
    'session:a',
    'session:**',
    'session:*.b',
    'session',
    'a',
    'a.**',
    'a.*',
    'course:CS101',
    'course:*',
    'course:**',
    'nothing:here',
  ),
  fc.constantFrom('trace:x"y', "trace:it's", 'trace:ü🙂', 'trace:%', 'trace:a\\', 'x"y', 'trace:*.*.c'),
)
const some = fc.array(pattern, { maxLength: 3 })
const plain = fc
  .record({ scope: pattern, allow: some, deny: fc.oneof(fc.constant([]), some) })
  .map((text) => readReach(text) ?? expect.unreachable())
/** One pattern; several, allowed and denied; what was narrowed from another. */
const reach = fc.oneof(
  pattern.map((scope) => readReach({ scope }) ?? expect.unreachable()),
  plain,
  fc.tuple(plain, plain).map(([wide, narrow]) => narrowReach(wide, narrow)),
)
const spelled = (reach: Reach) => JSON.stringify(reach)

const opened: TestStore[] = []
afterEach(() => {
  for (const store of opened.splice(0)) store.db.close()
})

function fill(records: readonly Made[]): TestStore {
  const store = openTestStore(kinds)
  opened.push(store)
  for (const { body, head } of records) {
    store.put(body, head)
    store.now += 1000
  }
  return store
}

/**
 * Everything a store answers that a guest may ask, in a form that can be compared. Numbers of records are left out.
 */
async function answers(store: TestStore, reach: Reach) {
  const queries = store.queries.within(reach)
  const pages: unknown[] = []
  for (let cursor: string | undefined; ;) {
    const page = queries.query({
      limit: 2,
      orderBy: ['-agent', 'created_at'],
      ...defined({ cursor }),
    })
    pages.push(page)
    if (page.cursor === undefined) break
    cursor = page.cursor
  }
  const { hits, legs } = await createRecall({
    store: { kinds: store.kinds, queries },
    clock: { now: () => 1_769_900_100_000 },
    legs: createTextLegs({ kinds: store.kinds, queries }),
  })({ text: 'red runs in the ocean' })
  return {
    pages,
    hits,
    legs,
    all: queries.query({ filters: { goal: { contains: 'red' } } }),
    search: queries.search({ text: 'red running' }),
    both: queries.search({ text: 'red blue', match: 'all' }),
    prefix: queries.search({ text: 'oce', prefix: true }),
    field: queries.search({ text: 'ocean', kind: 'trace', fields: ['goal'], limit: 1, offset: 1 }),
    count: queries.count({ kind: 'trace', by: 'day' }),
    counts: queries.countsByKind(),
    extents: queries.timeExtents(),
    size: queries.indexedCount(),
    totals: queries.totals(),
    usage: queries.usage().bytes,
    frequencies: [...queries.frequencies(['red', 'run', 'ocean'])].sort(),
    citing: Array.from({ length: 12 }, (_, i) => queries.citing(`r-${i}`)),
  }
}

/** Milliseconds: each run fills two books, and asks them all there is to ask. */
const slow = 180_000

describe('a narrowed store', () => {
  it(
    'knows exactly the records in reach',
    () => {
      fc.assert(
        fc.property(book, reach, (records, reach) => {
          const store = fill(records)
          const seen = store.queries
            .within(reach)
            .query({ limit: 1000, include: { superseded: true } })
            .records.map(({ id }) => id)
          const expected = records.filter(({ head, body }) =>
            isInReach(reach, { ...head, body: { ...body } }, known),
          )
          expect([spelled(reach), seen.toSorted()]).toEqual([
            spelled(reach),
            expected.map(({ head }) => head.id).toSorted(),
          ])
        }),
        { numRuns: 200 },
      )
    },
    slow,
  )

  it(
    'answers as if there were nothing else: no page, cursor, score, order, count or frequency depends on it',
    async () => {
      await fc.assert(
        fc.asyncProperty(book, reach, async (records, reach) => {
          const isIn = ({ head, body }: Made) => isInReach(reach, { ...head, body: { ...body } }, known)
          const whole = fill(records)
          const part = openTestStore(kinds)
          opened.push(part)
          for (const one of records) {
            // The clock goes on for all, so that what is compared was made at the same time.
            if (isIn(one)) part.put(one.body, one.head)
            part.now += 1000
          }
          expect(await answers(whole, reach)).toEqual(await answers(part, reach))
        }),
        { numRuns: 80 },
      )
    },
    slow,
  )

  it('narrows what is narrow already, and never widens it', () => {
    const store = fill([
      { head: { id: 'one', kind: 'trace', agent: 'a' }, body: { goal: 'red', domain: 'x', links: [] } },
      { head: { id: 'two', kind: 'trace', agent: 'b' }, body: { goal: 'red', domain: 'x', links: [] } },
    ])
    const within = (scope: string) => readReach({ scope }) ?? expect.unreachable()
    const narrow = store.queries.within(within('agent:a'))
    expect(
      narrow
        .within(within('**'))
        .query({})
        .records.map(({ id }) => id),
    ).toEqual(['one'])
    expect(narrow.within(within('agent:b')).query({}).records).toEqual([])
  })

  it('answers for the largest reach there may be, with no more parameters than any host takes', async () => {
    const store = fill([
      { head: { id: 'in', kind: 'trace', agent: 'a' }, body: { goal: 'red', domain: 'x', links: [] } },
      {
        head: { id: 'out', kind: 'memory', agent: 'b' },
        body: { goal: 'red', links: [], labels: ['a2p:x'] },
      },
    ])
    const many = Array.from({ length: patternLimit }, (_, i) => `*:y${i}.**`)
    const wide = readReach({ scope: 'agent:a', allow: many.slice(1), deny: many }) ?? expect.unreachable()
    const reach = narrowReach(narrowReach(wide, wide), wide)
    const all = await answers(store, reach)
    expect(all.hits.map(({ record }) => record.id)).toEqual(['in'])
    expect(all.counts).toEqual({ trace: 1 })
  })
})
