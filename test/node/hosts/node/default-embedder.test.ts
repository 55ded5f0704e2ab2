// A book in Node whose options name no embedder finds by meaning, with the table of the package.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { neverAborted } from '../../../../src/core/abort.ts'
import { type EmbedderOptions, type NodeBookOptions, openDaybook } from '../../../../src/hosts/node/index.ts'
import { defaultEmbedderSource, noneIfOwner } from '../../../../src/hosts/node/model/default-embedder.ts'
import { type EmbeddingServer, startEmbeddingServer } from '../../../support/server/embedding-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-default-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const books: Daybook[] = []
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
})

let names = 0
const newName = () => `b${++names}`
const pathOf = (name: string) => join(folder, `${name}.daybook`)
async function open(name: string, options: Partial<NodeBookOptions> = {}): Promise<Daybook> {
  const book = await openDaybook({ name, path: pathOf(name), ...options })
  books.push(book)
  return book
}
const close = async (book: Daybook) => {
  books.splice(books.indexOf(book), 1)
  await book.close()
}
const store = (book: Daybook, content: string) => book.perceptions.store({ content })
/** So that a similarity can be compared with those of other records. */
const others = [
  'buy bread and milk',
  'call the dentist on Monday',
  'the garden gets 20 mm a day',
  'book a flight to Lisbon',
  'learn the piano',
  'write to the landlord',
]
const storeOthers = async (book: Daybook) => {
  for (const content of others) await store(book, content)
}
const stateOf = async (book: Daybook, state: string) => {
  await expect.poll(async () => (await book.embedder.status()).state, { timeout: 10_000 }).toBe(state)
}
const embeddedOf = async (book: Daybook, count: number) => {
  await expect.poll(async () => (await book.embedder.status()).embedded, { timeout: 10_000 }).toBe(count)
}
const none: EmbedderOptions = { provider: 'none' }
const question = 'repair my automobile'

describe('without the option', () => {
  test('recall compares word by word, also in a book of records that are alike', async () => {
    const book = await open(newName())
    const things =
      'kettle rug saw mirror tripod whisk globe hammock lantern pillow drill vase clock stool bench tent rope'
        .concat(' sledge kite drum flute puzzle atlas')
        .split(' ')
    for (const thing of things) await store(book, `I bought a ${thing} at the market.`)
    await embeddedOf(book, things.length)
    expect((await book.recall({ text: 'what did I buy?' })).hits.length).toBeGreaterThan(5)
    expect((await book.recall({ text: 'what did I eat?' })).hits).toEqual([])
  })

  test('gibberish finds nothing, though its pieces are near to those of a foreign word', async () => {
    const book = await open(newName())
    await store(book, 'Ich habe „Tschick“ zum zweiten Mal gelesen.')
    await storeOthers(book)
    await embeddedOf(book, 1 + others.length)
    for (const text of ['zmxncb', 'asdkjh qwoeiu zmxncb'])
      expect((await book.recall({ text })).hits).toEqual([])
  })

  test('recall finds by meaning, also in memory', async () => {
    for (const path of [pathOf(newName()), ':memory:']) {
      const book = await open('meaning', { path })
      expect(await book.embedder.status()).toMatchObject({ provider: 'meaning', state: 'ready' })
      const { id } = await store(book, 'fix my car')
      await storeOthers(book)
      await embeddedOf(book, 1 + others.length)
      const { hits, degraded } = await book.recall({ text: question })
      expect([hits[0]?.record.id, hits[0]?.because.vector?.rank, degraded]).toEqual([id, 1, []])
      expect((await book.status()).degraded).toEqual([])
      await close(book)
    }
  })

  test('the embedder is the same as with the option', async () => {
    const parts = { fingerprint: () => undefined, onLoading: () => undefined } as never
    const embedder = defaultEmbedderSource()?.open(parts)
    await embedder?.embed(['fix my car'], 'document', neverAborted)
    expect(embedder?.agreement?.(question, 'fix my car')).toBeGreaterThan(0)
    expect(embedder?.isLoaded).toBe(true)
    embedder?.close()
  })

  test('`none` is words only', async () => {
    const book = await open(newName(), { embedder: none })
    await store(book, 'fix my car')
    await storeOthers(book)
    expect(await book.embedder.status()).toMatchObject({ provider: 'none', state: 'off', embedded: 0 })
    expect((await book.recall({ text: question })).hits).toEqual([])
  })
})

describe('a book that has vectors of another embedder', () => {
  let server: EmbeddingServer
  beforeAll(async () => {
    server = await startEmbeddingServer()
  })
  afterAll(() => server.close())

  test('keeps them; words answer, and the status says what to do', async () => {
    const name = newName()
    const embedder = { provider: 'http', url: `${server.url}/embed`, model: 'chosen' } as const
    const first = await open(name, { embedder })
    await store(first, 'fix my car')
    await embeddedOf(first, 1)
    const { fingerprint } = await first.embedder.status()
    expect(fingerprint).toMatch(/^http\|chosen\|/)
    await close(first)

    const without = await open(name)
    await store(without, 'fix the roof of the car')
    await stateOf(without, 'waiting')
    const { why, ...status } = await without.embedder.status()
    expect(why).toMatch(/^This book has vectors of `http\|chosen`, and was opened without `embedder`/)
    expect(status.fingerprint).toBeUndefined()
    const { hits, degraded } = await without.recall({ text: 'fix the car' })
    expect([hits.length, hits.some(({ because }) => because.vector), degraded]).toEqual([2, false, []])
    await close(without)

    const again = await open(name, { embedder })
    await embeddedOf(again, 2)
    expect((await again.embedder.status()).fingerprint).toBe(fingerprint)
    await close(again)

    const replaced = await open(name, { embedder: { provider: 'meaning' } })
    await embeddedOf(replaced, 2)
    expect((await replaced.embedder.status()).fingerprint).toMatch(/^meaning\|/)
    await close(replaced)
    await stateOf(await open(name), 'ready')
  })
})

describe('several processes', () => {
  const differs = async (book: Daybook) => (await book.status()).degraded

  test('a process without the option takes what the owner has, and asks for nothing else', async () => {
    for (const embedder of [undefined, none, { provider: 'lsa' } as const]) {
      const name = newName()
      await open(name, { embedder })
      const second = await open(name)
      expect([embedder, (await second.status()).owner, await differs(second)]).toEqual([embedder, false, []])
    }
  })

  test('a process that names one reads that the owner has another', async () => {
    const name = newName()
    await open(name)
    expect(await differs(await open(name, { embedder: none }))).toEqual([
      'embedder: this tab or process was opened with `none`, but the one that holds the book has `meaning`, which is used.',
    ])
    expect(await differs(await open(name, { embedder: { provider: 'meaning' } }))).toEqual([])
  })

  test('a command without vectors asks for nothing else, and has no embedder as the owner', async () => {
    const name = newName()
    const owner = await open(name)
    const command = await open(name, { embedder: noneIfOwner })
    expect(await differs(command)).toEqual([])
    await close(owner)
    await expect.poll(async () => (await command.status()).owner).toBe(true)
    expect(await command.embedder.status()).toMatchObject({ provider: 'none', state: 'off' })
  })

  test('a process without it embeds when it becomes the owner', async () => {
    const name = newName()
    const first = await open(name, { embedder: none })
    const second = await open(name)
    await store(second, 'fix my car')
    await storeOthers(second)
    expect((await second.embedder.status()).state).toBe('off')
    await close(first)
    await embeddedOf(second, 1 + others.length)
    expect((await second.recall({ text: question })).hits).toHaveLength(1)
  })
})

test('a sealed record has no vector, and is found by words while its book is open', async () => {
  const book = await open(newName(), { passphrase: 'correct horse battery' })
  await book.perceptions.store({ content: 'fix my car', sensitivity: 'sensitive' })
  await book.perceptions.store({ content: 'buy bread and milk' })
  await embeddedOf(book, 1)
  expect((await book.recall({ text: question })).hits).toEqual([])
  expect((await book.recall({ text: 'car' })).hits).toHaveLength(1)
  await book.seal.lock()
  expect((await book.recall({ text: 'car' })).hits).toEqual([])
  expect((await book.recall({ text: 'loaf of bread' })).hits).toHaveLength(1)
})
