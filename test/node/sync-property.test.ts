// Any course of events between devices and their mirror ends with all of them the same and nothing lost.
// The seed is fixed, so that a run means the same everywhere; SYNC_SEED and SYNC_RUNS ask for others and for more.
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { SqlDatabase } from '../../src/core/ports.ts'
import { openNodeDatabase } from '../../src/hosts/node/node-database.ts'
import type { SyncRequest } from '../../src/sync/protocol.ts'
import { keepMs } from '../../src/sync/mirror.ts'
import { createHistory, type History } from '../contract/mirror-history.ts'
import {
  createWorld,
  type DatabaseHost,
  type Fault,
  type TestDevice,
  type World,
} from '../contract/mirror-world.ts'

const seed = Number(process.env['SYNC_SEED'] ?? 20_260_101)
const numRuns = Number(process.env['SYNC_RUNS'] ?? 150)
const names = ['a', 'b', 'c'] as const
const kinds = ['local_wins', 'remote_wins', 'last_write_wins', 'merge', 'manual', 'forget_wins'] as const

const open = new Map<string, SqlDatabase>()
const host: DatabaseHost = {
  async within(name, work) {
    const db = open.get(name) ?? openNodeDatabase({ path: ':memory:' })
    open.set(name, db)
    return work(db)
  },
  evict: () => Promise.resolve(),
}
const closeAll = () => {
  for (const db of open.values()) db.close()
  open.clear()
}
afterAll(closeAll)

type Step =
  | { readonly do: 'put' | 'forget'; readonly at: number; readonly record: number }
  | {
      readonly do: 'sync'
      readonly at: number
      readonly faults: readonly FaultName[]
      readonly record: number
    }
  | { readonly do: 'sync-all' | 'restart-mirror' | 'age' }
  | { readonly do: 'harm'; readonly at: number; readonly record: number }
  | { readonly do: 'restart'; readonly at: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'skew'; readonly at: number; readonly ms: number }
type FaultName = 'none' | 'lose-request' | 'lose-answer' | 'twice' | 'edit-meanwhile' | 'others-meanwhile'

const device = fc.nat(names.length - 1)
/** One place more than there are devices: the mirror itself writes too. */
const place = fc.nat(names.length)
const record = fc.nat(5)
const fault = fc.constantFrom<FaultName>(
  'none',
  'lose-request',
  'lose-answer',
  'twice',
  'edit-meanwhile',
  'others-meanwhile',
)
const year = 365 * 86_400_000

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), at: place, record }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('forget' as const), at: place, record }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('sync' as const),
      at: device,
      faults: fc.array(fault, { maxLength: 4 }),
      record,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>({ do: 'sync-all' }, { do: 'restart-mirror' }, { do: 'age' }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('harm' as const), at: device, record }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), at: device }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 1000, 100_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('skew' as const),
      at: device,
      ms: fc.integer({ min: -9 * year, max: 9 * year }),
    }),
  },
)

const idOf = (n: number) => `record-${n}`
const kindOf = (n: number) => kinds[n % kinds.length] ?? 'local_wins'

async function take(
  world: World,
  history: History,
  devices: readonly TestDevice[],
  now: Step,
): Promise<void> {
  switch (now.do) {
    case 'put':
      return history.put(
        devices[now.at] ?? world.mirror,
        String(now.at),
        kindOf(now.record),
        idOf(now.record),
      )
    case 'forget':
      return history.forget(devices[now.at] ?? world.mirror, String(now.at), idOf(now.record))
    case 'sync': {
      const self = devices[now.at]
      self?.faults(...now.faults.map((name) => faultOf(name, world, history, devices, now)))
      await self?.sync().catch(() => undefined)
      self?.faults()
      return
    }
    case 'sync-all':
      await Promise.all(devices.map((each) => each.sync()))
      return
    case 'restart-mirror':
      return world.mirror.restart()
    case 'age':
      // Longer than tombstones are kept.
      world.clock.nowMs += keepMs + 1
      await world.mirror.tidy()
      return
    case 'harm':
      return devices[now.at]?.look((store) =>
        store.db.transaction(() => {
          store.db.run('DELETE FROM records WHERE id = ? AND place > 0 AND op IS NULL', [idOf(now.record)])
          store.settings.remove('agreed')
        }),
      )
    case 'restart':
      return devices[now.at]?.restart()
    case 'wait':
      world.clock.nowMs += now.ms
      return
    case 'skew': {
      const self = devices[now.at]
      if (self) self.skewMs = now.ms
    }
  }
}

function faultOf(
  name: FaultName,
  world: World,
  history: History,
  devices: readonly TestDevice[],
  { at, record }: { readonly at: number; readonly record: number },
): Fault {
  if (name !== 'edit-meanwhile' && name !== 'others-meanwhile') return name
  return async (send) => {
    const answer = await send()
    if (name === 'edit-meanwhile') await take(world, history, devices, { do: 'put', at, record })
    else {
      const other = (at + 1) % devices.length
      await take(world, history, devices, { do: 'put', at: other, record })
      await devices[other]?.sync()
    }
    return answer
  }
}

/** Syncs without faults until nobody has anything to say. */
async function settle(devices: readonly TestDevice[]): Promise<void> {
  for (let round = 0; round < 12; round++) {
    let quiet = true
    for (const each of devices) {
      const { pulled, pushed, conflicts } = await each.sync()
      quiet &&= pulled + pushed + conflicts === 0
    }
    if (quiet) return
  }
  throw new Error('The devices do not come to rest.')
}

function expectGrowingCursors(each: TestDevice): void {
  let before = 0
  for (const text of each.sent) {
    const { pull, ops } = JSON.parse(text) as SyncRequest
    // Only who reads everything anew goes back, and sends nothing meanwhile.
    if (pull.resync) expect(ops).toEqual([])
    else expect(pull.cursor).toBeGreaterThanOrEqual(before)
    before = pull.cursor
  }
}

async function play(steps: readonly Step[]): Promise<void> {
  const world = createWorld(host)
  const history = createHistory()
  const devices = names.map((name) => world.device(name))
  for (const now of steps) await take(world, history, devices, now)
  for (const each of devices) each.faults()
  await settle(devices)
  const expected = await world.mirror.all()
  for (const each of devices) {
    expect(await each.all()).toEqual(expected)
    expect(await each.state()).toMatchObject({ pending: 0 })
    expectGrowingCursors(each)
  }
  expect(await history.lost(world, [world.mirror, ...devices])).toEqual([])
  for (const id of Object.keys(expected)) {
    const versions = await world.mirror.look((store) => store.records.history(id))
    const texts = versions.flatMap(({ body }) => (body ? [body['text']] : []))
    expect(new Set(texts).size).toBe(texts.length)
  }
}

describe('sync, whatever happens', () => {
  it(
    'D3 D5 comes to rest with all the same, nothing lost, nothing applied twice',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) =>
          play(steps).finally(closeAll),
        ),
        { seed, numRuns },
      )
    },
  )
})
