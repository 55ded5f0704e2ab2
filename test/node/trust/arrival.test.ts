// What arrives sensitive where no keys are kept: sealed to the book's public key, and opened on the devices alone.
import { afterEach, describe, expect, test } from 'vitest'
import type { Carrier, KeyVault } from '../../../src/core/ports.ts'
import type { EngineOptions } from '../../../src/engine/engine.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { failure } from '../../contract/book-case.ts'
import { closeSites, lasting, memory, openSite } from '../memory/conversation/site.ts'

const passphrase = 'correct horse battery'

afterEach(closeSites)

const open = (options: Partial<EngineOptions>) => openSite(nodePorts, options)

const openDevice = (carrier: Carrier, vault: KeyVault = openNodeVault(undefined), db = memory()) =>
  open({ carrier, vault, db }).book

function openMirror(name = 'shared') {
  const { book, engine, saying } = open({ role: 'mirror', name, scope: { agent: 'edge' } })
  const mirror = new SyncMirror({ store: engine.store, ...nodePorts })
  const carrier: Carrier = {
    exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
  return { book, engine, carrier, says: (word: string) => saying(word).length > 0 }
}

/** A device that has keys, and a mirror that has the public one of them. */
async function world() {
  const edge = openMirror()
  const device = openDevice(edge.carrier)
  await device.seal.exportKeys({ passphrase })
  await device.sync()
  return { edge, device }
}

const secret = { content: 'takes insulin', sensitivity: 'sensitive' } as const

describe('what arrives sensitive where no keys are kept', () => {
  test('is sealed there, and read, found and exported on a device like any other', async () => {
    const { edge, device } = await world()
    const { id } = await edge.book.perceptions.store(secret)
    expect(edge.says('insulin')).toBe(false)
    expect((await failure(edge.book.records.get({ id }))).details).toMatchObject({ reason: 'no-keys-here' })
    await device.sync()
    expect(await device.records.get({ id })).toMatchObject(secret)
    expect((await device.recall({ text: 'insulin' })).hits).toHaveLength(1)
    expect((await device.perceptions.query({})).records).toHaveLength(1)
    const text = await new Response(await device.export({ includeSensitive: true })).text()
    expect(text).toContain('takes insulin')
    expect(await device.seal.status()).toMatchObject({ sealed: 1, unreadable: 0 })
  })

  test('opens on every device that has the keys, whenever they come', async () => {
    const { edge, device } = await world()
    const other = openDevice(edge.carrier)
    const { id } = await edge.book.perceptions.store(secret)
    await other.sync()
    expect((await failure(other.records.get({ id }))).code).toBe('locked')
    const { text } = await device.seal.exportKeys({ passphrase })
    await other.seal.importKeys({ text, passphrase })
    expect(await other.records.get({ id })).toMatchObject(secret)
    await other.seal.guard({ passphrase })
    await other.seal.lock()
    expect((await failure(other.records.get({ id }))).details).toMatchObject({ reason: 'passphrase' })
    await other.seal.unlock({ passphrase })
    expect((await other.recall({ text: 'insulin' })).hits).toHaveLength(1)
  })

  test('of the inbox is handed out by the device that can read it, once', async () => {
    const { edge, device } = await world()
    const send = { to: 'a', text: 'takes insulin', sensitivity: 'sensitive', key: 'one' } as const
    const { id } = await edge.book.inbox.send(send)
    expect(edge.says('insulin')).toBe(false)
    expect(await edge.book.inbox.send(send)).toEqual({ id, sent: false })
    await edge.book.inbox.send({ to: 'a', text: 'good morning' })
    expect(await edge.book.inbox.list({ agent: 'a' })).toMatchObject({ messages: [{}], sealed: 1 })
    await device.sync()
    const { messages, more } = await device.inbox.take({})
    expect([messages.map(({ text }) => text), more]).toEqual([['takes insulin', 'good morning'], false])
    expect((await device.inbox.take({})).messages).toEqual([])
    await device.inbox.acknowledge({ ids: [id] })
    await device.sync()
    expect(edge.says('insulin')).toBe(false)
    expect((await device.recall({ text: 'insulin' })).hits).toEqual([])
    expect((await edge.book.recall({ text: 'insulin' })).sealed).toBeUndefined()
  })

  test('leaves nothing there by which a guess could be tried, and is stored once', async () => {
    const { edge } = await world()
    const once = { requestId: 'one' }
    const { id } = await edge.book.perceptions.store(secret, once)
    expect(await edge.book.perceptions.store(secret, once)).toMatchObject({ id })
    await edge.book.perceptions.store({ content: 'open' }, { requestId: 'two' })
    const kept = edge.engine.store.db.all<{ input: string }>(
      'SELECT input FROM applied_requests ORDER BY at, request',
    )
    expect(kept.map(({ input }) => input === '').toSorted()).toEqual([false, true])
  })

  test('is refused with a way out before the book has a public key, and nothing is stored', async () => {
    const edge = openMirror()
    const error = await failure(edge.book.perceptions.store(secret))
    expect([error.code, error.details]).toMatchObject([
      'locked',
      { reason: 'no-keys-here', missing: 'public_key' },
    ])
    expect(error.message).toContain('seal.exportKeys')
    expect((await edge.book.status()).records).toEqual({})
  })

  test('keeps its former versions readable, and comes under the usual key when it is changed', async () => {
    const { edge, device } = await world()
    const { id } = await edge.book.perceptions.store(secret)
    await device.sync()
    await device.perceptions.update({ id, updates: { content: 'takes nothing' } })
    const [first] = (await device.seal.list()).records
    expect(first?.sealed.kid).toBe((await device.seal.status()).current)
    await device.sync()
    const again = openDevice(edge.carrier)
    const { text } = await device.seal.exportKeys({ passphrase })
    await again.seal.importKeys({ text, passphrase })
    await again.sync()
    const { versions } = await device.records.history({ id })
    expect(versions.map(({ body }) => body?.['content'])).toEqual(['takes insulin', 'takes nothing'])
    expect(await again.records.get({ id })).toMatchObject({ content: 'takes nothing' })
  })

  test('keeps its former versions readable after the book was opened anew', async () => {
    const edge = openMirror()
    const [db, vault] = [lasting(memory()), openNodeVault(undefined)]
    const first = openDevice(edge.carrier, vault, db)
    await first.seal.exportKeys({ passphrase })
    await first.sync()
    const { id } = await edge.book.perceptions.store(secret)
    await first.sync()
    await first.perceptions.update({ id, updates: { content: 'takes nothing' } })
    await first.close()
    const second = openDevice(edge.carrier, vault, db)
    const { versions } = await second.records.history({ id })
    expect(versions.map(({ body }) => body?.['content'])).toEqual(['takes insulin', 'takes nothing'])
    await second.records.restore({ id, version: 1 })
    expect(await second.records.get({ id })).toMatchObject(secret)
  })

  test('comes under the new key when keys are rotated, and the old one stays until nothing can arrive under it', async () => {
    const { edge, device } = await world()
    const { id } = await edge.book.perceptions.store(secret)
    await device.sync()
    const before = (await device.seal.status()).current
    const done = new Promise<void>((resolve) => {
      device.on('progress', ({ capability, done: n, total }) => {
        if (capability !== 'seal:rotate') return
        if (n === total) resolve()
        else void device.sync()
      })
    })
    await device.seal.rotate()
    // The mirror has not heard of the new key.
    const late = await edge.book.perceptions.store({ ...secret, content: 'late' })
    await done
    await device.sync()
    expect(await device.records.get({ id: late.id })).toMatchObject({ content: 'late' })
    const { current, others } = await device.seal.status()
    expect([current === before, others]).toEqual([false, []])
    const fresh = await edge.book.perceptions.store({ ...secret, content: 'fresh' })
    await device.sync()
    expect(await device.records.get({ id: fresh.id })).toMatchObject({ content: 'fresh' })
    expect(await device.records.get({ id })).toMatchObject(secret)
  })

  test('takes no other public key than that of a device which has the keys, until the owner rotates', async () => {
    const { edge, device } = await world()
    const other = openDevice(edge.carrier)
    await other.sync()
    const own = await other.perceptions.store({ content: 'a walrus', sensitivity: 'sensitive' })
    await other.sync()
    const { id } = await edge.book.perceptions.store(secret)
    await device.sync()
    expect(await device.records.get({ id })).toMatchObject(secret)
    await other.seal.rotate()
    await other.sync()
    const next = await edge.book.perceptions.store(secret)
    await other.sync()
    expect(await other.records.get({ id: next.id })).toMatchObject(secret)
    expect(await other.records.get({ id: own.id })).toMatchObject({ content: 'a walrus' })
  })

  test('opens for the book whose keys they are, by whatever name the mirror goes', async () => {
    const edge = openMirror('another-name')
    const device = openDevice(edge.carrier)
    await device.seal.exportKeys({ passphrase })
    await device.sync()
    const { id } = await edge.book.perceptions.store(secret)
    await device.sync()
    expect(await device.records.get({ id })).toMatchObject(secret)
  })

  test('has a key of its own for each call, which the next one does not open', async () => {
    const { edge, device } = await world()
    for (const content of ['one', 'two']) await edge.book.perceptions.store({ ...secret, content })
    const rows = edge.engine.store.db.all<{ body: string }>('SELECT body FROM records WHERE kid IS NOT NULL')
    const keys = rows.map(({ body }) => (JSON.parse(body) as string[])[4]?.slice(0, 42))
    expect(new Set(keys).size).toBe(2)
    await device.sync()
    expect((await device.perceptions.query({})).records).toHaveLength(2)
  })

  test('of a body that was put in the place of another, or altered, says so and breaks nothing', async () => {
    const { edge, device } = await world()
    const one = await edge.book.perceptions.store({ ...secret, content: 'one' })
    const two = await edge.book.perceptions.store({ ...secret, content: 'two' })
    const { db } = edge.engine.store
    const other = db.get<{ body: string }>('SELECT body FROM records WHERE id = ?', [two.id])?.body ?? ''
    db.transaction(() => db.run('UPDATE records SET body = ? WHERE id = ?', [other, one.id]))
    await device.sync()
    expect((await failure(device.records.get({ id: one.id }))).details).toMatchObject({ reason: 'altered' })
    expect(await device.records.get({ id: two.id })).toMatchObject({ content: 'two' })
  })
})
