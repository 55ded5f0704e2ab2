// Which way a message takes: the order, what is done about ways that fail, and what is said when none is left.
import { expect, it } from 'vitest'
import { DaybookError } from '../../../../src/core/errors.ts'
import { SubagentRegistry, sendOverBest } from '../../../../src/doors/p3394/registry.ts'
import {
  type AgentTransport,
  transportError,
  type TransportType,
} from '../../../../src/doors/p3394/transport.ts'
import { failure } from '../../../contract/book-case.ts'

const request = { id: 'm-1', agent: 'memory', capability: 'kstar:store_trace', content: {}, source: 'test' }

/** A way that answers, or fails as long as it is down. */
class Way implements AgentTransport {
  readonly type: TransportType
  isDown = false
  refusal: DaybookError | undefined
  readonly heard: string[] = []
  beats = 0
  constructor(type: TransportType) {
    this.type = type
  }
  send({ id }: { readonly id: string }) {
    this.heard.push(id)
    if (this.isDown) return Promise.reject(transportError(this.type, new Error('down')))
    const { refusal } = this
    return Promise.resolve(
      refusal ? { ok: false as const, error: refusal } : { ok: true as const, data: this.type },
    )
  }
  beat() {
    this.beats += 1
    return this.isDown ? Promise.reject(transportError(this.type, new Error('down'))) : Promise.resolve()
  }
  close() {
    this.isDown = true
  }
}

function world(...types: readonly TransportType[]) {
  const clock = { at: Date.parse('2026-01-31T15:00:00Z'), now: () => clock.at }
  const registry = new SubagentRegistry(clock)
  const ways = types.map((type) => new Way(type))
  const [first = new Way('direct'), second = new Way('http')] = ways
  registry.register('memory', { transports: ways })
  return { clock, registry, first, second, ways, send: () => sendOverBest(registry, request) }
}

it('the order is direct, socket, MCP, HTTP, whichever was named first; a preference is another one', async () => {
  const { registry, ways, send } = world('http', 'mcp_stdio', 'unix_socket', 'direct')
  const used: string[] = []
  for (let i = 0; i < 4; i += 1) {
    const { transportUsed } = await send()
    used.push(transportUsed)
    for (const way of ways) if (way.type === transportUsed) way.isDown = true
  }
  expect(used).toEqual(['direct', 'unix_socket', 'mcp_stdio', 'http'])
  registry.register('memory', {
    transports: [new Way('direct'), new Way('http')],
    transport_preference: ['http'],
  })
  expect((await send()).transportUsed).toBe('http')
  expect((await failure(sendOverBest(registry, request, { transport: 'direct' }))).code).toBe('no-transport')
})

it('a way that fails is followed by the next under the same id, and rests after three failures: 1 s, 2 s, … 60 s', async () => {
  const { clock, first, second, send } = world('direct', 'http')
  first.isDown = true
  for (let i = 0; i < 3; i += 1)
    expect(await send()).toEqual({ data: 'http', transportUsed: 'http', failedOver: ['direct'] })
  expect(first.heard).toEqual(['m-1', 'm-1', 'm-1'])
  for (const restMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    const before = first.heard.length + first.beats
    clock.at += restMs - 1
    expect((await send()).failedOver).toEqual([])
    clock.at += 1
    expect((await send()).failedOver).toEqual(['direct'])
    expect(first.heard.length + first.beats).toBe(before + 1)
  }
  first.isDown = false
  clock.at += 60_000
  expect((await send()).transportUsed).toBe('direct')
  expect(second.beats).toBeGreaterThan(0)
})

it('a way that was silent for 30 s is asked for a heartbeat first, and after 90 s it is not the active one', async () => {
  const { clock, registry, first, send } = world('direct', 'http')
  const entry = () => registry.list().registered_subagents[0]
  expect(entry()).toEqual({
    agent_id: 'memory',
    manifest_ref: 'memory-manifest',
    status: 'active',
    transport_active: 'direct',
    last_heartbeat: null,
  })
  await send()
  expect(entry()?.last_heartbeat).toBe('2026-01-31T15:00:00.000Z')
  clock.at += 29_999
  await send()
  expect(first.beats).toBe(0)
  clock.at += 30_000
  await send()
  expect(first.beats).toBe(1)
  clock.at += 90_000
  expect(entry()?.transport_active).toBe('http')
  first.isDown = true
  expect(await send()).toMatchObject({ transportUsed: 'http', failedOver: ['direct'] })
  // It was asked, and heard nothing.
  expect([first.beats, first.heard.length]).toEqual([2, 3])
})

it('an agent that is to be started is reached over its first way that works before any message', async () => {
  const { registry } = world('direct', 'http')
  const ways = [new Way('direct'), new Way('unix_socket'), new Way('http')] as const
  ways[0].isDown = true
  registry.register('eager', { transports: ways, auto_start: true })
  const entry = () => registry.list().registered_subagents.find(({ agent_id }) => agent_id === 'eager')
  await expect.poll(() => entry()?.last_heartbeat).toBe('2026-01-31T15:00:00.000Z')
  expect(ways.map(({ beats, heard }) => [beats, heard])).toEqual([
    [1, []],
    [1, []],
    [0, []],
  ])
  // Others wait for a message, and one that was registered anew is begun on its new ways alone.
  const lazy = new Way('direct')
  registry.register('lazy', { transports: [lazy] })
  const [old, next, fresh] = [new Way('direct'), new Way('http'), new Way('direct')]
  old.isDown = true
  registry.register('anew', { transports: [old, next], auto_start: true })
  registry.register('anew', { transports: [fresh], auto_start: true })
  await expect.poll(() => fresh.beats).toBe(1)
  expect([lazy.beats, old.beats, next.beats]).toEqual([0, 1, 0])
})

it('what an agent refuses is its answer, and no reason to ask over another way', async () => {
  const { first, second, send } = world('direct', 'http')
  first.refusal = new DaybookError('forbidden')
  for (let i = 0; i < 5; i += 1) expect((await failure(send())).code).toBe('forbidden')
  expect([first.heard.length, second.heard.length]).toEqual([5, 0])
})

it('an agent that nobody registered, and one that no way leads to, are told apart', async () => {
  const { registry, first, second, send } = world('direct', 'http')
  const unknown = await failure(sendOverBest(registry, { ...request, agent: 'other' }))
  expect([unknown.code, unknown.details]).toEqual(['not-found', { path: 'destination', allowed: ['memory'] }])
  first.isDown = true
  second.isDown = true
  const none = await failure(send())
  expect([none.code, none.retry, none.details]).toEqual([
    'no-transport',
    true,
    { agent: 'memory', failed: ['direct', 'http'] },
  ])
  expect(() => registry.register('x', { transports: [] })).toThrow(/transports/)
})

it('a message that was cancelled before is sent over no way, and no way rests for it', async () => {
  const { registry, first, send } = world('direct')
  const signal = AbortSignal.abort()
  for (let i = 0; i < 4; i += 1)
    expect((await failure(sendOverBest(registry, request, { signal }))).code).toBe('aborted')
  expect(first.heard).toEqual([])
  expect((await send()).transportUsed).toBe('direct')
})
