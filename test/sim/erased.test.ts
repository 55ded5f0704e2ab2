// Books that are erased at their mirror while devices are away, for a year or for ever, or starting over: whatever happens in
// whatever order, what was erased comes back by nobody's mere sync, and no device loses what it has.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DaybookError, isDaybookError } from '../../src/core/errors.ts'
import type { Carrier } from '../../src/core/ports.ts'
import { DatabaseAgentGate, defaultAgentRate } from '../../src/edge/agent/agent-gate.ts'
import { MirrorService } from '../../src/edge/mirror-service.ts'
import { unknownBearerError } from '../../src/trust/admission.ts'
import { bookErasedError } from '../../src/edge/book-erasure.ts'
import { fromOutcome } from '../../src/edge/outcome.ts'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { openNodeDatabase } from '../../src/hosts/node/book/node-database.ts'
import { openNodeKeyring, verifyingKeyring } from '../../src/hosts/node/key/key-file.ts'
import { nodePorts } from '../../src/hosts/node/port/node-ports.ts'
import type { Tombstone } from '../../src/store/mirror/tombstone.ts'
import { SyncMirror } from '../../src/sync/mirror/mirror.ts'
import { draws } from '../support/whole.ts'

const name = 'garden'
const yearMs = 366 * 86_400_000
const deviceCount = 3
const actions = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), at: fc.nat(deviceCount - 1) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('sync' as const), at: fc.nat(deviceCount - 1) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('start-over' as const), at: fc.nat(deviceCount - 1) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('erase' as const), at: fc.nat(deviceCount - 1) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('begin' as const), at: fc.nat(deviceCount - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('anew' as const), at: fc.nat(deviceCount - 1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('year' as const), at: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), at: fc.constant(0) }) },
)

/** A device starts over, and is cut off from the mirror while its book is erased and begun anew. */
const startingOver = (
  [
    ['put', 0],
    ['sync', 0],
    ['start-over', 0],
    ['erase', 1],
    ['begin', 1],
    ['put', 1],
    ['sync', 1],
    ['sync', 0],
    ['sync', 2],
    ['anew', 0],
  ] as const
).map(([what, at]) => ({ do: what, at }))

/** A mirror whose host keeps nothing but its database and its tombstone. */
function createHost(clock: { now(): number }) {
  const ports = { ...nodePorts, clock }
  let db = openNodeDatabase({ path: ':memory:' })
  let stone: Tombstone | undefined
  let opened: ReturnType<typeof open> | undefined
  const open = () => {
    if (stone && !stone.isReplaced) throw bookErasedError(stone.at)
    const engine = createEngine({
      db: { ...db, close: () => undefined },
      ports,
      name,
      scope: { agent: 'edge' },
      durability: 'memory',
      role: 'mirror',
      keys: verifyingKeyring,
    })
    return { engine, mirror: new SyncMirror({ store: engine.store, ...ports, erasedAt: stone?.at }) }
  }
  const door = new MirrorService(
    (mayMake, work) => {
      if (!mayMake) throw unknownBearerError()
      opened ??= open()
      const agents = new DatabaseAgentGate(opened.engine.store.db, clock, defaultAgentRate)
      return work({ ...opened, agents, rate: { charge: () => undefined }, noteSynced: () => undefined })
    },
    {
      book: name,
      clock,
      tombstone: () => (stone?.isReplaced ? undefined : stone),
      erase(next) {
        opened?.engine.close()
        opened = undefined
        db = openNodeDatabase({ path: ':memory:' })
        stone = next
        return Promise.resolve()
      },
      begin: () => Promise.resolve(void (stone = stone && { ...stone, isReplaced: true })),
    },
  )
  return {
    door,
    restart() {
      opened?.engine.close()
      opened = undefined
    },
    /** It was set back to a state in which it had answered no device yet: all that come start over. */
    setBack() {
      if (opened) for (const table of ['devices', 'results']) db.run(`DELETE FROM ${table}`)
    },
    /** Everything that is there, as text. */
    text: () => {
      const isThere = db.get("SELECT 1 AS one FROM sqlite_master WHERE name = 'records'")
      return isThere ? JSON.stringify(db.all('SELECT * FROM records').map((row) => Object.values(row))) : ''
    },
  }
}

/** A way to the mirror, that is cut after so many requests. */
interface Way {
  left: number
}

function createDevice(
  door: ReturnType<typeof createHost>['door'],
  clock: { now(): number },
  way: Way,
): Engine {
  const carrier: Carrier = {
    async exchange(request) {
      if (way.left-- <= 0) throw new DaybookError('offline')
      return JSON.parse(await fromOutcome(door.exchange(JSON.stringify(request))))
    },
    erase: (asked) => fromOutcome(door.erase(asked, {})),
    begin: (asked) => fromOutcome(door.begin(asked, {})),
  }
  return createEngine({
    db: openNodeDatabase({ path: ':memory:' }),
    ports: { ...nodePorts, clock },
    name,
    scope: { agent: 'agent' },
    durability: 'memory',
    keys: openNodeKeyring(undefined),
    carrier,
    sync: { triggers: 'manual' },
    eraseHere: () => Promise.resolve(),
  })
}

const attempt = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => {
      if (isDaybookError(error, 'book-erased')) return 'book-erased'
      if (isDaybookError(error, 'offline')) return 'offline'
      throw error
    },
  )

it('what was erased is brought back by nobody who was away, and nobody who was away loses anything', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { minLength: 8, maxLength: 30 }), async (steps) => {
      let nowMs = Date.parse('2026-01-01')
      const clock = { now: () => (nowMs += 1000) }
      const host = createHost(clock)
      const way: Way = { left: Infinity }
      const devices = Array.from({ length: deviceCount }, () => createDevice(host.door, clock, way))
      /** Those that a mirror has ever answered. */
      const came = new Set<Engine>()
      /** What each device has written, and what of it was written before the last erasure that it has not been told to undo. */
      const own = devices.map(() => new Set<string>())
      const mayCome = devices.map(() => new Set<string>())
      let serial = 0
      for (const { do: what, at } of steps) {
        const device = devices[at]
        if (!device) throw new Error('There is one.')
        const token = `token${++serial}x`
        if (what === 'put') {
          const said = { type: 'belief', subject: token, content: token, confidence: 1 }
          await device.call('kstar:store_perception', said)
          own[at]?.add(token)
          mayCome[at]?.add(token)
        } else if (what === 'sync') {
          const told = await attempt(device.call('daybook:sync', {}))
          const { sync, degraded } = (await device.call('daybook:status', {})) as {
            sync: { phase: string; lastError?: { code: string } }
            degraded: string[]
          }
          expect([told, sync.phase, degraded.some((text) => text.startsWith('book-erased'))]).toEqual(
            told === 'ok' ? ['ok', 'idle', false] : ['book-erased', 'stopped', true],
          )
        } else if (what === 'start-over') {
          // It hears that it must, and no more than that.
          host.setBack()
          way.left = 1
          await attempt(device.call('daybook:sync', {}))
          way.left = Infinity
        } else if (what === 'erase') {
          await fromOutcome(host.door.erase({ confirm: name }, {}))
          expect(host.text()).not.toContain('token')
          // A device that never came has nothing of the book that was erased.
          for (const [i, one] of devices.entries()) if (came.has(one)) mayCome[i]?.clear()
        } else if (what === 'begin') await fromOutcome(host.door.begin({ confirm: name }, {}))
        else if (what === 'anew') {
          await device.call('daybook:start_over', { confirm: name })
          const text = JSON.stringify(
            device.store.db.all('SELECT * FROM records').map((row) => Object.values(row)),
          )
          for (const one of text.match(/token\d+x/g) ?? []) mayCome[at]?.add(one)
        } else if (what === 'year') nowMs += yearMs
        else host.restart()
        if (device.store.settings.get('epoch') !== undefined) came.add(device)
        const allowed = new Set(mayCome.flatMap((tokens) => [...tokens]))
        for (const one of host.text().match(/token\d+x/g) ?? []) expect([...allowed]).toContain(one)
      }
      for (const [i, device] of devices.entries()) {
        const text = JSON.stringify(
          device.store.db.all('SELECT * FROM records').map((row) => Object.values(row)),
        )
        for (const one of own[i] ?? []) expect(text).toContain(one)
        device.close()
      }
    }),
    { numRuns: draws(20, 60), examples: [[startingOver]] },
  )
}, 170_000)
