// What comes to be the same everywhere: pages, forgotten records, the mirror's own writes, shared runs.
import { expect, it } from 'vitest'
import { neverAborted } from '../../../src/core/abort.ts'
import type { SyncResponse } from '../../../src/sync/wire/protocol.ts'
import { body, expectSame, id, losers, textOf, twoWithOne } from './mirror-case.ts'
import { createWorld, type DatabaseHost, lastRequest } from './mirror-world.ts'

export function convergenceCases(host: DatabaseHost): void {
  it('M5 brings the whole record of one device to another', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    const scope = { session: 'run-7', resource: 'user:ana' }
    await a.put(
      'local_wins',
      id(1),
      { text: 'ünï 🙂 \ud800', nested: { list: [1, null, { deep: true }] } },
      scope,
    )
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
    world.clock.nowMs += 5000
    expect(await b.sync()).toEqual({ pulled: 1, pushed: 0, conflicts: 0 })
    expect(await b.get(id(1))).toEqual(await a.get(id(1)))
    expect(await b.get(id(1))).toMatchObject({
      ...scope,
      kind: 'local_wins',
      agent: 'a',
      ver: 1,
      text: 'ünï 🙂 \ud800',
    })
    await expectSame(a, b, world.mirror)
  })

  it('W4 needs one request for many changes, and one for none', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.putMany(
      'local_wins',
      Array.from({ length: 100 }, (_, i) => [id(i), body(`n ${i}`)] as const),
    )
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 100, conflicts: 0 })
    await a.sync()
    expect(a.sent).toHaveLength(2)
    // By now the mirror has said how much it takes.
    await a.putMany(
      'local_wins',
      Array.from({ length: 1000 }, (_, i) => [id(i), body(`again ${i}`)] as const),
    )
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 1000, conflicts: 0 })
    expect(a.sent).toHaveLength(3)
  })

  it('M8 does not send a device its own changes back', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    const answers: SyncResponse[] = []
    a.faults(async (send) => {
      const answer = await send()
      answers.push(answer)
      return answer
    })
    await a.put('local_wins', id(1), body('mine'))
    await a.sync()
    expect(answers).toMatchObject([
      { results: [{ s: 'ok', ver: 1, seq: 1 }], changes: [], cursor: 1, more: false },
    ])
  })

  it('M8 D1 brings 1,000 records in pages, each once', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    const b = world.device('b', { page: { limit: 400, maxBytes: 700_000 } })
    await a.putMany(
      'local_wins',
      Array.from({ length: 1000 }, (_, i) => [id(i), body(`text ${i}`)] as const),
    )
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 1000, conflicts: 0 })
    expect(await b.sync()).toEqual({ pulled: 1000, pushed: 0, conflicts: 0 })
    expect(b.sent.length).toBe(3)
    await expectSame(a, b, world.mirror)
  })

  it('M8 ends a page at the bytes that were asked for, and never before one record', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    const long = 'x'.repeat(50_000)
    await a.putMany(
      'local_wins',
      Array.from({ length: 5 }, (_, i) => [id(i), body(long)] as const),
    )
    await a.sync()
    const ask = (cursor: number, maxBytes: number) =>
      world.mirror.exchange({
        ...lastRequest(a),
        device: 'd_other',
        epoch: null,
        ackedMid: 0,
        ops: [],
        pull: { cursor, limit: 100, maxBytes },
      })
    const first = await ask(0, 120_000)
    expect(first).toMatchObject({ more: true, cursor: 2 })
    expect(first.changes).toHaveLength(2)
    expect((await ask(0, 1)).changes).toHaveLength(1)
    const [{ epoch }] = [first]
    const rest = await world.mirror.exchange({
      ...lastRequest(a),
      device: 'd_other',
      epoch,
      ackedMid: 0,
      ops: [],
      pull: { cursor: 2, limit: 2, maxBytes: 1_000_000 },
    })
    expect(rest).toMatchObject({ more: true, cursor: 4 })
  })

  it('brings only the kinds that were asked for', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    await a.put('remote_wins', id(2), body('two'))
    await a.sync()
    const pull = { cursor: 0, limit: 100, maxBytes: 1_000_000, kinds: ['remote_wins'] }
    const answer = await world.mirror.exchange({
      ...lastRequest(a),
      device: 'd_other',
      epoch: null,
      ops: [],
      ackedMid: 0,
      pull,
    })
    expect(answer.changes.map((change) => change.id)).toEqual([id(2)])
    expect(answer).toMatchObject({ cursor: 2, more: false })
  })

  it('M5 brings what the mirror itself wrote, and a device may change it', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await world.mirror.put('local_wins', id(1), body('at the edge'))
    expect(await a.sync()).toMatchObject({ pulled: 1 })
    expect(await textOf(a)).toBe('at the edge')
    await a.put('local_wins', id(1), body('on the device'))
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
    expect(await textOf(world.mirror)).toBe('on the device')
    await world.mirror.forget(id(1))
    await a.sync()
    expect(await a.get(id(1))).toBeUndefined()
  })

  it('a forgotten record is forgotten everywhere, its history with it, and does not come back', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'local_wins')
    await b.put('local_wins', id(1), body('second'))
    await b.sync()
    await a.sync()
    await a.forget(id(1))
    await a.sync()
    await b.sync()
    await a.sync()
    for (const site of [a, b, world.mirror]) {
      expect(await site.get(id(1))).toBeUndefined()
      expect(await site.look((store) => store.records.history(id(1)))).toMatchObject([{ op: 'forget' }])
    }
    expect(await world.device('c').sync()).toMatchObject({ pushed: 0, conflicts: 0 })
    expect(await world.device('c').all()).toEqual({})
  })

  it('a record that was made and forgotten before any sync leaves a tombstone at the mirror', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('remote_wins', id(1), body('short-lived'))
    await a.forget(id(1))
    await b.put('remote_wins', id(1), body('the same id'))
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    // It was begun no later than the forget, which nobody knew of.
    expect(await b.sync()).toMatchObject({ conflicts: 1 })
    await a.sync()
    expect(await textOf(a)).toBeUndefined()
    expect(await losers(world.mirror)).toEqual(['the same id'])
  })

  it('a record that was forgotten can be made again', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'remote_wins')
    await a.forget(id(1))
    await a.sync()
    world.clock.nowMs += 1000
    await a.put('remote_wins', id(1), body('again'))
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
    await b.sync()
    await expectSame(a, b, world.mirror)
    expect(await textOf(b)).toBe('again')
  })

  it('D2 a change that waits is not overwritten by a pull', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'local_wins')
    await a.put('local_wins', id(1), body('of a'))
    await a.sync()
    b.faults(async (send) => {
      const answer = await send()
      await b.put('local_wins', id(1), body('of b'))
      return answer
    })
    expect(await b.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 1 })
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await textOf(a)).toBe('of b')
    expect(await losers(world.mirror)).toEqual(['of a'])
  })

  it('D4 calls at the same time share a run, and each sees what was written before it', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    let inside: Promise<unknown> = Promise.resolve()
    a.faults(async (send, session) => {
      const answer = await send()
      // While the answer is under way somebody else writes, and another call asks for it.
      await b.put('local_wins', id(2), body('late'))
      await b.sync()
      inside = session.sync(neverAborted)
      return answer
    })
    await a.put('local_wins', id(1), body('early'))
    const [one, two] = await a.within((session) =>
      Promise.all([session.sync(neverAborted), session.sync(neverAborted)]),
    )
    expect(one).toEqual({ pulled: 1, pushed: 1, conflicts: 0 })
    expect(two).toEqual(one)
    expect(await inside).toEqual(one)
    expect(a.sent).toHaveLength(2)
    expect(await textOf(a, id(2))).toBe('late')
  })
}
