// Sealed records between devices and a mirror that has no key: what it may know, keep and decide.
import { describe, expect, it } from 'vitest'
import { type SealedBody, sealedOf } from '../../../src/core/sealed.ts'
import type { BookStore } from '../../../src/store/book-store.ts'
import { body, expectSame, failure, id, losers, textOf } from './mirror-case.ts'
import {
  createWorld,
  type DatabaseHost,
  type Fault,
  lastRequest,
  type Site,
  type TestDevice,
  type World,
} from './mirror-world.ts'

/** A sealed record on its way. */
interface WirePut {
  readonly id: string
  readonly stamp: string
  readonly at: string
  readonly enc: SealedBody
}

const secret = { sensitivity: 'sensitive' } as const

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

const holds = (site: Site, word: string) => site.look((store) => dump(store).includes(word))

async function twoWithSealed(world: World, kind: string): Promise<[TestDevice, TestDevice]> {
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
      expect(entry?.lost.sealed).toMatchObject({ alg: 'A256GCM' })
      expect(entry?.lost.body).toBeUndefined()
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
      expect(await world.mirror.conflicts()).toMatchObject([{ lost: { op: 'forget' }, kept: { op: 'put' } }])
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
      expect(entry).toMatchObject({ lost: { body: body('zanzibar'), sensitive: true } })
      for (const said of [{ choose: 'lost' }, { choose: 'body', body: body('zanzibar too') }]) {
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
          expect([store.resealing.step(10), store.resealing.left()]).toEqual([false, 0])
        }),
      )
      await b.put('local_wins', id(1), body('zanzibar b'))
      for (const device of [b, a]) await device.sync()
      expect(lastRequest(a).ops).toMatchObject([{ base: 1, reseal: true }])
      expect(await textOf(a)).toBe('zanzibar b')
      expect([...(await a.conflicts()), ...(await world.mirror.conflicts())]).toEqual([])
    })

    /** One answer of a mirror that changes what it has of record 1 on the way. */
    const lying =
      (change: (one: WirePut) => object): Fault =>
      async (send) => {
        const answer = (await send()) as { changes: WirePut[] }
        return { ...answer, changes: answer.changes.map((one) => (one.id === id(1) ? change(one) : one)) }
      }
    /** What the mirror says of record 1 now. */
    const sealedNow = async (world: World): Promise<WirePut> => {
      const [first = ''] = (await readerOf(world)).sent
      const { changes } = (await world.mirror.exchange(JSON.parse(first))) as unknown as {
        changes: WirePut[]
      }
      return changes.find((one) => one.id === id(1)) as WirePut
    }
    const readerOf = async (world: World): Promise<TestDevice> => {
      const reader = world.device(`reader-${world.clock.nowMs}`)
      await reader.sync()
      return reader
    }

    it.each([
      ['another resource', (one: WirePut) => ({ ...one, resource: 'public' })],
      ['another session', (one: WirePut) => ({ ...one, session: 'elsewhere' })],
      ['less sensitive', (one: WirePut) => ({ ...one, sensitivity: undefined })],
      ['a later stamp', (one: WirePut) => ({ ...one, stamp: `f${one.stamp.slice(1)}` })],
    ])('E13 are refused with %s than they were sealed for', async (_what, change) => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('last_write_wins', id(1), body('one'), { ...secret, resource: 'private', session: 's' })
      await a.sync()
      b.faults(lying(change))
      expect((await failure(b.sync())).code).toBe('protocol-error')
      expect(await b.get(id(1))).toBeUndefined()
      await b.sync()
      expect(await b.get(id(1))).toMatchObject({ text: 'one', resource: 'private', session: 's', ...secret })
    })

    it('E13 do not open when the mirror changes what they are bound to as well', async () => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('last_write_wins', id(1), body('one'), { ...secret, resource: 'private' })
      await a.sync()
      b.faults(
        lying((one) => ({
          ...one,
          resource: 'public',
          enc: { ...one.enc, head: { ...one.enc.head, resource: 'public' } },
        })),
      )
      await b.sync()
      expect((await failure(b.get(id(1)))).details['reason']).toBe('altered')
    })

    it('E14 are sensitive whatever the mirror says of them, and so is the next edit', async () => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.look(({ records, bodies, stamps }) => {
        const enc = sealedOf(bodies.seal({ kind: 'last_write_wins', id: id(1) }, JSON.stringify(body('one'))))
        if (!enc) throw new Error('It was not sealed.')
        const at = '2026-01-01T00:00:00.000Z'
        const head = { kind: 'last_write_wins', id: id(1), at, created_at: at, stamp: stamps.next() }
        records.put({ op: 'put', ...head, agent: 'a', ...secret, enc })
      })
      await a.sync()
      b.faults(lying((one) => ({ ...one, sensitivity: 'public' })))
      await b.sync()
      expect((await b.get(id(1)))?.sensitivity).toBe('sensitive')
      await b.put('last_write_wins', id(1), body('zanzibar'))
      await b.sync()
      expect(b.sent.join()).not.toContain('zanzibar')
      expect(await holds(world.mirror, 'zanzibar')).toBe(false)
    })

    it.each(['last_write_wins', 'remote_wins', 'merge'])(
      'E15 stay as they are when the mirror says an earlier version again (%s)',
      async (kind) => {
        const world = createWorld(host)
        const [a, b] = await twoWithSealed(world, kind)
        const earlier = await sealedNow(world)
        await a.put(kind, id(1), body('zanzibar two'))
        for (const device of [a, b]) await device.sync()
        world.clock.nowMs += 1000
        await a.put(kind, id(1), body('zanzibar three'))
        await a.sync()
        b.faults(lying((one) => ({ ...one, enc: earlier.enc, stamp: earlier.stamp, at: earlier.at })))
        await b.sync()
        expect(await textOf(b)).toBe('zanzibar two')
        expect(await losers(b)).toContain('zanzibar one')
      },
    )

    it('E15 stay as they are when the mirror spoils them', async () => {
      const world = createWorld(host)
      const [a, b] = await twoWithSealed(world, 'last_write_wins')
      await a.put('last_write_wins', id(1), body('zanzibar two'))
      await a.sync()
      b.faults(lying((one) => ({ ...one, enc: { ...one.enc, ct: one.enc.ct.replace(/^..../, 'AAAA') } })))
      await b.sync()
      expect(await textOf(b)).toBe('zanzibar one')
      expect(await b.conflicts()).toHaveLength(1)
      // What was put back went to the mirror, as an edit like any other.
      await a.sync()
      expect(await textOf(a)).toBe('zanzibar one')
    })

    it('E15 leave what they replace in the log when an earlier edit comes that was not seen before', async () => {
      const world = createWorld(host)
      const [a, b] = await twoWithSealed(world, 'last_write_wins')
      await a.put('last_write_wins', id(1), body('zanzibar two'))
      await a.sync()
      const unseen = await sealedNow(world)
      world.clock.nowMs += 1000
      await a.put('last_write_wins', id(1), body('zanzibar three'))
      await a.sync()
      await b.sync()
      world.clock.nowMs += 1000
      await a.put('last_write_wins', id(1), body('zanzibar four'))
      await a.sync()
      b.faults(lying((one) => ({ ...one, enc: unseen.enc, stamp: unseen.stamp, at: unseen.at })))
      await b.sync()
      expect(await losers(b)).toEqual(['zanzibar three'])
    })

    it('E13 were sealed before they were bound to so much, and are read as ever', async () => {
      const world = createWorld(host)
      const a = world.device('a')
      await a.put('last_write_wins', id(1), body('one'), secret)
      await a.look(({ db, bodies }) => {
        const text = bodies.seal({ kind: 'last_write_wins', id: id(1) }, JSON.stringify(body('earlier')))
        db.transaction(() => db.run('UPDATE records SET body = ? WHERE id = ?', [text, id(1)]))
      })
      await a.sync()
      expect(await textOf(await readerOf(world))).toBe('earlier')
      const headOf = (site: Site) =>
        site.look(({ records }) => sealedOf(records.row(id(1))?.body ?? '')?.head)
      expect(await headOf(world.mirror)).toBeUndefined()
      // Whatever writes it binds it: an edit here, and a new key.
      await a.put('last_write_wins', id(1), body('later'), secret)
      await a.sync()
      expect(await headOf(world.mirror)).toMatchObject(secret)
      expect(await textOf(await readerOf(world))).toBe('later')
    })

    it('E13 that were sealed before they were bound to so much are bound when their key changes', async () => {
      const world = createWorld(host)
      const a = world.device('a')
      await a.put('last_write_wins', id(1), body('one'), { ...secret, resource: 'private' })
      const stamp = await a.look(({ db, bodies, records }) => {
        const text = bodies.seal({ kind: 'last_write_wins', id: id(1) }, JSON.stringify(body('earlier')))
        db.transaction(() => db.run('UPDATE records SET body = ? WHERE id = ?', [text, id(1)]))
        return records.row(id(1))?.stamp
      })
      await a.sync()
      a.keys = [1, 2]
      await a.look((store) => store.db.transaction(() => store.resealing.step(10)))
      await a.sync()
      const head = await world.mirror.look(({ records }) => sealedOf(records.row(id(1))?.body ?? '')?.head)
      expect(head).toEqual({ stamp, ...secret, resource: 'private' })
      const b = world.device('b')
      b.keys = [1, 2]
      await b.sync()
      expect(await textOf(b)).toBe('earlier')
    })

    it('E7 go to the other devices under their new key', async () => {
      const world = createWorld(host)
      const [a, b] = await twoWithSealed(world, 'last_write_wins')
      a.keys = [1, 2]
      await a.look((store) => store.db.transaction(() => store.resealing.step(10)))
      for (const device of [a, b]) await device.sync()
      const needed = () => a.look(({ resealing }) => [...resealing.needed()])
      expect(await needed()).toEqual(['k_0000000000000002'])
      expect((await failure(b.get(id(1)))).details['reason']).toBe('key-missing')
      b.keys = [1, 2]
      expect(await textOf(b)).toBe('zanzibar one')
      await expectSame(a, b)
    })
  })
}
