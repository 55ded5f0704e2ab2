// The running edge as an outsider meets it, over sockets of its own: workerd behind a port, as `npm start` runs it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bookAddressCases } from '../contract/access/book-address.ts'
import { rawTickets } from '../contract/access/raw-ticket.ts'
import { ticketCases } from '../contract/access/ticket.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/server/identity-provider.ts'
import { clientFrame, opcodes, openRawLine } from '../support/server/raw-line.ts'
import { askRaw } from '../support/server/raw-request.ts'
import { type RunningEdge, startEdge } from './running-edge.ts'

const key = 'test-key-0123456789'
let provider: IdentityProvider
let edge: RunningEdge
beforeAll(async () => {
  provider = await startIdentityProvider()
  edge = await startEdge({ DAYBOOK_KEY: key, ...provider.settings })
}, 90_000)
afterAll(async () => {
  await edge[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

describe('without a key', () => {
  let open: RunningEdge
  beforeAll(async () => {
    open = await startEdge({})
  }, 90_000)
  afterAll(() => open[Symbol.asyncDispose]())
  const status = (headers: Record<string, string> = {}) => {
    const target = '/v1/books/dev/capabilities/daybook:status'
    return askRaw(open.port, { target, key: 'development', body: {}, headers }).then(
      (answer) => answer.status,
    )
  }

  it('lets in who calls from this machine', async () => {
    expect(await status()).toBe(200)
    expect(await status({ host: 'localhost' })).toBe(200)
  })

  it.each([
    ['Forwarded', 'for=203.0.113.7'],
    ['X-Forwarded-For', '203.0.113.7'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Real-IP', '203.0.113.7'],
    ['Via', '1.1 proxy'],
    ['CF-Connecting-IP', '203.0.113.7'],
  ])('lets in nobody whom a proxy has passed on: %s: %s', async (name, value) => {
    expect(await status({ [name]: value })).toBe(401)
  })

  it('lets in no page of another port of this machine', async () => {
    expect(await status({ origin: 'http://localhost:5173' })).toBe(401)
    expect(await status({ origin: `http://127.0.0.1:${open.port}` })).toBe(200)
  })

  it('lets in nobody who calls it by another name', async () => {
    expect(await status({ host: 'daybook.example.org' })).toBe(403)
  })
})

describe('a flood on a line', () => {
  // Each has an edge of its own: one that still reads an earlier flood may answer after a ticket has expired.
  let edge: RunningEdge
  beforeEach(async () => {
    edge = await startEdge({ DAYBOOK_KEY: key })
  }, 90_000)
  afterEach(() => edge[Symbol.asyncDispose]())
  const lineOf = async (book: string) => {
    const answer = await fetch(`http://127.0.0.1:${edge.port}/v1/books/${book}/live`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ device: 'd_flood', for: ['room'] }),
    })
    const { ticket } = (await answer.json()) as { ticket: string }
    return openRawLine(`http://127.0.0.1:${edge.port}`, book, ticket)
  }
  const many = (frame: Buffer) => Buffer.concat(Array.from({ length: 6000 }, () => frame))
  const status = () =>
    askRaw(edge.port, { target: '/v1/books/honest/capabilities/daybook:status', key, body: {} })

  it('of frames ends it with a code', async () => {
    const line = await lineOf('flooded')
    await line.flood(many(clientFrame(opcodes.text, '{"type":"later"}')), 2_000_000)
    expect(await line.goodbye()).toBe(4429)
    line.socket.destroy()
    expect((await status()).status).toBe(200)
  })

  it.each([
    ['heartbeats', clientFrame(opcodes.text, 'ping')],
    ['pings', clientFrame(opcodes.ping)],
  ])(
    'of %s that reads no answer leaves an honest caller of another book its answers',
    async (_name, frame) => {
      const line = await lineOf('flooded')
      line.socket.pause()
      const flooding = line.flood(many(frame), 4_000_000)
      for (let i = 0; i < 30; i++) expect((await status()).status).toBe(200)
      line.socket.destroy()
      await flooding
      expect((await status()).status).toBe(200)
    },
  )
})

it('with a key that can be guessed, lets nobody in and says why', async () => {
  await using guessable = await startEdge({ DAYBOOK_KEY: 'fifteen-letters' })
  const target = '/v1/books/dev/capabilities/daybook:status'
  for (const bearer of ['fifteen-letters', 'development']) {
    const answer = await askRaw(guessable.port, { target, key: bearer, body: {} })
    expect(answer.status).toBe(401)
    expect(answer.text).toMatch(/DAYBOOK_KEY.*16 characters/)
  }
})

describe('tickets', () => {
  ticketCases(rawTickets(key, () => edge.port))
})

describe('a token for one book', () => {
  bookAddressCases({
    key,
    sign: (claims) => provider.sign(claims),
    ask: (request) => askRaw(edge.port, request),
  })
})
