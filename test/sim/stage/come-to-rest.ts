// The end of a schedule: fair weather, until nobody has anything to say.
import { formatTime } from '../../../src/core/time.ts'
import { sealGuarded, updateMarks } from '../../../src/sync/conflict/dependents.ts'
import { newKinds, recordOf } from '../world/sim-kind.ts'
import type { SimDevice } from '../world/sim-site.ts'
import { plans } from '../world/sim-world.ts'
import { carryThrough } from './carry.ts'
import type { Stage } from './stage.ts'
import { put } from './write.ts'

/** The weather is fair, and nobody calls: what is due goes by itself. */
export async function goByItself({ world }: Stage): Promise<void> {
  for (const letter of world.letters.slice()) letter.drop()
  await world.rest()
  const watched = world.devices.filter(({ plan }) => plan === plans[0] || plan === plans[1])
  // No more accidents.
  for (const site of [world.mirror, ...world.devices])
    site.run().handle.dieAt(Number.POSITIVE_INFINITY, false)
  for (let quarter = 0; quarter < 2; quarter++) await world.pass(15 * 60_000, 'fair')
  for (const each of watched) {
    const { phase } = each.trigger().state()
    const { store } = each.run()
    if (phase === 'stopped' || each.selection.push !== undefined) continue
    const isLeft = store.ops.hasUnsent() || store.ops.sentOps().length > 0
    if (isLeft) throw new Error(`What ${each.name} had to send did not go by itself (${phase}).`)
    const head = world.mirror.run().store.settings.getNumber('head')
    if (store.settings.getNumber('cursor') !== head)
      throw new Error(`What ${each.name} had to fetch did not come by itself (${phase}).`)
  }
}

/** The weather is fair, everybody runs the newest Daybook, and all sync until nobody has anything to say. */
export async function comeToRest(stage: Stage): Promise<void> {
  const { world } = stage
  for (const letter of world.letters.slice()) letter.drop()
  await world.rest()
  for (const site of [world.mirror, ...world.devices]) {
    site.crash()
    Object.assign(site, { kinds: newKinds, selection: {} })
  }
  for (const each of world.devices) await openKeys(stage, each)
  await world.rest()
  for (let round = 0; round < 14; round++) {
    let quiet = true
    for (const each of world.devices) {
      const before = stage.watch.moves()
      await carryThrough(stage, each, [], 0)
      for (const id of mendable(each)) {
        quiet = false
        await put(stage, each, id)
      }
      quiet &&= stage.watch.moves() === before
    }
    if (quiet) return
  }
  throw new Error('The devices do not come to rest.')
}

/**
 * Its keys are there again, and what was read without them is put in order, as an engine does in its first idle
 * moment.
 */
async function openKeys({ world }: Stage, device: SimDevice): Promise<void> {
  device.lock(false)
  const { store } = device.run()
  const now = formatTime(world.clock.nowMs + device.skewMs)
  await store.writes.write(() => updateMarks(store, sealGuarded(store, undefined, now), now))
}

/** Records whose change was refused for good: a person writes them anew. */
function mendable({ disk }: SimDevice): number[] {
  return disk.db
    .all<{ id: string }>(
      'SELECT r.id FROM ops o JOIN records r ON r.seq = o.seq WHERE o.refused IS NOT NULL AND r.deleted = 0',
    )
    .map(({ id }) => {
      const record = recordOf(id)
      if (record === undefined) throw new Error(`A change of ${id} was refused for good.`)
      return record
    })
}
