// Sealed records between devices and a mirror that has no key: what it may know, keep and decide.
import { describe, expect, it } from 'vitest'
import { sealedOf } from '../../../src/core/sealed.ts'
import type { BookStore } from '../../../src/store/book-store.ts'
import { body, expectSame, failure, id, losers, textOf } from './mirror-case.ts'
import {
  createWorld,
  type DatabaseHost,
  lastRequest,
  type Site,
  type TestDevice,
  type World,
} from './mirror-world.ts'

export const secret = { sensitivity: 'sensitive' } as const

/** Everything that the tables of a site say, as text. */
function dump({ db }: BookStore): string {
  const tables = db.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_%' ESCAPE '\\'",
  )
  const rows = tables
    .filter(({ name }) => !/^text_(?:index|words|places)$/.test(name))
    .map(({ name }) => db.all(`SELECT * FROM "${name}"`))
  return JSON.stringify(rows, (_key, value: unknown) =>
    value instanceof Uint8Array ? String.fromCharCode(...value) : value,
  ).toLowerCase()
}

export const holds = (site: Site, word: string) => site.look((store) => dump(store).includes(word))

export async function twoWithSealed(world: World, kind: string): Promise<[TestDevice, TestDevice]> {
  const [a, b] = [world.device('a'), world.device('b')]
  await a.put(kind, id(1), body('zanzibar one'), secret)
  await a.sync()
  await b.sync()
  world.clock.nowMs += 1000
  return [a, b]
}

export function sealedCases(host: DatabaseHost): void {
  describe('sealed records', () => {
    it('E1 travel sealed, with the same bytes when they go again, and are read with the key', async () => {
      const world = createWorld(host)
      const a = world.device('a')
      await a.put('last_write_wins', id(1), body('zanzibar'), secret)
      a.faults('lose-answer')
      await failure(a.sync())
      await a.sync()
      const [first, second] = a.sent.map((text) => (JSON.parse(text) as { ops: object[] }).ops)
      expect(first).toEqual(second)
      expect(first?.[0]).toMatchObject({ sensitivity: 'sensitive', enc: { alg: 'A256GCM', v: 1 } })
      expect(a.sent.join()).not.toContain('zanzibar')
      expect(await holds(world.mirror, 'zanzibar')).toBe(false)
      const b = world.device('b')
      await b.sync()
      expect(await textOf(b)).toBe('zanzibar')
      expect((await b.get(id(1)))?.sensitivity).toBe('sensitive')
      await expectSame(a, b)
    })

    it('E1 do not open in the place of another record', async () => {
      const world = createWorld(host)
      const a = world.device('a')
      await a.put('last_write_wins', id(1), body('one'), secret)
      await a.put('last_write_wins', id(2), body('two'), secret)
      await a.look((store) =>
        store.db.transaction(() =>
          store.db.run('UPDATE records SET body = (SELECT body FROM records WHERE id = ?) WHERE id = ?', [
            id(2),
            id(1),
          ]),
        ),
      )
      const error = await failure(a.get(id(1)))
      expect([error.code, error.details['reason']]).toEqual(['locked', 'altered'])
    })

    it.each([
      ['local_wins', 'zanzibar b', 'zanzibar a'],
      ['remote_wins', 'zanzibar a', 'zanzibar b'],
      ['last_write_wins', 'zanzibar b', 'zanzibar a'],
    ])('E2 %s is decided at the mirror, which keeps what lost sealed', async (kind, wins, loses) => {
      const world = createWorld(host)
      const [a, b] = await twoWithSealed(world, kind)
      await a.put(kind, id(1), body('zanzibar a'))
      world.clock.nowMs += 1000
      await b.put(kind, id(1), body('zanzibar b'))
      for (const device of [a, b, a]) await device.sync()
      expect([await textOf(a), await textOf(b)]).toEqual([wins, wins])
      const [entry] = await world.mirror.conflicts()
      expect(entry?.loser.sealed).toMatchObject({ alg: 'A256GCM' })
      expect(entry?.loser.body).toBeUndefined()
      expect(await holds(world.mirror, 'zanzibar')).toBe(false)
      const lost = [...(await losers(a)), ...(await losers(b))]
      if (kind === 'remote_wins') expect(lost).toEqual([loses])
      // On a device the log is sealed too.
      for (const device of [a, b]) expect(await holds(device, 'zanzibar')).toBe(false)
    })

    it('E2 merge is decided on the device, field by field', async () => {
      const world = createWorld(host)
      const [a, b] = await twoWithSealed(world, 'merge')
      await a.put('merge', id(1), { text: 'zanzibar one', left: 'of a' })
      await b.put('merge', id(1), { text: 'zanzibar one', right: 'of b' })
      for (const device of [a, b, a]) await device.sync()
      expect(await a.get(id(1))).toMatchObject({ left: 'of a', right: 'of b', sensitivity: 'sensitive' })
      await expectSame(a, b)
      expect(await holds(world.mirror, 'zanzibar')).toBe(false)
    })

    it('E3 in clear are rejected, and stay on the device', async () => {
      const world = createWorld(host)
      const a = world.device('a')
      await a.put('last_write_wins', id(1), body('zanzibar'), secret)
      a.faults(async (send) => {
        const request = lastRequest(a)
        const ops = request.ops.map((op) => ({ ...op, enc: undefined, body: body('zanzibar') }))
        return send({ ...request, ops })
      })
      await a.sync()
      expect((await a.state()).lastError?.code).toBe('invalid-input')
      expect(await holds(world.mirror, 'zanzibar')).toBe(false)
    })

    it('E4 leave word of a forget that lost to them, which says nothing in clear', async () => {
      const world = createWorld(host)
      const a = world.device('a')
      await world.mirror.put('later_revives', id(1), body('zanzibar'))
      await a.sync()
      await world.mirror.forget(id(1))
      world.clock.nowMs += 1000
      await a.put('later_revives', id(1), body('sealed'), secret)
      await a.sync()
      expect(await world.mirror.conflicts()).toMatchObject([
        { loser: { op: 'forget' }, winner: { op: 'put' } },
      ])
      expect(await holds(world.mirror, 'zanzibar')).toBe(false)
    })

    it('E4 leave nothing of what they were before they were sensitive', async () => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('remote_wins', id(1), body('zanzibar one'))
      await a.sync()
      await b.sync()
      await a.put('remote_wins', id(1), body('zanzibar two'))
      await b.put('remote_wins', id(1), body('zanzibar lost'))
      for (const device of [a, b]) await device.sync()
      expect(await holds(world.mirror, 'zanzibar')).toBe(true)
      await a.put('remote_wins', id(1), body('zanzibar two'), secret)
      await a.sync()
      await world.mirror.look((store) => store.purge.scrub())
      expect(await holds(world.mirror, 'zanzibar')).toBe(false)
      expect(await world.mirror.look((store) => store.purge.isDue())).toBe(false)
      await b.sync()
      await b.look((store) => store.purge.scrub())
      // With the key, versions and lost edits are kept, sealed.
      expect(await holds(b, 'zanzibar')).toBe(false)
      expect(await textOf(b)).toBe('zanzibar two')
      expect(await losers(b)).toEqual(['zanzibar lost'])
    })

    it('E4 leave no lost edit of a forgotten record of their id, also when its tombstone was collected', async () => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await world.mirror.put('remote_wins', id(1), body('of the mirror'))
      await a.put('remote_wins', id(1), body('zanzibar lost'))
      await a.sync()
      await world.mirror.forget(id(1))
      await world.mirror.look((store) => store.records.collectTombstones(store.settings.getNumber('head')))
      expect(await holds(world.mirror, 'zanzibar')).toBe(true)
      await b.put('remote_wins', id(1), body('zanzibar sealed'), secret)
      await b.sync()
      await world.mirror.look((store) => store.purge.scrub())
      expect(await holds(world.mirror, 'zanzibar')).toBe(false)
    })

    it.each([
      ['local_wins', 'zanzibar b'],
      ['remote_wins', 'zanzibar a'],
      ['merge', 'zanzibar b'],
    ])('E5 meet an edit in clear: %s decides on the device, and it stays sealed', async (kind, wins) => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put(kind, id(1), body('one'))
      await a.sync()
      await b.sync()
      await a.put(kind, id(1), body('zanzibar a'), secret)
      world.clock.nowMs += 1000
      await b.put(kind, id(1), body('zanzibar b'))
      for (const device of [a, b, a]) await device.sync()
      expect([await textOf(a), await textOf(b)]).toEqual([wins, wins])
      expect((await b.get(id(1)))?.sensitivity).toBe('sensitive')
      expect(await holds(world.mirror, 'zanzibar')).toBe(false)
      expect((await losers(b)).length).toBe(1)
    })

    it('C9 that lost stay sealed when somebody decides for them after the record was forgotten', async () => {
      const world = createWorld(host)
      const a = world.device('a')
      const b = world.device('b')
      await a.put('local_wins', id(1), body('first'))
      await a.sync()
      await b.sync()
      await b.forget(id(1))
      await b.sync()
      await a.put('local_wins', id(1), body('zanzibar'), secret)
      await a.sync()
      const [entry] = await a.conflicts()
      expect(entry).toMatchObject({ loser: { body: body('zanzibar'), sensitive: true } })
      for (const said of [{ choose: 'loser' }, { choose: 'body', body: body('zanzibar too') }]) {
        await a.choose({ id: entry?.id, ...said })
        await a.sync()
        expect((await a.get(id(1)))?.sensitivity).toBe('sensitive')
        expect(await holds(world.mirror, 'zanzibar')).toBe(false)
        await a.forget(id(1))
      }
    })

    it('E5 the other way round: what was sealed meets a later edit in clear at the mirror', async () => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('remote_wins', id(1), body('one'))
      await a.sync()
      await b.sync()
      await a.put('remote_wins', id(1), body('zanzibar a'), secret)
      await b.put('remote_wins', id(1), body('zanzibar b'))
      for (const device of [b, a, b]) await device.sync()
      expect([await textOf(a), await textOf(b)]).toEqual(['zanzibar b', 'zanzibar b'])
      expect((await b.get(id(1)))?.sensitivity).toBe('sensitive')
      await world.mirror.look((store) => store.purge.scrub())
      expect(await holds(world.mirror, 'zanzibar')).toBe(false)
      expect(await losers(a)).toEqual(['zanzibar a'])
    })

    it.each(['merge', 'last_write_wins', 'remote_wins', 'local_wins', 'manual'])(
      'E5 E6 without the key say that an edit in clear was lost (%s), and nothing of it or of what it was made on',
      async (kind) => {
        const world = createWorld(host)
        const [a, b] = [world.device('a'), world.device('b')]
        await a.put(kind, id(1), body('zanzibar base'))
        await a.sync()
        await b.sync()
        // It has lost one before, whose words are in the log in clear until the record is sealed.
        await a.put(kind, id(1), body('zanzibar first'))
        world.clock.nowMs += 1000
        await b.put(kind, id(1), body('zanzibar earlier'))
        for (const device of [a, b, a, b]) await device.sync()
        b.keys = []
        await b.put(kind, id(1), body('zanzibar mine'))
        await a.put(kind, id(1), body('zanzibar sealed'), secret)
        for (const device of [a, b, a, b]) await device.sync()
        await b.look((store) => store.purge.scrub())
        expect(await holds(b, 'zanzibar')).toBe(false)
        expect((await b.conflicts()).filter(({ loser, winner }) => loser.body ?? winner?.body)).toEqual([])
        expect((await b.conflicts())[0]).toMatchObject({ record: id(1), loser: { op: 'put' } })
        b.keys = [1]
        await b.sync()
        await expectSame(a, b)
        expect(await holds(b, 'zanzibar')).toBe(false)
      },
    )

    it('E6 without the key are kept whole, can be forgotten, and are read once it is there', async () => {
      const world = createWorld(host)
      const b = world.device('b')
      b.keys = []
      const [a] = await twoWithSealed(world, 'last_write_wins')
      await a.put('last_write_wins', id(2), body('zanzibar two'), secret)
      await a.sync()
      await b.sync()
      expect((await failure(b.get(id(1)))).code).toBe('locked')
      expect(await b.look(({ records }) => sealedOf(records.row(id(1))?.body ?? ''))).toEqual(
        await a.look(({ records }) => sealedOf(records.row(id(1))?.body ?? '')),
      )
      expect((await failure(b.put('last_write_wins', id(3), body('x'), secret))).code).toBe('locked')
      expect(await b.forget(id(2))).toBe(true)
      for (const device of [b, a]) await device.sync()
      expect(await a.get(id(2))).toBeUndefined()
      b.keys = [1]
      expect(await textOf(b)).toBe('zanzibar one')
      await expectSame(a, b)
    })

    it('E7 sealed anew yield to an edit, and are not logged as lost', async () => {
      const world = createWorld(host)
      const [a, b] = await twoWithSealed(world, 'local_wins')
      a.keys = [1, 2]
      await a.look((store) =>
        store.db.transaction(() => {
          store.resealing.begin()
          expect(store.resealing.step(10)).toBe(true)
          expect([store.resealing.step(10), store.resealing.remainingCount()]).toEqual([false, 0])
        }),
      )
      await b.put('local_wins', id(1), body('zanzibar b'))
      for (const device of [b, a]) await device.sync()
      expect(lastRequest(a).ops).toMatchObject([{ base: 1, reseal: true }])
      expect(await textOf(a)).toBe('zanzibar b')
      expect([...(await a.conflicts()), ...(await world.mirror.conflicts())]).toEqual([])
    })

    it('E7 are merged field by field when an edit follows the new key', async () => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      const first = { text: 'first', x: 0, y: 0, uses: 5 }
      await a.put('merge', id(1), first, secret)
      await a.sync()
      await b.sync()
      world.clock.nowMs += 1000
      await b.put('merge', id(1), { ...first, y: 1, uses: 6 }, secret)
      await b.sync()
      a.keys = [1, 2]
      b.keys = [1, 2]
      await a.look((store) => store.db.transaction(() => store.resealing.step(10)))
      world.clock.nowMs += 1000
      await a.put('merge', id(1), { ...first, x: 1, uses: 6 }, secret)
      for (const device of [a, b, a]) await device.sync()
      await expectSame(a, b)
      expect(await a.get(id(1))).toMatchObject({ text: 'first', x: 1, y: 1, uses: 7 })
      expect(await a.conflicts()).toEqual([])
    })

    it('E7 go to the other devices under their new key', async () => {
      const world = createWorld(host)
      const [a, b] = await twoWithSealed(world, 'last_write_wins')
      a.keys = [1, 2]
      await a.look((store) => store.db.transaction(() => store.resealing.step(10)))
      for (const device of [a, b]) await device.sync()
      const needed = () => a.look(({ resealing }) => [...resealing.neededKeyIds()])
      expect(await needed()).toEqual(['k_0000000000000002'])
      expect((await failure(b.get(id(1)))).details['reason']).toBe('key-missing')
      b.keys = [1, 2]
      expect(await textOf(b)).toBe('zanzibar one')
      await expectSame(a, b)
    })
  })
}
