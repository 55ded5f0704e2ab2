// What a network does to requests and answers, and that it takes effect once.
import { expect, it } from 'vitest'
import { DaybookError } from '../../../src/core/errors.ts'
import { asOlderMirror, body, expectSame, failure, id, losers, textOf, twoWithOne } from './mirror-case.ts'
import { createWorld, type DatabaseHost, lastRequest, type TestDevice } from './mirror-world.ts'

const opCounts = ({ sent }: TestDevice) =>
  sent.map((text) => (JSON.parse(text) as { ops: unknown[] }).ops.length)

export function deliveryCases(host: DatabaseHost): void {
  it('W1 a change is whole: the record, its earlier version and its op, or none of them', async () => {
    const a = createWorld(host).device('a')
    const rows = () =>
      a.look(({ db }) =>
        ['records', 'history', 'ops'].map(
          (table) => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n,
        ),
      )
    await a.put('local_wins', id(1), body('one'))
    expect(await rows()).toEqual([1, 0, 1])
    await a.sync()
    await a.put('local_wins', id(1), body('two'))
    expect(await rows()).toEqual([1, 1, 1])
    const several = a.putMany('local_wins', [
      [id(2), body('new')],
      [id(1), body('three')],
      [id(3), { text: 7 }],
    ])
    expect((await failure(several)).code).toBe('invalid-input')
    expect(await rows()).toEqual([1, 1, 1])
    expect(await textOf(a)).toBe('two')
  })

  it('W3 M2 a lost answer: the same bytes are sent again, answered the same, applied once', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    a.faults('lose-answer')
    expect((await failure(a.sync())).code).toBe('offline')
    expect(await a.state()).toMatchObject({ pending: 1, running: false, lastError: { code: 'offline' } })
    // An edit meanwhile neither changes what was sent nor goes ahead of it.
    world.clock.nowMs += 1000
    await a.put('local_wins', id(1), body('two'))
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 2, conflicts: 0 })
    const [first, second, third] = a.sent.map((text) => JSON.parse(text) as { ops: object[] })
    expect(second?.ops).toEqual(first?.ops)
    expect(JSON.stringify(second?.ops)).toBe(JSON.stringify(first?.ops))
    expect(third?.ops).toMatchObject([{ mid: 2, base: 1, body: body('two') }])
    expect(await world.mirror.get(id(1))).toMatchObject({ ver: 2, text: 'two' })
    expect(await world.mirror.conflicts()).toEqual([])
    expect(await a.state()).toMatchObject({ pending: 0 })
  })

  it('W2 a lost request, a restart: what was numbered keeps its number', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    a.faults('lose-request')
    await failure(a.sync())
    await a.restart()
    await a.sync()
    expect(a.sent[1]).toBe(a.sent[0])
    expect(await textOf(world.mirror)).toBe('one')
  })

  it('M2 a request that comes twice is answered the same and applied once', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    a.faults('twice')
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
    const request = lastRequest(a)
    const [one, two] = [await world.mirror.exchange(request), await world.mirror.exchange(request)]
    expect(two).toEqual(one)
    expect(one.results).toEqual([{ mid: 1, s: 'ok', ver: 1, seq: 1 }])
    expect(await world.mirror.look((store) => store.records.history(id(1)))).toHaveLength(1)
  })

  it('M2 an answer to a conflict is stored too', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'remote_wins')
    await a.put('remote_wins', id(1), body('of a'))
    await b.put('remote_wins', id(1), body('of b'))
    await a.sync()
    b.faults('lose-answer', 'twice')
    await failure(b.sync())
    await b.restart()
    await world.mirror.restart()
    expect(await b.sync()).toMatchObject({ conflicts: 1 })
    expect(await losers(b)).toEqual(['of b'])
    expect(await losers(world.mirror)).toEqual(['of b'])
    await expectSame(a, b, world.mirror)
  })

  it('M2 stored answers are dropped when the device says that it has them', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    const stored = () =>
      world.mirror.look((store) => store.db.get<{ n: number }>('SELECT count(*) AS n FROM results')?.n)
    await a.put('local_wins', id(1), body('one'))
    await a.sync()
    expect(await stored()).toBe(1)
    await a.sync()
    expect(await stored()).toBe(0)
  })

  it('M1 a gap stops: what comes after it is not applied before it', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.putMany(
      'local_wins',
      [1, 2, 3].map((n) => [id(n), body(`${n}`)] as const),
    )
    a.faults('lose-request')
    await failure(a.sync())
    const request = lastRequest(a)
    const [one, two, three] = request.ops
    const answer = await world.mirror.exchange({ ...request, ops: [one, three] })
    expect(answer).toMatchObject({ lastMid: 1, results: [{ mid: 1, s: 'ok' }] })
    expect(Object.keys(await world.mirror.all())).toEqual([id(1)])
    expect(await world.mirror.exchange({ ...request, ops: [three, two] })).toMatchObject({
      lastMid: 1,
      results: [],
    })
    expect(await a.sync()).toMatchObject({ pushed: 3 })
    await expectSame(a, world.mirror)
  })

  it('M3 an older request that arrives late changes nothing', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    await a.sync()
    const old = lastRequest(a)
    await a.put('local_wins', id(1), body('two'))
    await a.sync()
    // Its op was answered and the answer was received: nobody but a copy of the device could ask again.
    expect((await failure(world.mirror.exchange(old))).code).toBe('device-forked')
    expect(await textOf(world.mirror)).toBe('two')
    await a.sync()
    await expectSame(a, world.mirror)
  })

  it('W4 an op that is larger than the mirror takes waits here, and the others go', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('é'.repeat(400_000)))
    await a.put('local_wins', id(2), body('small'))
    a.faults(asOlderMirror, asOlderMirror)
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
    expect(Object.keys(await world.mirror.all())).toEqual([id(2)])
    expect(await a.state()).toMatchObject({ pending: 1, lastError: { code: 'too-large' } })
    expect(await a.sync()).toMatchObject({ pushed: 0 })
    expect(opCounts(a)).toEqual([1, 0])
    await a.put('local_wins', id(1), body('short now'))
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    const state = await a.state()
    expect(state.pending).toBe(0)
    expect(state.lastError).toBeUndefined()
    await expectSame(a, world.mirror)
  })

  it('W4 a large op goes as soon as a mirror has stated that it takes it, alone', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    const large = 'é'.repeat(940_000)
    await a.put('local_wins', id(1), body(large))
    await a.put('local_wins', id(2), body('small'))
    // The mirror was not updated yet.
    a.faults(asOlderMirror)
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    expect(await a.state()).toMatchObject({ refused: 1, lastError: { code: 'too-large' } })
    await a.put('local_wins', id(3), body('y'.repeat(400_000)))
    expect(await a.sync()).toMatchObject({ pushed: 2 })
    expect(await a.state()).toMatchObject({ refused: 0, pending: 0 })
    expect(opCounts(a)).toEqual([1, 1, 1])
    expect(await b.sync()).toMatchObject({ pulled: 3 })
    expect(await textOf(b)).toBe(large)
    await b.put('local_wins', id(1), body(`${large} and more`))
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await a.forget(id(1))).toBe(true)
    await a.sync()
    await b.sync()
    await expectSame(a, b, world.mirror)
  })

  it('W4 a large op that is refused on the way waits here, and the others go', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('first'))
    await a.sync()
    await a.put('local_wins', id(1), body('z'.repeat(1_200_000)))
    await a.put('local_wins', id(2), body('small'))
    a.faults(() => Promise.reject(new DaybookError('protocol-error', 'x', { details: { status: 413 } })))
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    expect(await a.state()).toMatchObject({ pending: 1, lastError: { code: 'too-large' } })
    expect(await a.sync()).toMatchObject({ pushed: 0 })
    await a.put('local_wins', id(1), body('short'))
    await a.sync()
    await expectSame(a, world.mirror)
  })

  it('C5 of two large edits that conflict, the log has the losing one whole', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('remote_wins', id(1), body('first'))
    await a.sync()
    await b.sync()
    const [one, other] = ['a'.repeat(1_500_000), 'b'.repeat(1_500_000)]
    await a.put('remote_wins', id(1), body(one))
    await a.sync()
    await b.put('remote_wins', id(1), body(other))
    expect(await b.sync()).toMatchObject({ conflicts: 1 })
    await expectSame(a, b, world.mirror)
    for (const site of [b, world.mirror]) {
      const [entry] = await site.conflicts()
      expect(entry?.loser.body).toEqual(body(other))
      expect(entry?.winner).toMatchObject({ op: 'put' })
    }
  })

  it('W4 large ops travel in as many requests as their bytes need', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.putMany(
      'local_wins',
      [1, 2, 3, 4, 5, 6, 7].map((n) => [id(n), body('y'.repeat(400_000))] as const),
    )
    expect(await a.sync()).toMatchObject({ pushed: 7 })
    // One before the mirror has said what it takes, and then as many as it takes.
    expect(opCounts(a)).toEqual([1, 4, 2])
  })

  it.each([
    ['an older mirror', new DaybookError('invalid-input', 'x', { details: { path: 'ops' } })],
    ['a mirror that takes less', new DaybookError('too-large')],
    ['what stands before it', new DaybookError('protocol-error', 'x', { details: { status: 413 } })],
  ])('W4 a request that %s finds too large goes in parts, and so does what follows', async (_name, error) => {
    const world = createWorld(host)
    const a = world.device('a')
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => [id(from + i), body(`${i}`)] as const)
    await a.putMany('local_wins', many(0, 1))
    await a.sync()
    await a.putMany('local_wins', many(1, 120))
    a.faults(() => Promise.reject(error))
    expect(await a.sync()).toMatchObject({ pushed: 120 })
    await a.putMany('local_wins', many(121, 101))
    await a.restart()
    await a.sync()
    expect(opCounts(a)).toEqual([1, 120, 100, 20, 100, 1])
    await expectSame(a, world.mirror)
  })

  it('W4 one op that the mirror finds too large is an error, and nothing is lost', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    await a.sync()
    await a.put('local_wins', id(1), body('two'))
    a.faults(() => Promise.reject(new DaybookError('too-large')))
    expect((await failure(a.sync())).code).toBe('too-large')
    expect(a.sent).toHaveLength(2)
    await a.sync()
    await expectSame(a, world.mirror)
  })
}
