// `daybook serve` as an outsider meets it, over sockets of its own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bookAddressCases } from '../../../../contract/access/book-address.ts'
import { startEmbeddingServer } from '../../../../support/server/embedding-server.ts'
import { rawTickets } from '../../../../contract/access/raw-ticket.ts'
import { ticketCases } from '../../../../contract/access/ticket.ts'
import { type IdentityProvider, startIdentityProvider } from '../../../../support/server/identity-provider.ts'
import { askRaw, type RawRequest } from '../../../../support/server/raw-request.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { key, closing, start, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(`The door of \`daybook serve\`${skipped}`, { timeout: 170_000 }, () => {
  let provider: IdentityProvider
  beforeAll(async () => {
    await open()
    provider = await startIdentityProvider()
  })
  afterAll(async () => {
    await close()
    await provider[Symbol.asyncDispose]()
  })
  const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port)

  describe('without a key', () => {
    let port = 0
    beforeAll(async () => {
      port = portOf(await start({ key: undefined }))
    })
    const status = (more: Partial<RawRequest> = {}) => {
      const target = '/v1/books/dev/capabilities/daybook:status'
      return askRaw(port, { target, key: 'development', body: {}, ...more }).then((answer) => answer.status)
    }

    it('lets in who calls from this machine with the development key, and nobody else', async () => {
      expect(await status()).toBe(200)
      expect(await status({ headers: { host: 'localhost' } })).toBe(200)
      expect(await status({ key: 'developmen' })).toBe(401)
    })

    it.each([
      ['Forwarded', 'for=203.0.113.7;proto=https'],
      ['X-Forwarded-For', '203.0.113.7'],
      ['x-forwarded-for', '127.0.0.1'],
      ['X-FORWARDED-FOR', ''],
      ['X-Real-IP', '203.0.113.7'],
      ['X-Forwarded-Host', 'daybook.example.org'],
      ['X-Forwarded-Proto', 'https'],
      ['Via', '1.1 proxy'],
      ['X-Client-IP', '203.0.113.7'],
      ['CF-Connecting-IP', '203.0.113.7'],
      ['CF-Ray', '8f00ba4'],
    ])('lets in nobody whom a proxy has passed on: %s: %s', async (name, value) => {
      const headers = { [name]: value }
      expect(await status({ headers })).toBe(401)
      const live = { target: '/v1/books/dev/live', body: { device: 'd_x' } }
      expect(await status({ ...live, headers })).toBe(401)
      expect(await status({ target: '/embed', body: { texts: ['x'] }, headers })).toBe(401)
    })

    it('lets in nobody through a proxy that says nothing but its age', async () => {
      expect(await status({ version: '1.0' })).toBe(401)
    })

    it('believes no name that the caller gives it', async () => {
      expect(await status({ headers: { host: 'daybook.example.org' } })).toBe(403)
      const target = '//localhost/v1/books/dev/live'
      const upgrade = {
        connection: 'upgrade',
        upgrade: 'websocket',
        host: 'evil.example.org',
      }
      const answer = await askRaw(port, { method: 'GET', target, headers: upgrade })
      expect(answer.status).toBe(403)
    })
  })

  it('with a key, takes it from whoever has it, also through a proxy of this machine', async () => {
    const port = portOf(await start())
    const target = '/v1/books/keyed/capabilities/daybook:status'
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' }
    expect((await askRaw(port, { target, key, body: {}, headers })).status).toBe(200)
    expect((await askRaw(port, { target, key, body: {}, version: '1.0' })).status).toBe(200)
    expect((await askRaw(port, { target, key: 'development', body: {} })).status).toBe(401)
  })

  it('answers `/embed` to its key and to owners of books, within the rate of each', async () => {
    const embedder = await startEmbeddingServer()
    closing.push(() => embedder.close())
    const settings = {
      ...provider.settings,
      DAYBOOK_EMBED_PROVIDER: 'http',
      DAYBOOK_EMBED_URL: embedder.url,
      DAYBOOK_RATE: '3/0.001',
    }
    const port = portOf(await start({ settings }))
    const ask = (bearer: string) =>
      askRaw(port, { target: '/embed', key: bearer, body: { texts: ['x'] } }).then(({ status }) => status)
    const owner = { sub: 'owner', daybook: { books: 'embedding', owner: true } }
    const reader = { sub: 'reader', daybook: { books: 'embedding', permissions: ['**'] } }
    expect(await ask(await provider.sign({ sub: 'anybody' }))).toBe(403)
    expect(await ask(await provider.sign(reader))).toBe(403)
    for (const bearer of [key, await provider.sign(owner)]) {
      const statuses = [await ask(bearer), await ask(bearer), await ask(bearer), await ask(bearer)]
      expect(statuses).toEqual([200, 200, 200, 429])
    }
  })

  describe('tickets, asked for at one process and shown to another,', () => {
    const ports: number[] = []
    beforeAll(async () => {
      ports.push(portOf(await start()), portOf(await start()))
    })
    ticketCases(rawTickets(key, (turn) => ports[turn % 2] ?? 0))
  })

  describe('a token for one book', () => {
    let port = 0
    beforeAll(async () => {
      port = portOf(await start({ settings: provider.settings }))
    })
    bookAddressCases({
      key,
      sign: (claims) => provider.sign(claims),
      ask: (request) => askRaw(port, request),
    })
  })
})
