// Devices that send and fetch only some kinds, and devices that have conflicts decided otherwise than their kinds say.
import { expect, it } from 'vitest'
import { body, expectSame, id, losers, textOf } from './mirror-case.ts'
import { createWorld, type DatabaseHost } from './mirror-world.ts'

export function selectionCases(host: DatabaseHost): void {
  it('K1 what is not to be sent stays here, and does not hold back the rest', async () => {
    const world = createWorld(host)
    const a = world.device('a', { push: ['remote_wins'] })
    await a.put('local_wins', id(1), body('stays'))
    await a.put('remote_wins', id(2), body('goes'))
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    expect(a.sent).toHaveLength(1)
    expect(Object.keys(await world.mirror.all())).toEqual([id(2)])
    await a.restart()
    a.select({})
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    await expectSame(a, world.mirror)
  })

  it('K2 what is not to be fetched does not come; once it is wanted, all of it does', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b', { pull: ['remote_wins'] })]
    await a.putMany('local_wins', [
      [id(1), body('one')],
      [id(2), body('two')],
    ])
    await a.put('remote_wins', id(3), body('three'))
    await a.sync()
    await b.put('local_wins', id(4), body('of b'))
    expect(await b.sync()).toMatchObject({ pulled: 1, pushed: 1 })
    expect(Object.keys(await b.all())).toEqual([id(3), id(4)])
    expect(await b.state()).toMatchObject({ repairs: 0 })
    for (const selection of [{ pull: ['remote_wins', 'local_wins'] }, {}]) {
      await b.restart()
      b.select(selection)
      await b.sync()
      await a.sync()
      await expectSame(a, b, world.mirror)
    }
    expect(await textOf(b, id(4))).toBe('of b')
  })

  it('K2 a device that fetches some kinds reads anew only those', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b', { pull: ['remote_wins'] })]
    await a.put('remote_wins', id(1), body('one'))
    await a.sync()
    await b.put('local_wins', id(2), body('of b'))
    await b.sync()
    await b.look((store) =>
      store.db.transaction(() => store.db.exec("DELETE FROM records WHERE id = 'record-1'")),
    )
    await a.put('remote_wins', id(3), body('three'))
    await a.sync()
    await b.sync()
    expect(Object.keys(await b.all())).toEqual([id(1), id(2), id(3)])
    expect(await b.state()).toMatchObject({ repairs: 1, pending: 0 })
  })

  it('C2 a device may have its conflicts decided otherwise than the kind says', async () => {
    const world = createWorld(host)
    const [a, b] = [
      world.device('a'),
      world.device('b', { policies: new Map([['remote_wins', 'local_wins']]) }),
    ]
    await a.put('remote_wins', id(1), body('of a'))
    await a.sync()
    await b.put('remote_wins', id(1), body('of b'))
    expect(await b.sync()).toMatchObject({ pushed: 1, conflicts: 1 })
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await textOf(a)).toBe('of b')
    expect(await losers(world.mirror)).toEqual(['of a'])
  })
}
