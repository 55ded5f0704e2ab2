// A record that was sealed and then forgotten: an edit in clear by whoever heard of neither stays nowhere in clear.
import { describe, expect, it } from 'vitest'
import { body, expectSame, id } from './mirror-case.ts'
import { holds, secret } from './mirror-seal.ts'
import { createWorld, type DatabaseHost } from './mirror-world.ts'

/** Between sealing and forgetting: is the mirror told? */
const ways = ['told of both', 'told of the forget alone'] as const
/** Who syncs, in order, after A has sealed and forgotten and B has edited. */
const orders = [
  ['a', 'b'],
  ['b', 'a'],
] as const

export function sealedForgetCases(host: DatabaseHost): void {
  describe('sealed records that were forgotten', () => {
    it.each(
      ways.flatMap((way) =>
        orders.flatMap((order) => ['merge', 'last_write_wins'].map((kind) => ({ way, order, kind }))),
      ),
    )(
      'E16 keep an edit in clear that lost nowhere in clear ($way, $order, $kind)',
      async ({ way, order, kind }) => {
        const world = createWorld(host)
        const devices = { a: world.device('a'), b: world.device('b'), c: world.device('c') }
        const { a, b, c } = devices
        await a.put(kind, id(1), body('one'))
        for (const device of [a, b, c]) await device.sync()
        c.keys = []
        await c.put(kind, id(1), body('zanzibar c'))
        world.clock.nowMs += 1000
        await a.put(kind, id(1), body('one'), secret)
        if (way === 'told of both') await a.sync()
        await a.forget(id(1))
        world.clock.nowMs += 1000
        await b.put(kind, id(1), body('zanzibar b'))
        for (const name of order) await devices[name].sync()
        for (const device of [c, a, b, c, a, b]) await device.sync()
        for (const site of [world.mirror, a, b, c]) {
          await site.look((store) => store.purge.scrub())
          expect(await holds(site, 'zanzibar')).toBe(false)
        }
        expect(await a.get(id(1))).toBeUndefined()
        await expectSame(a, b)
        // With the key an edit that lost on its device can still be read, sealed; without, that it was there.
        if (order[0] === 'a')
          expect((await b.conflicts()).some(({ loser }) => loser.body?.['text'] === 'zanzibar b')).toBe(true)
        expect((await c.conflicts()).map(({ loser }) => [loser.op, loser.body])).toContainEqual([
          'put',
          undefined,
        ])
      },
    )

    it('E16 leave the lost edits of others in clear', async () => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('remote_wins', id(1), body('one'))
      await a.sync()
      await b.sync()
      await b.put('remote_wins', id(1), body('zanzibar'))
      await a.forget(id(1))
      for (const device of [a, b, a]) await device.sync()
      expect(await holds(world.mirror, 'zanzibar')).toBe(true)
    })
  })
}
