// What is said of sync through the one door: dead letters, forgetting that wins, revocations that come first.
import { afterEach, describe, expect, it } from 'vitest'
import { kinds } from '../../../src/engine/capability-table.ts'
import type { Status } from '../../../src/core/capability/status.ts'
import type { BookEvent } from '../../../src/core/capability/event.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import { createKinds, type Kinds } from '../../../src/core/kind.ts'
import type { RefusedOp } from '../../../src/core/op.ts'
import { createEngine, type Engine, type EngineOptions } from '../../../src/engine/engine.ts'
import { openNodeKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { openBookStore } from '../../../src/store/book-store.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import type { SyncRequest } from '../../../src/sync/wire/protocol.ts'
import { makeTrace } from '../../support/trace.ts'

const engines: Engine[] = []
afterEach(() => {
  for (const engine of engines.splice(0)) engine.close()
})

/** A mirror that knows `known`; devices reach it unless they are said to be offline. */
function createEdge(known: Kinds = kinds) {
  const store = openBookStore(openNodeDatabase({ path: ':memory:' }), {
    kinds: known,
    role: 'mirror',
    ports: nodePorts,
    onCommit: () => undefined,
  })
  const mirror = new SyncMirror({ store, clock: nodePorts.clock, random: nodePorts.random })
  const device = (sync: EngineOptions['sync'] = { triggers: 'manual' }) => {
    const sent: SyncRequest[] = []
    const engine = createEngine({
      db: openNodeDatabase({ path: ':memory:' }),
      ports: nodePorts,
      keys: openNodeKeyring(undefined),
      sync,
      name: 'letters',
      scope: { agent: 'owner' },
      durability: 'memory',
      carrier: {
        async exchange(request) {
          sent.push(request as SyncRequest)
          return JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown
        },
      },
    })
    engines.push(engine)
    return {
      sent,
      call: <Answer>(id: string, input: object = {}) => engine.call(id, input) as Promise<Answer>,
      on: engine.on,
      store: engine.store,
    }
  }
  return { store, device }
}

describe('dead letters', () => {
  it('L1 L2 are listed, counted in the status and in events, and go again when that is asked for', async () => {
    const fits = { now: false }
    const strict = [...kinds.values()].map((kind) =>
      kind.name === 'trace'
        ? {
            ...kind,
            schema: {
              '~standard': {
                version: 1 as const,
                vendor: 'test',
                validate: (value: unknown) =>
                  fits.now
                    ? { value: value as object }
                    : {
                        issues: [
                          {
                            message: 'is not wanted',
                            path: ['task'],
                          },
                        ],
                      },
              },
            },
          }
        : kind,
    )
    const { device } = createEdge(createKinds(strict))
    const { call, on } = device()
    const refused: number[] = []
    on((event: BookEvent) => {
      if (event.name === 'sync') refused.push(event.detail.refused)
    })
    const { id } = await call<{ id: string }>('kstar:store_trace', makeTrace())
    await call('daybook:sync')
    expect(refused.at(-1)).toBe(1)
    expect((await call<Status>('daybook:status')).sync).toMatchObject({ refused: 1, pending: 1 })
    const { deadLetters } = await call<{ deadLetters: RefusedOp[] }>('daybook:list_dead_letters')
    expect(deadLetters).toMatchObject([
      { record: id, kind: 'trace', op: 'put', code: 'invalid-input', path: 'task' },
    ])
    expect(Date.parse(deadLetters[0]?.at ?? '')).toBeGreaterThan(0)
    const after = deadLetters[0]?.n
    expect(await call('daybook:list_dead_letters', { after })).toEqual({ deadLetters: [] })

    expect(await call('daybook:retry_dead_letters', { records: ['another'] })).toEqual({ retried: [] })
    expect(await call('daybook:retry_dead_letters')).toEqual({ retried: [id] })
    // Refused anew, and listed anew, as long as the mirror says no.
    expect(await call('daybook:sync')).toMatchObject({ pushed: 0 })
    expect((await call<Status>('daybook:status')).sync.refused).toBe(1)
    fits.now = true
    await call('daybook:retry_dead_letters', { records: [id] })
    expect(await call('daybook:sync')).toMatchObject({ pushed: 1 })
    expect((await call<Status>('daybook:status')).sync).toMatchObject({ refused: 0, pending: 0 })
  })

  it('L3 take a record whose body no mirror takes, and the others are sent', async () => {
    const { device } = createEdge()
    const { call, store } = device()
    const { id } = await call<{ id: string }>('kstar:store_trace', makeTrace())
    await store.writes.write(() => {
      const row = store.records.row(id)
      if (!row) throw new Error('The trace is missing.')
      const { kind, agent, stamp, created_at, updated_at: at } = row
      const body = { ...(JSON.parse(row.body) as JsonObject), large: 2 ** 60 }
      store.records.put({ op: 'put', kind, id, agent, stamp, created_at, at, body })
    })
    await call('kstar:store_trace', makeTrace())
    expect(await call('daybook:sync')).toMatchObject({ pushed: 1 })
    const { deadLetters } = await call<{ deadLetters: RefusedOp[] }>('daybook:list_dead_letters')
    expect(deadLetters).toMatchObject([{ record: id, code: 'invalid-input', path: 'body.large' }])
  })

  it.each([
    ['daybook:list_dead_letters', { limit: 0 }, 'limit'],
    ['daybook:list_dead_letters', { after: -1 }, 'after'],
    ['daybook:retry_dead_letters', { records: 'all' }, 'records'],
  ])('%s refuses %o', async (id, input, path) => {
    const { call } = createEdge().device()
    await expect(call(id, input)).rejects.toMatchObject({ code: 'invalid-input', details: { path } })
  })
})

it('C3 what one device forgets stays forgotten, whatever another had changed meanwhile', async () => {
  const { device } = createEdge()
  const [a, b] = [device(), device()]
  const { id } = await a.call<{ id: string }>('kstar:store_trace', makeTrace())
  await a.call('daybook:sync')
  await b.call('daybook:sync')
  await b.call('kstar:complete_trace', {
    id,
    replace: true,
    result: { success: false, outcome: {}, side_effects: [] },
  })
  await b.call('daybook:sync')
  await a.call('kstar:forget', { id })
  await a.call('daybook:sync')
  await b.call('daybook:sync')
  for (const { store } of [a, b]) expect(store.records.row(id)?.deleted).toBe(1)
})

describe('revocations', () => {
  it.each([
    ['before the other device has said anything', ['a', 'b'], { granted_to: 'y' }],
    ['after the other device has changed the same token', ['b', 'a'], { granted_to: 'y' }],
    [
      'though the other device has a change of it that was refused',
      ['b', 'a'],
      { note: 'no field of a token' },
    ],
  ] as const)('C10 come ahead of the queue, and win, %s', async (_name, order, edit) => {
    const edge = createEdge()
    const devices = { a: edge.device(), b: edge.device() }
    const { a, b } = devices
    const granted = await a.call<{ token: { token_id: string } }>('kstar:grant_control_token', {
      scope: '**',
      permissions: ['read'],
      granted_to: 'x',
      expires_at: '2099-01-01',
    })
    const id = granted.token.token_id
    await a.call('daybook:sync')
    await b.call('daybook:sync')
    // The other device holds an edit of the grant that knows nothing of its end, and is the later one.
    const row = b.store.records.row(id)
    const body = JSON.parse(row?.body ?? '{}') as { revoked?: boolean }
    for (let i = 0; i < 3; i++) await a.call('kstar:store_trace', makeTrace())
    const from = a.sent.length
    await a.call('kstar:revoke_control_token', { token_id: id, reason: 'over' })
    b.store.db.transaction(() => {
      const at = '2026-11-20T00:00:00.000Z'
      const stamp = b.store.stamps.next()
      b.store.records.put({
        op: 'put',
        kind: 'token',
        id,
        at,
        stamp,
        created_at: at,
        agent: 'owner',
        body: {
          ...body,
          ...edit,
        },
      })
    })
    for (const name of order) await devices[name].call('daybook:sync')
    for (const { call } of [a, b, a]) await call('daybook:sync')
    const first = a.sent.slice(from).find(({ ops }) => ops.length > 0)
    expect(first?.ops[0]).toMatchObject({ kind: 'token', id })
    for (const { records } of [a.store, b.store, edge.store]) {
      expect(JSON.parse(records.row(id)?.body ?? '{}')).toMatchObject({ revoked: true })
    }
    const logged = [edge.store, b.store].flatMap(({ conflicts }) => conflicts.list({ record: id }))
    expect(logged.length).toBeGreaterThan(0)
    for (const { loser } of logged) expect(loser.body).toMatchObject(edit)
    expect((await b.call<Status>('daybook:status')).sync).toMatchObject({ pending: 0, refused: 0 })
  })
})
