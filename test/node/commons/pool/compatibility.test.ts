// A book among claws that count by fixed numbers: what it takes in of them, and what it says in a way that they understand.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Engine } from '../../../../src/engine/engine.ts'
import { MemoryBus } from './memory-carrier.ts'
import { ask, audited, createWorld, give, type World } from './pool-world.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world.close())

const compatible = {
  verify: 'off',
  compatibility: true,
  quorum: { rule: 'fixed', minPool: 3, yes: 2, no: 2 },
}

async function open(): Promise<Engine> {
  const book = world.open()
  await ask(book, 'pool:configure', compatible)
  return book
}
const say = (claw: string, type: string, payload: object, more: object = {}) =>
  world.envelope(claw, type, { group: 'daybook', ...payload }, more)
const words = (object: string) => ({ subject: 's', predicate: 'p', object })
const vote = (claw: string, proposalId: string, cast: string, more: object = {}) =>
  world.envelope(claw, 'vote', { proposalId, vote: cast }, more)
const decision = (proposalId: string, tally: object) =>
  world.envelope('claw-1', 'decision', { proposalId, outcome: 'approved', ...tally })

/** A version that its decision alone approves; of `kf-1`, as other systems name facts. */
async function version(book: Engine, n: number, object: string) {
  const proposalId = `kp-${n}`
  await give(book, say('claw-1', 'proposal', { proposalId, statement: object }))
  await give(book, decision(proposalId, { yes: 3, no: 0 }))
  const fact = { factId: 'kf-1', version: n, ...words(object), source: 'claw-1', proposalId }
  return give(book, say('claw-1', 'fact', fact))
}
const latest = async (book: Engine) =>
  (await ask<{ facts: { version: number; object: string }[] }>(book, 'pool:facts')).facts.map(
    ({ version: number, object }) => [number, object],
  )

describe('a book among claws of another kind', () => {
  it('takes the tally of a decision at its word, and a fact that says another thing than its proposal', async () => {
    const book = await open()
    await give(book, say('claw-1', 'proposal', { proposalId: 'kp-1', statement: 'S' }))
    await give(book, vote('claw-2', 'kp-1', 'yes'))
    expect(await give(book, decision('kp-1', { yes: 3, no: 0 }))).toMatchObject({ result: 'accepted' })
    const fact = { factId: 'kf-1', version: 1, ...words('v2'), source: 'claw-1', proposalId: 'kp-1' }
    expect(await give(book, say('claw-1', 'fact', fact))).toEqual({ result: 'accepted', reason: 'new_fact' })
    const { proposals } = await ask<{ proposals: object[] }>(book, 'pool:list_proposals')
    expect(proposals).toMatchObject([
      { state: 'approved', decision: { yes: 3, no: 0 }, ballots: [{ claw: 'claw-2', vote: 'yes' }] },
    ])
    expect(await latest(book)).toEqual([[1, 'v2']])
  })

  it('takes in the versions of a fact in their order, whatever comes between', async () => {
    const book = await open()
    expect(await version(book, 1, 'v1')).toMatchObject({ result: 'accepted' })
    expect(await version(book, 3, 'v3')).toEqual({ result: 'conflict', reason: 'version_gap_1_to_3' })
    expect(await latest(book)).toEqual([[1, 'v1']])
    expect(await version(book, 2, 'v2')).toEqual({ result: 'accepted', reason: 'sequential_update' })
    expect(await latest(book)).toEqual([[2, 'v2']])
  })

  it('counts the first of two votes under one key, and one proposal that comes twice', async () => {
    const book = await open()
    const proposal = say('claw-1', 'proposal', { proposalId: 'kp-1', statement: 'S' })
    expect([await give(book, proposal), await give(book, proposal)]).toMatchObject([
      { result: 'accepted' },
      { result: 'duplicate', reason: 'same_envelope' },
    ])
    const key = { idempotencyKey: 'knowledge:vote:kp-1:claw-2' }
    await give(book, vote('claw-2', 'kp-1', 'yes', key))
    expect(await give(book, vote('claw-2', 'kp-1', 'no', key))).toEqual({
      result: 'duplicate',
      reason: 'idempotency_key_reused',
    })
    expect(await give(book, vote('', 'kp-1', 'yes'))).toMatchObject({ result: 'rejected' })
    const { proposals } = await ask<{ proposals: { ballots: object[] }[] }>(book, 'pool:list_proposals')
    expect(proposals.map(({ ballots }) => ballots)).toMatchObject([[{ claw: 'claw-2', vote: 'yes' }]])
  })

  it('votes once, under the key that they know, and changes no vote', async () => {
    const bus = new MemoryBus()
    const book = world.open('claw-1', [bus.carrier()])
    await ask(book, 'pool:configure', compatible)
    await give(book, say('far', 'proposal', { proposalId: 'kp-1', statement: 'S' }))
    const { claw } = await ask<{ claw: string }>(book, 'pool:vote', { proposal: 'kp-1', vote: 'yes' })
    await expect(book.call('pool:vote', { proposal: 'kp-1', vote: 'no' })).rejects.toMatchObject({
      code: 'conflict',
      details: { path: 'vote', reason: 'compatibility' },
    })
    const votes = () => bus.sent.filter(({ type }) => type === 'vote').map(({ text }) => text)
    await world.until(async () => votes().length > 0)
    expect(votes().map((text) => (JSON.parse(text) as { idempotencyKey: string }).idempotencyKey)).toEqual([
      `knowledge:vote:kp-1:${claw}`,
    ])
    expect(await audited(book, 'vote')).toEqual(['accepted: sent'])
  })
})
