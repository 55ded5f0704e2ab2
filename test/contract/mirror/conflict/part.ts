// Records in parts, forgotten by a device that did not know all of them: none is left over, at any copy.
import { expect, it } from 'vitest'
import { createKinds } from '../../../../src/core/kind.ts'
import { body, expectSame, id } from '../mirror-case.ts'
import { createTestKind, createWorld, type DatabaseHost, testKinds } from '../mirror-world.ts'

const parted = createTestKind('parted', 'last_write_wins', {
  parts: (said) => ('parts' in said && Array.isArray(said.parts) ? said.parts.map(String) : []),
})
const shared = createTestKind('shared', 'last_write_wins', {
  parts: (said) => ('parts' in said && Array.isArray(said.parts) ? said.parts.map(String) : []),
  sharedParts: { kind: 'piece', namedBy: ['shared'] },
  facets: { subject: 'of' },
})
const piece = createTestKind('piece', 'last_write_wins', { facets: { subject: 'of' } })
const kinds = createKinds([...testKinds.values(), parted, shared, piece])

/** A phone and a laptop with a record of one part, in clear or sealed; the laptop has changed it to another part since. */
async function changed(host: DatabaseHost, scope: object) {
  const world = createWorld(host, { kindsAtMirror: kinds, kindsAt: { phone: kinds, laptop: kinds } })
  const [phone, laptop] = [world.device('phone'), world.device('laptop')]
  await phone.put('parted', id(1), { text: 'head', parts: [id(2)] }, scope)
  await phone.put('parted', id(2), body('zanzibar one'), scope)
  for (const device of [phone, laptop]) await device.sync()
  await laptop.put('parted', id(1), { text: 'head', parts: [id(3)] }, scope)
  await laptop.put('parted', id(3), body('zanzibar two'), scope)
  await laptop.forget(id(2))
  world.clock.nowMs += 1000
  return { world, phone, laptop }
}

export function partCases(host: DatabaseHost): void {
  it.each(['forget', 'purge'] as const)(
    'C3 a record that goes by %s takes the parts along that another device has sent meanwhile',
    async (verb) => {
      const { world, phone, laptop } = await changed(host, {})
      await laptop.sync()
      await phone[verb](id(1))
      await phone.sync()
      // The laptop never has to come back for it.
      await phone.sync()
      expect([await phone.all(), await world.mirror.all()]).toEqual([{}, {}])
      await laptop.sync()
      await expectSame(phone, laptop, world.mirror)
      expect(await laptop.all()).toEqual({})
    },
  )

  it.each([
    ['forget', {}],
    ['purge', {}],
    ['forget', { sensitivity: 'sensitive' }],
    ['purge', { sensitivity: 'sensitive' }],
  ] as const)(
    'C3 a record that goes by %s takes the parts along of a device that hears of it later (%j)',
    async (verb, scope) => {
      const { world, phone, laptop } = await changed(host, scope)
      await phone[verb](id(1))
      for (const device of [phone, laptop, phone, laptop]) await device.sync()
      expect([await phone.all(), await laptop.all(), await world.mirror.all()]).toEqual([{}, {}, {}])
      await expectSame(phone, laptop, world.mirror)
      if (verb === 'purge')
        for (const site of [phone, laptop, world.mirror])
          expect(
            await site.look(({ db }) => JSON.stringify(db.all('SELECT * FROM conflicts'))),
          ).not.toContain('zanzibar')
    },
  )

  it.each(['forgotten before', 'given another part before'] as const)(
    'C17 a record that is purged, and was %s, leaves nothing of its part in any log',
    async (how) => {
      const world = createWorld(host, { kindsAtMirror: kinds, kindsAt: { phone: kinds, laptop: kinds } })
      const [phone, laptop] = [world.device('phone'), world.device('laptop')]
      await phone.put('parted', id(1), { text: 'head', parts: [id(2)] })
      await phone.put('parted', id(2), body('one'))
      for (const device of [phone, laptop]) await device.sync()
      await phone.put('parted', id(2), body('zanzibar of the phone'))
      await laptop.put('parted', id(2), body('zanzibar of the laptop'))
      for (const device of [phone, laptop, phone]) await device.sync()
      const logs = async () =>
        (
          await Promise.all(
            [phone, laptop, world.mirror].map((site) =>
              site.look(({ db }) => JSON.stringify(db.all('SELECT * FROM conflicts'))),
            ),
          )
        ).join('')
      expect(await logs()).toContain('zanzibar')
      if (how === 'forgotten before') await phone.forget(id(1))
      else {
        await phone.put('parted', id(1), { text: 'head', parts: [] })
        await phone.forget(id(2))
      }
      for (const device of [phone, laptop]) await device.sync()
      expect(await logs()).toContain('zanzibar')
      await phone.purge(id(1))
      for (const device of [phone, laptop]) await device.sync()
      expect(await logs()).not.toContain('zanzibar')
      await expectSame(phone, laptop, world.mirror)
    },
  )

  it.each(['the phone', 'a device that knows nothing of it', 'the mirror'] as const)(
    'C17 a record that shares its parts, was forgotten and is purged at %s, leaves nothing of them in any log',
    async (where) => {
      const world = createWorld(host, {
        kindsAtMirror: kinds,
        kindsAt: { phone: kinds, laptop: kinds, fresh: kinds },
      })
      const [phone, laptop] = [world.device('phone'), world.device('laptop')]
      await phone.put('shared', id(1), { text: 'head', of: 'thread', parts: [id(2)] })
      await phone.put('piece', id(2), { text: 'one', of: 'thread' })
      for (const device of [phone, laptop]) await device.sync()
      await phone.put('piece', id(2), { text: 'zanzibar of the phone', of: 'thread' })
      await laptop.put('piece', id(2), { text: 'zanzibar of the laptop', of: 'thread' })
      for (const device of [phone, laptop, phone]) await device.sync()
      await phone.forget(id(1))
      for (const device of [phone, laptop]) await device.sync()
      const fresh = world.device('fresh')
      await fresh.sync()
      const sites = [phone, laptop, fresh, world.mirror]
      const logs = async () =>
        (
          await Promise.all(
            sites.map((site) => site.look(({ db }) => JSON.stringify(db.all('SELECT * FROM conflicts')))),
          )
        ).join('')
      expect(await logs()).toContain('zanzibar')
      expect(await phone.all()).toEqual({})
      const at = {
        'the phone': phone,
        'the mirror': world.mirror,
        'a device that knows nothing of it': fresh,
      }
      await at[where].purge(id(1))
      for (const device of [fresh, phone, laptop, fresh, phone, laptop]) await device.sync()
      expect(await logs()).not.toContain('zanzibar')
      await expectSame(phone, laptop, fresh, world.mirror)
    },
  )
}
