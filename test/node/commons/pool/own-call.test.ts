// What a book does itself while governance is off, whom it believes while it only warns, and what it judges a second time.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openNodeKeyring } from '../../../../src/hosts/node/key/key-file.ts'
import { signEnvelope } from '../../../../src/commons/pool/service/carrier-pump.ts'
import { ask, audited, createWorld, give, type World } from './pool-world.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world.close())

const proposal = (proposalId: string, more: object = {}) =>
  world.envelope('claw-1', 'proposal', { proposalId, group: 'daybook', statement: 'S' }, more)

describe('a book whose governance is off', () => {
  it('neither proposes nor votes nor publishes, and goes on saying what it can do', async () => {
    const book = world.open()
    await ask(book, 'pool:configure', { verify: 'off' })
    await give(book, proposal('kp-1'))
    const { id: record } = await ask<{ id: string }>(book, 'kstar:store_perception', {
      subject: 'orders',
      content: 'The table has no index',
      confidence: 0.9,
    })
    await ask(book, 'pool:configure', { governance: false })
    for (const [verb, input] of [
      ['pool:propose', { statement: 'S', tags: ['ops'] }],
      ['pool:publish', { record, tags: ['ops'] }],
      ['pool:vote', { proposal: 'kp-1', vote: 'yes' }],
    ] as const)
      await expect(book.call(verb, input)).rejects.toMatchObject({
        code: 'conflict',
        details: { path: 'governance', reason: 'governance_disabled' },
      })
    const { proposals } = await ask<{ proposals: object[] }>(book, 'pool:list_proposals')
    expect(proposals).toMatchObject([{ proposal: 'kp-1', ballots: [] }])
    await ask(book, 'pool:announce', { capabilities: ['db.read'] })
    const { claws } = await ask<{ claws: object[] }>(book, 'pool:who_can', { capability: 'db.read' })
    expect(claws).toMatchObject([{ clawId: 'me@main' }])
    await ask(book, 'pool:configure', { governance: true })
    expect(await ask(book, 'pool:vote', { proposal: 'kp-1', vote: 'yes' })).toMatchObject({ counts: true })
  })
})

describe('a book that only warns', () => {
  it('takes in a bad signature with a warning, until the claw is known to sign', async () => {
    const book = world.open()
    await ask(book, 'pool:configure', { verify: 'warn' })
    const keys = openNodeKeyring(undefined)
    const sign = async (envelope: object) =>
      JSON.parse(await signEnvelope(JSON.stringify(envelope), keys)) as { readonly payload: object }
    const forged = async (proposalId: string) => {
      const signed = await sign(proposal(proposalId))
      return { ...signed, payload: { ...signed.payload, statement: 'Something else' } }
    }
    expect(await give(book, await forged('kp-1'))).toEqual({ result: 'accepted', reason: 'new_proposal' })
    expect(await audited(book, 'proposal')).toEqual([
      'accepted: new_proposal',
      'accepted: warning: bad_signature',
    ])
    expect(await give(book, await sign(proposal('kp-2')))).toMatchObject({ result: 'accepted' })
    expect(await give(book, await forged('kp-3'))).toEqual({ result: 'rejected', reason: 'bad_signature' })
    expect(await give(book, proposal('kp-4'))).toEqual({ result: 'rejected', reason: 'signature_required' })
    const { proposals } = await ask<{ proposals: { proposal: string }[] }>(book, 'pool:list_proposals')
    expect(proposals.map((one) => one.proposal).toSorted()).toEqual(['kp-1', 'kp-2'])
  })
})

describe('an envelope that was in conflict', () => {
  it('is judged anew when it comes again, and one that was taken in is not', async () => {
    const book = world.open()
    await ask(book, 'pool:configure', { verify: 'off' })
    const of = (proposalId: string, factId: string) =>
      world.envelope('claw-1', 'proposal', {
        proposalId,
        group: 'daybook',
        statement: 'S',
        fact: { factId, version: 1, subject: 'a', predicate: 'b', object: 'c' },
      })
    const wrong = of('kp-1', 'kf-kp-2')
    const conflict = { result: 'conflict', reason: 'fact_of_another_proposal' }
    expect([await give(book, wrong), await give(book, wrong)]).toEqual([conflict, conflict])
    const right = of('kp-2', 'kf-kp-2')
    expect(await give(book, right)).toEqual({ result: 'accepted', reason: 'new_proposal' })
    expect(await give(book, right)).toEqual({ result: 'duplicate', reason: 'same_envelope' })
  })

  it('after it waited in vain, is taken in when what it rests on has come', async () => {
    const book = world.open()
    await ask(book, 'pool:configure', { verify: 'off' })
    const vote = world.envelope('claw-2', 'vote', { proposalId: 'kp-1', vote: 'yes' })
    expect(await give(book, vote)).toMatchObject({ reason: 'waits: unknown_proposal' })
    await world.pass(25 * 3_600_000)
    expect(await audited(book, 'vote')).toContain('ignored: unknown_proposal')
    await give(book, proposal('kp-1'))
    expect(await give(book, vote)).toEqual({ result: 'accepted', reason: 'new_vote' })
  })
})
