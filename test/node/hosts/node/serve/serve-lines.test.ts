// Lines of `daybook serve`, its tickets and its rates, as several processes on one database share them.
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../../../src/doors/http/app.ts'
import { type RouteHost, routeIsolationCases } from '../../../../contract/access/route-isolation.ts'
import { routeRightCases } from '../../../../contract/access/route-right.ts'
import { makeTrace } from '../../../../support/trace.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld, pulled, untilOpen } from './serve-world.ts'

const { key, postgres, closing, start, device, ask, run, open, close } = createServeWorld()
const bearing = (bearer: string) => ({ authorization: `Bearer ${bearer}` })

async function ticketOf(url: string, book: string, bearer = key): Promise<string> {
  const answer = await ask(`${url}/v1/books/${book}/live`, { device: 'd_listener' }, bearing(bearer))
  expect(answer.status).toBe(200)
  return String(answer.body['ticket'])
}

/** A line by hand; what it hears comes out one by one, its end last. */
function openLine(url: string, book: string, ticket: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/books/${book}/live`, [
    'daybook.live.1',
    `ticket.${ticket}`,
  ])
  closing.push(async () => socket.close())
  const heard: string[] = []
  let wake: (() => void) | undefined
  const note = (text: string) => {
    heard.push(text)
    wake?.()
  }
  socket.onmessage = ({ data }) => note(String(data))
  socket.onclose = ({ code }) => note(`closed ${code}`)
  const next = async () => {
    while (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return heard.shift() ?? ''
  }
  return { socket, next, seq: async () => (JSON.parse(await next()) as { seq: number }).seq }
}

describe.skipIf(skipped !== '')(`Lines of \`daybook serve\`${skipped}`, { timeout: 170_000 }, () => {
  beforeAll(open)
  afterAll(close)

  it('tell a device of what was written through another process, and of nothing that it has read', async () => {
    const [one, two] = [await start(), await start()]
    const [writer, listener] = [
      await device(one.url, 'told'),
      await device(two.url, 'told', { agent: 'live', live: true }),
    ]
    await untilOpen(listener)
    for (let i = 1; i <= 3; i++) {
      const heard = pulled(listener)
      const { id } = await writer.traces.store(makeTrace())
      await writer.sync()
      await heard
      expect(await listener.records.get({ id })).toMatchObject({ id })
    }
    // A capability that is called over HTTP is heard of as well, in its own process and in the other.
    const line = openLine(one.url, 'told', await ticketOf(one.url, 'told'))
    expect(await line.seq()).toBe(3)
    const heard = pulled(listener)
    await run({ url: two.url, book: 'told' }, 'kstar:store_trace', makeTrace())
    expect(await line.seq()).toBe(4)
    await heard
  })

  it('are opened with a ticket of any process, good once and for its book', async () => {
    const [one, two] = [await start(), await start()]
    const ticket = await ticketOf(one.url, 'ticket')
    const line = openLine(two.url, 'ticket', ticket)
    expect(await line.seq()).toBe(0)
    line.socket.send('ping')
    expect(await line.next()).toBe('pong')
    expect(await openLine(one.url, 'ticket', ticket).next()).toBe('closed 1006')
    const fresh = await ticketOf(one.url, 'ticket')
    expect(await openLine(one.url, 'another', fresh).next()).toBe('closed 1006')
    const { sql } = await postgres.get()
    expect(await sql.rows('SELECT book FROM daybook.books WHERE book = $1', ['another'])).toEqual([])
    const kept = await sql.rows<{ text: string }>('SELECT t::text AS text FROM daybook.tickets t')
    expect(kept.map(({ text }) => text).join()).not.toContain(fresh)
    await sql.rows("UPDATE daybook.tickets SET until = now() - interval '1 second'")
    expect(await openLine(one.url, 'ticket', fresh).next()).toBe('closed 1006')
    // The same device once more: the older line ends.
    const second = openLine(two.url, 'ticket', await ticketOf(one.url, 'ticket'))
    expect(await line.next()).toBe('closed 4409')
    expect(await second.seq()).toBe(0)
    second.socket.send('anything else')
    expect(await second.next()).toBe('closed 4400')
  })

  it('refuse as over HTTP whoever has no ticket, and other upgrades are no upgrades', async () => {
    const { url } = await start()
    const upgrade = (path: string, headers: Record<string, string>) =>
      rawUpgrade(url, path, {
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      })
    const refused = await upgrade('/v1/books/b/live', { upgrade: 'websocket' })
    expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    const foreign = { upgrade: 'websocket', origin: 'https://evil.example.org' }
    expect(await upgrade('/v1/books/b/live', foreign)).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
    expect(await upgrade('/v1/books/b/sync', { upgrade: 'websocket' })).toMatchObject({ status: 401 })
    expect(await upgrade('/manifest', { upgrade: 'h2c' })).toMatchObject({ status: 200 })
    expect(await upgrade('/v1/books/b/live', { upgrade: 'h2c' })).toMatchObject({ status: 400 })
    const away = await rawUpgrade(url, '/v1/books/b/live', { upgrade: 'websocket', host: 'example.org' })
    expect(away).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  })

  it('hear only of kinds that their key may fetch, and end with the key, whoever revokes it', async () => {
    const [one, two] = [await start(), await start()]
    const made = await run({ url: one.url, book: 'narrow' }, 'daybook:create_access_key', {
      name: 'n',
      permissions: ['sync'],
      pull: ['perception'],
    })
    const line = openLine(one.url, 'narrow', await ticketOf(one.url, 'narrow', String(made.body['key'])))
    expect(await line.seq()).toBe(1)
    await run({ url: two.url, book: 'narrow' }, 'kstar:store_trace', makeTrace())
    const believed = { type: 'belief', subject: 's', content: 'c', confidence: 1 }
    await run({ url: two.url, book: 'narrow' }, 'kstar:store_perception', believed)
    expect(await line.seq()).toBe(3)
    await run({ url: two.url, book: 'narrow' }, 'daybook:revoke_access_key', { id: made.body['id'] })
    expect(await line.next()).toBe('closed 4401')
  })

  it('outlive one that says too much, or nothing that is a frame', async () => {
    const { url } = await start()
    const line = openLine(url, 'loud', await ticketOf(url, 'loud'))
    line.socket.onopen = () => line.socket.send('x'.repeat(5000))
    let heard = await line.next()
    while (!heard.startsWith('closed')) heard = await line.next()
    expect(heard).toBe('closed 1009')
    expect((await run({ url, book: 'loud' }, 'daybook:status', {})).status).toBe(200)
  })

  it('end when the process does, and say that it comes back', async () => {
    const server = await start()
    const line = openLine(server.url, 'ended', await ticketOf(server.url, 'ended'))
    await line.seq()
    await server.close()
    expect(await line.next()).toBe('closed 1012')
  })

  it('the rate of a caller is one for all processes, and nobody pays for another', async () => {
    const settings = { DAYBOOK_RATE: '6/0.001' }
    const [one, two] = [await start({ settings }), await start({ settings })]
    const statuses: number[] = []
    for (let i = 0; i < 5; i++)
      statuses.push(
        (await run({ url: i % 2 ? one.url : two.url, book: 'rate' }, 'daybook:status', {})).status,
      )
    const { body } = await run({ url: one.url, book: 'rate' }, 'daybook:create_access_key', {
      name: 'r',
      permissions: ['read'],
    })
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    for (const { url } of [one, two]) {
      const refused = await run({ url, book: 'rate' }, 'daybook:status', {})
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate-limited', retry: true } })
      expect((refused.body['details'] as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(900_000)
    }
    expect(
      (await run({ url: two.url, book: 'rate' }, 'kstar:query_traces', {}, bearing(String(body['key']))))
        .status,
    ).toBe(200)
    // Strangers have one purse together.
    const guess = `dbk1.${'A'.repeat(16)}.${'A'.repeat(43)}`
    const strangers: number[] = []
    for (let i = 0; i < 8; i++)
      strangers.push(
        (
          await run(
            { url: i % 2 ? one.url : two.url, book: 'rate' },
            'kstar:query_traces',
            {},
            bearing(guess),
          )
        ).status,
      )
    expect(strangers).toEqual([401, 401, 401, 401, 401, 401, 429, 429])
    const { sql } = await postgres.get()
    await sql.rows("UPDATE daybook.rates SET at = at - interval '1500 seconds'")
    expect((await run({ url: one.url, book: 'rate' }, 'daybook:status', {})).status).toBe(200)
    expect((await run({ url: two.url, book: 'rate' }, 'daybook:status', {})).status).toBe(429)
  })

  describe('several processes', () => {
    const urls: string[] = []
    let turn = 0
    beforeAll(async () => {
      for (const { url } of [await start(), await start()]) urls.push(url)
    })
    const host: RouteHost = {
      key,
      routes: createApp()
        .routes.filter(({ method }) => method !== 'ALL')
        .map(({ method, path }) => `${method} ${path}`),
      async ask(path, { method = 'POST', key: bearer, body, headers = {} }) {
        const url = urls[turn++ % urls.length] ?? ''
        if ('upgrade' in headers) {
          const { status, body: answer } = await rawUpgrade(url, path, headers)
          return { status, text: JSON.stringify(answer) }
        }
        const response = await fetch(`${url}${path}`, {
          method,
          headers: {
            ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        return { status: response.status, text: await response.text() }
      },
      async exists(book) {
        const { sql } = await postgres.get()
        return (await sql.rows('SELECT 1 FROM daybook.books WHERE book = $1', [book])).length > 0
      },
    }
    routeIsolationCases(host)
    routeRightCases(host)
  })
})

/** An upgrade as `fetch` can't ask for it; answers what came instead of a WebSocket. */
async function rawUpgrade(url: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    request(`${url}${path}`, { headers: { connection: 'upgrade', ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }),
      )
    })
      .on('error', reject)
      .end()
  })
}
