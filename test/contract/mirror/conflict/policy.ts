// Who wins a conflict under each policy, and where the losing edit is kept.
import { expect, it } from 'vitest'
import { createKinds } from '../../../../src/core/kind.ts'
import { body, expectSame, failure, id, losers, textOf, twoWithOne } from '../mirror-case.ts'
import { createWorld, type DatabaseHost, type Site } from '../mirror-world.ts'

export function policyCases(host: DatabaseHost): void {
  it('C2 local_wins: the device that comes later wins, the earlier edit is in the log of the mirror', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'local_wins')
    await a.put('local_wins', id(1), body('of a'))
    await b.put('local_wins', id(1), body('of b'))
    await a.sync()
    expect(await b.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 1 })
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await textOf(a)).toBe('of b')
    expect(await losers(world.mirror)).toEqual(['of a'])
    expect(await losers(b)).toEqual([])
  })

  it('C2 C5 remote_wins: the mirror keeps what it has, the later edit is in both logs', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'remote_wins')
    await a.put('remote_wins', id(1), body('of a'))
    await b.put('remote_wins', id(1), body('of b'))
    await a.sync()
    expect(await b.sync()).toEqual({ pulled: 0, pushed: 0, conflicts: 1 })
    await expectSame(a, b, world.mirror)
    expect(await textOf(b)).toBe('of a')
    expect(await losers(world.mirror)).toEqual(['of b'])
    expect(await b.conflicts()).toMatchObject([
      { policy: 'remote_wins', record: id(1), loser: { op: 'put', body: body('of b') } },
    ])
    expect((await b.conflicts())[0]?.loser.by).toBe(await b.look((store) => store.device))
  })

  it('C2 last_write_wins: the later stamp wins, whoever comes first', async () => {
    for (const laterFirst of [true, false]) {
      const world = createWorld(host)
      const [a, b] = await twoWithOne(world, 'last_write_wins')
      await a.put('last_write_wins', id(1), body('earlier'))
      world.clock.nowMs += 1000
      await b.put('last_write_wins', id(1), body('later'))
      const [first, second] = laterFirst ? [b, a] : [a, b]
      await first.sync()
      expect(await second.sync()).toMatchObject({ conflicts: 1 })
      await first.sync()
      await expectSame(a, b, world.mirror)
      expect(await textOf(a)).toBe('later')
      expect(await losers(world.mirror)).toEqual(['earlier'])
      expect(await losers(a)).toEqual(laterFirst ? ['earlier'] : [])
    }
  })

  it('C4 last_write_wins: a clock that runs years ahead wins for a minute, not for ever', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'last_write_wins')
    a.skewMs = 10 * 365 * 86_400_000
    await a.put('last_write_wins', id(1), body('from the future'))
    await a.sync()
    world.clock.nowMs += 61_000
    await b.put('last_write_wins', id(1), body('from now'))
    await b.sync()
    await a.sync()
    await expectSame(b, world.mirror)
    expect(await textOf(a)).toBe('from now')
  })

  it('C7 manual: the mirror’s stays, the edit is in both logs, and on the device it waits for a decision', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'manual')
    await a.put('manual', id(1), body('of a'))
    await b.put('manual', id(1), body('of b'))
    await a.sync()
    expect(await b.sync()).toMatchObject({ conflicts: 1 })
    expect(await textOf(b)).toBe('of a')
    expect(await b.conflicts()).toMatchObject([
      { state: 'open', loser: { body: body('of b') }, winner: { body: body('of a') }, base: body('first') },
    ])
    expect(await losers(world.mirror)).toEqual(['of b'])
    await expectSame(b, world.mirror)
  })

  it.for([
    ['local_wins', 'edit', 'forget', undefined, 'edit'],
    ['local_wins', 'forget', 'edit', undefined, 'edit'],
    ['remote_wins', 'edit', 'forget', undefined, 'edit'],
    ['remote_wins', 'forget', 'edit', undefined, 'edit'],
    ['last_write_wins', 'edit', 'forget', undefined, 'edit'],
    ['last_write_wins', 'forget', 'edit', undefined, 'edit'],
    ['merge', 'edit', 'forget', undefined, 'edit'],
    ['merge', 'forget', 'edit', undefined, 'edit'],
    ['manual', 'edit', 'forget', undefined, 'edit'],
    ['manual', 'forget', 'edit', undefined, 'edit'],
    ['later_revives', 'edit', 'forget', undefined, 'edit'],
    ['later_revives', 'forget', 'edit', 'edit', '(forget)'],
  ] as const)('C3 %s: %s first, %s later', async ([policy, first, second, outcome, lost]) => {
    for (const firstSyncsFirst of [true, false]) {
      const world = createWorld(host)
      const [a, b] = await twoWithOne(world, policy)
      for (const [device, what] of [
        [a, first],
        [b, second],
      ] as const) {
        if (what === 'forget') await device.forget(id(1))
        else await device.put(policy, id(1), body('edit'))
        world.clock.nowMs += 1000
      }
      const [one, other] = firstSyncsFirst ? [a, b] : [b, a]
      await one.sync()
      expect(await other.sync()).toMatchObject({ conflicts: 1 })
      await one.sync()
      await expectSame(a, b, world.mirror)
      expect(await textOf(a)).toBe(outcome)
      expect(await losers(world.mirror)).toEqual([lost])
    }
  })

  it('C1 two edits that say the same are no conflict', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('local_wins', id(1), { text: 'same', more: { x: 1, y: [2] } })
    world.clock.nowMs += 1000
    await b.put('local_wins', id(1), { more: { y: [2], x: 1 }, text: 'same' })
    await a.sync()
    expect(await b.sync()).toEqual({ pulled: 0, pushed: 0, conflicts: 0 })
    await expectSame(a, b, world.mirror)
    for (const site of [a, b, world.mirror]) expect(await site.conflicts()).toEqual([])
    expect(await world.mirror.get(id(1))).toMatchObject({ ver: 1 })
  })

  it('C1 both forget: no conflict', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'local_wins')
    await a.forget(id(1))
    await b.forget(id(1))
    await a.sync()
    expect(await b.sync()).toMatchObject({ conflicts: 0 })
    expect(await world.mirror.conflicts()).toEqual([])
  })

  it('D2 an edit on top of one that lost meets the winner in its turn', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'remote_wins')
    await a.put('remote_wins', id(1), body('of a'))
    await a.sync()
    await b.put('remote_wins', id(1), body('b one'))
    b.faults('lose-answer')
    await failure(b.sync())
    await b.put('remote_wins', id(1), body('b two'))
    expect(await b.sync()).toMatchObject({ conflicts: 2 })
    expect(await losers(b)).toEqual(['b two', 'b one'])
    await expectSame(a, b, world.mirror)
  })

  it.each([true, false])(
    'C2 a kind that the mirror does not know: the later stamp wins (it comes first: %s)',
    async (laterFirst) => {
      const world = createWorld(host, { kindsAtMirror: createKinds([]) })
      const [a, b] = await twoWithOne(world, 'remote_wins')
      await a.put('remote_wins', id(1), { text: 'earlier', odd: { anything: [1] } })
      world.clock.nowMs += 1000
      await b.put('remote_wins', id(1), body('later'))
      const [first, second] = laterFirst ? [b, a] : [a, b]
      await first.sync()
      await second.sync()
      await first.sync()
      await expectSame(a, b, world.mirror)
      expect(await textOf(a)).toBe('later')
      expect(await losers(world.mirror)).toEqual(['earlier'])
    },
  )

  it('a change on top of another has the later stamp, however slow the clock', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    const stampAt = (site: Site) => site.look((store) => store.records.row(id(1))?.stamp ?? '')
    a.skewMs = 30_000
    await a.put('last_write_wins', id(1), body('of a'))
    await a.sync()
    const stamps = [await stampAt(a)]
    await world.mirror.put('last_write_wins', id(1), body('of the mirror'))
    stamps.push(await stampAt(world.mirror))
    await b.sync()
    await b.put('last_write_wins', id(1), body('of b'))
    stamps.push(await stampAt(b))
    expect(stamps.toSorted()).toEqual(stamps)
    expect(new Set(stamps).size).toBe(3)
  })
}
