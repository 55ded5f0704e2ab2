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
    token: `token-${agent}`,
    agent,
    reach: readReach({ scope: '**' }) ?? expect.unreachable(),
    permissions: ['read', 'write', 'forget', 'inbox:send'],
    by: 'claims',
  })
  const call = (verb: string, input: object, agent?: string) =>
    book.engine.call(verb, input, agent === undefined ? {} : { caller: guest(agent) })
  const store = (id: string, agent?: string, length = 10) =>
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
  return { book, call, store, refused, quota }
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

it('never refuses the owner, and gives back what the owner forgets of a guest', async () => {
  const { store, call, quota } = openBook(small)
  for (let i = 0; i < 10; i++) await store(`t${i}`, 'helper')
  for (let i = 0; i < 30; i++) await store(`own${i}`, undefined, 20_000)
  for (let i = 0; i < 10; i++) await call('kstar:forget', { id: `t${i}` })
  expect(await quota()).toMatchObject({ usedRecords: 0 })
  await store('again', 'helper')
})

it('counts what a guest had stored before it was counted', async () => {
  const { store, quota, book } = openBook(small)
  await store('a', 'helper')
  book.db.exec('DELETE FROM guest_usage')
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
