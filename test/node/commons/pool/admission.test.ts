// Whose word counts in a pool: strangers who sign well, claws that write a known name in another way, and deciders who choose
// their own electorate. Each speaks to the book as an outsider does, by envelopes.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clawIdOf } from '../../../../src/commons/pool/rule/claw-id.ts'
import { foldName } from '../../../../src/core/text/fold.ts'
import { MemoryBus } from './memory-carrier.ts'
import { ask, audited, createWorld, handIn, type World } from './pool-world.ts'

import {
  admit,
  ballots,
  here,
  openWith,
  pool,
  proposal,
  someone as someoneIn,
  view,
  vote,
} from './signing-claw.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world.close())

const someone = () => someoneIn(world)
const openWithin = (names: readonly string[]) => openWith(world, names)

describe('a name has one spelling', () => {
  it("so that a stranger with a fresh key who writes it in capitals changes nobody's vote", async () => {
    const engine = world.open()
    await ask(engine, 'pool:configure', { admission: 'anyone' })
    const [ada, bob, stranger] = [someone(), someone(), someone()]
    await ada.say(engine, 'ada@far', ['proposal', proposal])
    await bob.say(engine, 'bob@far', ['presence', here])
    await bob.say(engine, 'bob@far', ['vote', vote('no')])
    for (const name of ['Bob@far', 'BOB@FAR', 'ｂｏｂ@far', 'b\u200bob@far', ' bob@far'])
      expect(await stranger.say(engine, name, ['vote', vote('yes')])).toMatchObject({
        result: 'rejected',
        reason: 'key_changed',
      })
    expect(await ballots(engine)).toEqual(['bob@far no'])
    // Its owner may write it as it likes.
    expect(await bob.say(engine, 'Bob@Far', ['vote', vote('yes', 2)])).toMatchObject({
      reason: 'changed_vote',
    })
    expect(await ballots(engine)).toEqual(['bob@far yes'])
    expect((await pool(engine)).active).toBe(2)
  })

  it('which an own agent does not share with another one that differs in capitals alone', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 12 }),
        fc.string({ unit: 'grapheme' }),
        (one, other) => {
          fc.pre(one !== other && one.isWellFormed() && other.isWellFormed() && other.length < 12)
          expect(foldName(clawIdOf(one, 'b'))).not.toBe(foldName(clawIdOf(other, 'b')))
        },
      ),
    )
    expect(foldName(clawIdOf('Helper', 'b'))).not.toBe(foldName(clawIdOf('helper', 'b')))
    expect(clawIdOf('helper', 'b')).toBe('helper@b')
  })

  it('and is the same however often it is folded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(foldName(foldName(name))).toBe(foldName(name))
      }),
    )
    expect(foldName('ΑΣ@Straße')).toBe(foldName('ασ@STRASSE'))
  })

  it('in the list of those who are counted in a decision', async () => {
    const { engine, say } = await openWithin(['ada', 'bob', 'cyd'])
    await say('bob', 'vote', vote('yes'))
    const two = {
      ...vote('yes'),
      outcome: 'approved',
      yes: 2,
      no: 0,
      quorum: 2,
      active: ['ada@far', 'bob@far', 'BOB@far'],
      ballots: [
        { clawId: 'bob@far', vote: 'yes', n: 1 },
        { clawId: 'Bob@far', vote: 'yes', n: 1 },
      ],
    }
    const taken = await say('ada', 'decision', two)
    expect(taken.result).toBe('conflict')
    expect((await view(engine))?.state).toBe('open')
  })
})

describe('a claw that nobody has admitted', () => {
  it('does not count, whatever it signs: neither its presence, nor its votes, nor what it decides', async () => {
    const { engine, say } = await openWithin(['ada'])
    const crowd = ['s1', 's2', 's3'].map((name) => ({ name: `${name}@evil`, who: someone() }))
    const ignored = { result: 'ignored', reason: 'not_admitted' }
    for (const { name, who } of crowd) {
      expect(await who.say(engine, name, ['presence', here])).toEqual(ignored)
      expect(await who.say(engine, name, ['capabilities', { capabilities: ['db.read'] }])).toEqual(ignored)
      expect(await who.say(engine, name, ['vote', vote('yes')])).toEqual(ignored)
      expect(await who.say(engine, name, ['proposal', { ...proposal, proposalId: `kp-${name}` }])).toEqual(
        ignored,
      )
    }
    const said = await pool(engine)
    expect(said.active).toBe(2)
    expect(said.admission).toBe('listed')
    expect(said.claws.map(({ claw }) => claw)).toEqual(['ada@far'])
    expect(await ballots(engine)).toEqual([])
    expect(await say('ada', 'vote', vote('yes'))).toMatchObject({ result: 'accepted' })
    expect((await view(engine))?.state).toBe('open')
    // Nothing of them is stored, but for who asks in.
    const { records } = await ask<{ records: object[] }>(engine, 'kstar:query_memory', { kind: 'pool_claw' })
    expect(records).toHaveLength(1)
    expect(said.asking.map(({ claw }) => claw).toSorted()).toEqual(['s1@evil', 's2@evil', 's3@evil'])
  })

  it("counts from when its owner's key is admitted, and under no other key", async () => {
    const { engine } = await openWithin(['ada'])
    const [dan, thief] = [someone(), someone()]
    await thief.say(engine, 'dan@far', ['presence', here])
    await dan.say(engine, 'dan@far', ['presence', here])
    await expect(ask(engine, 'pool:admit', { claw: 'dan@far' })).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'several_keys' },
    })
    await admit(engine, 'Dan@far', dan)
    expect((await pool(engine)).asking).toEqual([])
    expect(await thief.say(engine, 'dan@far', ['vote', vote('no')])).toMatchObject({ reason: 'key_changed' })
    expect(await dan.say(engine, 'dan@far', ['vote', vote('yes')])).toMatchObject({ result: 'accepted' })
    expect(await ballots(engine)).toEqual(['dan@far yes'])
  })

  it('is admitted under the one key it asks in with, and not before it has signed anything', async () => {
    const { engine } = await openWithin(['ada'])
    const dan = someone()
    await expect(ask(engine, 'pool:admit', { claw: 'dan@far' })).rejects.toMatchObject({
      code: 'invalid-input',
      details: { path: 'key' },
    })
    await handIn(engine, world.envelope('dan@far', 'presence', here))
    await expect(ask(engine, 'pool:admit', { claw: 'dan@far' })).rejects.toMatchObject({
      code: 'invalid-input',
    })
    await dan.say(engine, 'dan@far', ['presence', here])
    expect(await ask(engine, 'pool:admit', { claw: 'dan@far' })).toEqual({
      claw: 'dan@far',
      state: 'admitted',
      keys: [await dan.key()],
    })
  })

  it('is not passed on to other books', async () => {
    const [near, far] = [new MemoryBus(), new MemoryBus()]
    const engine = world.open('me', [near.carrier('near', false), far.carrier('far', false)])
    await ask(engine, 'pool:configure', { verify: 'off' })
    const text = JSON.stringify(world.envelope('odd@far', 'proposal', proposal))
    await near.carrier('stranger').send({ text, type: 'proposal', key: 'kp-1', group: 'daybook' })
    await world.pass(2000)
    expect(await audited(engine, 'proposal')).toEqual(['ignored: not_admitted'])
    expect(far.sent.filter(({ type }) => type === 'proposal')).toEqual([])
  })

  it("counts in a pool of one person's tabs, and there alone", async () => {
    const tabs = world.open('me', [new MemoryBus().carrier('tabs', true)])
    const both = world.open('me', [
      new MemoryBus().carrier('tabs', true),
      new MemoryBus().carrier('kafka', false),
    ])
    const none = world.open('me', [])
    const modes = []
    for (const engine of [tabs, both, none]) modes.push((await pool(engine)).admission)
    expect(modes).toEqual(['anyone', 'listed', 'listed'])
  })
})

describe('a claw that is let go', () => {
  it('counts no more, not even with the vote that it had cast, and can be admitted again', async () => {
    const { engine, say } = await openWithin(['ada', 'bob', 'cyd'])
    await say('bob', 'vote', vote('yes'))
    await ask(engine, 'pool:let_go', { claw: 'bob@far' })
    expect((await pool(engine)).active).toBe(3)
    expect(await say('bob', 'vote', vote('no', 2))).toMatchObject({
      result: 'ignored',
      reason: 'not_admitted',
    })
    expect((await pool(engine)).claws.find(({ claw }) => claw === 'bob@far')).toMatchObject({
      standing: 'let_go',
    })
    await ask(engine, 'pool:admit', { claw: 'bob@far' })
    expect(await say('bob', 'vote', vote('no', 2))).toMatchObject({ result: 'accepted' })
  })

  it('is let go where anybody counts, too', async () => {
    const { engine, say } = await openWithin(['ada', 'bob'])
    await ask(engine, 'pool:configure', { admission: 'anyone' })
    await ask(engine, 'pool:let_go', { claw: 'bob@far' })
    expect(await say('bob', 'vote', vote('yes'))).toMatchObject({ reason: 'not_admitted' })
  })
})

describe('a claw that has another key', () => {
  it('is known by that, and never again by the one that was taken from it', async () => {
    const { engine, say, claws } = await openWithin(['ada', 'bob'])
    const renewed = someone()
    await ask(engine, 'pool:re_key', { claw: 'bob@far', key: await renewed.key() })
    expect(await say('bob', 'vote', vote('no'))).toMatchObject({ result: 'rejected', reason: 'key_changed' })
    expect(await renewed.say(engine, 'bob@far', ['vote', vote('yes')])).toMatchObject({ result: 'accepted' })
    // Its own book still lists the old one among its keys.
    const old = (await claws.get('bob')?.key()) ?? ''
    await renewed.say(engine, 'bob@far', [
      'capabilities',
      {
        capabilities: [],
        keys: [await renewed.key(), old],
      },
    ])
    expect((await pool(engine)).claws.find(({ claw }) => claw === 'bob@far')?.keys).toEqual([
      await renewed.key(),
    ])
    expect(await say('bob', 'presence', here)).toMatchObject({ reason: 'key_changed' })
  })
})

describe('a claw that was never admitted', () => {
  it('gets no new key, and is not admitted by it', async () => {
    const engine = world.open()
    const [dan, renewed] = [someone(), someone()]
    await ask(engine, 'pool:configure', { admission: 'anyone' })
    await dan.say(engine, 'dan@far', ['capabilities', { capabilities: [] }])
    await ask(engine, 'pool:configure', { admission: 'listed' })
    const reKey = ask(engine, 'pool:re_key', { claw: 'dan@far', key: await renewed.key() })
    await expect(reKey).rejects.toMatchObject({ code: 'not-found', details: { path: 'claw' } })
    expect((await pool(engine)).claws).toMatchObject([{ claw: 'dan@far', standing: 'unknown' }])
  })
})

describe('a claw whose keys are all revoked, because two devices gave it keys at once', () => {
  it('is admitted with a key that the owner gives, and without one not at all', async () => {
    const { synced } = world.openMirror()
    const [one, other] = [world.open('me', [], synced), world.open('me', [], synced)]
    const [first, second, stranger] = [someone(), someone(), someone()]
    const sync = async () => {
      for (const engine of [one, other, one]) await ask(engine, 'daybook:sync')
    }
    await admit(one, 'dan@far', first)
    await sync()
    await ask(one, 'pool:re_key', { claw: 'dan@far', key: await second.key() })
    for (const dan of [second, first])
      await ask(other, 'pool:re_key', { claw: 'dan@far', key: await dan.key() })
    await sync()
    expect((await pool(one)).claws).toMatchObject([{ claw: 'dan@far', standing: 'admitted' }])
    await expect(ask(one, 'pool:admit', { claw: 'dan@far' })).rejects.toMatchObject({
      code: 'invalid-input',
      details: { path: 'key' },
    })
    // A revoked key is no offer: the owner must give it again.
    await first.say(one, 'dan@far', ['presence', here])
    await expect(ask(one, 'pool:admit', { claw: 'dan@far' })).rejects.toMatchObject({
      details: { path: 'key' },
    })
    await stranger.say(one, 'dan@far', ['presence', here])
    expect(await ask(one, 'pool:admit', { claw: 'dan@far' })).toMatchObject({ keys: [await stranger.key()] })
  })
})

describe('an agent of this book', () => {
  it('is neither admitted nor let go: its token says what it may', async () => {
    const engine = world.open()
    for (const verb of ['pool:admit', 'pool:let_go'])
      await expect(ask(engine, verb, { claw: 'Me@Main' })).rejects.toMatchObject({
        code: 'invalid-input',
        details: { path: 'claw' },
      })
  })
})
