// A model of this machine in a page: in a worker of its own, from the page's own server, and offline once it is cached.
import { afterEach, describe, expect, test } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { localEmbedder } from '../../src/hosts/browser/local.ts'
import { openDaybook } from '../../src/hosts/browser/page/open-daybook.ts'
import type { EmbedderOptions, LocalModelOptions } from '../../src/recall/embed/embedder-options.ts'
import { failure } from '../contract/book-case.ts'
import { makeTrace } from '../support/trace.ts'

const model = { model: 'tiny', path: '/models' }
const books: Daybook[] = []
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
})

async function open(
  more: Partial<LocalModelOptions> = {},
  name = `local-${crypto.randomUUID()}`,
): Promise<Daybook> {
  const book = await openDaybook({ name, embedder: localEmbedder({ ...model, ...more }) })
  books.push(book)
  return book
}
async function statusWhere(book: Daybook, wanted: string) {
  await expect
    .poll(async () => (await book.embedder.status()).state, { timeout: 60_000, interval: 100 })
    .toBe(wanted)
  return book.embedder.status()
}
const weightsAsked = async () => Number(await (await fetch('/models/asked')).text())

// The runtime is 27 MB of WebAssembly, compiled twice.
describe('a local model in a page', { timeout: 170_000 }, () => {
  test('is loaded in a worker of its own, tells how far it is, finds by meaning, and needs no network again', async () => {
    const told = new Set<string>()
    const book = await open()
    book.on('progress', ({ subject }) => told.add(subject))
    await book.traces.store({ ...makeTrace(), id: 't', task: { goal: 'ask a physician' } })
    expect(await statusWhere(book, 'ready')).toMatchObject({
      fingerprint: 'local|tiny q8 mean|4|true',
      embedded: 1,
    })
    // Told on a way of its own, before or after the answer.
    await expect.poll(() => [...told].sort()).toEqual(['Bytes of the model', 'Records with a vector'])
    const { hits, degraded } = await book.recall({ text: 'hospital' })
    expect([hits[0]?.record.id, hits[0]?.because.vector?.rank, degraded]).toEqual(['t', 1, []])
    expect(await book.embedder.embed({ texts: ['rain'] })).toEqual({
      embeddings: [[0, 0, 0, 1]],
      dimensions: 4,
    })
    await book.close()

    const asked = await weightsAsked()
    const offline = await open({ offline: true })
    expect((await offline.embedder.embed({ texts: ['money'] })).embeddings).toEqual([[0, 0, 1, 0]])
    expect(await weightsAsked()).toBe(asked)
  })

  test.each([
    ['no such model', { model: 'missing' }, /`missing` could not be loaded/],
    ['no runtime', { runtime: '/nowhere/transformers.js' }, /npm install @huggingface\/transformers/],
    ['not cached', { model: 'missing', offline: true }, /open the book once without/],
  ])('%s: says so, and full text answers', async (_what, more, message) => {
    const book = await open(more)
    await book.traces.store({ ...makeTrace(), id: 't', task: { goal: 'ask a physician' } })
    expect((await statusWhere(book, 'failing')).lastError?.message).toMatch(message)
    const { hits, degraded } = await book.recall({ text: 'physician' })
    expect([hits[0]?.record.id, degraded]).toEqual(['t', [expect.stringMatching(message)]])
  })

  test('without `localEmbedder` there is nothing to run it, which is said at once', async () => {
    const embedder: EmbedderOptions = { provider: 'local', ...model }
    const error = await failure(openDaybook({ name: `local-${crypto.randomUUID()}`, embedder }))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'embedder.start' } })
    expect(error.message).toContain('daybook/local')
  })
})

test('a tab whose embedder is not the one that works is told so, until it holds the book itself', async () => {
  const name = `local-${crypto.randomUUID()}`
  const owner = await openDaybook({ name })
  books.push(owner)
  const follower = await openDaybook({ name, embedder: { provider: 'lsa' } })
  books.push(follower)
  const why =
    'embedder: this tab or process was opened with `lsa`, but the one that holds the book has `none`, which is used.'
  expect(await follower.embedder.status()).toMatchObject({ provider: 'none', state: 'off', why })
  expect((await follower.status()).degraded).toEqual([why])
  const plain = await openDaybook({ name })
  books.push(plain)
  expect((await plain.status()).degraded).toEqual([])
  await plain.close()
  expect([await owner.embedder.status(), (await owner.status()).degraded]).toEqual([
    expect.not.objectContaining({ why }),
    [],
  ])
  const moved = new Promise<void>((resolve) =>
    follower.on('status', ({ owner: isMine }) => isMine && resolve()),
  )
  await owner.close()
  await moved
  expect(await follower.embedder.status()).toMatchObject({ provider: 'lsa', state: 'waiting' })
  expect((await follower.status()).degraded).toEqual([])
})
