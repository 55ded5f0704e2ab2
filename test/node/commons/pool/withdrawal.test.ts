// What a book takes back from the pool: the others hear of it, whatever was closed, down or on another device meanwhile.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DaybookError } from '../../../../src/core/errors.ts'
import type { SqlDatabase } from '../../../../src/core/ports.ts'
import type { Engine } from '../../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { openNodeKeyring } from '../../../../src/hosts/node/key/key-file.ts'
import { MemoryBus } from './memory-carrier.ts'
import { ask, audited, createWorld, type World } from './pool-world.ts'

const word = 'Kreuzfahrtticket'
let world: World = createWorld()
afterEach(() => {
  world.close()
  world = createWorld()
})

/** Whether any row of any table says the word. */
function isStored(db: SqlDatabase): boolean {
  const names = db.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`,
  )
  return names.some(({ name }) => JSON.stringify(db.all(`SELECT * FROM "${name}"`)).includes(word))
}

const store = async (book: Engine, content = `Orders need a ${word}`) =>
  (
    await ask<{ id: string }>(book, 'kstar:store_perception', {
      subject: 'orders',
      content,
      confidence: 0.9,
    })
  ).id
const facts = async (book: Engine) => (await ask<{ facts: { object: string }[] }>(book, 'pool:facts')).facts
const proposals = async (book: Engine) =>
  (await ask<{ proposals: { proposal: string }[] }>(book, 'pool:list_proposals')).proposals
const publish = async (book: Engine, record: string) =>
  (await ask<{ proposal: string }>(book, 'pool:publish', { record, tags: ['ops'] })).proposal

/** Three members, each with a book, and the proposal of a record of the first of them. */
async function meeting() {
  const bus = new MemoryBus()
  const names = ['claw-1', 'claw-2', 'claw-3']
  const members = names.map((agent) => {
    const db = openNodeDatabase({ path: ':memory:' })
    const keys = openNodeKeyring(undefined)
    const openMemory = () => openNodeDatabase({ path: ':memory:' })
    const sealing = { vault: openNodeVault(undefined), openMemory }
    return { db, keys, book: world.open(agent, [bus.carrier()], { db, keys, ...sealing }) }
  })
  const [own, ...others] = members
  if (!own) throw new Error('There is no member.')
  await world.until(async () => (await ask<{ active: number }>(own.book, 'pool:claws')).active === 3)
  return { bus, own, others, members }
}

/** The fact is in the books of all members. */
async function confirm({ members, others }: Awaited<ReturnType<typeof meeting>>, proposal: string) {
  for (const { book } of others) {
    await world.until(async () => (await proposals(book)).some((one) => one.proposal === proposal))
    await ask(book, 'pool:vote', { proposal, vote: 'yes', reason: `The ${word}` })
  }
  for (const { book } of members) await world.until(async () => (await facts(book)).length > 0)
}

describe('a published record that is gone', () => {
  it.each(['kstar:forget', 'kstar:purge'])(
    'is in no row of the books of others, and no fact of it is recalled there (%s)',
    async (verb) => {
      const met = await meeting()
      const { own, others, members } = met
      const id = await store(own.book)
      const proposal = await publish(own.book, id)
      await confirm(met, proposal)
      for (const { db } of members) expect(isStored(db)).toBe(true)
      await ask(own.book, verb, { id })
      // A purge leaves nothing for later, not even in the list of what is to be sent.
      if (verb === 'kstar:purge') expect(isStored(own.db)).toBe(false)
      for (const { book } of others) await world.until(async () => (await facts(book)).length === 0)
      await world.pass(1000)
      for (const { db, book } of members) {
        expect(isStored(db)).toBe(false)
        expect((await ask<{ hits: object[] }>(book, 'daybook:recall', { text: word })).hits).toEqual([])
        expect(await proposals(book)).toEqual([])
      }
      for (const { book } of others)
        expect(await audited(book, 'withdrawal')).toEqual(['accepted: withdrawn'])
    },
  )

  it('ends what another member said about it, and nothing that one says by a record of its own', async () => {
    const met = await meeting()
    const { own, others, members } = met
    const [other] = others
    if (!other) throw new Error('There is no other.')
    const id = await store(own.book)
    const proposal = await publish(own.book, id)
    await confirm(met, proposal)
    const said = await publish(other.book, await store(other.book))
    for (const { book } of [own, ...others].filter((one) => one !== other)) {
      await world.until(async () => (await proposals(book)).some((one) => one.proposal === said))
      await ask(book, 'pool:vote', { proposal: said, vote: 'yes' })
    }
    for (const { book } of members) await world.until(async () => (await facts(book)).length === 2)
    await ask(own.book, 'kstar:forget', { id })
    for (const { book } of members) await world.until(async () => (await facts(book)).length === 1)
    for (const { book } of members) expect((await proposals(book)).map((one) => one.proposal)).toEqual([said])
  })

  it('is withdrawn from the others although the first write of the withdrawal fails', async () => {
    const met = await meeting()
    const { own, others } = met
    const id = await store(own.book)
    await confirm(met, await publish(own.book, id))
    await ask(own.book, 'kstar:forget', { id })
    const failing = vi.spyOn(own.db, 'transaction').mockImplementationOnce(() => {
      throw new DaybookError('storage-full')
    })
    for (const { book } of others) await world.until(async () => (await facts(book)).length === 0)
    expect(failing.mock.results[0]?.type).toBe('throw')
  })

  it('is withdrawn from the others although the key store fails once', async () => {
    const met = await meeting()
    const { own, others } = met
    const id = await store(own.book)
    await confirm(met, await publish(own.book, id))
    await world.pass(1000)
    const failing = vi.spyOn(own.keys, 'signer').mockRejectedValueOnce(new Error('The key store is busy.'))
    await ask(own.book, 'kstar:forget', { id })
    for (const { book } of others) await world.until(async () => (await facts(book)).length === 0)
    await expect(failing.mock.results[0]?.value).rejects.toThrow('busy')
  })

  it('is told to the others once it is sealed', async () => {
    const met = await meeting()
    const id = await store(met.own.book)
    await confirm(met, await publish(met.own.book, id))
    await ask(met.own.book, 'kstar:set_sensitivity', { id, sensitivity: 'sensitive' })
    for (const { book } of met.others) await world.until(async () => (await facts(book)).length === 0)
    // The fact is out of reach first, and goes with the upkeep after that.
    await world.pass(1000)
    for (const { db } of met.others) expect(isStored(db)).toBe(false)
  })

  it('is never said at all where it had not gone out yet', async () => {
    const { bus, own, others } = await meeting()
    bus.isDown = true
    const id = await store(own.book)
    const proposal = await publish(own.book, id)
    await world.pass(1000)
    await ask(own.book, 'kstar:forget', { id })
    await world.pass(1000)
    bus.up()
    await world.until(() => Promise.resolve(bus.sent.some(({ type }) => type === 'withdrawal')))
    expect(bus.sent.filter(({ text }) => text.includes(word))).toEqual([])
    for (const { book } of others) {
      await world.until(async () => (await audited(book, 'withdrawal')).length > 0)
      expect(await audited(book, 'withdrawal')).toEqual(['accepted: waits: unknown_proposal'])
      expect(await proposals(book)).toEqual([])
    }
    expect(bus.sent.filter(({ text }) => text.includes(proposal))).toHaveLength(1)
  })

  it('leaves a book that has turned governance off, too', async () => {
    const met = await meeting()
    const id = await store(met.own.book)
    await confirm(met, await publish(met.own.book, id))
    for (const { book } of met.others) await ask(book, 'pool:configure', { governance: false })
    await ask(met.own.book, 'kstar:forget', { id })
    for (const { book } of met.others) await world.until(async () => (await facts(book)).length === 0)
  })
})

describe('the others are told of it', () => {
  it('at the next start, by a book that was closed before it could', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-pool-'))
    const path = join(folder, 'book.daybook')
    const keys = openNodeKeyring(undefined)
    const bus = new MemoryBus()
    const other = world.open('claw-2', [bus.carrier()])
    const openOwn = () => world.open('claw-1', [bus.carrier()], { db: openNodeDatabase({ path }), keys })
    const first = openOwn()
    await world.pass(1000)
    const id = await store(first)
    await publish(first, id)
    await world.until(async () => (await proposals(other)).length === 1)
    await ask(first, 'kstar:forget', { id })
    first.close()
    await world.pass(1000)
    expect(await proposals(other)).toHaveLength(1)
    openOwn()
    await world.until(async () => (await proposals(other)).length === 0)
    expect(await audited(other, 'withdrawal')).toEqual(['accepted: withdrawn'])
    world.close()
    rmSync(folder, { recursive: true })
  })

  it('by the device that speaks to them, where another device has forgotten it', async () => {
    const { store: mirrorStore, synced } = world.openMirror()
    const bus = new MemoryBus()
    const other = world.open('claw-2', [bus.carrier()])
    const desk = world.open('me', [bus.carrier()], synced)
    const phone = world.open('me', [], synced)
    const sync = async (...devices: readonly Engine[]) => {
      for (const device of devices) await device.call('daybook:sync', undefined)
    }
    await world.pass(1000)
    const id = await store(desk)
    await publish(desk, id)
    await world.until(async () => (await proposals(other)).length === 1)
    await sync(desk, phone)
    expect(await proposals(phone)).toHaveLength(1)
    await ask(phone, 'kstar:purge', { id })
    expect(await proposals(phone)).toEqual([])
    await sync(phone, desk)
    expect(await proposals(desk)).toEqual([])
    expect(mirrorStore.queries.query({ kind: 'pool_proposal', limit: 10 }).records).toEqual([])
    await world.until(async () => (await proposals(other)).length === 0)
    expect(await audited(other, 'withdrawal')).toEqual(['accepted: withdrawn'])
  })
})
