// Vectors of a book in Node and the questions about it: a question finds by meaning at once after the opening and after a
// write, a live query follows vectors that come later, and questions in a row stop no vectors.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { type EmbedderOptions, openDaybook } from '../../../../src/hosts/node/index.ts'
import { snapshotOf } from '../../../contract/book-case.ts'
import { type EmbeddingServer, startEmbeddingServer } from '../../../support/server/embedding-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-in-time-'))
let server: EmbeddingServer
beforeAll(async () => {
  server = await startEmbeddingServer()
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})
const books: Daybook[] = []
afterEach(async () => {
  server.misbehave = undefined
  for (const book of books.splice(0)) await book.close()
})

let names = 0
const newPath = () => join(folder, `${++names}.daybook`)
async function open(path: string, embedder?: EmbedderOptions): Promise<Daybook> {
  const book = await openDaybook({ name: 'b', path, ...(embedder ? { embedder } : {}) })
  books.push(book)
  return book
}
const close = async (book: Daybook) => {
  books.splice(books.indexOf(book), 1)
  await book.close()
}
/** So that a similarity can be compared with those of other records. */
const others = [
  'buy bread and milk',
  'call the dentist on Monday',
  'the garden gets 20 mm a day',
  'book a flight to Lisbon',
  'learn the piano',
  'write to the landlord',
]
const store = (book: Daybook, content: string) => book.perceptions.store({ content })
const question = 'repair my automobile'
const embeddedOf = async (book: Daybook, count: number) => {
  await expect.poll(async () => (await book.embedder.status()).embedded, { timeout: 10_000 }).toBe(count)
}
/** The path of a closed book in which every record has its vector. */
async function filledBook(embedder?: EmbedderOptions): Promise<string> {
  const path = newPath()
  const book = await open(path, embedder)
  for (const content of ['fix my car', ...others]) await store(book, content)
  await embeddedOf(book, 1 + others.length)
  await close(book)
  return path
}
const http = (): EmbedderOptions => ({ provider: 'http', url: `${server.url}/embed`, model: 'm' })

test('the first question after the opening finds by meaning', async () => {
  const path = await filledBook()
  const first = await open(path)
  const { hits, degraded } = await first.recall({ text: question })
  expect([hits[0]?.because.vector?.rank, degraded]).toEqual([1, []])
  await close(first)
  // Also those that come at the same time.
  const second = await open(path)
  const answers = await Promise.all(Array.from({ length: 20 }, () => second.recall({ text: question })))
  expect(new Set(answers.map(({ hits, degraded }) => hits.length + degraded.length))).toEqual(new Set([1]))
})

test('the first question with the stored vectors of a server finds by meaning', async () => {
  const book = await open(await filledBook(http()), http())
  const { hits, degraded } = await book.recall({ text: 'automobile' })
  expect([hits[0]?.because.vector?.rank, degraded]).toEqual([1, []])
})

test('a question directly after a write finds the record by meaning', async () => {
  const book = await open(newPath())
  for (const content of others) await store(book, content)
  await embeddedOf(book, others.length)
  const { id } = await store(book, 'fix my car')
  const { hits, degraded } = await book.recall({ text: question })
  expect([hits[0]?.record.id, degraded]).toEqual([id, []])
  expect((await book.embedder.status()).behind).toBe(0)
})

test('questions in a row leave a turn to the vectors of a server', async () => {
  const book = await open(newPath(), http())
  await store(book, 'fix my car')
  let found = 0
  // Its vector is in a cache from the first answer on, so nothing else waits for the network.
  for (let n = 0; n < 5000 && found === 0; n += 1)
    found = (await book.recall({ text: 'automobile' })).hits.length
  expect(found).toBe(1)
})

test.each(['recall', 'context', 'conversation.recall'] as const)(
  'a live `%s` runs again when the vector of a new record arrives',
  async (method) => {
    const book = await open(newPath(), http())
    for (const content of others)
      await book.conversation.store({ message: { content, source: { User: 'u' } } })
    await embeddedOf(book, others.length)
    const input = method === 'conversation.recall' ? { query: 'automobile' } : { text: 'automobile' }
    const live = book.live({ method, input } as never)
    const countOf = (data: unknown) => JSON.stringify(data ?? '').split('fix my car').length - 1
    await snapshotOf(live, ({ status }) => status === 'ready')
    const found = snapshotOf(live, ({ data }) => countOf(data) > 0)
    // The server answers only after the live query ran for the change.
    const arrival = Promise.withResolvers<void>()
    server.misbehave = (response, texts) => {
      void arrival.promise.then(() => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ embeddings: texts.map(() => [1, 0, 0, 0]), dimensions: 4 }))
      })
    }
    await book.conversation.store({ message: { content: 'fix my car', source: { User: 'u' } } })
    expect(countOf(await book.recall({ text: 'automobile' }))).toBe(0)
    arrival.resolve()
    expect(countOf((await found).data)).toBeGreaterThan(0)
  },
)

test('a book with vectors is not ready before its table is loaded, which happens without a question', async () => {
  const path = await filledBook()
  const right = await open(path)
  expect((await right.embedder.status()).state).toBe('working')
  await expect.poll(async () => (await right.embedder.status()).state, { timeout: 10_000 }).toBe('ready')
  await close(right)
  const wrong = await open(path, { provider: 'meaning', path: join(folder, 'missing.bin') })
  await expect
    .poll(async () => (await wrong.embedder.status()).state, { timeout: 10_000 })
    .toMatch(/ready|failing/)
  const { state, lastError } = await wrong.embedder.status()
  expect([state, lastError?.message]).toEqual(['failing', expect.stringContaining('missing.bin')])
})
