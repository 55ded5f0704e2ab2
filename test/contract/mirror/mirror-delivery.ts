// What a network does to requests and answers, and that it takes effect once.
import { expect, it } from 'vitest'
import { neverAborted } from '../../../src/core/abort.ts'
import type { SyncResult } from '../../../src/core/capability/capability.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import type { SyncRequest } from '../../../src/sync/wire/protocol.ts'
import { body, expectSame, failure, id, losers, textOf, twoWithOne } from './mirror-case.ts'
import { createWorld, type DatabaseHost, type Fault, lastRequest, type TestDevice } from './mirror-world.ts'

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

  it('W4 an op that is larger than a request can be waits here, and the others go', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('é'.repeat(400_000)))
    await a.put('local_wins', id(2), body('small'))
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
    expect(Object.keys(await world.mirror.all())).toEqual([id(2)])
    expect(await a.state()).toMatchObject({ pending: 1, lastError: { code: 'too-large' } })
    expect(await a.sync()).toMatchObject({ pushed: 0 })
    await a.put('local_wins', id(1), body('short now'))
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    const state = await a.state()
    expect(state.pending).toBe(0)
    expect(state.lastError).toBeUndefined()
    await expectSame(a, world.mirror)
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

  it('M8 D1 asks for the next page while it takes one over, and never with anything to send', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b', { page: { limit: 1, maxBytes: 1_000_000 } })]
    for (const n of [1, 2, 3]) await a.put('local_wins', id(n), body(`${n}`))
    await a.sync()
    const pulled: (number | undefined)[] = []
    const note: Fault = (send, session) => {
      pulled.push(session.state().progress?.pulled)
      return send()
    }
    b.faults(note, note, note)
    expect(await b.sync()).toMatchObject({ pulled: 3 })
    expect(pulled).toEqual([0, 0, 1])
    expect(b.sent.map((text) => (JSON.parse(text) as SyncRequest).pull.cursor)).toEqual([0, 1, 2])
    await expectSame(a, b)
  })

  it('D1 what was asked ahead and was not answered takes nothing away from what came before it', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b', { page: { limit: 1, maxBytes: 1_000_000 } })]
    for (const n of [1, 2]) await a.put('local_wins', id(n), body(`${n}`))
    await a.sync()
    b.faults('none', 'lose-answer')
    expect((await failure(b.sync())).code).toBe('offline')
    expect(Object.keys(await b.all())).toEqual([id(1)])
    await b.sync()
    await expectSame(a, b)
  })

  it('D4 who calls while an answer is under way that was asked ahead is owed a round after it', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b', { page: { limit: 1, maxBytes: 1_000_000 } })]
    for (const n of [1, 2]) await a.put('local_wins', id(n), body(`${n}`))
    await a.sync()
    let later: Promise<unknown> | undefined
    b.faults('none', async (send, session) => {
      later = session.sync(neverAborted)
      const answer = await send()
      // As if it had been answered before the call: it can't count for it.
      await world.mirror.put('local_wins', id(3), body('since'))
      return answer
    })
    await b.sync()
    await later
    expect(b.sent).toHaveLength(3)
    expect(await textOf(b, id(3))).toBe('since')
  })

  it('D4 a caller that gives up is let go, and the run goes on for the others', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    const [gone, stayed] = await a.within(async (session) => {
      const controller = new AbortController()
      const [one, two] = [session.sync(controller.signal), session.sync(neverAborted)]
      controller.abort()
      return [(await failure(one)).code, await two]
    })
    expect(gone).toBe('aborted')
    expect(stayed).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
  })

  it('D4 a run that all have given up ends before its next request; a later call has a run of its own', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.putMany(
      'local_wins',
      Array.from({ length: 250 }, (_, i) => [id(i), body(`${i}`)] as const),
    )
    const controller = new AbortController()
    let later: Promise<SyncResult> | undefined
    a.faults(async (send, session) => {
      const answer = await send()
      controller.abort()
      expect(session.state().running).toBe(true)
      later = session.sync(neverAborted)
      return answer
    })
    expect(await a.within(async (session) => (await failure(session.sync(controller.signal))).code)).toBe(
      'aborted',
    )
    expect(await a.within(async () => later)).toEqual({ pulled: 0, pushed: 150, conflicts: 0 })
    expect(a.sent).toHaveLength(2)
    const state = await a.state()
    expect(state).toMatchObject({ running: false, pending: 0 })
    expect(state.lastError).toBeUndefined()
    await expectSame(a, world.mirror)
  })

  it('a call that was given up before it began asks nothing', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    const aborted = { ...neverAborted, aborted: true }
    expect(await a.within(async (session) => (await failure(session.sync(aborted))).code)).toBe('aborted')
    expect(a.sent).toEqual([])
  })

  it('tells of a run when it begins, after each request, and when it ends', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.putMany(
      'local_wins',
      Array.from({ length: 150 }, (_, i) => [id(i), body(`${i}`)] as const),
    )
    await a.sync()
    const told = a.told.map(({ state: { running, pending }, result }) => ({ running, pending, result }))
    expect(told).toEqual([
      { running: true, pending: 150 },
      { running: true, pending: 50 },
      { running: false, pending: 0, result: { pulled: 0, pushed: 150, conflicts: 0 } },
    ])
    a.faults('lose-request')
    await failure(a.sync())
    expect(a.told.at(-1)).toMatchObject({ state: { running: false, lastError: { code: 'offline' } } })
    world.clock.nowMs += 1000
    await a.sync()
    expect(a.told.at(-1)?.state).toEqual({
      configured: true,
      device: expect.any(String),
      running: false,
      pending: 0,
      refused: 0,
      repairs: 0,
      phase: 'idle',
      conflicts: 0,
      lastSyncedAt: '2026-01-01T00:00:01.000Z',
    })
  })
}
