// What sealed bodies are bound to, between devices and a mirror that lies: relabelled, repeated and spoilt records.
import { describe, expect, it } from 'vitest'
import { type SealedBody, sealedOf } from '../../../src/core/sealed.ts'
import { body, failure, id, losers, textOf } from './mirror-case.ts'
import { holds, secret, twoWithSealed } from './mirror-seal.ts'
import {
  createWorld,
  type DatabaseHost,
  type Fault,
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

export function sealedHeadCases(host: DatabaseHost): void {
  describe('sealed records', () => {
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

    it.each([['last_write_wins'], ['remote_wins']])(
      'E15 leave their version in the log when the mirror puts text of its own in clear over them, as %s',
      async (kind) => {
        const world = createWorld(host)
        const [a, b] = await twoWithSealed(world, 'last_write_wins')
        await a.put('last_write_wins', id(1), body('zanzibar two'))
        await a.sync()
        b.faults(
          lying(({ enc: _enc, ...one }) => ({
            ...one,
            sensitivity: undefined,
            kind,
            body: body('forged'),
          })),
        )
        await b.sync()
        expect(await textOf(b)).toBe('forged')
        expect(await losers(b)).toEqual(['zanzibar one'])
      },
    )

    it('E15 are not logged when their owner makes them readable', async () => {
      const world = createWorld(host)
      const [a, b] = await twoWithSealed(world, 'last_write_wins')
      await a.put('last_write_wins', id(1), body('zanzibar one'), { sensitivity: 'standard' })
      await a.sync()
      await b.sync()
      expect(await b.get(id(1))).toMatchObject({ text: 'zanzibar one', sensitivity: 'standard' })
      expect(await losers(b)).toEqual([])
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
  })
}
