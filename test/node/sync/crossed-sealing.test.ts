// What the threat model says of an edit that crosses a sealing: a device without keys changes a large document meanwhile.
import { expect, it } from 'vitest'
import { partMark, partsField } from '../../../src/core/text/name-id.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { documentName } from '../../../src/memory/document/document-kind.ts'
import { holds } from '../../contract/mirror/mirror-seal.ts'
import { createWorld } from '../../contract/mirror/mirror-world.ts'

const idOf = (key: string) => documentName('notes/', key).id
const partKey = (n: number) => `${partMark}${n}`
const head = (n: number) => ({ folder: 'notes/', key: 'big', value: { [partsField]: [partKey(n)] } })
const part = (n: number, text: string) => ({
  folder: 'notes/',
  key: partKey(n),
  recalled: false,
  value: { text },
})

it.each(['keyed', 'keyless'] as const)(
  'an edit that crosses a sealing leaves its own part in clear, and takes one out (first: %s)',
  async (first) => {
    const databases = new Map<string, SqlDatabase>()
    const world = createWorld(
      {
        async within(name, work) {
          const db = databases.get(name) ?? openNodeDatabase({ path: ':memory:' })
          databases.set(name, db)
          return work(db)
        },
        evict: () => Promise.resolve(),
      },
      { kindsAtMirror: kinds, kindsAt: { keyed: kinds, keyless: kinds } },
    )
    const [keyed, keyless] = [world.device('keyed'), world.device('keyless')]
    await keyed.put('document', idOf(partKey(1)), part(1, 'zanzibar base'))
    await keyed.put('document', idOf('big'), head(1))
    for (const device of [keyed, keyless]) await device.sync()
    keyless.keys = []
    world.clock.nowMs += 1000
    await keyless.put('document', idOf(partKey(2)), part(2, 'zanzibar mine'))
    await keyless.put('document', idOf('big'), head(2))
    await keyless.forget(idOf(partKey(1)))
    world.clock.nowMs += 1000
    await keyed.put('document', idOf('big'), head(1), { sensitivity: 'sensitive' })
    const turn = first === 'keyed' ? [keyed, keyless] : [keyless, keyed]
    for (const device of [...turn, ...turn, ...turn]) await device.sync()

    const sites = [keyed, keyless, world.mirror]
    for (const site of sites) {
      await site.look((store) => store.purge.scrub())
      expect(await holds(site, 'zanzibar mine')).toBe(true)
      expect(await holds(site, 'zanzibar base')).toBe(false)
    }
    expect(await keyed.get(idOf('big'))).toMatchObject({ sensitivity: 'sensitive', ...head(1) })
    expect(await keyed.get(idOf(partKey(1)))).toBeUndefined()
    const ofDocument = async (site: typeof keyed) =>
      (await site.conflicts()).filter(({ record }) => record === idOf('big')).map(({ loser }) => loser.body)
    expect(await ofDocument(keyless)).toEqual(first === 'keyed' ? [undefined] : [])
    expect(await ofDocument(keyed)).toEqual(first === 'keyed' ? [] : [head(2)])
    const gone = (await world.mirror.conflicts()).find(({ record }) => record === idOf(partKey(1)))
    expect(gone).toMatchObject({ loser: { op: 'put', sealed: { alg: 'A256GCM' } }, winner: { op: 'forget' } })

    await keyless.forget(idOf(partKey(2)))
    for (const device of [keyless, keyed]) await device.sync()
    for (const site of sites) expect(await holds(site, 'zanzibar mine')).toBe(false)
    for (const db of databases.values()) db.close()
  },
)
