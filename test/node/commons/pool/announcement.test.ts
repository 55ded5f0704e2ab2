// Announcements of a book: their keys, and the name and model of its agent.
import { afterEach, expect, it } from 'vitest'
import { MemoryBus } from './memory-carrier.ts'
import { ask, createWorld } from './pool-world.ts'

let world = createWorld()
afterEach(() => {
  world.close()
  world = createWorld()
})

interface Announcement {
  readonly type: string
  readonly idempotencyKey: string
  readonly payload: {
    readonly status?: string
    readonly displayName?: string
    readonly model?: string
    readonly capabilities?: readonly string[]
  }
}

function announcementsOn(bus: MemoryBus, type: string): Announcement[] {
  return bus.sent.map(({ text }) => JSON.parse(text) as Announcement).filter((one) => one.type === type)
}

/** Waits without a step of the clock, so that all announcements belong to one second. */
async function untilSent(isSent: () => boolean): Promise<void> {
  while (!isSent()) await world.pass(0)
}

it('gives announcements of one second that differ different keys', async () => {
  const bus = new MemoryBus()
  const book = world.open('me', [bus.carrier()])
  const states = () => announcementsOn(bus, 'presence').map(({ payload }) => payload.status)
  const capabilities = () =>
    announcementsOn(bus, 'capabilities').flatMap(({ payload }) => payload.capabilities ?? [])
  await ask(book, 'pool:announce', { capabilities: ['db.read'] })
  await ask(book, 'pool:announce', { capabilities: ['db.write'] })
  await world.pass(10)
  await untilSent(() => states().includes('active') && capabilities().includes('db.write'))
  book.close()
  await untilSent(() => states().includes('stopping'))
  expect(capabilities()).toContain('db.read')
  for (const type of ['presence', 'capabilities']) {
    const found = announcementsOn(bus, type)
    const payloads = new Set(found.map(({ payload }) => JSON.stringify(payload)))
    expect(payloads.size).toBeGreaterThan(1)
    expect(new Set(found.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(payloads.size)
  }
})

interface ClawEntry {
  readonly claw: string
  readonly displayName?: string
  readonly model?: string
}

it('writes and announces a name and a model that the owner changes, and prefers them to those of the agent', async () => {
  const bus = new MemoryBus()
  const book = world.open('me', [bus.carrier('one')])
  const other = world.open('other', [bus.carrier('two')])
  const seen = async (engine = book) => {
    const { claws } = await ask<{ claws: ClawEntry[] }>(engine, 'pool:claws')
    const found = claws.find(({ claw }) => claw === 'me@main')
    return `${found?.displayName}, ${found?.model}`
  }
  const untilSeen = (wanted: string, engine = book) =>
    world.until(async () => (await seen(engine)) === wanted)
  await ask(book, 'pool:configure', { displayName: 'Ada', model: 'small' })
  await untilSeen('Ada, small')
  await ask(book, 'pool:configure', { displayName: 'Grace' })
  await untilSeen('Grace, small')
  await ask(book, 'pool:configure', { model: 'large' })
  await untilSeen('Grace, large')
  await untilSeen('Grace, large', other)
  await ask(book, 'pool:announce', { capabilities: [], displayName: 'Eve', model: 'tiny' })
  expect(await seen()).toBe('Grace, large')
  await ask(book, 'pool:configure', { displayName: null, model: null })
  await ask(book, 'pool:announce', { capabilities: [], displayName: 'Eve', model: 'tiny' })
  await world.pass(2000)
  expect(await seen()).toBe('Eve, tiny')
})

it('writes the record of its agent once while nothing of it changes', async () => {
  const book = world.open('me', [new MemoryBus().carrier()])
  await ask(book, 'pool:configure', { displayName: 'Ada', model: 'small' })
  const stored = async () =>
    (await ask<{ records: object[] }>(book, 'kstar:query_memory', { kind: 'pool_claw' })).records
  await world.until(async () => /"model":"small".*"keys"/.test(JSON.stringify(await stored())))
  const before = await stored()
  expect(before).toHaveLength(1)
  await ask(book, 'pool:configure', { quorum: { rule: 'majority' } })
  await world.pass(200_000)
  expect(await stored()).toEqual(before)
})
