// The keys of one book on two devices, and what becomes of them when one of the devices ends in the middle.
import { afterEach, describe, expect, test } from 'vitest'
import { failure } from '../../contract/book-case.ts'
import type { Carrier, KeyVault, SqlDatabase } from '../../../src/core/ports.ts'
import { bookTable } from '../../../src/book/book-table.ts'
import { createDaybook, type Daybook } from '../../../src/book/daybook.ts'
import { capabilityTable, kinds } from '../../../src/engine/capability-table.ts'
import { createLocalDoor } from '../../../src/doors/local-door.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'

const passphrase = 'correct horse battery'
const books: Daybook[] = []
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
})

/** Survives the engine over it. */
const lasting = (db: SqlDatabase): SqlDatabase => ({ ...db, close: () => undefined })

function openDevice(
  carrier?: Carrier,
  { db = openNodeDatabase({ path: ':memory:' }), vault = openNodeVault(undefined), name = 'shared' } = {},
): Daybook {
  const engine = createEngine({
    db,
    ports: nodePorts,
    name,
    scope: { agent: 'a' },
    durability: 'memory',
    vault,
    openMemory: () => openNodeDatabase({ path: ':memory:' }),
    ...(carrier ? { carrier } : {}),
  })
  const book = createDaybook(
    createLocalDoor(engine, nodePorts.scheduler),
    bookTable(capabilityTable, kinds),
    globalThis,
  )
  books.push(book)
  return book
}

function openMirror(): Carrier {
  const db = openNodeDatabase({ path: ':memory:' })
  const scope = { agent: 'edge' }
  const engine = createEngine({
    db,
    ports: nodePorts,
    name: 'shared',
    scope,
    durability: 'memory',
    role: 'mirror',
  })
  const mirror = new SyncMirror({ store: engine.store, ...nodePorts })
  return {
    exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
}

/** Resolves when everything lies under the new key and the old one is gone. */
const rotated = (book: Daybook) =>
  new Promise<void>((resolve) => {
    book.on('progress', ({ capability, done, total }) => {
      if (capability === 'seal:rotate' && done === total) resolve()
    })
  })

/** Resolves when something was sealed anew. */
const resealed = (book: Daybook) =>
  new Promise<void>((resolve) => {
    book.on('progress', ({ capability }) => {
      if (capability === 'seal:rotate') resolve()
    })
  })

describe('the keys of a book', () => {
  test('open on another device what waited there sealed', async () => {
    const carrier = openMirror()
    const [one, two] = [openDevice(carrier), openDevice(carrier)]
    const { id } = await one.perceptions.store({ content: 'an elephant', sensitivity: 'sensitive' })
    // Before it has met the other, the second device makes a key of its own.
    const own = await two.perceptions.store({ content: 'a walrus', sensitivity: 'sensitive' })
    await one.sync()
    await two.sync()
    await one.sync()
    expect((await failure(two.records.get({ id }))).details).toMatchObject({ reason: 'key-missing' })
    expect(await two.seal.status()).toMatchObject({ state: 'open', sealed: 2, unreadable: 1 })
    const { text } = await one.seal.exportKeys({ passphrase })
    expect(text).not.toContain('secret')
    expect((await failure(two.seal.importKeys({ text, passphrase: 'another one' }))).code).toBe(
      'wrong-passphrase',
    )
    expect(
      (await failure(two.seal.importKeys({ text: text.replace('"ct":"', '"ct":"AAAA'), passphrase }))).code,
    ).toBe('wrong-passphrase')
    expect((await failure(two.seal.importKeys({ text: 'nothing', passphrase }))).code).toBe('invalid-input')
    const other = openDevice(undefined, { name: 'other' })
    expect((await failure(other.seal.importKeys({ text, passphrase }))).details['path']).toBe('text.book')
    const [begun, done] = [resealed(two), rotated(two)]
    expect((await two.seal.importKeys({ text, passphrase })).added).toHaveLength(1)
    expect(await two.records.get({ id })).toMatchObject({ content: 'an elephant' })
    expect((await two.recall({ text: 'elephant' })).hits).toHaveLength(1)
    // What only the second could read comes under the key that both have, and its own goes when the mirror has that.
    await begun
    await two.sync()
    await done
    await two.sync()
    await one.sync()
    expect(await one.records.get({ id: own.id })).toMatchObject({ content: 'a walrus' })
    expect((await two.seal.status()).current).toBe((await one.seal.status()).current)
    expect((await two.seal.importKeys({ text, passphrase })).added).toEqual([])
  })

  test('are replaced to the end, also when the engine ends in the middle', async () => {
    const [db, vault] = [lasting(openNodeDatabase({ path: ':memory:' })), openNodeVault(undefined)]
    const first = openDevice(undefined, { db, vault })
    for (let i = 0; i < 80; i++)
      await first.perceptions.store({ content: `elephant ${i}`, sensitivity: 'sensitive' })
    const begun = resealed(first)
    const { current } = await first.seal.rotate()
    await begun
    await first.close()
    const left = db.get<{ n: number }>('SELECT count(*) AS n FROM records WHERE kid <> ?', [current])?.n ?? 0
    expect(left).toBeGreaterThan(0)
    const second = openDevice(undefined, { db, vault })
    const done = rotated(second)
    expect(await second.seal.status()).toMatchObject({ unreadable: 0, toReseal: left })
    await done
    expect(await second.seal.status()).toMatchObject({ current, others: [], toReseal: 0, unreadable: 0 })
    expect((await second.perceptions.query({ limit: 100 })).records).toHaveLength(80)
  })

  test('are kept before anything is sealed with them: a vault that fails loses nothing', async () => {
    const kept = openNodeVault(undefined)
    let fails = true
    const vault: KeyVault = {
      ...kept,
      write: (text) => (fails ? Promise.reject(new Error('full')) : kept.write(text)),
    }
    const book = openDevice(undefined, { vault })
    await expect(
      book.perceptions.store({ content: 'an elephant', sensitivity: 'sensitive' }),
    ).rejects.toThrow('full')
    expect((await book.status()).records).toEqual({})
    fails = false
    const { id } = await book.perceptions.store({ content: 'an elephant', sensitivity: 'sensitive' })
    expect(await book.records.get({ id })).toMatchObject({ content: 'an elephant' })
  })

  test('open a body in its place alone: not another record, kind or book', async () => {
    const [db, vault] = [lasting(openNodeDatabase({ path: ':memory:' })), openNodeVault(undefined)]
    const book = openDevice(undefined, { db, vault })
    const one = await book.perceptions.store({ content: 'an elephant', sensitivity: 'sensitive' })
    const two = await book.perceptions.store({ content: 'a walrus', sensitivity: 'sensitive' })
    db.run('UPDATE records SET body = (SELECT body FROM records WHERE id = ?) WHERE id = ?', [two.id, one.id])
    expect((await failure(book.records.get({ id: one.id }))).details).toMatchObject({ reason: 'altered' })
    db.run("UPDATE records SET kind = 'fact' WHERE id = ?", [two.id])
    expect((await failure(book.records.get({ id: two.id }))).details).toMatchObject({ reason: 'altered' })
    db.run("UPDATE records SET kind = 'perception' WHERE id = ?", [two.id])
    expect(await book.records.get({ id: two.id })).toMatchObject({ content: 'a walrus' })
  })

  test('are of no use to a guest', async () => {
    const book = openDevice()
    for (const id of [
      'seal:status',
      'seal:list',
      'seal:unlock',
      'seal:lock',
      'seal:export_keys',
      'seal:rotate',
    ])
      expect(capabilityTable.find((one) => one.id === id)).not.toHaveProperty('permission')
    expect(await book.seal.status()).toMatchObject({ state: 'unused' })
  })
})
