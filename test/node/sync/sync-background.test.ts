// What a book hands over by itself, and when: whole engines with a real mirror, over a place in memory and a clock that
// stands still until told.
import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { neverAborted } from '../../../src/core/abort.ts'
import type { Status } from '../../../src/core/capability/status.ts'
import { DaybookError, type ErrorCode } from '../../../src/core/errors.ts'
import type { Carrier, SpillPlace, Spilled } from '../../../src/core/ports.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import type { SyncPreferences } from '../../../src/sync/device/sync-plan.ts'
import { createTestTime } from '../../support/test-engine.ts'

interface TestPlace extends SpillPlace {
  entries: Spilled[]
  fault: Error | undefined
}

function createPlace(): TestPlace {
  const place: TestPlace = {
    entries: [],
    fault: undefined,
    async put(requests) {
      if (place.fault) throw place.fault
      place.entries = requests.map((request) => ({ request }))
    },
    async read() {
      if (place.fault) throw place.fault
      return place.entries
    },
    async clear() {
      place.entries = []
    },
  }
  return place
}

function createWorld(triggers?: SyncPreferences['triggers']) {
  const { ports, pass: jump } = createTestTime()
  /** In steps, so that what was begun gets on before what comes later. */
  const pass = async (ms: number) => {
    for (let step = 0; step < 40; step++) await jump(ms / 40)
  }
  const scope = { agent: 'a' }
  const edge = createEngine({
    db: openNodeDatabase({ path: ':memory:' }),
    ports,
    name: 'b',
    scope,
    durability: 'durable-object',
    role: 'mirror',
  })
  const mirror = new SyncMirror({ store: edge.store, ...ports })
  const db = openNodeDatabase({ path: ':memory:' })
  const lasting = { ...db, close: () => undefined }
  const place = createPlace()
  const world: { isCut: boolean; refusal?: ErrorCode | undefined } = { isCut: false }
  const carrier: Carrier = {
    async exchange(request) {
      if (world.refusal) throw new DaybookError(world.refusal)
      if (world.isCut) throw new DaybookError('offline')
      return JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown
    },
  }
  const open = ({ isAllowed = true } = {}) => {
    const engine = createEngine({
      db: lasting,
      ports,
      name: 'b',
      scope,
      durability: 'file',
      carrier,
      spillPlace: place,
      ...(triggers === undefined ? {} : { sync: { triggers } }),
    })
    engine.background?.allow(isAllowed)
    return {
      engine,
      store: (goal: string) =>
        engine.call('kstar:store_trace', {
          situation: { domain: 'd' },
          task: { goal },
          action: { type: 't' },
        }),
      sync: async () => ((await engine.call('daybook:status', {})) as Status).sync,
    }
  }
  const sendAll = async () => {
    const entries: Spilled[] = []
    for (const { request } of place.entries)
      entries.push({ request, answer: (await mirror.exchange(request)).text })
    place.entries = entries
  }
  const goalsIn = () =>
    place.entries.map(({ request }) => [...request.matchAll(/"goal":"(\w+)"/g)].map(([, goal]) => goal))
  const reach = (request: string) => mirror.exchange(request)
  const goalsAtMirror = () =>
    edge.store.db
      .all<{ goal: string }>("SELECT body ->> '$.task.goal' AS goal FROM records WHERE deleted = 0")
      .map(({ goal }) => goal)
  return Object.assign(world, { open, pass, place, sendAll, goalsIn, reach, goalsAtMirror })
}

const quick = { on_wake: true, on_action: true } as const

it('B5 hands over when a sync has failed and whatever is written then, and nothing once the mirror has all', async () => {
  const world = createWorld(quick)
  const { engine, store, sync } = world.open()
  await world.pass(100)
  expect(await sync()).toMatchObject({ background: 'ready', phase: 'idle' })
  await store('one')
  await world.pass(5000)
  expect([world.goalsIn(), await sync()]).toMatchObject([[], { pending: 0, background: 'ready' }])
  world.isCut = true
  await store('two')
  await world.pass(1600)
  expect(world.goalsIn()).toEqual([['two']])
  const told: unknown[] = []
  engine.on(({ name, detail }) => name === 'sync' && told.push((detail as Status['sync']).background))
  await store('three')
  await world.pass(600)
  expect(world.goalsIn()).toEqual([['two', 'three']])
  expect(await sync()).toMatchObject({ background: 'handed', pending: 2 })
  expect(told.at(-1)).toBe('handed')
  world.isCut = false
  await world.pass(60_000)
  expect([world.place.entries, await sync()]).toMatchObject([[], { pending: 0, background: 'ready' }])
  engine.close()
})

it('B5 hands over nothing while nobody would send it', async () => {
  const world = createWorld(quick)
  const { engine, store, sync } = world.open({ isAllowed: false })
  world.isCut = true
  await store('one')
  await world.pass(5000)
  expect(await engine.background?.handOver()).toBe(false)
  expect([world.place.entries, (await sync()).background]).toEqual([[], 'missing'])
  engine.close()
})

it.each(['unauthorized', 'book-erased'] as const)(
  'Q3 B5 after %s nothing is handed over, and what was is taken back, until a caller syncs',
  async (refusal) => {
    const world = createWorld(quick)
    const { engine, store, sync } = world.open()
    await world.pass(100)
    world.isCut = true
    await store('one')
    await world.pass(1600)
    expect(world.goalsIn()).toEqual([['one']])
    world.refusal = refusal
    await world.pass(60_000)
    expect(await sync()).toMatchObject({ phase: 'stopped', background: 'ready' })
    await store('two')
    expect([await engine.background?.handOver(), world.place.entries]).toEqual([false, []])
    engine.close()
    const again = world.open()
    await world.pass(1000)
    expect([await again.engine.background?.handOver(), world.place.entries]).toEqual([false, []])
    Object.assign(world, { refusal: undefined, isCut: false })
    await again.engine.call('daybook:sync', {}, { signal: neverAborted })
    expect(world.goalsAtMirror().toSorted()).toEqual(['one', 'two'])
    world.isCut = true
    await again.store('three')
    await world.pass(1600)
    expect(world.goalsIn()).toEqual([['three']])
    again.engine.close()
  },
)

it('B5 with manual sync, only what a call of sync could not bring is handed over', async () => {
  const world = createWorld('manual')
  const { engine, store } = world.open()
  await store('one')
  expect(await engine.background?.handOver()).toBe(false)
  world.isCut = true
  await expect(engine.call('daybook:sync', {})).rejects.toMatchObject({ code: 'offline' })
  await store('two')
  expect(await engine.background?.handOver()).toBe(true)
  expect(world.goalsIn()).toEqual([['one']])
  engine.close()
})

it('B3 a book that is opened again takes the answers over, before anything is sent, and tells of it', async () => {
  const world = createWorld(quick)
  const first = world.open()
  world.isCut = true
  await first.store('one')
  await first.store('two')
  expect(await first.engine.background?.handOver()).toBe(true)
  first.engine.close()
  await world.sendAll()
  const second = world.open()
  await world.pass(100)
  expect(await second.sync()).toMatchObject({ pending: 0, background: 'ready' })
  expect(world.place.entries).toEqual([])
  second.engine.close()
})

it.each(['not JSON', '{}', '{"p":1}'])('B3 an answer that is none is dropped: %s', async (answer) => {
  const world = createWorld(quick)
  const first = world.open()
  world.isCut = true
  await first.store('one')
  await first.engine.background?.handOver()
  first.engine.close()
  world.place.entries = world.place.entries.map(({ request }) => ({ request, answer }))
  const second = world.open()
  await world.pass(100)
  expect([await second.sync(), world.place.entries]).toMatchObject([{ pending: 1 }, []])
  world.isCut = false
  await second.engine.call('daybook:sync', {})
  expect(await second.sync()).toMatchObject({ pending: 0 })
  second.engine.close()
})

it('B4 a place that fails is no failure of the book', async () => {
  const world = createWorld(quick)
  world.place.fault = new Error('no space')
  const { engine, store, sync } = world.open()
  await store('one')
  expect(await engine.background?.handOver()).toBe(false)
  await engine.call('daybook:sync', {})
  expect(await sync()).toMatchObject({ pending: 0, phase: 'idle' })
  engine.close()
})

it.each(['purge', 'forget'])(
  'W8 what was handed over is withdrawn before %s is answered, and goes as it stands then',
  async (verb) => {
    const world = createWorld(quick)
    const { engine, store, sync } = world.open()
    await world.pass(100)
    world.isCut = true
    const { id } = (await store('Siegelwort')) as { id: string }
    await store('other')
    await world.pass(1600)
    const before = world.place.entries
    expect(world.goalsIn()).toEqual([['Siegelwort', 'other']])
    await engine.call(`kstar:${verb}`, { id })
    expect(JSON.stringify(world.place.entries)).not.toContain('Siegelwort')
    expect(world.goalsIn().flat()).toEqual(['other'])
    // A service worker had sent the old bytes already: the book takes that answer for no other.
    const late = before[0]?.request ?? ''
    await world.reach(late)
    await world.sendAll()
    world.isCut = false
    await world.pass(60_000)
    expect(await sync()).toMatchObject({ pending: 0, refused: 0, conflicts: 0 })
    expect(world.goalsAtMirror()).toEqual(['other'])
  },
)

it('D4 a sync that has ended leaves no listener on the signal of its caller', async () => {
  const world = createWorld('manual')
  const { engine, store } = world.open()
  const { signal } = new AbortController()
  for (let i = 0; i < 3; i++) {
    await store('one')
    world.isCut = i === 1
    await engine.call('daybook:sync', {}, { signal }).catch(() => undefined)
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
  engine.close()
})
