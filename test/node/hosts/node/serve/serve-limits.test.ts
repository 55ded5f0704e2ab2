// What `daybook serve` gives to one client: connections, time, and a good end of requests that it does not read.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postInPieces } from '../post-in-pieces.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { key, start, ask, open, close, closing } = createServeWorld()

/** Everything that came until the other side ended it. */
async function said(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (part: string) => (text += part))
  socket.on('error', () => undefined)
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return text
}

const portOf = (url: string) => Number(new URL(url).port)

describe.skipIf(skipped !== '')(`Limits of \`daybook serve\`${skipped}`, { timeout: 60_000 }, () => {
  beforeAll(open)
  afterAll(close)

  it('end a client that sends its request slowly, or nothing', async () => {
    const { url } = await start({ limits: { headersMs: 300, requestMs: 600 } })
    const silent = connect(portOf(url), '127.0.0.1')
    const slow = connect(portOf(url), '127.0.0.1')
    slow.write('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n')
    const dripping = setInterval(() => slow.writable && slow.write('x-a: b\r\n'), 50)
    const body = connect(portOf(url), '127.0.0.1')
    body.write(
      `POST /v1/books/b/sync HTTP/1.1\r\nhost: 127.0.0.1:${portOf(url)}\r\nauthorization: Bearer ${key}\r\n` +
        'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{',
    )
    const answers = await Promise.all([silent, slow, body].map(said))
    clearInterval(dripping)
    for (const text of answers) expect(text === '' || text.startsWith('HTTP/1.1 408 ')).toBe(true)
    expect((await ask(`${url}/health`)).status).toBe(200)
  })

  it('let a next client in when others only hold connections', async () => {
    const { url } = await start({ limits: { connections: 20, headersMs: 60_000 } })
    const idle: Socket[] = []
    for (let i = 0; i < 19; i++) {
      const socket = connect(portOf(url), '127.0.0.1')
      closing.push(async () => void socket.destroy())
      socket.on('error', () => undefined)
      socket.write(`GET /health HTTP/1.1\r\nhost: 127.0.0.1:${portOf(url)}\r\n\r\n`)
      await once(socket, 'data')
      idle.push(socket)
    }
    for (let i = 0; i < 5; i++) expect((await ask(`${url}/health`)).status).toBe(200)
    const more = Array.from({ length: 30 }, () => connect(portOf(url), '127.0.0.1'))
    const gone = await Promise.race(more.map(async (socket) => (await said(socket)) === ''))
    expect(gone).toBe(true)
    for (const socket of more) socket.destroy()
  })

  it('repeat no key that stands in an address, in their log or an answer', async () => {
    const paths: string[] = []
    const { url } = await start({ onAnswer: ({ path }) => void paths.push(path) })
    const misplaced = 'dbk1.abLztAnn2z4f3bWl.pExaLHUYxnWeookcjXdPMjuKGjZ9Rvoh1joUWoBcZsk'
    const places = [
      `/${misplaced}`,
      `/v1/books/b/capabilities/${misplaced}`,
      `/a2p/v1/${misplaced}`,
      `/x/${key}`,
    ]
    for (const place of places) {
      const { status, body } = await ask(`${url}${place}`, {})
      expect(status).toBe(404)
      expect(JSON.stringify(body)).not.toContain('pExaLHUY')
    }
    await expect.poll(() => paths.length).toBe(places.length)
    expect(paths.join()).not.toMatch(new RegExp(`pExaLHUY|${key}`))
    expect(paths[0]).toBe('/dbk1.…')
  })

  it('count requests and lines under way by the address that the proxy names', async () => {
    const { url } = await start({ behindProxy: true, limits: { ofAddress: 3 } })
    const from = (address: string) => ({ 'x-forwarded-proto': 'https', 'x-forwarded-for': address })
    const held = Array.from({ length: 3 }, (_, i) => {
      const socket = connect(portOf(url), '127.0.0.1')
      closing.push(async () => void socket.destroy())
      socket.write(
        `POST /v1/books/b/sync HTTP/1.1\r\nhost: example.org\r\nauthorization: Bearer ${key}\r\n` +
          `x-forwarded-proto: https\r\nx-forwarded-for: 198.51.100.${i}, 203.0.113.7\r\n` +
          'content-type: application/json\r\ncontent-length: 1000\r\nexpect: 100-continue\r\n\r\n',
      )
      return once(socket, 'data')
    })
    await Promise.all(held)
    const refused = await ask(`${url}/manifest`, undefined, from('198.51.100.9, 203.0.113.7'))
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate-limited', retry: true } })
    expect((await ask(`${url}/manifest`, undefined, from('203.0.113.8'))).status).toBe(200)
    // A port makes no other address.
    expect((await ask(`${url}/manifest`, undefined, from('203.0.113.7:40001'))).status).toBe(429)
  })

  it('without a key, let in programs of this machine and the pages that are named', async () => {
    const page = 'http://localhost:5173'
    const { url } = await start({ key: undefined, origins: page })
    const status = async (headers: Record<string, string> = {}) =>
      (
        await ask(
          `${url}/v1/books/open/capabilities/daybook:status`,
          {},
          {
            authorization: 'Bearer development',
            ...headers,
          },
        )
      ).status
    expect(await status()).toBe(200)
    expect(await status({ origin: page })).toBe(200)
    expect(await status({ origin: url })).toBe(200)
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:5173', 'null'])
      expect([origin, await status({ origin })]).toEqual([origin, 401])
  })

  describe('a body that is not read', () => {
    let url = ''
    // A refused body is charged by its size, and here are some 700 of them.
    beforeAll(async () => ({ url } = await start({ settings: { DAYBOOK_RATE: '100000/1000' } })))
    const big = JSON.stringify({ text: 'x'.repeat(6_000_000) })
    const bearing = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const refusals = [
      ['/v1/books/b/sync', bearing, 413],
      ['/v1/books/b/capabilities/kstar:store_trace', bearing, 413],
      ['/v1/books/b/mcp', { ...bearing, accept: 'application/json, text/event-stream' }, 413],
      ['/embed', bearing, 413],
      ['/a2p/v1/profile/did:a2p:user:local:b/propose', bearing, undefined],
      ['/v1/books/b/sync', { ...bearing, authorization: 'Bearer none-such-key' }, 401],
      ['/v1/books/b/sync', { ...bearing, 'content-type': 'text/plain' }, 400],
      ['/nowhere', bearing, 404],
    ] as const

    it.each(refusals)('at %s leaves the connection fit for the next request (fetch)', async (...of) => {
      const [path, headers, status] = of
      for (let i = 0; i < 25; i++) {
        const refused = await fetch(`${url}${path}`, { method: 'POST', headers, body: big })
        expect(refused.status).toBe(status ?? refused.status)
        expect(refused.status).toBeGreaterThanOrEqual(400)
        await refused.text()
        expect((await ask(`${url}/v1/books/b/capabilities/daybook:status`, {})).status).toBe(200)
      }
    })

    it('leaves the one connection of an agent fit for the next request, 25 times of 25', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      closing.push(async () => agent.destroy())
      const post = (path: string, body: string) =>
        new Promise<number>((resolve, reject) => {
          const sent = request(`${url}${path}`, { agent, method: 'POST', headers: bearing }, (response) => {
            response.resume().on('end', () => resolve(response.statusCode ?? 0))
          })
          sent.on('error', reject).end(body)
        })
      for (let i = 0; i < 25; i++) {
        expect(await post('/v1/books/b/sync', big)).toBe(413)
        expect(await post('/v1/books/b/capabilities/daybook:status', '{}')).toBe(200)
      }
    })

    it.each([
      ['plain', bearing, Buffer.from(big)],
      ['compressed', { ...bearing, 'content-encoding': 'gzip' }, gzipSync(big, { level: 0 })],
    ] as const)(
      'and comes piece by piece, %s, is read to its end before the answer goes',
      async (_, headers, body) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        closing.push(async () => agent.destroy())
        for (let i = 0; i < 50; i++) {
          const path = '/v1/books/b/capabilities/kstar:store_trace'
          const refused = await postInPieces(`${url}${path}`, { agent, headers, body })
          expect(refused).toEqual({ status: 413, wasSent: true })
          expect((await ask(`${url}/v1/books/b/capabilities/daybook:status`, {})).status).toBe(200)
        }
      },
    )

    it('leaves its connection for all that comes later, as its answer says', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      closing.push(async () => agent.destroy())
      const post = (path: string, body: string) =>
        new Promise<{ status: number; isReused: boolean }>((resolve, reject) => {
          const sent = request(`${url}${path}`, { agent, method: 'POST', headers: bearing }, (response) => {
            const answer = { status: response.statusCode ?? 0, isReused: sent.reusedSocket }
            response.resume().on('end', () => resolve(answer))
          })
          sent.on('error', reject).end(body)
        })
      expect((await post('/v1/books/b/sync', big)).status).toBe(413)
      for (let i = 0; i < 300; i++)
        expect(await post('/v1/books/b/capabilities/daybook:status', '{}')).toEqual({
          status: 200,
          isReused: true,
        })
    })

    it('without end is answered, and its connection ends', async () => {
      const socket = connect(portOf(url), '127.0.0.1')
      const heard = said(socket)
      socket.write(
        `POST /v1/books/b/sync HTTP/1.1\r\nhost: 127.0.0.1:${portOf(url)}\r\nauthorization: Bearer ${key}\r\n` +
          'content-type: application/json\r\ncontent-length: 900000000\r\n\r\n',
      )
      const piece = Buffer.alloc(1_000_000, 0x78)
      let sent = 0
      while (!socket.destroyed && sent < 900) {
        sent += 1
        if (!socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => undefined), heard])
      }
      expect(sent).toBeLessThan(200)
      await heard
      expect((await ask(`${url}/health`)).status).toBe(200)
    })
  })
})
