// The way over HTTP: what it sends where, and which error becomes of what goes wrong.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { neverAborted } from '../../../src/core/abort.ts'
import { type DaybookError, isDaybookError } from '../../../src/core/errors.ts'
import { nodeGzip } from '../../../src/hosts/node/port/node-ports.ts'
import {
  createHttpCarrier,
  type FetchLike,
  type HttpCarrierOptions,
} from '../../../src/sync/device/http-carrier.ts'

const servers: { close(): unknown; closeAllConnections(): void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const carrier = (url: string, more: Partial<HttpCarrierOptions> = {}) =>
  createHttpCarrier({ url, book: 'tutor', key: 'k-1', fetch: globalThis.fetch, ...more })

async function failure(work: () => Promise<unknown>): Promise<DaybookError> {
  try {
    await work()
  } catch (error) {
    if (isDaybookError(error)) return error
    throw error
  }
  throw new Error('expected a rejection')
}

describe('the carrier over HTTP', () => {
  it('posts JSON with the key to the address of the book, and answers what came', async () => {
    const seen: unknown[] = []
    const url = await serve((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        const { authorization, 'content-type': type } = request.headers
        seen.push([request.method, request.url, authorization, type, body])
        response.end('{"p":1,"anything":true}')
      })
    })
    const fetched: string[] = []
    const key = () => Promise.resolve(`key-${fetched.push('')}`)
    const one = carrier(`${url}/`, { key })
    expect(await one.exchange({ a: 'ü' }, neverAborted)).toEqual({ p: 1, anything: true })
    await one.exchange({}, neverAborted)
    expect(seen).toEqual([
      ['POST', '/v1/books/tutor/sync', 'Bearer key-1', 'application/json', '{"a":"ü"}'],
      ['POST', '/v1/books/tutor/sync', 'Bearer key-2', 'application/json', '{}'],
    ])
  })

  it('an error of the mirror comes whole', async () => {
    const shape = {
      code: 'resync-required',
      message: 'Start over.',
      retry: true,
      details: { reason: 'floor' },
    }
    const url = await serve((_request, response) => response.writeHead(409).end(JSON.stringify(shape)))
    const error = await failure(() => carrier(url).exchange({}, neverAborted))
    expect(error.toJSON()).toEqual(shape)
  })

  it.each([
    ['a page', 200, '<!doctype html>'],
    ['nothing', 204, ''],
    ['an error of another house', 404, '{"error":"not found"}'],
    ['an unknown code', 400, '{"code":"nonsense","message":"x","retry":false,"details":{}}'],
    ['a gateway', 502, 'Bad gateway'],
  ])('%s is not the protocol', async (_name, status, body) => {
    const url = await serve((_request, response) => response.writeHead(status).end(body))
    const error = await failure(() => carrier(url).exchange({}, neverAborted))
    expect(error).toMatchObject({ code: 'protocol-error', retry: true, details: { status } })
  })

  it.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is not followed, and the key goes nowhere',
    async (status) => {
      const elsewhere: unknown[] = []
      const other = await serve((request, response) => {
        elsewhere.push(request.headers.authorization)
        response.end('{}')
      })
      const url = await serve((_request, response) => response.writeHead(status, { location: other }).end())
      const error = await failure(() => carrier(url).exchange({}, neverAborted))
      expect(error).toMatchObject({ code: 'protocol-error', details: { status } })
      expect(error.message).toContain('leads elsewhere')
      expect(elsewhere).toEqual([])
    },
  )

  it('what a page is told of a redirect is one', async () => {
    const fetch: FetchLike = (_url, { redirect }) =>
      Promise.resolve({ status: redirect === 'manual' ? 0 : 200, text: () => Promise.resolve('') })
    const error = await failure(() => carrier('https://example.org', { fetch }).exchange({}, neverAborted))
    expect(error.message).toContain('leads elsewhere')
  })

  it('nobody there, and an answer that is cut off: offline', async () => {
    expect((await failure(() => carrier('http://127.0.0.1:1').exchange({}, neverAborted))).code).toBe(
      'offline',
    )
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('{"p":')
      response.destroy()
    })
    expect((await failure(() => carrier(url).exchange({}, neverAborted))).code).toBe('offline')
  })

  it('gives up after its deadline, and does not wait once there is an answer', async () => {
    const due: { delayMs: number; task: () => void; cancelled: boolean }[] = []
    const scheduler = {
      soon: () => undefined,
      later(delayMs: number, task: () => void) {
        const one = { delayMs, task, cancelled: false }
        due.push(one)
        return () => void (one.cancelled = true)
      },
    }
    const never: FetchLike = () => new Promise(() => undefined)
    const late = failure(() =>
      carrier('https://example.org', { fetch: never, scheduler }).exchange({}, neverAborted),
    )
    expect(due[0]?.delayMs).toBe(60_000)
    due[0]?.task()
    expect((await late).code).toBe('offline')
    const quick: FetchLike = () => Promise.resolve({ status: 200, text: () => Promise.resolve('{}') })
    await carrier('https://example.org', { fetch: quick, scheduler, deadlineMs: 5 }).exchange(
      {},
      neverAborted,
    )
    expect(due[1]).toMatchObject({ delayMs: 5, cancelled: true })
  })

  it.each([
    ['a large request that leaves this machine', 'https://example.org', 10_000, 'gzip'],
    ['a small one', 'https://example.org', 10, undefined],
    ['one that stays here', 'http://127.0.0.1:8787', 10_000, undefined],
  ])('says %s (%s, %i letters) as %s', async (_name, url, length, encoding) => {
    const request = { text: 'ü'.repeat(length) }
    const sent: { encoding: string | undefined; body: string | Uint8Array }[] = []
    const fetch: FetchLike = (_url, { headers, body }) => {
      sent.push({ encoding: headers['content-encoding'], body })
      return Promise.resolve({ status: 200, text: () => Promise.resolve('{}') })
    }
    await carrier(url, { fetch, gzip: nodeGzip }).exchange(request, neverAborted)
    const [{ body } = { body: '' }] = sent
    expect(sent[0]?.encoding).toBe(encoding)
    const text = typeof body === 'string' ? body : gunzipSync(body).toString()
    expect(JSON.parse(text)).toEqual(request)
    if (encoding) expect(body.length).toBeLessThan(1000)
  })

  it('stops waiting when the caller does', async () => {
    const never: FetchLike = () => new Promise(() => undefined)
    const controller = new AbortController()
    const exchange = failure(() =>
      carrier('https://example.org', { fetch: never }).exchange({}, controller.signal),
    )
    controller.abort()
    expect((await exchange).code).toBe('aborted')
  })

  it.each([
    'http://example.org',
    'http://localhost.example.org',
    'http://127.0.0.1.example.org:80',
    'http://localhost@example.org',
    'https://user:word@example.org',
    'ftp://example.org',
    'example.org',
    '//example.org',
    'https://',
    'https://example.org?x=1',
    'https://example.org/#x',
    'https://exa mple.org',
    'javascript:alert(1)',
    '',
    7,
  ])('sends no key to %s', (url) => {
    expect(() => carrier(url as string)).toThrowError(
      expect.objectContaining({ code: 'invalid-input', details: { path: 'sync.url' } }) as Error,
    )
  })

  it.each([
    'https://example.org',
    'https://example.org/daybook/',
    'https://example.org:8443',
    'HTTPS://EXAMPLE.ORG',
    'http://localhost:8787',
    'http://127.0.0.1',
    'http://[::1]:8787/',
    'https://[2001:db8::1]/x',
  ])('takes %s', async (url) => {
    const asked: string[] = []
    const fetch: FetchLike = (address) => {
      asked.push(address)
      return Promise.resolve({ status: 200, text: () => Promise.resolve('{}') })
    }
    await carrier(url, { fetch }).exchange({}, neverAborted)
    expect(asked).toEqual([`${url.replace(/\/$/, '')}/v1/books/tutor/sync`])
  })

  it('refuses keys that no header can carry, and never repeats them', async () => {
    for (const key of ['', 'two words', 'line\nbreak', 'ü', 'x'.repeat(5000)]) {
      const fail = () => carrier('https://example.org', { key })
      expect(fail).toThrowError(
        expect.objectContaining({ code: 'invalid-input', details: { path: 'sync.key' } }) as Error,
      )
      if (key) expect(fail).not.toThrowError(key)
    }
    const broken = () => Promise.reject(new Error('no key chain'))
    const error = await failure(() =>
      carrier('https://example.org', { key: broken }).exchange({}, neverAborted),
    )
    expect(error.code).toBe('unauthorized')
  })
})
