// How much guests of a book may store, at mirrors over HTTP: twenty guests at once, by verbs that make several records and by sync,
// store as many records as all may and no more; one that edits again and again by sync is held to its bytes.
import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTrace } from '../../../support/trace.ts'
import { skipped } from '../../hosts/node/postgres/postgres-world.ts'
import { createServeWorld } from '../../hosts/node/serve/serve-world.ts'
import { openWorker } from '../worker.ts'

const limit = 100
const settings = {
  DAYBOOK_GUEST_QUOTA: `${limit}/1`,
  DAYBOOK_GUESTS_QUOTA: `${limit}/64`,
  DAYBOOK_RATE: '10000/1000',
} as const
const world = createServeWorld()
const guestCount = 20

const words = 'Some words'
/** Calls of a guest, which make one record or more under `name`. */
const calls: readonly ((name: string) => readonly [verb: string, input: object])[] = [
  (name) => ['kstar:store_trace', makeTrace({ id: name })],
  (name) => ['ks:store', { session: name, message: { content: words } }],
  (name) => ['inbox:send', { text: name }],
  (name) => [
    'document:write',
    { changes: ['a', 'b', 'c'].map((key) => ({ folder: `${name}/`, key, value: { words } })) },
  ],
  (name) => ['checkpoint:put', { thread: name, checkpoint: 'c', state: words, metadata: words, parts: [] }],
  (name) => [
    'a2p:propose',
    { content: `${words} of ${name}`, category: 'a2p:preferences.food', memory_type: 'semantic' },
  ],
]

const pushOf = (name: string) => {
  const at = new Date().toISOString()
  const device = `d_${name}`
  const put = {
    op: 'put',
    kind: 'document',
    base: 0,
    agent: name,
    v: 1,
    stamp: `019b00000000-0000-${device}`,
  }
  const ops = Array.from({ length: 9 }, (_, i) => ({
    ...put,
    mid: i + 1,
    id: `document-${name}-${i}`,
    at,
    created_at: at,
    body: { folder: `${name}/`, key: `${i}`, value: { words } },
  }))
  const pull = { cursor: 0, limit: 100, maxBytes: 500_000 }
  return { p: 1, device, epoch: null, ackedMid: 0, schema: 1, ops, pull }
}

/** A request of a device of `name` that edits the record `id`, of so many versions, the `nth` time. */
const editOf = (name: string, id: string, nth: number, base: number) => {
  const [device, at] = [`d_${name}`, new Date().toISOString()]
  const body = { folder: 'edited/', key: id, value: { words: `${nth} ${'x'.repeat(100_000)}` } }
  const head = {
    mid: nth,
    kind: 'document',
    op: 'put',
    base,
    agent: name,
    v: 1,
    at,
    created_at: at,
    id,
    body,
  }
  const stamp = `019b0000${nth.toString(16).padStart(4, '0')}-0000-${device}`
  const pull = { cursor: 0, limit: 1, maxBytes: 1 }
  return { p: 1, device, epoch: null, ackedMid: 0, schema: 1, ops: [{ ...head, stamp }], pull }
}

/** `urls`: where guests come in, in turn; at each of them may be another process. */
function quotaCases(urls: readonly string[]): void {
  const at = (turn: number, book: string) => `${urls[turn % urls.length] ?? ''}/v1/books/${book}`
  const owner = (turn: number, book: string, [verb, input]: readonly [verb: string, input: object]) =>
    world.ask(`${at(turn, book)}/capabilities/${verb}`, input)
  const makeGuests = async (book: string) => {
    const bearers: { authorization: string }[] = []
    for (let i = 0; i < guestCount; i++) {
      const input = { name: `guest${i}`, permissions: ['**', 'sync'] }
      const { body } = await owner(0, book, ['daybook:create_access_key', input])
      bearers.push({ authorization: `Bearer ${String(body['key'])}` })
    }
    return bearers
  }
  /** What each process says that all guests have stored. */
  const used = async (book: string) => {
    const counts: unknown[] = []
    for (const turn of urls.keys()) {
      const { body } = await owner(turn, book, ['daybook:status', {}])
      counts.push((body['guestQuota'] as { usedRecords: number } | undefined)?.usedRecords)
    }
    return counts
  }

  it('holds for twenty guests who call at once', async () => {
    const book = 'calls'
    const bearers = await makeGuests(book)
    const outcomes = new Set<unknown>()
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        bearers.map(async (bearer, i) => {
          const call = calls[(i + round) % calls.length]?.(`of-${i}-${round}`) ?? expect.unreachable()
          const { status, body } = await world.ask(`${at(i, book)}/capabilities/${call[0]}`, call[1], bearer)
          outcomes.add(body['code'] ?? status)
        }),
      )
      for (const count of await used(book)) expect(count).toBeLessThanOrEqual(limit)
    }
    expect(outcomes).toEqual(new Set([200, 'quota-exceeded']))
    expect(new Set(await used(book))).toEqual(new Set([limit]))
  })

  it('holds for twenty guests who sync at once', async () => {
    const book = 'syncs'
    const bearers = await makeGuests(book)
    const answers = await Promise.all(
      bearers.map((bearer, i) => world.ask(`${at(i, book)}/sync`, pushOf(`guest${i}`), bearer)),
    )
    const results = answers.flatMap(
      ({ body }) => body['results'] as { s: string; error?: { code: string } }[],
    )
    expect(results).toHaveLength(9 * guestCount)
    expect(results.filter(({ s }) => s === 'ok')).toHaveLength(limit)
    expect(results.filter(({ error }) => error?.code === 'quota-exceeded')).toHaveLength(
      9 * guestCount - limit,
    )
    expect(new Set(await used(book))).toEqual(new Set([limit]))
  })

  it('holds for a guest whose device edits one record again and again, its own or the owner’s', async () => {
    for (const of of ['guest0', 'owner']) {
      const book = `edits-${of}`
      const [bearer] = await makeGuests(book)
      const id = 'document-edited'
      const made = { changes: [{ folder: 'edited/', key: id, value: { words } }] }
      if (of === 'owner') await owner(0, book, ['document:write', made])
      const results: { s: string; ver?: number; error?: { code: string; details: object } }[] = []
      let ver = 0
      for (let nth = 1; nth <= 20; nth++) {
        const { body } = await world.ask(`${at(nth, book)}/sync`, editOf('guest0', id, nth, ver), bearer)
        const [result] = (body['results'] ?? []) as typeof results
        if (!result) expect.unreachable(JSON.stringify(body))
        ver = result.ver ?? ver
        results.push(result)
      }
      const taken = results.filter(({ s }) => s === 'ok').length
      expect(taken).toBeGreaterThan(7)
      expect(taken).toBeLessThan(12)
      expect(results.at(-1)?.error).toMatchObject({
        code: 'quota-exceeded',
        details: { quota: 'guest', part: 'bytes', limit: 1_048_576 },
      })
    }
  })
}

describe.skipIf(skipped !== '')(`The quota of all guests, at two of \`daybook serve\`${skipped}`, () => {
  const urls: string[] = []
  beforeAll(async () => {
    await world.open()
    for (let i = 0; i < 2; i++) urls.push((await world.start({ settings })).url)
  })
  afterAll(world.close)
  quotaCases(urls)
})

describe('The quota of all guests, at the Worker', () => {
  let worker: Miniflare
  const urls: string[] = []
  beforeAll(async () => {
    worker = await openWorker({ ...settings, DAYBOOK_KEY: world.key })
    urls.push((await worker.ready).href.replace(/\/$/, ''))
  })
  afterAll(() => worker.dispose())
  quotaCases(urls)
})
