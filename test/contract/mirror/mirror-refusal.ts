// What the mirror refuses, in whole or op by op, and what a device refuses of an answer.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createKinds, type Kind } from '../../../src/core/kind.ts'
import type { SyncResponse } from '../../../src/sync/wire/protocol.ts'
import { body, expectSame, failure, id, textOf } from './mirror-case.ts'
import { createWorld, type DatabaseHost, lastRequest, testKinds } from './mirror-world.ts'

export function refusalCases(host: DatabaseHost): void {
  it('W2 W4 says of each change in the outbox how it stands', async () => {
    const a = createWorld(host).device('a')
    const list = () => a.look(({ ops }) => ops.list({ limit: 10 }))
    expect(await list()).toEqual([])
    await a.put('local_wins', id(1), body('one'))
    a.faults('lose-request')
    await failure(a.sync())
    await a.put('local_wins', id(1), body('again'))
    await a.put('remote_wins', id(2), { text: 'x'.repeat(1_899_900) })
    await a.put('local_wins', id(3), body('three'))
    await a.forget(id(3))
    expect(await list()).toMatchObject([
      { record: id(1), kind: 'local_wins', op: 'put', state: 'sent' },
      { record: id(1), state: 'waiting' },
      { record: id(2), state: 'waiting' },
      { record: id(3), op: 'forget', state: 'waiting' },
    ])
    const [, second] = await list()
    expect(await a.look(({ ops }) => ops.list({ limit: 1, after: second?.n }))).toMatchObject([
      { record: id(2) },
    ])
    await a.sync()
    expect(await list()).toMatchObject([{ record: id(2), state: 'refused', error: { code: 'too-large' } }])
  })

  /** A request of a device that is not of this house, with one op. */
  const request = (op: object, more: object = {}) => ({
    p: 1,
    device: 'd_strange',
    epoch: null,
    ackedMid: 0,
    schema: 1,
    ops: [
      {
        mid: 1,
        kind: 'local_wins',
        id: id(1),
        op: 'put',
        base: 0,
        ...heads,
        body: body('x'),
        ...op,
      },
    ],
    pull: {
      cursor: 0,
      limit: 10,
      maxBytes: 1e5,
    },
    ...more,
  })
  const heads = {
    stamp: '019b00000000-0000-d_strange',
    agent: 'stranger',
    at: '2026-01-01T00:00:00.000Z',
    created_at: '2026-01-01T00:00:00.000Z',
  }

  it.each([
    ['a body that is not of its kind', { body: { text: 1 } }, 'invalid-input'],
    ['an op that is too large', { body: body('z'.repeat(1_900_001)) }, 'too-large'],
  ])('%s is rejected for good, and does not hold up what follows', async (_name, op, code) => {
    const world = createWorld(host)
    const good = { mid: 2, kind: 'local_wins', id: id(2), op: 'put', base: 0, ...heads, body: body('good') }
    const one = request(op)
    const answer = await world.mirror.exchange({ ...one, ops: [...one.ops, good] })
    expect(answer).toMatchObject({
      lastMid: 2,
      results: [
        { mid: 1, s: 'rejected', error: { code } },
        { mid: 2, s: 'ok' },
      ],
    })
    expect(Object.keys(await world.mirror.all())).toEqual([id(2)])
    expect(await world.mirror.exchange({ ...one, ops: [...one.ops, good] })).toEqual(answer)
  })

  it('M6 a record never becomes one of another kind', async () => {
    const world = createWorld(host)
    await world.mirror.put('remote_wins', id(1), body('here'))
    expect(await world.mirror.exchange(request({}))).toMatchObject({
      results: [{ s: 'rejected', error: { code: 'conflict' } }],
    })
    expect(await world.mirror.get(id(1))).toMatchObject({ kind: 'remote_wins' })
  })

  it('M7 a body of a kind that the device knows in a newer version is taken as it is', async () => {
    const world = createWorld(host)
    const answer = await world.mirror.exchange(request({ body: { renamed: 1 } }, { schema: 99 }))
    expect(answer.results).toMatchObject([{ s: 'ok' }])
  })

  it('M6 a change that the mirror rejects stays on the device, is told, and goes when it was mended', async () => {
    const short = (kind: Kind): Kind => ({ ...kind, schema: z.looseObject({ text: z.string().max(10) }) })
    const world = createWorld(host, { kindsAtMirror: createKinds([...testKinds.values()].map(short)) })
    const a = world.device('a')
    await a.put('local_wins', id(1), body('longer than the mirror has it'))
    await a.put('local_wins', id(2), body('good'))
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
    expect(await a.state()).toMatchObject({ pending: 1, lastError: { code: 'invalid-input' } })
    expect(await textOf(a)).toBe('longer than the mirror has it')
    await a.restart()
    await a.put('local_wins', id(1), body('mended'))
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    await expectSame(a, world.mirror)
  })

  it('M6 an edit of a change that is being rejected takes its place', async () => {
    const short = (kind: Kind): Kind => ({ ...kind, schema: z.looseObject({ text: z.string().max(10) }) })
    const world = createWorld(host, { kindsAtMirror: createKinds([...testKinds.values()].map(short)) })
    const a = world.device('a')
    await a.put('local_wins', id(1), body('longer than the mirror has it'))
    a.faults(async (send) => {
      const answer = await send()
      await a.put('local_wins', id(1), body('mended'))
      return answer
    })
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    expect(await a.state()).toMatchObject({ pending: 0 })
    await expectSame(a, world.mirror)
  })

  it('M6 an edit after one that was rejected is merged on the content that the mirror has', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    const first = { text: 'first', x: 0, uses: 5 }
    await a.put('merge', id(1), first)
    await a.sync()
    await b.sync()
    world.clock.nowMs += 1000
    await b.put('merge', id(1), { ...first, uses: 6 })
    await b.sync()
    await a.put('merge', id(1), { ...first, x: 1, uses: 6 })
    a.faults(async (send) => {
      const request = lastRequest(a)
      const answer = await send({ ...request, ops: request.ops.map((op) => ({ ...op, body: { text: 1 } })) })
      await a.put('merge', id(1), { text: 'second', x: 1, uses: 7 })
      return answer
    })
    await a.sync()
    for (const device of [a, b]) await device.sync()
    await expectSame(a, b, world.mirror)
    expect(await a.get(id(1))).toMatchObject({ text: 'second', x: 1, uses: 8 })
    for (const site of [a, b, world.mirror]) expect(await site.conflicts()).toEqual([])
  })

  it('K5 a device whose forget finds nothing is done with it', async () => {
    const a = createWorld(host).device('a')
    await a.sync()
    await a.put('local_wins', id(1), body('made and forgotten'))
    await a.forget(id(1))
    a.faults(async (send) => {
      const answer = await send()
      const error = { code: 'not-found', message: 'Nothing is there.', retry: false, details: { path: 'id' } }
      return { ...answer, results: answer.results.map(({ mid }) => ({ mid, s: 'rejected', error })) }
    })
    await a.sync()
    expect(await a.state()).toMatchObject({ pending: 0 })
    expect(await a.look(({ ops }) => ops.list({ limit: 10 }))).toEqual([])
  })

  it('M6 takes the id of what was forgotten for another kind', async () => {
    const world = createWorld(host)
    await world.mirror.put('remote_wins', id(1), body('here'))
    const a = world.device('a')
    await a.sync()
    await a.forget(id(1))
    await a.sync()
    await a.put('local_wins', id(1), body('another'))
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    expect(await world.mirror.get(id(1))).toMatchObject({ kind: 'local_wins' })
    await expectSame(a, world.mirror)
    const b = world.device('b')
    await b.sync()
    await expectSame(b, world.mirror)
    expect(await b.state()).toMatchObject({ repairs: 0 })
  })

  it.each([
    ['null', null],
    ['a text', 'sync'],
    ['a list', []],
    ['no ops', { ...request({}), ops: undefined }],
    ['an id that is none', request({ id: '../x' })],
    ['a stamp that is none', request({ stamp: 'now' })],
    ['a time that is none', request({ at: 'yesterday' })],
    ['a kind that can be none', request({ kind: 'a b' })],
    ['a negative base', request({ base: -1 })],
    ['an agent that is not well-formed', request({ agent: '\ud800' })],
    ['a body that is a list', request({ body: [] })],
    [
      'a body with __proto__',
      request({ body: JSON.parse('{"text":"x","__proto__":{"admin":true}}') as object }),
    ],
    ['a bottomless body', request({ body: JSON.parse(`${'{"a":'.repeat(99)}1${'}'.repeat(99)}`) as object })],
    ['an op of no known sort', request({ op: 'merge' })],
    ['a hostile device', request({}, { device: "d_'; DROP TABLE records" })],
    ['a cursor that is no number', request({}, { pull: { cursor: '0', limit: 1, maxBytes: 1 } })],
  ])('refuses %s, and stores nothing', async (_name, wrong) => {
    const world = createWorld(host)
    expect((await failure(world.mirror.exchange(wrong))).code).toBe('invalid-input')
    expect(await world.mirror.all()).toEqual({})
    expect(await world.mirror.look((store) => store.db.all('SELECT device FROM devices'))).toEqual([])
  })

  it('W4 refuses more ops than it says it takes as too large, and stores nothing', async () => {
    const world = createWorld(host)
    const { limits } = await world.mirror.exchange({ ...request({}), ops: [] })
    const most = limits?.ops ?? 0
    expect(most).toBeGreaterThan(100)
    const ops = Array.from({ length: most + 1 }, (_, i) => ({ ...request({}).ops[0], mid: i + 1 }))
    const error = await failure(world.mirror.exchange({ ...request({}), ops }))
    expect(error).toMatchObject({ code: 'too-large', details: { path: 'ops', limitOps: most } })
    expect(await world.mirror.all()).toEqual({})
  })

  it('W5 refuses another version of the wire, and says which side is behind', async () => {
    const world = createWorld(host)
    expect((await failure(world.mirror.exchange(request({}, { p: 2 })))).code).toBe('server-too-old')
    expect((await failure(world.mirror.exchange(request({}, { p: 0 })))).code).toBe('client-too-old')
  })

  it('W6 a device takes nothing from an answer that is not the protocol', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    const wrong: ((answer: SyncResponse) => unknown)[] = [
      () => null,
      () => ({ ok: true }),
      (answer) => ({ ...answer, p: 2 }),
      (answer) => ({ ...answer, results: [] }),
      (answer) => ({ ...answer, more: true, cursor: 0 }),
      (answer) => ({ ...answer, changes: [{ seq: 1 }] }),
    ]
    for (const change of wrong) {
      a.faults(async (send) => change(await send()))
      expect((await failure(a.sync())).code).toBe('protocol-error')
      expect(await a.state()).toMatchObject({ pending: 1 })
    }
    expect(await a.sync()).toMatchObject({ pushed: 1 })
  })
}
