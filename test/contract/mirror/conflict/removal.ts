// What is forgotten stays forgotten, and what is purged leaves nothing anywhere: forgets, purges and edits of devices that had
// not heard of each other, in every order.
import { expect, it } from 'vitest'
import { body, expectClean, expectSame, id, losers, secret, textOf, twoWithOne } from '../mirror-case.ts'
import { createWorld, type DatabaseHost, testKinds } from '../mirror-world.ts'

export function removalCases(host: DatabaseHost): void {
  it.each([...testKinds.keys()])(
    'C3 C17 a purged %s stays purged when an offline device sends its edit, older or later, and no copy keeps its text',
    async (kind) => {
      for (const isLater of [false, true]) {
        const world = createWorld(host)
        const [phone, laptop] = await twoWithOne(world, kind)
        const edit = () => laptop.put(kind, id(1), body(`${secret} of the laptop`))
        if (!isLater) await edit()
        world.clock.nowMs += 1000
        await phone.purge(id(1))
        world.clock.nowMs += 1000
        if (isLater) await edit()
        await phone.sync()
        expect(await laptop.sync()).toMatchObject({ conflicts: 1 })
        await phone.sync()
        await expectSame(phone, laptop, world.mirror)
        expect(await phone.all()).toEqual({})
        await expectClean(phone, laptop, world.mirror)
        for (const site of [laptop, world.mirror])
          expect(await site.conflicts()).toMatchObject([
            { loser: { op: 'put' }, winner: { op: 'forget', purged: true } },
          ])
      }
    },
  )

  it('C3 C17 a purge that comes after the edit of another device beats it, and takes its text along', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'local_wins')
    await laptop.put('local_wins', id(1), body(`${secret} of the laptop`))
    await phone.purge(id(1))
    await laptop.sync()
    await phone.sync()
    await laptop.sync()
    await expectSame(phone, laptop, world.mirror)
    expect(await laptop.all()).toEqual({})
    await expectClean(phone, laptop, world.mirror)
  })

  it('C17 what is purged at the mirror goes from every device, edits that were not sent too', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'merge')
    await laptop.put('merge', id(1), body(secret))
    await world.mirror.purge(id(1))
    for (const device of [phone, laptop, phone]) await device.sync()
    await expectSame(phone, laptop, world.mirror)
    expect(await laptop.all()).toEqual({})
    await expectClean(phone, laptop, world.mirror)
  })

  it('C17 what was forgotten first and purged then is purged on every copy', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'last_write_wins')
    await laptop.put('last_write_wins', id(1), body(secret))
    await phone.forget(id(1))
    await phone.sync()
    await laptop.sync()
    expect(await losers(laptop)).toEqual([secret])
    await phone.purge(id(1))
    await phone.sync()
    await laptop.sync()
    await expectClean(phone, laptop, world.mirror)
    expect(await laptop.all()).toEqual({})
  })

  it('C3 an edit that was lost before keeps its text out of what comes again under the same id', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'local_wins')
    const late = world.device('late')
    await late.sync()
    await late.put('local_wins', id(1), body(`${secret} late`))
    await laptop.put('local_wins', id(1), body(`${secret} earlier`))
    await laptop.sync()
    await phone.sync()
    await phone.purge(id(1))
    world.clock.nowMs += 1000
    await phone.put('local_wins', id(1), body('begun anew'))
    await phone.sync()
    for (const device of [late, laptop, phone]) await device.sync()
    await expectSame(phone, laptop, late, world.mirror)
    expect(await textOf(late)).toBe('begun anew')
    await expectClean(phone, laptop, late, world.mirror)
  })

  it('C18 what a device forgot and said anew before it synced leaves nothing of what it was, elsewhere neither', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'merge')
    await phone.put('merge', id(1), body(secret))
    for (const device of [phone, laptop]) await device.sync()
    await phone.forget(id(1))
    await phone.put('merge', id(1), body('anew'))
    for (const device of [phone, laptop]) await device.sync()
    await expectSame(phone, laptop, world.mirror)
    expect(await textOf(laptop)).toBe('anew')
    await expectClean(phone, laptop, world.mirror)
  })

  it('C18 a device that missed the forget between two versions keeps nothing of the first', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'manual')
    await phone.put('manual', id(1), body(secret))
    for (const device of [phone, laptop]) await device.sync()
    await phone.forget(id(1))
    await phone.sync()
    await phone.put('manual', id(1), body('anew'))
    await phone.sync()
    await laptop.sync()
    expect(await textOf(laptop)).toBe('anew')
    await expectClean(phone, laptop, world.mirror)
  })

  it('C3 who knows of a forget or a purge may say it anew, and it lives everywhere, without a conflict', async () => {
    for (const how of ['forget', 'purge'] as const) {
      const world = createWorld(host)
      const [phone, laptop] = await twoWithOne(world, 'remote_wins')
      await phone[how](id(1))
      await phone.sync()
      await laptop.sync()
      await laptop.put('remote_wins', id(1), body('on purpose'))
      for (const device of [laptop, phone]) expect(await device.sync()).toMatchObject({ conflicts: 0 })
      await expectSame(phone, laptop, world.mirror)
      expect(await textOf(phone)).toBe('on purpose')
      for (const site of [phone, laptop, world.mirror]) expect(await site.conflicts()).toEqual([])
    }
  })

  it('C3 a person brings back the edit that lost to a forget, and it lives everywhere', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'last_write_wins')
    await laptop.put('last_write_wins', id(1), body('edit'))
    await phone.forget(id(1))
    await phone.sync()
    await laptop.sync()
    const [entry] = await laptop.conflicts()
    await laptop.choose({ id: entry?.id, choose: 'loser' })
    for (const device of [laptop, phone]) await device.sync()
    await expectSame(phone, laptop, world.mirror)
    expect(await textOf(phone)).toBe('edit')
  })

  it('C3 nobody brings back an edit of what was purged: there is nothing of it', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'last_write_wins')
    await laptop.put('last_write_wins', id(1), body(secret))
    await phone.purge(id(1))
    await phone.sync()
    await laptop.sync()
    const [entry] = await laptop.conflicts()
    await expect(laptop.choose({ id: entry?.id, choose: 'loser' })).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  it('C3 where its kind says so a later edit has the record live again, and each copy says so in its log', async () => {
    const world = createWorld(host)
    const [phone, laptop] = await twoWithOne(world, 'later_revives')
    const third = world.device('third')
    await third.sync()
    await phone.forget(id(1))
    await phone.sync()
    await third.sync()
    world.clock.nowMs += 1000
    await laptop.put('later_revives', id(1), body('later'))
    for (const device of [laptop, phone, third]) expect(await device.sync()).toMatchObject({ conflicts: 1 })
    await expectSame(phone, laptop, third, world.mirror)
    for (const site of [phone, laptop, third, world.mirror]) {
      expect(await textOf(site)).toBe('later')
      expect(await site.conflicts()).toMatchObject([
        { loser: { op: 'forget' }, winner: { op: 'put', body: body('later') } },
      ])
    }
    expect(phone.told.at(-1)?.result).toMatchObject({ conflicts: 1 })
  })

  it('C3 of a new record under the name of one that was forgotten nothing is lost', async () => {
    const world = createWorld(host)
    const [phone] = await twoWithOne(world, 'remote_wins')
    await phone.forget(id(1))
    await phone.sync()
    world.clock.nowMs += 1000
    const fresh = world.device('fresh')
    await fresh.put('remote_wins', id(1), body('of its own'))
    await fresh.sync()
    await phone.sync()
    await expectSame(phone, fresh, world.mirror)
    expect(await textOf(phone)).toBe('of its own')
    expect(await world.mirror.conflicts()).toEqual([])
  })

  it.each(['forget', 'purge'] as const)(
    'N5 after a new mirror a device that had missed the %s brings nothing back',
    async (how) => {
      const world = createWorld(host)
      const [phone, laptop] = await twoWithOne(world, 'local_wins')
      await laptop.put('local_wins', id(1), body(secret))
      world.clock.nowMs += 1000
      await phone[how](id(1))
      await phone.sync()
      // The mirror begins a new epoch, of which both have to hear.
      await world.mirror.look(({ settings }) => settings.set('epoch', `e_${'0'.repeat(32)}`))
      for (const device of [laptop, phone, laptop]) await device.sync()
      await expectSame(phone, laptop, world.mirror)
      expect(await laptop.all()).toEqual({})
      if (how === 'purge') await expectClean(phone, laptop, world.mirror)
      else expect(await losers(laptop)).toEqual([secret])
    },
  )
}
