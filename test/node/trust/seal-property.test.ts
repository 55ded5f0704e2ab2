// Any course of events in which some records are sealed and one device has no key ends with all the same, nothing lost, and
// nothing at the mirror of what was ever written sealed. SYNC_SEED and SYNC_RUNS ask for other courses and for more.
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import type { BookStore } from '../../../src/store/book-store.ts'
import { expectSame } from '../../contract/mirror/mirror-case.ts'
import {
  createWorld,
  type DatabaseHost,
  type Fault,
  type TestDevice,
} from '../../contract/mirror/mirror-world.ts'

const seed = Number(process.env['SYNC_SEED'] ?? 20_260_101)
const numRuns = Number(process.env['SYNC_RUNS'] ?? 60)
const kinds = ['local_wins', 'remote_wins', 'last_write_wins', 'merge', 'manual'] as const

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

const at = fc.nat(2)
const record = fc.nat(kinds.length - 1)
const fault = fc.constantFrom<Fault>('none', 'lose-request', 'lose-answer', 'twice')
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('put' as const), at, record, sealed: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('sync' as const), at, faults: fc.array(fault, { maxLength: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rotate' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Everything that the rows of a site say; what is sealed only as ciphertext. */
const textOf = ({ db }: BookStore) =>
  ['records', 'history', 'conflicts', 'results', 'ops', 'applied_requests']
    .map((table) => JSON.stringify(db.all(`SELECT * FROM ${table}`)))
    .join()

/** Everything that a device can still show: records, versions, lost edits. */
const shownBy = (device: TestDevice) =>
  device.look(({ db, records, conflicts }) =>
    JSON.stringify([
      db.all<{ id: string }>('SELECT id FROM records').map(({ id }) => records.history(id)),
      conflicts.list({ limit: 10_000 }),
    ]),
  )

async function run(steps: readonly Step[]): Promise<void> {
  const world = createWorld(host)
  const devices = ['a', 'b', 'c'].map((name) => world.device(name))
  const [a, , keyless] = devices as [TestDevice, TestDevice, TestDevice]
  keyless.keys = []
  const written: { token: string; record: string; keyless: boolean }[] = []
  for (const now of steps) {
    world.clock.nowMs += 1000
    if (now.do === 'rotate') {
      a.keys = [1, 2]
      await a.look((store) => store.db.transaction(() => store.resealing.step(100)))
      continue
    }
    const self = devices[now.at] as TestDevice
    if (now.do === 'restart') await self.restart()
    else if (now.do === 'sync') {
      self.faults(...now.faults)
      await self.sync().catch(() => undefined)
      self.faults()
    } else {
      const [id, token] = [`record-${now.record}`, `w${written.length}x`]
      const scope = now.sealed ? { sensitivity: 'sensitive' as const } : {}
      const kind = kinds[now.record] ?? 'merge'
      const isSealed =
        now.sealed || (await self.look(({ records }) => typeof records.row(id)?.kid === 'string'))
      const done = await self.put(kind, id, { text: token }, scope).then(
        () => true,
        () => false,
      )
      // Without a key nothing sensitive is written.
      expect(done).toBe(self !== keyless || !isSealed)
      if (done) written.push({ token, record: id, keyless: self === keyless })
    }
  }
  for (let round = 0; round < 4; round++) for (const device of devices) await device.sync()
  const withoutKey = await keyless.look(textOf)
  for (const device of devices) device.keys = [1, 2]
  for (let round = 0; round < 3; round++) for (const device of devices) await device.sync()
  await expectSame(...devices)
  const [atMirror, shown] = [
    await world.mirror.look(textOf),
    (await Promise.all(devices.map(shownBy))).join(),
  ]
  const sealed = await world.mirror.look(({ db }) =>
    db.all<{ id: string }>('SELECT id FROM records WHERE kid IS NOT NULL').map(({ id }) => id),
  )
  for (const [i, { token, record, keyless: isItsOwn }] of written.entries()) {
    // Of what is sealed nothing is there in clear, whenever it was written.
    if (sealed.includes(record))
      for (const text of [atMirror, withoutKey]) expect(text).not.toContain(`"${token}\\`)
    // Without a key, its own earlier versions and lost edits of what is sealed are removed rather than kept in clear.
    const isReplaced =
      isItsOwn &&
      (sealed.includes(record) || written.slice(i + 1).some((one) => one.keyless && one.record === record))
    if (!isReplaced) expect(shown).toContain(`"${token}"`)
  }
  closeAll()
}

it('E2 E5 E6 any course of sealed and plain edits ends the same everywhere, and hides what was sealed', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), run), { seed, numRuns })
})
