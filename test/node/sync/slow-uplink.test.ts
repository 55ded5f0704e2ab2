// Sync over a slow connection: a device sends less at once until it gets answers, and more again later.
import { expect, it } from 'vitest'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { createHttpCarrier, type FetchLike } from '../../../src/sync/device/http-carrier.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import type { SyncRequest } from '../../../src/sync/wire/protocol.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { makeTrace } from '../../support/trace.ts'

/** A device and its mirror. Both directions of the connection carry `bytesPerMs`, one transfer after another. */
function createSlowWorld(bytesPerMs: number) {
  const { ports, pass } = createTestTime()
  const open = (role: 'device' | 'mirror', fetch?: FetchLike) =>
    createEngine({
      db: openNodeDatabase({ path: ':memory:' }),
      ports,
      name: 'b',
      scope: { agent: 'a' },
      durability: role === 'mirror' ? 'durable-object' : 'file',
      role,
      ...(fetch && {
        sync: { triggers: { on_wake: true, on_action: true } },
        carrier: createHttpCarrier({ url: 'https://example.org', book: 'b', key: 'k', fetch, ...ports }),
      }),
    })
  const edge = open('mirror')
  const mirror = new SyncMirror({ store: edge.store, ...ports })
  const world = { bytesPerMs, requests: [] as SyncRequest[] }
  const now = () => ports.clock.now()
  const createDirection = () => {
    let freeAt = 0
    /** Resolves when `text` has arrived; never after `endAt`. */
    return async (text: string, endAt: number) => {
      const arrivesAt = Math.max(now(), freeAt) + Buffer.byteLength(text) / world.bytesPerMs
      freeAt = Math.min(arrivesAt, Math.max(freeAt, endAt))
      await new Promise<void>((resolve) => {
        if (arrivesAt <= endAt) ports.scheduler.later(arrivesAt - now(), resolve)
      })
    }
  }
  const connect = () => {
    const [sendUp, sendDown] = [createDirection(), createDirection()]
    const engine = open('device', async (_url, { body, timeoutMs = Infinity }) => {
      const text = String(body)
      const endAt = now() + timeoutMs
      world.requests.push(JSON.parse(text) as SyncRequest)
      await sendUp(text, endAt)
      const answer = (await mirror.exchange(text)).text
      await sendDown(answer, endAt)
      return { status: 200, text: () => Promise.resolve(answer) }
    })
    return {
      engine,
      store: (goal: string) => engine.call('kstar:store_trace', makeTrace({ task: { goal } })),
      pending: () => engine.store.ops.pendingCount(),
    }
  }
  const passUntil = async (isDone: () => boolean, maxMinutes: number) => {
    for (let seconds = 0; seconds < maxMinutes * 60 && !isDone(); seconds += 5) await pass(5000)
    expect(isDone()).toBe(true)
  }
  const total = () => edge.store.db.get<{ n: number }>('SELECT count(*) AS n FROM records')?.n ?? 0
  return Object.assign(world, { connect, pass, passUntil, total })
}

it('sends a backlog of 1,000 changes at 50 kbit/s, and a second device fetches it', async () => {
  const world = createSlowWorld(50 / 8)
  const { store, pending } = world.connect()
  for (let number = 0; number < 1000; number++) await store(`${number} ${'x'.repeat(1500)}`)
  await world.passUntil(() => pending() === 0, 20)
  expect(world.total()).toBe(1000)
  // The same changes have the same numbers and bytes, however they were sent.
  const texts = new Map<number, string>()
  for (const op of world.requests.flatMap(({ ops }) => ops)) {
    const text = JSON.stringify(op)
    expect(texts.get(op.mid) ?? text).toBe(text)
    texts.set(op.mid, text)
  }
  expect(texts.size).toBe(1000)
  const { engine } = world.connect()
  const count = () => engine.store.db.get<{ n: number }>('SELECT count(*) AS n FROM records')?.n
  await world.passUntil(() => count() === 1000, 20)
}, 60_000)

it('sends more at once again when the connection is quick', async () => {
  const world = createSlowWorld(50 / 8)
  const { store, pending } = world.connect()
  for (let number = 0; number < 1000; number++) await store(`${number} ${'x'.repeat(1500)}`)
  await world.passUntil(() => pending() < 1000 && pending() > 0 && world.requests.length > 4, 20)
  world.bytesPerMs = 10_000
  await world.passUntil(() => pending() === 0, 3)
  const before = world.requests.length
  for (let number = 0; number < 1000; number++) await store(`${number} ${'y'.repeat(1500)}`)
  await world.passUntil(() => pending() === 0, 1)
  expect(world.requests.length - before).toBeLessThanOrEqual(4)
}, 60_000)

it('waits longer for a single change that does not fit into the usual time', async () => {
  const world = createSlowWorld(50 / 8)
  const { store, pending } = world.connect()
  for (const letter of ['€', '…']) await store(letter.repeat(200_000))
  await world.passUntil(() => pending() === 0, 10)
  expect(world.total()).toBe(2)
})
