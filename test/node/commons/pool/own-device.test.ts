// Two devices of one book, which are one claw with two keys: what one of them says reaches other claws through the other one.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { signEnvelope } from '../../../../src/commons/pool/service/carrier-pump.ts'
import type { Carrier } from '../../../../src/core/ports.ts'
import type { Engine } from '../../../../src/engine/engine.ts'
import type { EngineOptions } from '../../../../src/engine/engine-options.ts'
import { openNodeKeyring } from '../../../../src/hosts/node/key/key-file.ts'
import { MemoryBus } from './memory-carrier.ts'
import { ask, audited, createWorld, type World } from './pool-world.ts'

interface EnvelopeOf {
  readonly type: string
  readonly payload: { readonly group: string; readonly capabilities?: readonly string[] }
}

let world: World
/** The mirror does not answer. */
let isAway = false
let synced: Pick<EngineOptions, 'carrier' | 'sync'>
beforeEach(() => {
  isAway = false
  world = createWorld()
  synced = world.openMirror(() => isAway).synced
})
afterEach(() => world.close())
const sync = async (...devices: readonly Engine[]) => {
  for (const device of devices) await device.call('daybook:sync', undefined)
}

interface Waiting {
  readonly proposals: readonly { readonly proposal: string }[]
}
const proposals = async (engine: Engine) =>
  (await ask<Waiting>(engine, 'pool:list_proposals')).proposals.map(({ proposal }) => proposal)

const propose = async (engine: Engine) =>
  (await ask<{ proposal: string }>(engine, 'pool:propose', { statement: 'What is so.', tags: ['ops'] }))
    .proposal

const keysOf = async (engine: Engine, claw: string) => {
  const { claws } = await ask<{ claws: { claw: string; keys: string[] }[] }>(engine, 'pool:claws')
  return claws.find((one) => one.claw === claw)?.keys.length ?? 0
}

/** A bridge between a line, on which another device of its book is, and a bus, on which another claw is. */
async function openBridge() {
  const line = new MemoryBus()
  const far = new MemoryBus()
  const bridge = world.open('me', [line.carrier('line'), far.carrier('far')], synced)
  const page = world.open('me', [line.carrier('line')], synced)
  const other = world.open('other', [far.carrier('far')])
  for (const device of [bridge, page]) await world.until(async () => (await keysOf(device, 'me@main')) > 0)
  return { bridge, page, other, line: line.carrier('stranger') }
}

describe('another device of the same book', () => {
  it('is passed on to other claws under the key that they know, and its own is told them at once', async () => {
    const { bridge, page, other } = await openBridge()
    await sync(bridge, page, bridge, page, bridge)
    const proposal = await propose(page)
    await world.until(async () => (await proposals(other)).length > 0)
    expect(await proposals(other)).toEqual([proposal])
    expect(await audited(other, 'proposal')).toEqual(['accepted: new_proposal'])
    expect(await audited(bridge, 'proposal')).toEqual(['ignored: own_envelope'])
    await world.soon(async () => (await keysOf(other, 'me@main')) === 2)
  })

  it('is kept waiting until its key has come with the sync, and then passed on once', async () => {
    const { bridge, page, other } = await openBridge()
    await sync(bridge)
    const proposal = await propose(page)
    await world.until(async () => (await audited(bridge, 'proposal')).length > 0)
    expect(await audited(bridge, 'proposal')).toEqual(['accepted: waits: own_claw_unverified'])
    expect(await proposals(other)).toEqual([])
    await sync(page, bridge, page, bridge)
    await world.until(async () => (await proposals(other)).length > 0)
    expect(await proposals(other)).toEqual([proposal])
    await world.pass(300_000)
    expect(await audited(other, 'proposal')).toEqual(['accepted: new_proposal'])
    expect(await audited(bridge, 'proposal')).toEqual([
      'ignored: own_envelope',
      'accepted: waits: own_claw_unverified',
    ])
  })

  it('is nobody who only bears its name', async () => {
    const { bridge, other, line } = await openBridge()
    const payload = { proposalId: 'kp-1', group: 'daybook', statement: 'What a stranger says.' }
    const draft = JSON.stringify(world.envelope('me@main', 'proposal', payload))
    const text = await signEnvelope(draft, openNodeKeyring(undefined))
    await line.send({ text, type: 'proposal', key: 'kp-1', group: 'daybook' })
    await line.send({ text: draft, type: 'proposal', key: 'kp-1', group: 'daybook' })
    await world.pass(130_000)
    expect((await audited(bridge, 'proposal')).toSorted()).toEqual([
      'accepted: waits: own_claw_unverified',
      'ignored: own_claw_unverified',
      'ignored: own_claw_unverified',
    ])
    expect(await proposals(other)).toEqual([])
    expect(await proposals(bridge)).toEqual([])
  })
})

describe('two devices of one claw', () => {
  it('vote apart and have one vote between them, the later one, wherever the book is read', async () => {
    const one = world.open('me', [], synced)
    const other = world.open('me', [], synced)
    await ask(one, 'pool:configure', { verify: 'off', admission: 'anyone' })
    await sync(one, other)
    const asked = { proposalId: 'kp-1', group: 'daybook', statement: 'What is so.' }
    const envelope = world.envelope('stranger', 'proposal', asked)
    for (const device of [one, other]) await ask(device, 'pool:take_in', { envelope })
    isAway = true
    await ask(one, 'pool:vote', { proposal: 'kp-1', vote: 'yes' })
    await world.pass(1000)
    await ask(other, 'pool:vote', { proposal: 'kp-1', vote: 'no', reason: 'Thought better of it' })
    isAway = false
    await sync(one, other, one)
    for (const device of [one, other]) {
      const { proposals: all } = await ask<{ proposals: { ballots: object[] }[] }>(
        device,
        'pool:list_proposals',
      )
      expect(all).toHaveLength(1)
      expect(all[0]?.ballots).toMatchObject([{ claw: 'me@main', vote: 'no' }])
      expect(all[0]?.ballots).toHaveLength(1)
      const { active, claws } = await ask<{ active: number; claws: object[] }>(device, 'pool:claws')
      expect([active, claws.length]).toEqual([1, 0])
    }
    // Either of them may change it afterwards.
    await ask(one, 'pool:vote', { proposal: 'kp-1', vote: 'yes' })
    await sync(one, other)
    const { proposals: after } = await ask<{ proposals: object[] }>(other, 'pool:list_proposals')
    expect(after).toMatchObject([{ ballots: [{ claw: 'me@main', vote: 'yes' }] }])
  })
})

describe('a book that is put into another group', () => {
  it('says there at once that it is there, and what it can do', async () => {
    const bus = new MemoryBus()
    const book = world.open('me', [bus.carrier()])
    await world.pass(1000)
    await ask(book, 'pool:announce', { capabilities: ['logs.read:/var/log/*'] })
    await world.until(() => Promise.resolve(bus.sent.some(({ text }) => text.includes('logs.read'))))
    await world.pass(1000)
    const before = bus.sent.length
    await ask(book, 'pool:configure', { group: 'ops' })
    const sent = () =>
      bus.sent
        .slice(before)
        .map(({ text }) => JSON.parse(text) as EnvelopeOf)
        .filter(({ payload }) => payload.group === 'ops')
    await world.soon(() => Promise.resolve(sent().length >= 2))
    const said = sent()
    expect(said.map(({ type, payload }) => `${type} ${payload.group}`)).toEqual([
      'presence ops',
      'capabilities ops',
    ])
    expect(said[1]?.payload.capabilities).toEqual(['logs.read:/var/log/*'])
    const { claws } = await ask<{ claws: object[] }>(book, 'pool:claws')
    expect(claws).toMatchObject([{ claw: 'me@main', capabilities: ['logs.read:/var/log/*'] }])
  })

  it('takes nothing in over the line to its mirror before it has heard of that', async () => {
    const first = world.open('me', [], synced)
    await ask(first, 'pool:configure', { group: 'ops' })
    await sync(first)
    const frames: string[] = []
    const listen: Carrier['listen'] = (_device, hooks) => {
      queueMicrotask(() => hooks.opened(2, ['sync', 'pool']))
      return { send: (text) => void frames.push(text), close: () => undefined }
    }
    const carrier = { ...synced.carrier, listen } as Carrier
    const second = world.open('me', [], {
      carrier,
      sync: { live: true, triggers: { on_wake: true } },
      poolLine: true,
    })
    isAway = true
    await world.pass(5000)
    expect(frames).toEqual([])
    isAway = false
    await sync(second)
    await world.pass(100)
    expect(frames.map((text) => JSON.parse(text) as object)).toEqual([
      { type: 'envelope', data: { here: { ask: true } } },
    ])
    const { config } = await ask<{ config: object }>(second, 'pool:configure')
    expect(config).toMatchObject({ group: 'ops' })
  })
})
