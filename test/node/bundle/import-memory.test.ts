// Bundles that would fill the memory, and imports that are given up: nothing of them stays.
import { afterEach, expect, it } from 'vitest'
import { openSite, closeSites } from '../memory/conversation/site.ts'
import { failure } from '../../contract/book-case.ts'
import { createTestTime } from '../../support/test-engine.ts'

afterEach(closeSites)

const head = '"format":"kstar-bundle","version":"1.0.0"'

it('refuses a bundle of more lists than there can be kinds, while it reads them', async () => {
  const { book } = openSite(createTestTime().ports)
  const lists = Array.from({ length: 5000 }, (_, n) => `"l${n}":[]`).join()
  const error = await failure(book.import(`{${head},"memory":{${lists}}}`, { kinds: ['traces'] }))
  expect([error.code, error.details]).toEqual(['too-large', { path: 'memory', limit: 1000 }])
})

it('refuses a bundle of many empty records out of order, while it reads them', async () => {
  const { book } = openSite(createTestTime().ports)
  const records = Array.from({ length: 250_000 }, () => '{}').join()
  const error = await failure(book.import(`{${head},"memory":{"traces":[${records}]}}`))
  expect([error.code, error.details['path']]).toEqual(['too-large', 'memory.traces.200000'])
})

/** The first part of a bundle, with some whole records. */
async function beginning() {
  const { book } = openSite(createTestTime().ports)
  for (let n = 0; n < 300; n++) await book.perceptions.store({ content: `Seen ${n} ${'x'.repeat(500)}` })
  const text = await new Response((await book.export()) as ReadableStream).text()
  return [text.slice(0, 60_000), text.slice(60_000, 120_000)] as const
}

it('leaves nothing staged when its first piece is aborted', async () => {
  const { ports, pass } = createTestTime()
  const { engine } = openSite(ports)
  const [text] = await beginning()
  const abort = new AbortController()
  engine.on(({ name }) => name === 'progress' && abort.abort())
  const call = engine.call('bundle:import', { text, more: true }, { signal: abort.signal })
  expect((await failure(call)).code).toBe('aborted')
  await pass(1000)
  expect(engine.store.db.get('SELECT count(*) AS n FROM staged')).toEqual({ n: 0 })
})

it('leaves nothing staged when it is cancelled while a piece is read', async () => {
  const { ports, pass } = createTestTime()
  const { engine } = openSite(ports)
  const [text, next] = await beginning()
  const { cursor } = (await engine.call('bundle:import', { text, more: true })) as { cursor: string }
  expect(engine.store.db.get('SELECT count(*) AS n FROM staged')).not.toEqual({ n: 0 })
  const reading = engine.call('bundle:import', { text: next, more: true, cursor }).catch(() => undefined)
  await engine.call('bundle:import', { text: '', cursor, cancel: true })
  await reading
  await pass(1000)
  expect(engine.store.db.get('SELECT count(*) AS n FROM staged')).toEqual({ n: 0 })
})
