// A decision that restores a lost edit restores the head of its record too.
import { expect, it } from 'vitest'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { body, expectClean, expectSame, id, secret, textOf } from '../../contract/mirror/mirror-case.ts'
import { createWorld } from '../../contract/mirror/mirror-world.ts'

const scope = { session: 'lesson-1', resource: 'user:ann' }

async function forgottenElsewhere(more: object) {
  const databases = new Map<string, SqlDatabase>()
  const world = createWorld({
    async within(name, work) {
      const db = databases.get(name) ?? openNodeDatabase({ path: ':memory:' })
      databases.set(name, db)
      return work(db)
    },
    evict: () => Promise.resolve(),
  })
  const [phone, laptop] = [world.device('phone'), world.device('laptop')]
  await phone.put('remote_wins', id(1), body('first'), { ...scope, ...more })
  for (const device of [phone, laptop]) await device.sync()
  const before = await laptop.get(id(1))
  world.clock.nowMs += 1000
  await phone.forget(id(1))
  await phone.sync()
  world.clock.nowMs += 1000
  await laptop.put('remote_wins', id(1), body(secret))
  await laptop.sync()
  world.clock.nowMs += 1000
  const [entry] = await laptop.conflicts()
  return { world, phone, laptop, before, conflict: entry?.id ?? 0 }
}

it.each(['public', undefined, 'sensitive', 'restricted'] as const)(
  'C9 a forgotten record of sensitivity %s comes back with its scope, creation time and sensitivity',
  async (sensitivity) => {
    const { phone, laptop, before, conflict } = await forgottenElsewhere({ sensitivity })
    expect(await laptop.get(id(1))).toBeUndefined()
    await laptop.choose({ id: conflict, choose: 'loser' })
    for (const device of [laptop, phone]) await device.sync()
    await expectSame(phone, laptop)
    for (const device of [laptop, phone]) {
      expect(await device.get(id(1))).toMatchObject({
        ...scope,
        created_at: before?.created_at,
        ...body(secret),
      })
      expect((await device.get(id(1)))?.sensitivity ?? 'standard').toBe(sensitivity ?? 'standard')
    }
  },
)

it('C9 a new body for a forgotten restricted record has the scope and sensitivity of the lost edit', async () => {
  const { laptop, before, conflict } = await forgottenElsewhere({ sensitivity: 'restricted' })
  await laptop.choose({ id: conflict, choose: 'body', body: body('another') })
  expect(await laptop.get(id(1))).toMatchObject({
    ...scope,
    created_at: before?.created_at,
    sensitivity: 'restricted',
    ...body('another'),
  })
})

it('C9 an edit that was less sensitive does not lower the record', async () => {
  const { laptop, conflict } = await forgottenElsewhere({})
  await laptop.put('remote_wins', id(1), body('second'), { sensitivity: 'restricted' })
  await laptop.choose({ id: conflict, choose: 'loser' })
  expect(await laptop.get(id(1))).toMatchObject({ ...scope, sensitivity: 'restricted', ...body(secret) })
  expect(await textOf(laptop)).toBe(secret)
})

it('C9 an entry of an earlier schema restores a sealed edit at least as sensitive as it was', async () => {
  const { laptop, conflict } = await forgottenElsewhere({ sensitivity: 'restricted' })
  await laptop.look((store) => store.db.exec('UPDATE conflicts SET loser_head = NULL, winner_head = NULL'))
  await laptop.choose({ id: conflict, choose: 'loser' })
  expect(await laptop.get(id(1))).toMatchObject({ sensitivity: 'restricted', ...body(secret) })
})

it('C17 a purge removes the scope of lost edits from every copy', async () => {
  const { world, phone, laptop } = await forgottenElsewhere({ resource: `user:${secret}` })
  for (const site of [laptop, world.mirror])
    expect(await site.look((store) => store.db.get('SELECT loser_head FROM conflicts'))).toMatchObject({
      loser_head: expect.stringContaining(secret) as string,
    })
  await phone.purge(id(1))
  for (const device of [phone, laptop]) await device.sync()
  await expectClean(phone, laptop, world.mirror)
})
