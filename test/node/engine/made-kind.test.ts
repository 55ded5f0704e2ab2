// Every kind of record says whether it is made of others, and all that are made of others keep one law. The table of
// it is in src/DECISIONS.md, under "Derived records".
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import {
  credentialKinds,
  governedBy,
  ruleKinds,
  kindsUnderPolicy,
} from '../../../src/core/access/governed.ts'
import { type Reach, readReach } from '../../../src/core/access/reach.ts'
import { goingIds, isByPolicy, isScoped, mayBeMadeFrom, sourceIds } from '../../../src/core/kind.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import type { Guest } from '../../../src/core/capability/caller.ts'
import { createOwnReader } from '../../../src/engine/context/own-records.ts'
import { SeenRecords } from '../../../src/engine/context/seen-records.ts'
import { createSyncReach } from '../../../src/sync/mirror/sync-reach.ts'
import { openTestStore, type TestStore } from '../../support/test-store.ts'

const at = '2026-01-01T00:00:00.000Z'
const word = 'walnuts'
const line = (id: string) => [{ text: `Allergic to ${word}`, records: [id] }]
const memory = (metadata: JsonObject = {}): JsonObject => ({
  content: `Allergic to ${word}`,
  category: 'a2p:health',
  memory_type: 'semantic',
  status: 'approved',
  confidence: 1,
  source: { type: 'user_manual', timestamp: at },
  metadata,
})

const spoken = { claw: 'ann@book', by: 'ann@book', group: 'daybook' }
const said = {
  subject: 'Ann',
  predicate: 'is',
  object: `Allergic to ${word}`,
  tags: ['ops'],
  publishedAt: at,
}

const proposal = (): JsonObject => ({
  ...spoken,
  proposal: 'kp-1',
  instance: 'i',
  trace: 't',
  statement: `Allergic to ${word}`,
  tags: ['ops'],
  proposedAt: at,
  expiresAt: '2099-01-01T00:00:00.000Z',
})
const sourceKinds = ['message', 'memory', 'pool_proposal'] as const
type SourceKind = (typeof sourceKinds)[number]

/** A body of each kind that is made of others, made of the record `id`. A new kind gets a line here. */
const made: Readonly<Record<string, (id: string) => JsonObject>> = {
  episode: (id) => ({ summary: `Allergic to ${word}`, keywords: [], messages: [id] }),
  profile: (id) => ({
    user_id: 'ann',
    content: `likes: ${word}`,
    facts: { one: { attribute: 'likes', value: word, since: at, stated_at: at, messages: [id] } },
  }),
  answer: (id) => ({
    question: 'What to avoid?',
    answer: word,
    answered_at: at,
    expiresAt: '2099-01-01T00:00:00.000Z',
    rests_on: [{ id, version: 1 }],
  }),
  digest: (id) => ({ persona: 'p', period: 'day', period_id: '2026-01-01', summary: line(id), text: word }),
  pattern: (id) => ({ persona: 'p', about: word, type: 'topic', digests: [], lines: line(id), text: word }),
  snapshot: (id) => ({
    persona: 'p',
    name: 'P',
    focus: word,
    focus_records: [id],
    context: {},
    markdown: word,
  }),
  memory: (id) => memory({ consolidatedFrom: [id] }),
  mark: (id) => ({ record: id, collection: word }),
  proposal: (id) => ({
    by: 'guest',
    agentDid: 'did:a2p:agent:local:guest',
    content: `Allergic to ${word}`,
    category: 'a2p:health',
    memory_type: 'semantic',
    confidence: 1,
    supersedes: [id],
    proposedAt: at,
    expiresAt: '2099-01-01T00:00:00.000Z',
    status: 'pending',
  }),
  pool_proposal: (id) => ({ ...proposal(), madeFrom: id }),
  pool_ballot: (id) => ({
    ...spoken,
    proposal: id,
    votes: { 1: { vote: 'yes', at, reason: `Allergic to ${word}` } },
    vote: 'yes',
    n: 1,
    castAt: at,
  }),
  pool_decision: (id) => ({
    ...spoken,
    proposal: id,
    outcome: 'approved',
    yes: 2,
    no: 0,
    reason: `Allergic to ${word}`,
    decidedAt: at,
  }),
  pool_fact: (id) => ({
    ...spoken,
    ...said,
    fact: 'f',
    home: 'ann@book',
    homeDevice: 'd',
    version: 1,
    votes: { yes: 2, no: 0 },
    versions: {
      1: { ...said, proposal: '', decision: '', source: 'ann@book', yes: 2, no: 0, madeFrom: id },
    },
    madeFrom: [id],
  }),
}
/** What more there is of a kind that may quote a record otherwise. */
const alsoMade: Readonly<Record<string, Readonly<Record<string, (id: string) => JsonObject>>>> = {
  proposal: {
    'that was rejected': (id) => ({
      ...made['proposal']?.(id),
      decisions: { '0-a': { round: 0, action: 'reject', at, by: 'me' } },
      status: 'rejected',
    }),
    'with evidence': (id) => ({
      ...made['proposal']?.(id),
      content: 'Eats with care',
      supersedes: [],
      evidence: [{ record: id, quote: word }],
    }),
  },
}
const samples = [
  ...Object.entries(made).map(([name, body]) => ({ label: name, name, body })),
  ...Object.entries(alsoMade).flatMap(([name, bodies]) =>
    Object.entries(bodies).map(([how, body]) => ({ label: `${name} ${how}`, name, body })),
  ),
]
type Sample = (typeof samples)[number]
/** Follows a record in nothing but its reach, and quotes nothing of it. */
const quotesNothing = new Set(['mark'])
/** In nobody's reach, made of others or not. */
const closed = new Set(['proposal', 'backup', 'backup_part'])
/** Others have it in clear: it is forgotten where it would be sealed. */
const neverSealed = new Set(['pool_proposal', 'pool_ballot', 'pool_decision', 'pool_fact'])
/** Without samples: no reader of any kind is given words of them. */
const unread = new Set(['backup', 'backup_part'])

const decisions = readFileSync(new URL('../../../src/DECISIONS.md', import.meta.url), 'utf8')
const [, section = ''] = decisions.split('## Derived records')
const [chapter = ''] = section.split('\n## ')
const rows = new Map(
  [...chapter.matchAll(/^\| `(\w+)`\s*\|(.*)\|$/gm)].map(([, name = '', cells = '']) => [
    name,
    cells.split('|').map((cell) => cell.trim()),
  ]),
)
const [, ownWords = ''] = /Own words: ([^.]*)\./.exec(chapter) ?? []
const own = new Set([...ownWords.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))

const howTo = (name: string) =>
  `The kind \`${name}\` does not say whether it is made of other records. If it may quote them, give it \`madeFrom\` ` +
  '(src/core/kind.ts), a sample in this file and a row in the table of src/DECISIONS.md; if it says its own words, name it there.'

const opened: TestStore[] = []
afterEach(() => {
  for (const store of opened.splice(0)) store.db.close()
})

/** A book with a source, and what was made of it. */
function filled({ name, body }: Pick<Sample, 'name' | 'body'>, sourceKind: SourceKind) {
  const store = openTestStore([...kinds.values()])
  opened.push(store)
  const sources = {
    message: () => ({ content: `Allergic to ${word}`, timestamp: at }),
    memory,
    pool_proposal: proposal,
  }
  store.put(sources[sourceKind](), { id: 'source', kind: sourceKind, session: 'private' })
  store.put(body('source'), { id: 'made', kind: name, agent: 'guest' })
  return store
}

/** All that a guest of `reach` is told of what was made. */
function told(store: TestStore, reach: Reach): string {
  const queries = store.queries.within(reach)
  const guest = { role: 'guest', token: 't', agent: 'guest', reach, permissions: ['**'] } as const
  const seen = new SeenRecords(store, guest)
  const snapshot = queries.snapshot({ kinds: [...kinds.keys()] })
  return JSON.stringify([
    queries.query({ limit: 100, include: { expired: true, superseded: true, outdated: true } }),
    [...kinds.keys()].map((kind) => queries.query({ kind, limit: 100 })),
    queries.search({ text: word }),
    [...queries.frequencies([word])].filter(([, n]) => n > 0),
    [...kinds.keys()].map((kind) => snapshot.read(kind, 0, 1000).records),
    seen.get('made'),
    seen.history('made'),
    ...toldAsOwn(store, guest),
  ])
}

/** Of a kind that each agent has its own records of: those that it may be told the words of. */
function toldAsOwn(store: TestStore, guest: Guest): unknown[] {
  const own = createOwnReader(store, guest)
  return [...kinds.values()]
    .filter(({ guests }) => guests === 'own')
    .flatMap(({ name }) => own.query({ kind: name, limit: 100 }).records)
    .filter((record) => own.isOpen(record))
}

const reachOf = (deny: string[] = [], governed = governedBy([], [])): Reach => ({
  ...(readReach({ scope: '**', deny }) ?? expect.unreachable()),
  governed,
})
const openTo = governedBy(
  [{ place: 0, allow: readReach({ scope: 'a2p:health' })?.allow ?? [], upTo: 'restricted' }],
  [],
)
const sourcesOf = (name: string): SourceKind[] => {
  const { of } = kinds.get(name)?.madeFrom ?? expect.unreachable()
  return sourceKinds.filter((kind) => of?.includes(kind) ?? kind !== 'pool_proposal')
}

describe('every kind of record', () => {
  it.each([...kinds.keys()])('%s says whether it is made of other records, in one table', (name) => {
    const kind = kinds.get(name) ?? expect.unreachable()
    expect(own.has(name) || rows.has(name), howTo(name)).toBe(true)
    expect(own.has(name) && (rows.has(name) || kind.madeFrom !== undefined), howTo(name)).toBe(false)
    const cells = rows.get(name)
    if (cells) expect([name, cells.length, cells.includes('')]).toEqual([name, 8, false])
    if (kind.madeFrom && !unread.has(name)) expect(made[name], howTo(name)).toBeTypeOf('function')
    if (closed.has(name)) expect(isScoped(kind)).toBe(false)
  })

  it('is named there by its own name, and none that is gone', () => {
    for (const name of [...own, ...rows.keys(), ...Object.keys(made)])
      expect([...kinds.keys()]).toContain(name)
  })
})

describe('who waits for changes', () => {
  it('knows which kinds say what a guest may read, and which policies decide about', () => {
    const authority = [...kinds.values()].filter(({ guests }) => guests === 'none').map(({ name }) => name)
    expect([...ruleKinds, ...credentialKinds].toSorted()).toEqual(authority.toSorted())
    const ruled = [...kinds.values()].filter((kind) => isByPolicy(kind, kinds)).map(({ name }) => name)
    expect([...kindsUnderPolicy].toSorted()).toEqual(ruled.toSorted())
  })
})

describe.each(samples)('a $label', ({ name, body }) => {
  const kind = kinds.get(name) ?? expect.unreachable()

  it.each(sourcesOf(name))('made of a %s is in nobody’s reach who may not read that', (from) => {
    const store = filled({ name, body }, from)
    expect(sourceIds(kind, body('source'), 'made')).toEqual(['source'])
    expect(told(store, reachOf([], openTo))).toContain('"id":"made"')
    expect(told(store, reachOf(['session:private'], openTo))).not.toMatch(/walnuts|"made"/)
    if (from === 'memory') expect(told(store, reachOf())).not.toMatch(/walnuts|"made"/)
  })

  it('is fetched by no device of a guest where it may quote what policies decide about', () => {
    const mayQuote = kind.byPolicy === true || mayBeMadeFrom(kind, kinds, (one) => one.byPolicy === true)
    expect(isByPolicy(kind, kinds)).toBe(mayQuote)
    const granted = { pull: [name] }
    const guest = { agent: 'phone', permissions: ['sync'] }
    expect(createSyncReach(guest, kinds).mayPull(name)).toBe(!mayQuote)
    expect(createSyncReach({ ...guest, granted }, kinds).mayPull(name)).toBe(!mayQuote)
  })

  it.runIf(!quotesNothing.has(name))('is nowhere as soon as what it was made of is forgotten', () => {
    for (const from of sourcesOf(name)) {
      const store = filled({ name, body }, from)
      store.put(body('source'), { id: 'made', kind: name })
      store.forget('source')
      const snapshot = store.queries.snapshot({ kinds: [...kinds.keys()] })
      const everything = [
        store.queries.query({ limit: 100 }),
        store.queries.search({ text: word }),
        [...kinds.keys()].map((one) => snapshot.read(one, 0, 1000).records),
        store.records.history('made').slice(0, -1),
      ]
      expect(JSON.stringify(everything)).not.toContain(word)
      // It waits to be told anew, or is gone.
      const row = store.records.row('made')
      const waits = store.sources.rebuildable(10).some(({ id }) => id === 'made')
      const goes = goingIds(kind, body('source'), 'made').includes('source')
      expect([row?.deleted === 1, waits]).toEqual([goes, !goes])
    }
  })

  it.runIf(!quotesNothing.has(name))('is at least as sensitive as what it was made of, or gone', () => {
    const store = filled({ name, body }, sourcesOf(name)[0] ?? expect.unreachable())
    if (neverSealed.has(name)) {
      const row = store.records.row('source') ?? expect.unreachable()
      store.db.transaction(() => store.sources.updateLinks({ ...row, sensitivity: 'restricted' }, row, 'own'))
      expect(store.records.row('made')?.deleted).toBe(1)
      return
    }
    store.db.transaction(() => {
      store.db.run("UPDATE records SET sensitivity = 'restricted' WHERE id = 'source'")
    })
    expect(store.sources.minSensitivity(kind, body('source'), 'made')).toBe('restricted')
  })
})
