// What a device hands over for somebody else to send, and what becomes of the answers that it finds.
import { expect, it } from 'vitest'
import { formatTime } from '../../../src/core/time.ts'
import type { SyncSelection } from '../../../src/sync/device/outbox.ts'
import type { SyncRequest, SyncResponse } from '../../../src/sync/wire/protocol.ts'
import { pendingRequests, applyLateAnswer } from '../../../src/sync/device/background.ts'
import { body, expectSame, failure, id, losers, textOf, twoWithOne } from './mirror-case.ts'
import { createWorld, type DatabaseHost, type TestDevice, type World } from './mirror-world.ts'

const spill = (device: TestDevice, { more = true, selection = {} as SyncSelection } = {}) =>
  device.look((store) => store.writes.write(() => pendingRequests(store, selection, more)))

/** Somebody else sends them, in order, and leaves the answers. */
async function sendAll(world: World, requests: readonly SyncRequest[]): Promise<SyncResponse[]> {
  const answers: SyncResponse[] = []
  for (const request of requests) answers.push(await world.mirror.exchange(request))
  return answers
}

/** How many answers counted. */
async function takeAll(
  world: World,
  device: TestDevice,
  requests: readonly SyncRequest[],
  answers: readonly SyncResponse[],
): Promise<number> {
  let taken = 0
  for (const [i, answer] of answers.entries()) {
    const request = requests[i] as SyncRequest
    const now = formatTime(world.clock.nowMs)
    const intake = await device.look((store) =>
      store.writes.write(() => applyLateAnswer(store, { request, response: answer, now })),
    )
    if (intake) taken += 1
  }
  return taken
}

const midsOf = (requests: readonly SyncRequest[]) => requests.map(({ ops }) => ops.map(({ mid }) => mid))

export function backgroundCases(host: DatabaseHost): void {
  it('B1 hands over whole requests, in order, with the bytes that the device then sends itself', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    a.faults('lose-request')
    await failure(a.sync())
    // A later edit of what has no answer yet can't be final, everything else can.
    await a.put('local_wins', id(1), body('one again'))
    const many = Array.from({ length: 230 }, (_, i) => [id(i + 2), body(`text ${i}`)] as const)
    await a.putMany('local_wins', many)
    const requests = await spill(a)
    expect(midsOf(requests).map(({ length }) => length)).toEqual([100, 100, 31])
    expect(midsOf(requests).flat()).toEqual(Array.from({ length: 231 }, (_, i) => i + 1))
    expect(requests.flatMap(({ ops }) => ops.filter((op) => op.id === id(1)))).toMatchObject([
      { body: body('one') },
    ])
    expect(requests.every(({ pull }) => pull.limit === 1)).toBe(true)
    // Handed over again: the same, though nobody has sent it.
    expect(await spill(a)).toEqual(requests)
    await a.sync()
    const sent = a.sent.map((text) => (JSON.parse(text) as SyncRequest).ops).filter((ops) => ops.length > 0)
    expect(sent.slice(1, -1).flat()).toEqual(requests.flatMap(({ ops }) => ops))
    expect(sent.at(-1)).toMatchObject([{ mid: 232, base: 1, body: body('one again') }])
    expect(await a.state()).toMatchObject({ pending: 0 })
    await expectSame(a, world.mirror)
  })

  it('B1 hands over no more than was asked, than is to be sent, or than there is room for', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    expect(await spill(a)).toEqual([])
    await a.put('local_wins', id(1), body('one'))
    // Sent by nobody, because nobody has asked for it.
    expect(await spill(a, { more: false })).toEqual([])
    await a.put('remote_wins', id(2), body('two'))
    expect(await spill(a, { selection: { push: ['remote_wins'] } })).toMatchObject([{ ops: [{ id: id(2) }] }])
    const large = 'x'.repeat(650_000)
    for (let n = 3; n < 15; n++) await a.put('local_wins', id(n), body(large))
    expect(midsOf(await spill(a)).map(({ length }) => length)).toEqual(Array(10).fill(expect.any(Number)))
    await a.sync()
    expect(await a.state()).toMatchObject({ pending: 0 })
    await expectSame(a, world.mirror)
  })

  it('B2 B3 takes over the results that were left, and has nothing more to send', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'local_wins')
    const many = Array.from({ length: 150 }, (_, i) => [id(i + 2), body(`text ${i}`)] as const)
    await a.putMany('local_wins', many)
    await b.put('local_wins', 'of-b', body('from b'))
    await b.sync()
    const requests = await spill(a)
    await a.restart()
    const answers = await sendAll(world, requests)
    expect(await takeAll(world, a, requests, answers)).toBe(2)
    expect(await a.state()).toMatchObject({ pending: 0 })
    // What others wrote is fetched when the device asks for it.
    expect(await a.get('of-b')).toBeUndefined()
    expect(await a.sync()).toEqual({ pulled: 1, pushed: 0, conflicts: 0 })
    await b.sync()
    await expectSame(a, b, world.mirror)
  })

  it('B2 an answer to the first request only: the rest stays to be sent', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    const many = Array.from({ length: 150 }, (_, i) => [id(i), body(`text ${i}`)] as const)
    await a.putMany('local_wins', many)
    const requests = await spill(a)
    const answers = await sendAll(world, requests.slice(0, 1))
    // Without the first, the mirror takes nothing of the second.
    const early = await createWorld(host).mirror.exchange(requests[1])
    expect(early).toMatchObject({ lastMid: 0, results: [] })
    expect(await takeAll(world, a, requests, answers)).toBe(1)
    expect(await a.state()).toMatchObject({ pending: 50 })
    expect(await a.sync()).toMatchObject({ pushed: 50 })
    await expectSame(a, world.mirror)
  })

  it.each(['local_wins', 'remote_wins', 'last_write_wins', 'merge', 'manual'])(
    'B3 a conflict that was answered meanwhile is settled as ever: %s',
    async (policy) => {
      const run = async (isLate: boolean) => {
        const world = createWorld(host)
        const [a, b] = await twoWithOne(world, policy)
        await a.put(policy, id(1), { ...body('of a'), uses: 2 })
        world.clock.nowMs += 1000
        await b.put(policy, id(1), { ...body('of b'), uses: 5 })
        await b.sync()
        if (isLate) {
          const requests = await spill(a)
          await takeAll(world, a, requests, await sendAll(world, requests))
        }
        await a.sync()
        await b.sync()
        await expectSame(a, b, world.mirror)
        const seen = [await textOf(a), await losers(a), await losers(b), await losers(world.mirror)]
        return [...seen, (await a.get(id(1)))?.['uses']]
      }
      expect(await run(true)).toEqual(await run(false))
    },
  )

  it('B3 B4 what the device sent itself meanwhile, or under another name, is ignored', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'local_wins')
    await a.put('local_wins', id(1), body('of a'))
    const requests = await spill(a)
    const answers = await sendAll(world, requests)
    await a.sync()
    await b.sync()
    world.clock.nowMs += 1000
    await b.put('local_wins', id(1), body('of b, later'))
    await b.sync()
    await a.sync()
    expect(await takeAll(world, a, requests, answers)).toBe(0)
    expect(await textOf(a)).toBe('of b, later')
    // Sent once more after the device has said that it has the answers: refused, and nothing takes effect.
    expect((await failure(world.mirror.exchange(requests[0]))).code).toBe('device-forked')
    await a.put('local_wins', id(2), body('two'))
    const second = await spill(a)
    await a.look((store) => store.writes.write(() => store.settings.set('epoch', 'e_another')))
    expect(await takeAll(world, a, second, await sendAll(world, second))).toBe(0)
    await a.sync()
    await b.sync()
    await expectSame(a, b, world.mirror)
    expect(await losers(world.mirror)).toEqual([])
  })

  it('B4 sent by both, in any order and more than once: everything is there once', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'merge')
    await a.put('merge', id(1), { ...body('first'), uses: 3 })
    await a.put('merge', id(2), body('two'))
    const requests = await spill(a)
    await sendAll(world, requests)
    // The device knows nothing of it, writes on, and sends the same.
    await a.put('merge', id(1), { ...body('first'), uses: 4 })
    a.faults('twice')
    await a.sync()
    await b.sync()
    expect(await b.get(id(1))).toMatchObject({ uses: 4, ver: 3 })
    expect(await world.mirror.conflicts()).toEqual([])
    await expectSame(a, b, world.mirror)
  })

  it('B3 an answer to other bytes, or to a device of another name, is ignored', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    const [request] = await spill(a)
    const answers = await sendAll(world, [request as SyncRequest])
    const altered = { ...(request as SyncRequest), ops: request?.ops.map((op) => ({ ...op, base: 7 })) ?? [] }
    const strange = { ...(request as SyncRequest), device: 'd_another' }
    for (const other of [altered, strange]) expect(await takeAll(world, a, [other], answers)).toBe(0)
    expect(await a.state()).toMatchObject({ pending: 1 })
    await a.sync()
    await expectSame(a, world.mirror)
  })

  it('B3 an answer that can be none leaves everything as it was', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    const requests = await spill(a)
    const [answer] = await sendAll(world, requests)
    const strange = [{ ...(answer as SyncResponse), results: [] }]
    expect(await takeAll(world, a, requests, strange)).toBe(0)
    expect(await a.state()).toMatchObject({ pending: 1 })
    await a.sync()
    await expectSame(a, world.mirror)
  })
}
