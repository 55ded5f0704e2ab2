// How one run of sync asks ahead, ends for those who called it, and tells of itself.
import { expect, it } from 'vitest'
import { neverAborted } from '../../../src/core/abort.ts'
import type { SyncResult } from '../../../src/core/capability/status.ts'
import type { SyncRequest } from '../../../src/sync/wire/protocol.ts'
import { body, expectSame, failure, id, textOf } from './mirror-case.ts'
import { createWorld, type DatabaseHost, type Fault } from './mirror-world.ts'

export function runCases(host: DatabaseHost): void {
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
