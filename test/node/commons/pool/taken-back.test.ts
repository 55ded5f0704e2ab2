// What a book takes back before it has gone out: it is in no row that is to be sent, and no carrier says it later.
import { afterEach, describe, expect, it } from 'vitest'
import { recordIds } from '../../../../src/core/text/name-id.ts'
import type { EnvelopeType, PoolCarrier } from '../../../../src/core/pool.ts'
import type { SqlDatabase } from '../../../../src/core/ports.ts'
import type { Engine } from '../../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { openNodeKeyring } from '../../../../src/hosts/node/key/key-file.ts'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { MemoryBus } from './memory-carrier.ts'
import { ask, audited, createWorld, type World } from './pool-world.ts'

const word = 'Kreuzfahrtticket'
let world: World = createWorld()
afterEach(() => {
  world.close()
  world = createWorld()
})

/** Keys that sign when they are let. */
function openSlowKeys() {
  const keys = openNodeKeyring(undefined)
  let gate: PromiseWithResolvers<void> | undefined
  let waiting = 0
  return {
    hold: () => (gate = Promise.withResolvers()),
    letGo: () => gate?.resolve(),
    waiting: () => waiting,
    keys: {
      verify: keys.verify.bind(keys),
      async signer() {
        const signer = await keys.signer()
        return (
          signer && {
            key: signer.key,
            async sign(text: string) {
              if (gate) waiting += 1
              await gate?.promise
              return signer.sign(text)
            },
          }
        )
      },
    },
  }
}

/** Refuses envelopes of one type, and so all after the first of them, while it is held. */
function holding(carrier: PoolCarrier, type: EnvelopeType) {
  const held = { is: true }
  const send: PoolCarrier['send'] = (envelope) =>
    held.is && envelope.type === type ? Promise.reject(new Error('held')) : carrier.send(envelope)
  return { held, carrier: { ...carrier, send } }
}

/** The texts of what is to be sent of one type. */
const toSend = (db: SqlDatabase, type: EnvelopeType) =>
  db
    .all<{ text: string }>('SELECT text FROM pool_outbox WHERE type = ? ORDER BY n', [type])
    .map(({ text }) => text)
const saysWord = (db: SqlDatabase) => JSON.stringify(db.all('SELECT text FROM pool_outbox')).includes(word)
const proposals = async (book: Engine) =>
  (await ask<{ proposals: { proposal: string }[] }>(book, 'pool:list_proposals')).proposals
const propose = (book: Engine, statement: string) =>
  ask<{ proposal: string; record: string; fact: { id: string } }>(book, 'pool:propose', {
    statement,
    tags: ['ops'],
  })
const store = async (book: Engine) => {
  const given = { subject: 'orders', content: `Orders need a ${word}`, confidence: 0.9 }
  return (await ask<{ id: string }>(book, 'kstar:store_perception', given)).id
}

/** Three members; all that the first sends of `type` waits until it is let go. */
async function meeting(type: EnvelopeType, keys = openNodeKeyring(undefined)) {
  const bus = new MemoryBus()
  const { held, carrier } = holding(bus.carrier(), type)
  const db = openNodeDatabase({ path: ':memory:' })
  const openMemory = () => openNodeDatabase({ path: ':memory:' })
  const own = world.open('claw-1', [carrier], { db, keys, vault: openNodeVault(undefined), openMemory })
  const others = ['claw-2', 'claw-3'].map((agent) => world.open(agent, [bus.carrier()]))
  await world.until(async () => (await ask<{ active: number }>(own, 'pool:claws')).active === 3)
  /** Until what was said after all that was held is sent. */
  const goOn = async () => {
    held.is = false
    bus.up()
    const before = bus.sent.length
    const said = () =>
      bus.sent.slice(before).some((one) => one.type === 'presence' && one.key.startsWith('claw-1'))
    await world.until(() => Promise.resolve(said()))
  }
  return { bus, db, own, others, goOn, held }
}

async function confirm(others: readonly Engine[], proposal: string) {
  for (const book of others) {
    await world.until(async () => (await proposals(book)).some((one) => one.proposal === proposal))
    await ask(book, 'pool:vote', { proposal, vote: 'yes' })
  }
}

const endings = [
  ['kstar:forget', {}],
  ['kstar:purge', {}],
  ['kstar:set_sensitivity', { sensitivity: 'sensitive' }],
] as const

describe('a proposal that is taken back while it is signed', () => {
  it.each(endings)('is not sent (%s of its record)', async (verb, more) => {
    const { keys, hold, letGo, waiting } = openSlowKeys()
    const { bus, own, others, held } = await meeting('proposal', keys)
    held.is = false
    hold()
    const id = await store(own)
    const { proposal } = await ask<{ proposal: string }>(own, 'pool:publish', { record: id, tags: ['ops'] })
    await world.until(() => Promise.resolve(waiting() > 0))
    await ask(own, verb, { id, ...more })
    letGo()
    await world.until(() => Promise.resolve(bus.sent.some(({ type }) => type === 'withdrawal')))
    expect(bus.sent.filter(({ text }) => text.includes(proposal)).map(({ type }) => type)).toEqual([
      'withdrawal',
    ])
    for (const book of others) expect(await proposals(book)).toEqual([])
  })
})

describe.each(endings)('%s of what waits to be sent itself', (verb, more) => {
  it('leaves nothing of a proposal, and the others hear that it is withdrawn', async () => {
    const { bus, db, own, others, goOn } = await meeting('proposal')
    bus.isDown = true
    const { proposal, record } = await propose(own, `Orders need a ${word}`)
    await ask(own, 'pool:vote', { proposal, vote: 'yes', reason: `The ${word}` })
    expect(saysWord(db)).toBe(true)
    await ask(own, verb, { id: record, ...more })
    expect(saysWord(db)).toBe(false)
    await goOn()
    await world.until(() => Promise.resolve(bus.sent.some(({ type }) => type === 'withdrawal')))
    expect(bus.sent.filter(({ text }) => text.includes(proposal)).map(({ type }) => type)).toEqual([
      'withdrawal',
    ])
    for (const book of others) expect(await proposals(book)).toEqual([])
    // It stays so, also where it is still there, sealed.
    await expect(ask(own, 'pool:vote', { proposal, vote: 'no' })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('leaves nothing of a vote, and the other votes are sent', async () => {
    const { bus, db, own, others, goOn } = await meeting('vote')
    const [other] = others
    if (!other) throw new Error('There is no other.')
    const { proposal } = await propose(other, 'Orders need a ticket')
    const second = await propose(other, 'Orders need a stamp')
    await world.until(async () => (await proposals(own)).length === 2)
    const vote = { vote: 'yes', reason: `The ${word}` }
    const { record } = await ask<{ record: string }>(own, 'pool:vote', { proposal, ...vote })
    await ask(own, 'pool:vote', { proposal: second.proposal, vote: 'no' })
    await ask(own, verb, { id: record, ...more })
    expect(saysWord(db)).toBe(false)
    await goOn()
    const votes = bus.sent.filter(({ type }) => type === 'vote').map(({ key }) => key)
    expect(votes).toEqual([second.proposal])
  })

  // Every copy must be able to read decisions and facts: nobody seals them.
  it.skipIf(verb === 'kstar:set_sensitivity')('leaves nothing of a decision', async () => {
    const { bus, db, own, others, goOn } = await meeting('decision')
    const { proposal } = await propose(own, 'Orders need a ticket')
    await confirm(others, proposal)
    await world.until(() => Promise.resolve(toSend(db, 'decision').length > 0))
    await ask(own, verb, { id: recordIds.decision(proposal), ...more })
    expect(toSend(db, 'decision')).toEqual([''])
    // Another vote, from now on, decides nothing anew.
    for (const book of others) await ask(book, 'pool:vote', { proposal, vote: 'no' })
    await goOn()
    expect(toSend(db, 'decision').filter((text) => text !== '')).toEqual([])
    expect(await ask(own, 'kstar:get_record', { id: recordIds.decision(proposal) })).toBeNull()
    expect(bus.sent.filter(({ type }) => type === 'decision')).toEqual([])
  })

  it.skipIf(verb === 'kstar:set_sensitivity')('leaves nothing of a fact', async () => {
    const { bus, db, own, others, goOn } = await meeting('fact')
    const { proposal, fact } = await propose(own, `Orders need a ${word}`)
    await confirm(others, proposal)
    await world.until(() => Promise.resolve(toSend(db, 'fact').length > 0))
    await ask(own, verb, { id: recordIds.fact(fact.id), ...more })
    expect(toSend(db, 'fact')).toEqual([''])
    await goOn()
    expect(bus.sent.filter(({ type }) => type === 'fact')).toEqual([])
  })
})

describe('a proposal that was sent and is sealed itself', () => {
  it('is withdrawn from the others, and stays here, sealed', async () => {
    const { bus, db, own, others, held } = await meeting('proposal')
    held.is = false
    bus.up()
    const { proposal, record } = await propose(own, `Orders need a ${word}`)
    await confirm(others, proposal)
    for (const book of others)
      await world.until(async () => (await ask<{ facts: object[] }>(book, 'pool:facts')).facts.length > 0)
    await ask(own, 'kstar:set_sensitivity', { id: record, sensitivity: 'sensitive' })
    for (const book of others) {
      await world.until(async () => (await proposals(book)).length === 0)
      expect(await audited(book, 'withdrawal')).toEqual(['accepted: withdrawn'])
      expect((await ask<{ facts: object[] }>(book, 'pool:facts')).facts).toEqual([])
    }
    expect(await ask(own, 'kstar:get_record', { id: record })).toMatchObject({ sensitivity: 'sensitive' })
    const tables = db.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    for (const { name } of tables)
      expect(`${name}: ${JSON.stringify(db.all(`SELECT * FROM "${name}"`)).includes(word)}`).toBe(
        `${name}: false`,
      )
  })

  it('is purged by a book that sealed it too, once its proposer takes it back', async () => {
    const { bus, own, others, held } = await meeting('proposal')
    const [other] = others
    if (!other) throw new Error('There is no other.')
    held.is = false
    bus.up()
    const { proposal, record } = await propose(other, `Orders need a ${word}`)
    await world.until(async () => (await proposals(own)).length === 1)
    await ask(own, 'kstar:set_sensitivity', { id: record, sensitivity: 'sensitive' })
    await ask(other, 'kstar:forget', { id: record })
    await world.until(async () => (await audited(own, 'withdrawal')).length > 0)
    expect(await audited(own, 'withdrawal')).toEqual(['accepted: withdrawn'])
    expect(await ask(own, 'kstar:get_record', { id: record })).toBeNull()
    expect(proposal).toBe((await proposals(other)).at(0)?.proposal ?? proposal)
  })

  it('is silenced by the device that speaks, where another device without shared keys has sealed it', async () => {
    const { synced } = world.openMirror()
    const bus = new MemoryBus()
    const { held, carrier } = holding(bus.carrier(), 'proposal')
    const other = world.open('claw-2', [bus.carrier()])
    const db = openNodeDatabase({ path: ':memory:' })
    const desk = world.open('me', [carrier], { ...synced, db })
    const phone = world.open('me', [], { ...synced, vault: openNodeVault(undefined) })
    const sync = async (...devices: readonly Engine[]) => {
      for (const device of devices) await device.call('daybook:sync', undefined)
    }
    await world.pass(1000)
    const { proposal, record } = await propose(desk, `Orders need a ${word}`)
    await sync(desk, phone)
    await ask(phone, 'kstar:set_sensitivity', { id: record, sensitivity: 'sensitive' })
    await sync(phone, desk)
    expect(saysWord(db)).toBe(false)
    held.is = false
    bus.up()
    await world.until(async () => (await audited(other, 'withdrawal')).length > 0)
    expect(bus.sent.filter(({ text }) => text.includes(proposal)).map(({ type }) => type)).toEqual([
      'withdrawal',
    ])
    expect(await proposals(other)).toEqual([])
  })
})
