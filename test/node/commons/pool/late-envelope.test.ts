// Envelopes that come before what they rest on, too late, or with a clock that is wrong: how long they are waited for, and what
// becomes of them then.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Engine } from '../../../../src/engine/engine.ts'
import type { PoolCarrier, PoolCarrierHooks } from '../../../../src/core/pool.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { MemoryBus } from './memory-carrier.ts'
import { ask, audited, createWorld, give, type World } from './pool-world.ts'

let world: World
let book: Engine
beforeEach(async () => {
  world = createWorld()
  book = world.open()
  await book.call('pool:configure', { verify: 'off' })
})
afterEach(() => world.close())

const proposalId = 'kp-00000000000000aa'
const factWords = { subject: 'E142', predicate: 'maps to', object: 'M7' }
const there = (claw: string) => give(book, world.envelope(claw, 'presence', { status: 'active' }))
const proposal = (more: object = {}) =>
  world.envelope('claw-1', 'proposal', {
    proposalId,
    group: 'daybook',
    statement: 'E142 maps to M7',
    tags: ['ops'],
    fact: { factId: 'kf-kp-00000000000000aa', version: 1, ...factWords },
    ...more,
  })
const vote = (claw: string, word = 'yes') => world.envelope(claw, 'vote', { proposalId, vote: word })
const fact = () =>
  world.envelope('claw-1', 'fact', {
    factId: 'kf-kp-00000000000000aa',
    group: 'daybook',
    version: 1,
    source: 'claw-1',
    proposalId,
    ...factWords,
  })
const facts = async () => (await ask<{ facts: object[] }>(book, 'pool:facts')).facts
const state = async () =>
  (await ask<{ proposals: { state: string }[] }>(book, 'pool:list_proposals', { proposal: proposalId }))
    .proposals[0]?.state

describe('a fact before its decision', () => {
  it('waits for 120 seconds, and is a conflict then', async () => {
    expect(await give(book, fact())).toEqual({
      result: 'accepted',
      reason: 'waits: no_approved_decision',
      waits: true,
    })
    await world.pass(119_000)
    expect(await audited(book, 'fact')).toEqual(['accepted: waits: no_approved_decision'])
    await world.pass(2000)
    expect((await audited(book, 'fact'))[0]).toBe('conflict: no_approved_decision')
    expect(await facts()).toEqual([])
  })

  it('is not given up while a carrier has more to bring than it can tell, and is soon after', async () => {
    let isBehind = true
    const carrier: PoolCarrier = { ...new MemoryBus().carrier(), isBehind: () => isBehind }
    book = world.open('late', [carrier])
    await book.call('pool:configure', { verify: 'off' })
    await give(book, fact())
    await world.pass(3_600_000)
    expect(await audited(book, 'fact')).toEqual(['accepted: waits: no_approved_decision'])
    isBehind = false
    await world.pass(10_000)
    expect((await audited(book, 'fact'))[0]).toBe('conflict: no_approved_decision')
  })

  it('is not given up by a book that is open without the carrier that brought it', async () => {
    const db = openNodeDatabase({ path: ':memory:' })
    let hooks: PoolCarrierHooks | undefined
    const carrier: PoolCarrier = {
      ...new MemoryBus().carrier(),
      open: (given) => void (hooks = given),
      isBehind: () => true,
    }
    const joined = world.open('late', [carrier], { db })
    await joined.call('pool:configure', { verify: 'off' })
    await hooks?.received(JSON.stringify(fact()))
    const alone = world.open('late', [], { db })
    await alone.call('pool:announce', { capabilities: ['tea'] })
    await world.pass(600_000)
    expect(await audited(alone, 'fact')).toEqual(['accepted: waits: no_approved_decision'])
  })

  it('is taken in as soon as the votes for it are here', async () => {
    for (const claw of ['claw-1', 'claw-2', 'claw-3']) await there(claw)
    await give(book, fact())
    await give(book, proposal())
    for (const claw of ['claw-2', 'claw-3']) await give(book, vote(claw))
    expect(await facts()).toEqual([])
    await there('claw-2')
    await give(book, vote('me@main'))
    expect(await facts()).toEqual([])
    await book.call('pool:vote', { proposal: proposalId, vote: 'yes' })
    await world.pass(1000)
    expect(await facts()).toMatchObject([{ ...factWords, version: 1, votes: { yes: 3, no: 0 } }])
  })

  it('is judged anew when it comes again after it was given up', async () => {
    const late = fact()
    await give(book, late)
    await world.pass(121_000)
    for (const claw of ['claw-1', 'claw-2']) await there(claw)
    await give(book, proposal())
    await give(book, vote('claw-2'))
    await book.call('pool:vote', { proposal: proposalId, vote: 'yes' })
    expect(await give(book, late)).toMatchObject({ result: 'accepted', reason: 'new_fact' })
    expect(await facts()).toHaveLength(1)
  })

  it('of a proposal that was rejected is a conflict at once', async () => {
    for (const claw of ['claw-1', 'claw-2']) await there(claw)
    await give(book, proposal())
    for (const claw of ['claw-2', 'me@main']) await give(book, vote(claw, 'no'))
    await book.call('pool:vote', { proposal: proposalId, vote: 'no' })
    const decision = {
      proposalId,
      outcome: 'rejected',
      yes: 0,
      no: 2,
      quorum: 2,
      active: ['claw-1', 'claw-2', 'me@main'],
      ballots: ['claw-2', 'me@main'].map((clawId) => ({ clawId, vote: 'no', n: 1 })),
    }
    expect(await give(book, world.envelope('claw-1', 'decision', decision))).toMatchObject({
      reason: 'new_decision',
    })
    expect(await give(book, fact())).toEqual({ result: 'conflict', reason: 'no_approved_decision' })
  })
})

describe('a decision', () => {
  const decision = (more: object) =>
    world.envelope('claw-1', 'decision', {
      proposalId,
      outcome: 'approved',
      yes: 2,
      no: 0,
      quorum: 2,
      active: ['claw-1', 'claw-2', 'claw-3'],
      ballots: ['claw-2', 'claw-3'].map((clawId) => ({ clawId, vote: 'yes', n: 1 })),
      ...more,
    })

  it('waits for its ballots for 120 seconds, and its tally is a conflict then', async () => {
    await give(book, proposal())
    await give(book, vote('claw-2'))
    expect(await give(book, decision({}))).toMatchObject({ reason: 'waits: tally_mismatch' })
    await world.pass(121_000)
    expect((await audited(book, 'decision'))[0]).toBe('conflict: tally_mismatch')
    expect(await state()).toBe('open')
  })

  it('stands as soon as the last of its ballots has come', async () => {
    await give(book, proposal())
    await give(book, vote('claw-2'))
    await give(book, decision({}))
    await give(book, vote('claw-3'))
    expect((await audited(book, 'decision'))[0]).toBe('accepted: new_decision')
    expect(await state()).toBe('approved')
  })

  it('stands only with the tally of its ballots, above the majority of three or more, by whoever was to make it', async () => {
    await give(book, proposal())
    for (const claw of ['claw-2', 'claw-3']) await give(book, vote(claw))
    for (const [more, reason] of [
      [{ yes: 3 }, 'tally_mismatch'],
      [{ active: ['claw-1', 'claw-2'] }, 'below_three_active'],
      [{ active: ['claw-0', 'claw-2', 'claw-3'] }, 'not_the_decider'],
      [{ quorum: 1 }, 'quorum_mismatch'],
      [{ active: ['claw-1', 'claw-2', 'claw-3', 'claw-4'], quorum: 3 }, 'below_quorum'],
      [{ outcome: 'rejected' }, 'below_quorum'],
    ] as const)
      expect(await give(book, decision(more))).toEqual({ result: 'conflict', reason })
    expect(await state()).toBe('open')
    expect(await give(book, decision({}))).toEqual({ result: 'accepted', reason: 'new_decision' })
    expect(await give(book, decision({}))).toEqual({ result: 'ignored', reason: 'same_outcome' })
    expect(await give(book, decision({ outcome: 'rejected' }))).toEqual({
      result: 'conflict',
      reason: 'other_outcome',
    })
  })
})

describe('a vote', () => {
  it('before its proposal counts when that has come', async () => {
    expect(await give(book, vote('claw-2'))).toMatchObject({
      reason: 'waits: unknown_proposal',
      waits: true,
    })
    await give(book, proposal())
    expect((await audited(book, 'vote'))[0]).toBe('accepted: new_vote')
    const { proposals } = await ask<{ proposals: object[] }>(book, 'pool:list_proposals')
    expect(proposals).toMatchObject([{ ballots: [{ claw: 'claw-2', vote: 'yes' }] }])
  })

  it('on what never comes is given up when a proposal of then would be', async () => {
    await give(book, vote('claw-2'))
    await world.pass(86_401_000)
    expect((await audited(book, 'vote'))[0]).toBe('ignored: unknown_proposal')
  })

  it('that was given counts once, whatever its envelope is called', async () => {
    await give(book, proposal())
    await give(book, vote('claw-2'))
    expect(await give(book, vote('claw-2'))).toEqual({ result: 'duplicate', reason: 'already_cast' })
    expect(await give(book, vote('claw-2', 'no'))).toEqual({
      result: 'conflict',
      reason: 'vote_number_reused',
    })
    expect(await give(book, vote('CLAW-2'))).toMatchObject({ result: 'duplicate' })
  })
})

describe('a proposal', () => {
  it('that nobody decides expires after the time that is configured, and takes no vote more', async () => {
    await book.call('pool:configure', { timeout: '120s' })
    const { proposal: own } = await ask<{ proposal: string }>(book, 'pool:propose', {
      statement: 'S',
      tags: ['ops'],
    })
    await world.pass(119_000)
    const stateOf = async () =>
      (await ask<{ proposals: object[] }>(book, 'pool:list_proposals', { proposal: own })).proposals
    expect(await stateOf()).toMatchObject([{ state: 'open' }])
    await world.pass(2000)
    expect(await stateOf()).toMatchObject([
      { state: 'expired', decision: { outcome: 'expired', reason: 'voting timeout' } },
    ])
    const late = world.envelope('claw-2', 'vote', { proposalId: own, vote: 'yes' })
    expect(await give(book, late)).toEqual({ result: 'stale', reason: 'already_decided' })
    await expect(book.call('pool:vote', { proposal: own, vote: 'yes' })).rejects.toMatchObject({
      code: 'conflict',
      details: { path: 'proposal', reason: 'expired' },
    })
  })
})

describe('a clock a day ahead', () => {
  const day = 86_400_000
  it('counts as a minute ahead', async () => {
    const ahead = { status: 'active', updatedAt: world.at(day) }
    await give(book, world.envelope('claw-1', 'presence', ahead, { timestamp: world.at(day) }))
    const active = async () => (await ask<{ active: number }>(book, 'pool:claws')).active
    await world.pass(194_000)
    expect(await active()).toBe(2)
    await world.pass(2000)
    expect(await active()).toBe(1)
    const late = { ...proposal(), timestamp: world.at(day) }
    await give(book, late)
    const { proposals } = await ask<{ proposals: object[] }>(book, 'pool:list_proposals')
    expect(proposals).toMatchObject([{ proposedAt: world.at(60_000) }])
  })
})
