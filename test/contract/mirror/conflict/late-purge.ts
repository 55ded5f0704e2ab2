// A purge that some copies hear of late or by a detour: from an emptied mirror, as the answer to a change of their own, after
// its tombstone was collected. Nothing of what was purged stays on any copy.
import { expect, it } from 'vitest'
import { body, expectClean, expectSame, id, secret, textsIn, twoWithOne } from '../mirror-case.ts'
import { createWorld, type DatabaseHost, type Site, type TestDevice, type World } from '../mirror-world.ts'

export function latePurgeCases(host: DatabaseHost): void {
  it('N5 a purge that only one device knows of counts at a mirror that was emptied', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'local_wins')
    await laptop.put('local_wins', id(1), body(secret))
    await laptop.sync()
    await phone.sync()
    await phone.purge(id(1))
    await phone.sync()
    const forgetAll = (site: Site) =>
      site.look(({ db, settings }) => {
        for (const table of ['records', 'history', 'conflicts', 'devices', 'results'])
          db.run(`DELETE FROM ${table}`)
        db.run("DELETE FROM book WHERE key = 'head' OR key = 'floor' OR key GLOB 'sum:*'")
        settings.set('epoch', `e_${'1'.repeat(32)}`)
      })
    await forgetAll(world.mirror)
    for (const device of [laptop, phone, laptop]) await device.sync()
    await expectSame(phone, laptop, world.mirror)
    expect(await laptop.all()).toEqual({})
    await expectClean(phone, laptop, world.mirror)
  })

  it('T1 C17 of a purge the mirror remembers that it was, when it has let go of other tombstones', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'manual')
    await laptop.put('manual', id(1), body(secret))
    await phone.purge(id(1))
    for (const device of [phone, phone]) await device.sync()
    world.clock.nowMs += 400 * 86_400_000
    await phone.sync()
    expect(await world.mirror.tidy()).toBe(1)
    for (const device of [phone, laptop, phone]) await device.sync()
    await expectSame(phone, laptop, world.mirror)
    expect(await laptop.all()).toEqual({})
    await expectClean(phone, laptop, world.mirror)
    for (const device of [phone, laptop])
      expect(await device.state()).toMatchObject({ repairs: 0, pending: 0 })
  })

  it('C17 the answer to a forget says that its record was purged below it, and nothing of that stays here', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithSecret(world)
    await phone.purge(id(1))
    await phone.put('manual', id(1), body('anew'))
    await phone.sync()
    await laptop.forget(id(1))
    for (const device of [laptop, phone]) await device.sync()
    await expectSame(phone, laptop, world.mirror)
    expect(await phone.all()).toEqual({})
    await expectClean(phone, laptop, world.mirror)
  })

  it('T2 C17 a device that was away until the tombstone was collected keeps no lost edit of what was purged', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithSecret(world)
    await phone.purge(id(1))
    await phone.sync()
    world.clock.nowMs += 400 * 86_400_000
    await phone.sync()
    expect(await world.mirror.tidy()).toBe(1)
    await laptop.sync()
    await expectSame(phone, laptop, world.mirror)
    await expectClean(phone, laptop, world.mirror)
  })

  it('T1 a record that comes after the newest tombstone was collected is found at the mirror', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'manual')
    await phone.forget(id(1))
    for (const device of [phone, laptop]) await device.sync()
    world.clock.nowMs += 400 * 86_400_000
    await phone.sync()
    expect(await world.mirror.tidy()).toBe(1)
    for (const site of [phone, laptop, world.mirror]) await site.restart()
    await phone.put('manual', id(2), body('next'))
    for (const device of [phone, laptop]) await device.sync()
    for (const site of [phone, laptop, world.mirror]) {
      const found = await site.look(({ queries }) => queries.query({}).records)
      expect(found.map((one) => one.id)).toEqual([id(2)])
    }
    await expectSame(phone, laptop, world.mirror)
  })
}

/** Two devices, one of which has lost an edit to the other's, and has both in its log. */
async function twoWithSecret(world: World): Promise<[TestDevice, TestDevice]> {
  const [phone, laptop] = await twoWithOne(world, 'manual')
  await phone.put('manual', id(1), body(secret))
  await phone.sync()
  await laptop.put('manual', id(1), body('lost'))
  await laptop.sync()
  expect(await textsIn(laptop)).toContain(secret)
  return [phone, laptop]
}
