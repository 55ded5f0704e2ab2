// Calls that change the keys of a book at the same time lose no key, and no record.
import { mkdtempSync, rmSync } from 'node:fs'
import { setTimeout as pass } from 'node:timers/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { bookTable } from '../../../src/book/book-table.ts'
import { createDaybook, type Daybook } from '../../../src/book/daybook.ts'
import type { KeyVault, SqlDatabase } from '../../../src/core/ports.ts'
import { createLocalDoor } from '../../../src/doors/local-door.ts'
import { capabilityTable, kinds } from '../../../src/engine/capability-table.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { failure } from '../../contract/book-case.ts'

const passphrase = 'correct horse battery'
const folder = mkdtempSync(join(tmpdir(), 'daybook-seal-overlap-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const books: Daybook[] = []
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
})

/** A vault whose calls take some time, as in a file or in IndexedDB. */
function slowVault(): KeyVault {
  const vault = openNodeVault(undefined)
  const slowly = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await pass(4)
    const result = await work()
    await pass(4)
    return result
  }
  return {
    read: () => slowly(() => vault.read()),
    write: (text) => slowly(() => vault.write(text)),
    deviceKey: () => slowly(() => vault.deviceKey()),
  }
}

interface Place {
  readonly db: SqlDatabase
  readonly vault: KeyVault
}

/** A database that stays open after its engine closed, and a vault. */
const newPlace = (vault = slowVault()): Place => {
  const db = openNodeDatabase({ path: ':memory:' })
  return { db: { ...db, close: () => undefined }, vault }
}

function openDevice({ db, vault }: Place): Daybook {
  const engine = createEngine({
    db,
    ports: nodePorts,
    name: 'shared',
    scope: { agent: 'a' },
    durability: 'memory',
    vault,
    openMemory: () => openNodeDatabase({ path: ':memory:' }),
  })
  const book = createDaybook(
    createLocalDoor(engine, nodePorts.scheduler),
    bookTable(capabilityTable, kinds),
    globalThis,
  )
  books.push(book)
  return book
}

const store = async (book: Daybook, content = 'an elephant') =>
  (await book.perceptions.store({ content, sensitivity: 'sensitive' })).id

/** Stores records one after another. */
async function storeMany(book: Daybook, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push(await store(book, `elephant ${i}`))
  return ids
}

/** The text of another device's keys. */
async function exported(): Promise<string> {
  const other = openDevice(newPlace(openNodeVault(undefined)))
  return (await other.seal.exportKeys({ passphrase })).text
}

/** Ids of the records that can't be read in `book`. */
async function unread(book: Daybook, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => book.records.get({ id }).catch(() => undefined)))
  return ids.filter((_, i) => !found[i])
}

type Overlap = (book: Daybook, gapMs: number) => Promise<readonly string[]>
const overlaps: Readonly<Record<string, Overlap>> = {
  async 'two first sensitive records'(book, gapMs) {
    const first = store(book)
    await pass(gapMs)
    return Promise.all([first, store(book)])
  },
  async 'an export of the first keys, and facts with secrets'(book, gapMs) {
    const exporting = book.seal.exportKeys({ passphrase })
    await pass(gapMs)
    const facts = [1, 2, 3, 4, 5].map(async (i) => {
      await pass(i)
      return book.facts.store({ schema: 'x', data: { password: `hunter2hunter2${i}` } })
    })
    const ids = (await Promise.all(facts)).map(({ id }) => id)
    await exporting
    for (const id of ids) expect(JSON.stringify(await book.records.get({ id }))).toContain('hunter2hunter2')
    return ids
  },
  async 'an import, and the first sensitive record'(book, gapMs) {
    const text = await exported()
    const importing = book.seal.importKeys({ text, passphrase })
    await pass(gapMs)
    const ids = await storeMany(book, 3)
    await importing
    return ids
  },
  async 'two imports'(book, gapMs) {
    const [one, two] = [await exported(), await exported()]
    const importing = book.seal.importKeys({ text: one, passphrase })
    await pass(gapMs)
    const imports = await Promise.all([importing, book.seal.importKeys({ text: two, passphrase })])
    const { current, others } = await book.seal.status()
    expect([current, ...others].toSorted()).toEqual(imports.flatMap(({ added }) => added).toSorted())
    return [await store(book)]
  },
  async 'an unlock that makes the keys, and a sensitive record'(book, gapMs) {
    const unlocking = book.seal.unlock({ passphrase })
    await pass(gapMs)
    const id = await store(book)
    expect(await unlocking).toMatchObject({ guard: 'passphrase' })
    return [id]
  },
  async 'a new guard, and a rotation'(book, gapMs) {
    const ids = await storeMany(book, 40)
    const guarding = book.seal.guard({ passphrase })
    await pass(gapMs)
    await book.seal.rotate()
    await guarding
    expect(await book.seal.status()).toMatchObject({ guard: 'passphrase' })
    return [...ids, await store(book)]
  },
  async 'two rotations'(book, gapMs) {
    const ids = await storeMany(book, 40)
    const rotating = book.seal.rotate()
    await pass(gapMs)
    await Promise.all([rotating, book.seal.rotate()])
    return [...ids, await store(book)]
  },
  async 'a lock, and a rotation'(book, gapMs) {
    await book.seal.guard({ passphrase })
    const ids = await storeMany(book, 3)
    // The rotation fails if the lock is first.
    const rotating = Promise.allSettled([book.seal.rotate()])
    await pass(gapMs)
    await book.seal.lock()
    await rotating
    expect(await book.seal.status()).toMatchObject({ state: 'locked' })
    return ids
  },
}

describe.each(Object.entries(overlaps))('%s at the same time', (_, overlap) => {
  test.each([0, 5, 20])('lose nothing, %i ms apart', async (gapMs) => {
    const place = newPlace()
    const first = openDevice(place)
    const ids = await overlap(first, gapMs)
    if ((await first.seal.status()).state === 'locked') await first.seal.unlock({ passphrase })
    expect(await unread(first, ids)).toEqual([])
    await first.close()
    const second = openDevice(place)
    if ((await second.seal.status()).state === 'locked') await second.seal.unlock({ passphrase })
    expect(await unread(second, ids)).toEqual([])
  })
})

test('a rotation ends, also when another begins while old keys are dropped', async () => {
  const book = openDevice(newPlace())
  const ids = await storeMany(book, 10)
  let current = ''
  for (const gapMs of [10, 20, 25, 30, 35, 40, 45, 50]) {
    await pass(gapMs)
    current = (await book.seal.rotate()).current
  }
  await expect
    .poll(() => book.seal.status(), { timeout: 10_000 })
    .toMatchObject({ current, others: [], toReseal: 0 })
  expect(await unread(book, ids)).toEqual([])
})

test('a change of the keys writes nothing after its book was closed', async () => {
  const place = newPlace()
  const first = openDevice(place)
  await store(first)
  const guarding = failure(first.seal.guard({ passphrase }))
  await pass(5)
  await first.close()
  expect((await guarding).code).toBe('book-closed')
  const second = openDevice(place)
  await second.seal.rotate()
  const id = await store(second)
  await pass(400)
  await second.close()
  const third = openDevice(place)
  expect(await unread(third, [id])).toEqual([])
})

test('first sensitive records lose nothing in files, also if the book is closed before the answer', async () => {
  for (let i = 0; i < 10; i++) {
    const path = join(folder, `${i}.daybook`)
    const open = async () => {
      const book = await openDaybook({ name: 'b', path })
      books.push(book)
      return book
    }
    const first = await open()
    const storing = Promise.allSettled([store(first), store(first)])
    await pass(i)
    await first.close()
    const second = await open()
    const ids = await Promise.all([store(second), store(second)])
    for (const one of await storing) if (one.status === 'fulfilled') ids.push(one.value)
    await second.close()
    const third = await open()
    expect(await unread(third, ids)).toEqual([])
    expect(await third.seal.status()).toMatchObject({ unreadable: 0 })
  }
})

test('two calls at once get the same key of the device', async () => {
  const vault = openNodeVault(join(folder, 'device-key.daybook'))
  const [one, two] = await Promise.all([vault.deviceKey(), vault.deviceKey()])
  const nonce = new Uint8Array(12)
  expect(await two.open(nonce, '', await one.seal(nonce, '', 'an elephant'))).toBe('an elephant')
})
