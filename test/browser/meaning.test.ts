// `daybook/meaning` in a page: the table is fetched after the opening, stored for offline use, and checked.
import { afterEach, expect, test } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { meaning } from '../../src/hosts/browser/meaning.ts'
import { openDaybook } from '../../src/hosts/browser/page/open-daybook.ts'
import type { EmbedderOptions, MeaningOptions } from '../../src/recall/embed/embedder-options.ts'
import { failure } from '../contract/book-case.ts'
import { smallTable } from '../support/meaning-table.ts'
import { makeTrace } from '../support/trace.ts'

const cacheName = 'daybook-meaning'
const books: Daybook[] = []
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
  await caches.delete(cacheName)
})

async function open(options: Partial<MeaningOptions>): Promise<Daybook> {
  const embedder = meaning({ model: 'small-1', minSimilarity: 0.5, ...options })
  const book = await openDaybook({ name: `meaning-${crypto.randomUUID()}`, embedder })
  books.push(book)
  return book
}
const storeTable = async (url: string, bytes: Uint8Array = smallTable()) =>
  (await caches.open(cacheName)).put(url, new Response(bytes as Uint8Array<ArrayBuffer>))
const storeGoal = (book: Daybook, goal: string) =>
  book.traces.store({
    ...makeTrace({ id: 't', task: { goal } }),
    situation: { domain: 'weather', context: {} },
    action: { type: 'fix' },
    result: { success: true, outcome: {} },
  })
const stateOf = async (book: Daybook, wanted: string) => {
  await expect
    .poll(async () => (await book.embedder.status()).state, { timeout: 60_000, interval: 50 })
    .toBe(wanted)
}

test('a stored table serves without its server, and finds by meaning', async () => {
  const url = new URL('/nowhere/small.bin', location.href).href
  await storeTable(url)
  const book = await open({ url: '/nowhere/small.bin' })
  await storeGoal(book, 'the weather is nice')
  await stateOf(book, 'ready')
  expect(await book.embedder.status()).toMatchObject({
    fingerprint: 'meaning|small-1|20|true',
    embedded: 1,
  })
  const { hits, degraded } = await book.recall({ text: 'is the weather nice?' })
  expect([hits[0]?.because.vector?.rank, degraded]).toEqual([1, []])
})

test('the table is fetched and stored before the first text, for a page that is offline by then', async () => {
  const embedder = meaning()
  const book = await openDaybook({ name: `meaning-${crypto.randomUUID()}`, embedder })
  books.push(book)
  const { url = '' } = embedder
  const isStored = async () => (await (await caches.open(cacheName)).match(url)) !== undefined
  expect(await isStored()).toBe(false)
  await expect.poll(isStored, { timeout: 60_000, interval: 50 }).toBe(true)
  await stateOf(book, 'ready')
  expect((await book.status()).records).toEqual({})
})

test('a stored copy that is damaged is fetched again, and a table that is not there is named', async () => {
  const url = new URL('/nowhere/damaged.bin', location.href).href
  await storeTable(url, smallTable().slice(1))
  const book = await open({ url })
  await storeGoal(book, 'the weather is nice')
  await stateOf(book, 'failing')
  const { lastError } = await book.embedder.status()
  // Vite's server answers any address with the page of the app.
  expect(lastError?.message).toMatch(
    /is no table of daybook\/meaning|is not at http.*\/nowhere\/damaged\.bin/,
  )
  const { hits, degraded } = await book.recall({ text: 'weather' })
  expect([hits.length, degraded]).toEqual([1, [`vectors: ${lastError?.message}`]])
  // It is tried again without a call.
  await storeTable(url)
  await stateOf(book, 'ready')
})

test('without a connection words answer, which is no failure, and the table is tried again', async () => {
  // Nothing listens there.
  const url = 'http://127.0.0.1:9/small.bin'
  const book = await open({ url })
  await storeGoal(book, 'the weather is nice')
  await expect
    .poll(async () => (await book.embedder.status()).why, { timeout: 60_000, interval: 50 })
    .toMatch(/can not be reached, or does not allow/)
  const { state, lastError } = await book.embedder.status()
  expect([state, lastError]).toEqual(['waiting', undefined])
  const { hits, degraded } = await book.recall({ text: 'weather' })
  expect([hits.length, degraded]).toEqual([1, [expect.stringMatching(/can not be reached/)]])
  await storeTable(url)
  await stateOf(book, 'ready')
  expect((await book.recall({ text: 'weather' })).degraded).toEqual([])
})

test.each([
  [{ url: '' }, 'embedder.url'],
  [{ url: 5 }, 'embedder.url'],
  [{ url: 'http://a b/c.bin' }, 'embedder.url'],
  [{ url: 'ftp://example.org/a.bin' }, 'embedder.url'],
  [{ assets: 5 }, 'embedder.assets'],
  [{ assets: '::' }, 'embedder.assets'],
  [{ assets: '/daybook/', url: '/a.bin' }, 'embedder.assets'],
  [{ path: 'a.bin' }, 'embedder.path'],
])('`meaning(%j)` is refused at once', (options, path) => {
  expect(() => meaning(options as never)).toThrow(
    expect.objectContaining({ code: 'invalid-input', details: { path } }),
  )
})

test('an address is relative to the page', () => {
  expect(meaning({ url: 'a/b.bin?v=1' }).url).toBe(new URL('a/b.bin?v=1', location.href).href)
  expect(meaning({ assets: '/daybook' }).url).toBe(new URL('/daybook/meaning.bin', location.href).href)
  expect(meaning().url).toMatch(/meaning\.bin/)
})

test('without `meaning` there is no address of a table, which is said at once', async () => {
  const embedder: EmbedderOptions = { provider: 'meaning' }
  const error = await failure(openDaybook({ name: `meaning-${crypto.randomUUID()}`, embedder }))
  expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'embedder.url' } })
  expect(error.message).toContain('daybook/meaning')
})

test('calls are answered while many vectors are made, and a guest is too', async () => {
  const url = new URL('/nowhere/small.bin', location.href).href
  await storeTable(url)
  const book = await open({ url: '/nowhere/small.bin' })
  const goals = Array.from({ length: 3000 }, (_, i) => ({
    ...makeTrace({ id: `t-${i}`, task: { goal: 'the weather is nice' } }),
    situation: { domain: 'weather', context: {} },
    action: { type: 'note' },
  }))
  for (let from = 0; from < goals.length; from += 1000)
    await book.traces.storeMany({ traces: goals.slice(from, from + 1000) })
  const { token } = await book.tokens.grant({
    scope: 'trace:weather',
    permissions: ['read'],
    granted_to: 'guest',
    expires_at: '2099-01-01T00:00:00Z',
  })
  const guest = await book.with({ as: token.token_id })
  expect((await guest.recall({ text: 'nice weather', distinct: false })).hits.length).toBeGreaterThan(0)
  const seen = new Set<number>()
  for (let behind = 1; behind > 0;) {
    behind = (await book.embedder.status()).behind
    seen.add(behind)
  }
  expect(seen.size).toBeGreaterThan(3)
})
