// A sync in one direction: `push` sends and fetches nothing, `pull` fetches and sends nothing, and both together agree.
import { expect, it } from 'vitest'
import type { SyncRequest } from '../../../src/sync/wire/protocol.ts'
import { body, expectSame, id, losers, textOf } from './mirror-case.ts'
import { createWorld, type DatabaseHost } from './mirror-world.ts'

export function directionCases(host: DatabaseHost): void {
  it('push sends what waits here and takes over nothing of what others wrote', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.putMany('local_wins', [
      [id(1), body('one')],
      [id(2), body('two')],
    ])
    await a.sync()
    await b.put('local_wins', id(3), body('three'))
    expect(await b.sync('push')).toMatchObject({ pushed: 1, pulled: 0 })
    expect(Object.keys(await b.all())).toEqual([id(3)])
    expect(Object.keys(await world.mirror.all())).toEqual([id(1), id(2), id(3)])
    expect((await b.state()).lastSyncedAt).toBeUndefined()
    expect(await b.sync()).toMatchObject({ pushed: 0, pulled: 2 })
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await b.state()).toMatchObject({ repairs: 0, pending: 0 })
  })

  it('pull takes over what others wrote and sends nothing of what waits here', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('local_wins', id(1), body('one'))
    await a.sync()
    await b.put('local_wins', id(2), body('two'))
    expect(await b.sync('pull')).toMatchObject({ pushed: 0, pulled: 1 })
    expect(b.sent.map((text) => (JSON.parse(text) as SyncRequest).ops)).toEqual([[]])
    expect(Object.keys(await world.mirror.all())).toEqual([id(1)])
    expect(await b.state()).toMatchObject({ pending: 1 })
    expect(await b.sync('push')).toMatchObject({ pushed: 1, pulled: 0 })
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await b.state()).toMatchObject({ repairs: 0, pending: 0 })
  })

  it('push settles the conflict of its own change, and leaves all else for a pull', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('remote_wins', id(1), body('first'))
    await a.sync()
    await b.sync()
    await a.put('remote_wins', id(1), body('of a'))
    await a.put('remote_wins', id(2), body('news'))
    await a.sync()
    await b.put('remote_wins', id(1), body('of b'))
    expect(await b.sync('push')).toMatchObject({ pushed: 0, pulled: 0, conflicts: 1 })
    expect(await textOf(b)).toBe('of a')
    expect(await losers(b)).toEqual(['of b'])
    expect(Object.keys(await b.all())).toEqual([id(1)])
    await b.sync('pull')
    await expectSame(a, b, world.mirror)
  })

  it('a pull between a lost answer and the push after it changes nothing twice', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('last_write_wins', id(1), body('one'))
    a.faults('lose-answer')
    await expect(a.sync('push')).rejects.toMatchObject({ code: 'offline' })
    await b.sync()
    await b.put('last_write_wins', id(2), body('two'))
    await b.sync()
    expect(await a.sync('pull')).toMatchObject({ pushed: 0 })
    await a.sync('push')
    await a.sync()
    await b.sync()
    await expectSame(a, b, world.mirror)
    expect(await a.state()).toMatchObject({ pending: 0, repairs: 0 })
  })

  it('a call in another direction waits for a run of its own', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('local_wins', id(1), body('one'))
    await a.sync()
    await b.put('local_wins', id(2), body('two'))
    const results = await Promise.all([b.sync('pull'), b.sync('push'), b.sync('pull')])
    expect(results).toMatchObject([
      { pulled: 1, pushed: 0 },
      { pulled: 0, pushed: 1 },
      { pulled: 0, pushed: 0 },
    ])
    await expectSame(b, world.mirror)
  })

  it('refuses to push before a device that must read anew has read', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    await a.sync()
    await a.look((store) => store.db.transaction(() => store.settings.set('resyncing', 'reread')))
    await a.put('local_wins', id(2), body('two'))
    await expect(a.sync('push')).rejects.toMatchObject({
      code: 'resync-required',
      details: { path: 'direction' },
    })
    expect(Object.keys(await world.mirror.all())).toEqual([id(1)])
    await a.sync()
    await expectSame(a, world.mirror)
  })
}
