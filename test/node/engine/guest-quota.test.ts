// What guests may store is bounded, and the owner is not: counted in the transaction of each change.
import { afterEach, expect, it } from 'vitest'
import { readReach } from '../../../src/core/access/reach.ts'
import type { Caller } from '../../../src/core/capability/caller.ts'
import { isDaybookError } from '../../../src/core/errors.ts'
import type { GuestQuotas } from '../../../src/store/guest-usage.ts'
import { openTestEngine, type TestEngine } from '../../support/test-engine.ts'
import { makeTrace } from '../../support/trace.ts'

const open: TestEngine[] = []
afterEach(() => {
  for (const { engine } of open.splice(0)) engine.close()
})

const small: GuestQuotas = {
  guest: { records: 10, bytes: 100_000 },
  guests: { records: 15, bytes: 150_000 },
}

function openBook(quotas?: GuestQuotas) {
  const book = openTestEngine({ isAudited: false, ...(quotas ? { quotas } : {}) })
  open.push(book)
  const guest = (agent: string): Caller => ({
    role: 'guest',
    token: `token::${agent}`,
    agent,
    reach: readReach({ scope: '**' }) ?? expect.unreachable(),
    permissions: ['read', 'write', 'forget', 'inbox:send'],
    by: 'claims',
  })
  /** Who has what a guest granted on, however often. */
  const delegate = (name: string, holder: Caller): Caller => {
    if (holder.role === 'owner') return expect.unreachable()
    const agent = `${name} by ${holder.agent}`
    const above = holder.holders ?? [{ names: [holder.agent], agent: holder.agent }]
    return {
      ...holder,
      token: `token::${agent}`,
      agent,
      holders: [{ names: [name, agent], agent }, ...above],
    }
  }
  const call = (verb: string, input: object, who?: string | Caller) =>
    book.engine.call(
      verb,
      input,
      who === undefined ? {} : { caller: typeof who === 'string' ? guest(who) : who },
    )
  const store = (id: string, agent?: string | Caller, length = 10) =>
    call(
      'kstar:store_trace',
      { ...makeTrace({ id, task: { goal: 'x'.repeat(length), constraints: [] } }), replace: true },
      agent,
    )
  /** What it was refused with. */
  const refused = (done: Promise<unknown>) =>
    done.then(
      () => expect.unreachable('It was stored.'),
      (error: unknown) => (isDaybookError(error, 'quota-exceeded') ? error.details : Promise.reject(error)),
    )
  const quota = async (agent?: string) =>
    ((await call('daybook:status', {}, agent)) as { guestQuota?: { usedRecords: number; usedBytes: number } })
      .guestQuota
  return { book, guest, delegate, call, store, refused, quota }
}

it('refuses a guest what is beyond its records, and takes it again once it has forgotten some', async () => {
  const { store, refused, call, quota } = openBook(small)
  for (let i = 0; i < 10; i++) await store(`t${i}`, 'helper')
  expect(await refused(store('more', 'helper'))).toEqual({
    quota: 'guest',
    part: 'records',
    limit: 10,
  })
  expect(await quota()).toMatchObject({ usedRecords: 10, records: 15 })
  await call('kstar:forget', { id: 't0' }, 'helper')
  await store('more', 'helper')
  expect(await quota()).toMatchObject({ usedRecords: 10 })
})

it('counts what a guest has stored and forgotten by its names, until the tombstones are gone', async () => {
  const { book, store, refused, call, quota } = openBook(small)
  let count = 0
  const cycle = async () => {
    const id = `${(count += 1)}`.padEnd(128, 'x')
    await store(id, 'helper')
    await call('kstar:forget', { id }, 'helper')
  }
  const fill = async () => {
    while (count < 1000) await cycle()
  }
  expect(await refused(fill())).toMatchObject({ quota: 'guest', part: 'bytes' })
  expect(count).toBeGreaterThan(50)
  expect(await quota()).toMatchObject({ usedRecords: 0 })
  book.db.run('DELETE FROM records')
  book.db.run('DELETE FROM history')
  expect(await quota()).toMatchObject({ usedRecords: 0, usedBytes: 0 })
  await cycle()
})

it('refuses a guest what is beyond its bytes, earlier versions included, and keeps nothing of it', async () => {
  const { store, refused, quota, call } = openBook(small)
  await store('a', 'helper', 40_000)
  await store('a', 'helper', 41_000)
  expect(await refused(store('a', 'helper', 42_000))).toMatchObject({ quota: 'guest', part: 'bytes' })
  expect(await refused(store('b', 'helper', 42_000))).toMatchObject({ limit: 100_000 })
  expect(await call('kstar:get_record', { id: 'b' })).toBeNull()
  expect((await quota())?.usedBytes).toBeLessThan(100_000)
})

it('bounds all guests together, without telling one how much the others have', async () => {
  const { store, refused, quota } = openBook(small)
  for (let i = 0; i < 8; i++) await store(`a${i}`, 'one')
  for (let i = 0; i < 7; i++) await store(`b${i}`, 'two')
  expect(await refused(store('more', 'two'))).toEqual({ quota: 'guests', part: 'records', limit: 15 })
  expect(await quota()).toMatchObject({ usedRecords: 15, records: 15 })
  expect(await quota('two')).toBeUndefined()
})

it('counts a record once for all guests, though two of them have to answer for it', async () => {
  const { store, refused, quota } = openBook(small)
  for (let i = 0; i < 6; i++) await store(`a${i}`, 'helper')
  for (let i = 0; i < 4; i++) await store(`b${i}`, 'night by helper')
  expect(await quota()).toMatchObject({ usedRecords: 10 })
  expect(await refused(store('more', 'helper'))).toMatchObject({ quota: 'guest', part: 'records' })
  for (let i = 0; i < 5; i++) await store(`c${i}`, 'other')
  expect(await quota()).toMatchObject({ usedRecords: 15 })
  expect(await refused(store('more', 'night by helper'))).toMatchObject({ quota: 'guests', part: 'records' })
})

it('never refuses the owner, and gives back what the owner forgets of a guest', async () => {
  const { store, call, quota } = openBook(small)
  for (let i = 0; i < 10; i++) await store(`t${i}`, 'helper')
  for (let i = 0; i < 30; i++) await store(`own${i}`, undefined, 20_000)
  for (let i = 0; i < 10; i++) await call('kstar:forget', { id: `t${i}` })
  expect(await quota()).toMatchObject({ usedRecords: 0 })
  await store('again', 'helper')
})

it('counts what delegates store for the guest that the owner let in, however many there are', async () => {
  const { book, guest, delegate, store, call, refused, quota } = openBook(small)
  const helper = guest('helper')
  const child = delegate('child', helper)
  const callers = [child, delegate('inner', child), delegate('other', helper), helper]
  for (let i = 0; i < 10; i++) await store(`t${i}`, callers[i % 4])
  for (const caller of [...callers, delegate('fresh', helper), delegate('helper', child)])
    expect(await refused(store('more', caller))).toEqual({ quota: 'guest', part: 'records', limit: 10 })
  expect(await quota()).toMatchObject({ usedRecords: 10 })
  // An agent whose name only looks alike has what is its own.
  await store('alike', 'inner by helpers')
  await store('alike-2', 'by helper')
  expect(await quota()).toMatchObject({ usedRecords: 12 })
  // What one of them forgets is free for all of them.
  await call('kstar:forget', { id: 't0' }, child)
  await store('again', callers[1])
  // And who opens the book next has not forgotten what is there of them.
  book.db.exec("DELETE FROM guest_usage; DELETE FROM book WHERE key GLOB 'payer:*'")
  const again = openTestEngine({ db: book.db, isAudited: false, quotas: small })
  const more = { ...makeTrace({ id: 'more' }), replace: true }
  expect(
    await refused(again.engine.call('kstar:store_trace', more, { caller: callers[2] ?? child })),
  ).toMatchObject({
    quota: 'guest',
    part: 'records',
  })
})

it('counts what waits for a person for the guest that the owner let in', async () => {
  const { guest, delegate, call, refused } = openBook()
  const text = 'x'.repeat(60_000)
  const helper = guest('helper')
  let stored = 0
  let details: unknown
  while (stored < 200 && details === undefined) {
    const caller = delegate(`child-${stored}`, helper)
    await call('inbox:send', { text: 'hello', data: { text } }, caller).then(
      () => (stored += 1),
      async (error: unknown) => (details = await refused(Promise.reject(error))),
    )
  }
  expect(details).toMatchObject({ quota: 'inbox', part: 'bytes', limit: 4 * 1_048_576 })
  expect(stored).toBeLessThan(72)
})

const words = 'word '.repeat(100)
const hash = 'a'.repeat(32)
const everyVerb: readonly (readonly [verb: string, input: object])[] = [
  ['kstar:store_trace', makeTrace({ task: { goal: words, constraints: [] } })],
  ['kstar:store_perception', { type: 'note', content: words, confidence: 1 }],
  ['ks:store', { session: 's', message: { content: words } }],
  ['a2p:propose', { content: words, category: 'a2p:preferences.food', memory_type: 'semantic' }],
  ['consent:request', { scopes: ['a2p:preferences'], purpose: words }],
  ['katra:register', { name: 'Ada', description: words }],
  ['katra:remember', { persona: 'Ada', content: words }],
  ['document:write', { changes: [{ folder: 'notes/', key: 'long', value: { words } }] }],
  [
    'checkpoint:put',
    { thread: 't', checkpoint: 'c', state: words, metadata: words, parts: [hash], data: { [hash]: words } },
  ],
  [
    'checkpoint:put_writes',
    { thread: 't', checkpoint: 'c', task: 'task', writes: [{ place: 0, channel: 'c', value: words }] },
  ],
  ['pool:propose', { statement: words, tags: ['ops'], title: 't' }],
  ['pool:announce', { capabilities: ['sums'], displayName: 'Helper' }],
  ['inbox:send', { text: words }],
]

it('counts whatever a guest stores by any verb, and by that of its delegates', async () => {
  const { book, guest, delegate, call, quota } = openBook()
  const helper = guest('helper')
  const child = delegate('child', helper)
  const all = { ...child, permissions: ['**'] } as Caller
  const stored = () =>
    book.db.get<{ n: number }>(
      `SELECT (SELECT ifnull(sum(300 + 2 * octet_length(id) + iif(deleted, 0, octet_length(body))), 0) FROM records)
         + (SELECT ifnull(sum(octet_length(body)), 0) FROM history) AS n`,
    )?.n
  const before = stored() ?? 0
  let last = before
  for (const [verb, input] of everyVerb) {
    // In a pool a delegate has no voice beside its holder's.
    await call(verb, input, verb === 'pool:announce' ? ({ ...helper, permissions: ['**'] } as Caller) : all)
    const now = stored() ?? 0
    expect([verb, now > last]).toEqual([verb, true])
    expect([verb, (await quota())?.usedBytes]).toEqual([verb, now - before])
    last = now
  }
})

it('counts what a guest had stored before it was counted', async () => {
  const { store, quota, book } = openBook(small)
  await store('a', 'helper')
  book.db.exec("DELETE FROM guest_usage; DELETE FROM book WHERE key GLOB 'payer:*'")
  const engine = openTestEngine({ db: book.db, isAudited: false, quotas: small })
  const before = await quota()
  expect(before?.usedRecords).toBe(0)
  await engine.engine.call('kstar:store_trace', makeTrace({ id: 'b' }), {
    caller: {
      role: 'guest',
      token: 'k',
      agent: 'helper',
      reach: readReach({ scope: '**' }) ?? expect.unreachable(),
      permissions: ['write'],
      by: 'claims',
    },
  })
  expect((await quota())?.usedRecords).toBe(2)
})

it('takes no more than 4 MiB of messages from a key that may send them', async () => {
  const { call, refused } = openBook()
  let stored = 0
  let details: unknown
  const text = 'x'.repeat(60_000)
  while (stored < 200 && details === undefined) {
    const sent = call('inbox:send', { from: 'helper', text: 'hello', data: { text } }, 'helper').then(
      () => (stored += 1),
      async (error: unknown) => (details = await refused(Promise.reject(error))),
    )
    await sent
  }
  expect(details).toMatchObject({ quota: 'inbox', part: 'bytes', limit: 4 * 1_048_576 })
  expect(stored).toBeLessThan(72)
})

it('counts what a guest edits of others, with its versions, until it is gone', async () => {
  const { call, store, refused, quota } = openBook(small)
  for (let i = 0; i < 8; i++) await store(`o${i}`)
  const edit = (i: number, length: number, agent?: string) => store(`o${i}`, agent, length)
  await store('own', 'helper')
  await edit(0, 20_000, 'helper')
  const first = (await quota())?.usedBytes ?? 0
  expect(first).toBeGreaterThan(20_000)
  // Its earlier version stays, and counts.
  await edit(0, 30_000, 'helper')
  expect((await quota())?.usedBytes).toBeGreaterThan(50_000)
  await edit(1, 30_000, 'helper')
  expect(await refused(edit(2, 30_000, 'helper'))).toEqual({ quota: 'guest', part: 'bytes', limit: 100_000 })
  // The owner isn't bound, and another guest pays for itself.
  await edit(2, 120_000)
  await edit(3, 40_000, 'other')
  expect((await quota())?.usedRecords).toBe(1)
  await call('kstar:purge', { id: 'o0' })
  await edit(4, 30_000, 'helper')
  for (const id of ['o1', 'o3', 'o4', 'own']) await call('kstar:purge', { id })
  expect(await quota()).toMatchObject({ usedRecords: 0, usedBytes: 0 })
})
