// Deciders who choose their own electorate, or leave out votes: each speaks to the book as an outsider does, by envelopes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, audited, createWorld, type World } from './pool-world.ts'
import { here, openWith, pool, view, vote } from './signing-claw.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world.close())

const openWithin = (names: readonly string[]) => openWith(world, names)

describe('a decision of another claw', () => {
  const decision = (more: object = {}) => ({
    proposalId: 'kp-1',
    outcome: 'approved',
    yes: 2,
    no: 0,
    quorum: 2,
    active: ['ada@far', 'bob@far', 'cyd@far'],
    ballots: [
      { clawId: 'bob@far', vote: 'yes', n: 1 },
      { clawId: 'cyd@far', vote: 'yes', n: 1 },
    ],
    ...more,
  })
  const everybody = ['ada', 'bob', 'cyd', 'dan', 'eve']

  it('that leaves out two known `no` is refused, takes nothing in, and the owner is told', async () => {
    const { engine, say } = await openWithin(everybody)
    const told: object[] = []
    engine.on(({ name, detail }) => {
      if (name === 'pool' && detail.type === 'dispute') told.push(detail)
    })
    for (const name of ['bob', 'cyd']) await say(name, 'vote', vote('yes'))
    for (const name of ['dan', 'eve']) await say(name, 'vote', vote('no'))
    expect(await say('ada', 'decision', decision())).toMatchObject({
      result: 'conflict',
      reason: 'tally_mismatch',
    })
    expect((await view(engine))?.state).toBe('open')
    expect(await ask(engine, 'pool:facts')).toMatchObject({ facts: [] })
    expect(await audited(engine, 'decision')).toEqual(['conflict: tally_mismatch'])
    await world.pass(0)
    expect(told).toEqual([
      expect.objectContaining({ type: 'dispute', id: 'kp-1', claw: 'ada@far', reason: 'tally_mismatch' }),
    ])
  })

  it('among claws that are not the ones that are there is refused', async () => {
    const { engine, say } = await openWithin(everybody)
    await world.pass(140_000)
    for (const name of everybody) await say(name, 'presence', here)
    await world.pass(130_000)
    for (const name of everybody) await say(name, 'presence', here)
    await world.pass(30_000)
    for (const name of ['bob', 'cyd']) await say(name, 'vote', vote('yes'))
    expect(await say('ada', 'decision', decision())).toMatchObject({
      result: 'conflict',
      reason: 'tally_mismatch',
    })
    // Nor does it help to have decided long ago.
    const early = { timestamp: world.at(-3_600_000) }
    expect((await pool(engine)).active).toBe(6)
    expect(await say('ada', 'decision', decision(), early)).toMatchObject({ reason: 'tally_mismatch' })
    await say('dan', 'vote', vote('yes'))
    await say('eve', 'vote', vote('yes'))
    const right = decision({
      yes: 4,
      quorum: 4,
      active: [...everybody.map((name) => `${name}@far`), 'me@main'],
      ballots: ['bob', 'cyd', 'dan', 'eve'].map((name) => ({ clawId: `${name}@far`, vote: 'yes', n: 1 })),
    })
    expect(await say('ada', 'decision', right)).toMatchObject({ result: 'accepted', reason: 'new_decision' })
  })

  it('with votes of claws that do not count here stands only if those that do decide the same', async () => {
    const { engine, say } = await openWithin(['ada', 'bob', 'cyd'])
    await say('bob', 'vote', vote('yes'))
    const padded = decision({
      yes: 3,
      quorum: 3,
      active: ['ada@far', 'bob@far', 's1@evil', 's2@evil', 'cyd@far'],
      ballots: [
        { clawId: 'bob@far', vote: 'yes', n: 1 },
        { clawId: 's1@evil', vote: 'yes', n: 1 },
        { clawId: 's2@evil', vote: 'yes', n: 1 },
      ],
    })
    expect(await say('ada', 'decision', padded)).toMatchObject({
      result: 'conflict',
      reason: 'tally_mismatch',
    })
    await say('cyd', 'vote', vote('yes'))
    await say('ada', 'decision', {
      ...padded,
      yes: 4,
      ballots: [...padded.ballots, { clawId: 'cyd@far', vote: 'yes', n: 1 }],
    })
    const { proposals } = await ask<{ proposals: { decision: object }[] }>(engine, 'pool:list_proposals')
    expect(proposals[0]?.decision).toMatchObject({
      outcome: 'approved',
      yes: 2,
      active: ['ada@far', 'bob@far', 'cyd@far'],
    })
  })

  it('that counts a vote which was changed more than a minute before is refused', async () => {
    const { say } = await openWithin(['ada', 'bob', 'cyd'])
    await say('bob', 'vote', vote('yes'))
    await say('cyd', 'vote', vote('yes'))
    await say('cyd', 'vote', vote('no', 2))
    await world.pass(61_000)
    expect(await say('ada', 'decision', decision())).toMatchObject({
      result: 'conflict',
      reason: 'tally_mismatch',
    })
  })

  it('that gives up a proposal before its time waits, and stands when that is over', async () => {
    const { engine, say } = await openWithin(['ada', 'bob', 'cyd'])
    const over = decision({ outcome: 'expired', yes: 0, ballots: [] })
    expect(await say('ada', 'decision', over)).toMatchObject({ waits: true })
    await world.pass(121_000)
    expect((await view(engine))?.state).toBe('open')
    await world.pass(86_400_000)
    await say('ada', 'presence', here)
    expect(await say('ada', 'decision', over)).toMatchObject({ result: 'accepted', reason: 'new_decision' })
  })

  it('that names no active claws is checked all the same: only the decider may send it', async () => {
    const { engine, say } = await openWithin(['ada', 'bob', 'cyd'])
    await world.pass(86_401_000)
    for (const name of ['ada', 'bob', 'cyd']) await say(name, 'presence', here)
    const { active: _active, ...over } = decision({ outcome: 'expired', yes: 0, ballots: [] })
    expect(await say('bob', 'decision', over)).toMatchObject({
      result: 'conflict',
      reason: 'not_the_decider',
    })
    expect(await say('ada', 'decision', over)).toMatchObject({ result: 'accepted', reason: 'new_decision' })
    expect((await view(engine))?.state).toBe('expired')
  })
})
