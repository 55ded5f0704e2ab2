// Clients of `daybook serve` that have no key, on bare sockets: they say nothing, or ask and do not read.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { start, ask, run, open, close, closing } = createServeWorld()
const megabyte = 1_000_000

function dial(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  closing.push(async () => void socket.destroy())
  return socket
}

const getText = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}\r\n`
const ended = (socket: Socket) => new Promise<true>((resolve) => socket.once('close', () => resolve(true)))

/** Everything that comes, until the other side ends it. */
async function said(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (part: string) => (text += part))
  await ended(socket)
  return text
}

/** Sixty clients in a thread of their own, each of which asks again as soon as it is answered. */
const flooding = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { Agent, get } = require('node:http')
  const agent = new Agent({ keepAlive: true, maxSockets: 60 })
  const statuses = new Set()
  let isOver = false
  parentPort.once('message', () => (isOver = true))
  const ask = () => new Promise((resolve) => {
    get(workerData, { agent }, (response) => {
      if (response.statusCode === 429 && !statuses.has(429)) parentPort.postMessage('refused')
      statuses.add(response.statusCode)
      response.resume().on('close', resolve)
    }).on('error', resolve)
  })
  const client = async () => { while (!isOver) await ask() }
  Promise.all(Array.from({ length: 60 }, client)).then(() => {
    parentPort.postMessage([...statuses])
    agent.destroy()
  })
`

describe.skipIf(skipped !== '')(`Without a key at \`daybook serve\`${skipped}`, { timeout: 60_000 }, () => {
  beforeAll(open)
  afterAll(close)

  /** What the slowest of most calls of an honest caller takes, in milliseconds. */
  const p95 = async (url: string, times: number) => {
    const took: number[] = []
    for (let i = 0; i < times; i++) {
      const began = performance.now()
      expect((await run({ url, book: 'honest' }, 'daybook:status', {})).status).toBe(200)
      took.push(performance.now() - began)
    }
    return took.toSorted((a, b) => a - b)[Math.floor(times * 0.95)] ?? 0
  }

  it.each(['/manifest', '/openapi.json'])(
    'a hundred clients that ask for %s without end and read nothing leave an honest one its answers',
    async (path) => {
      const { url } = await start()
      await p95(url, 20)
      const quiet = await p95(url, 100)
      await ask(`${url}${path}`)
      const before = process.memoryUsage().rss
      const flooding = Array.from({ length: 100 }, () => {
        const socket = dial(url)
        socket.pause()
        socket.write(getText(path).repeat(40))
        return socket
      })
      await Promise.all(flooding.map((socket) => once(socket, 'connect')))
      // Twice what it takes when all is quiet, and what a loaded machine may add.
      expect(await p95(url, 100)).toBeLessThan(2 * quiet + 100)
      expect(process.memoryUsage().rss - before).toBeLessThan(150 * megabyte)
      for (const socket of flooding) socket.destroy()
    },
  )

  it('sixty clients that ask for the manifest and read it leave an honest one its answers', async () => {
    const { url } = await start()
    await p95(url, 20)
    const quiet = await p95(url, 100)
    const flood = new Worker(flooding, { eval: true, workerData: `${url}/manifest` })
    closing.push(() => flood.terminate())
    // It says so when the first is refused.
    expect(await once(flood, 'message')).toEqual(['refused'])
    const beside = await p95(url, 100)
    flood.postMessage('end')
    const [statuses] = (await once(flood, 'message')) as [readonly number[]]
    // The threat model's limit, beside what this machine needs without a flood.
    expect(beside).toBeLessThan(2 * quiet + 1000)
    expect([...statuses].toSorted()).toEqual([200, 429])
    // Whoever watches over the process is answered, from the same address.
    expect((await ask(`${url}/health`)).status).toBe(200)
  })

  it('an address that asks too often is refused until it waits, whatever key it shows there', async () => {
    const { url } = await start({ limits: { openPerSecond: 1 }, behindProxy: true })
    const from = (address: string) => ({ 'x-forwarded-proto': 'https', 'x-forwarded-for': address })
    const statuses = async (path: string, address: string, headers: Record<string, string> = {}) => {
      const answers = []
      for (let i = 0; i < 30; i++)
        answers.push((await fetch(`${url}${path}`, { headers: { ...from(address), ...headers } })).status)
      return new Set(answers)
    }
    expect(await statuses('/manifest', '203.0.113.1')).toEqual(new Set([200, 429]))
    expect(await statuses('/openapi.json', '203.0.113.2', { authorization: 'Bearer none' })).toEqual(
      new Set([200, 429]),
    )
    expect(await statuses('/nowhere', '203.0.113.3')).toEqual(new Set([404, 429]))
    expect(await statuses('/v1/books/b/live', '203.0.113.4')).toContain(429)
    expect(await statuses('/health', '203.0.113.5')).toEqual(new Set([200]))
    // One home has a network of IPv6 to itself.
    const ofHome = await Promise.all(
      Array.from({ length: 40 }, (_, i) => ask(`${url}/manifest`, undefined, from(`2001:db8:0:7::${i}`))),
    )
    expect(ofHome.find(({ status }) => status === 429)).toMatchObject({
      body: { code: 'rate-limited', retry: true, details: { retryAfterMs: 1000 } },
    })
    expect((await ask(`${url}/manifest`, undefined, from('2001:db8:0:8::1'))).status).toBe(200)
  })

  it('requests that were sent together are answered one after the other, and too many of them end it', async () => {
    const { url } = await start()
    const few = dial(url)
    few.write(getText('/health').repeat(9) + getText('/health', 'connection: close\r\n'))
    expect((await said(few)).match(/HTTP\/1\.1 200 /g)?.length).toBe(10)
    const many = dial(url)
    many.write(getText('/health').repeat(1000))
    expect((await said(many)).match(/HTTP\/1\.1 200 /g)?.length ?? 0).toBeLessThan(20)
  })

  it('an answer that nobody reads ends its connection', async () => {
    const { url } = await start({ limits: { unreadMs: 200 } })
    const isOver = new Promise<true>((resolve) => {
      const socket = dial(url)
      socket.pause()
      socket.once('close', () => resolve(true))
      const askAgain = () => socket.write(getText('/manifest').repeat(8), (error) => error && resolve(true))
      const timer = setInterval(askAgain, 20)
      closing.push(async () => clearInterval(timer))
    })
    expect(await isOver).toBe(true)
  })

  it('clients that never send a byte are ended in time, and keep no next one out', async () => {
    const { url } = await start({ limits: { connections: 40, headersMs: 60_000 } })
    const silent = Array.from({ length: 200 }, () => dial(url))
    await Promise.all(silent.map((socket) => Promise.race([once(socket, 'connect'), ended(socket)])))
    for (let i = 0; i < 20; i++) {
      const next = dial(url)
      next.write(getText('/health', 'connection: close\r\n'))
      expect(await said(next)).toContain('HTTP/1.1 200 ')
    }
    const { url: quick } = await start({ limits: { headersMs: 200 } })
    const alone = dial(quick)
    alone.resume()
    expect(await ended(alone)).toBe(true)
  })

  it('the silent clients of the address that has most end first', async () => {
    const { url } = await start({ limits: { connections: 20, connectionsOfAddress: 20 } })
    const port = Number(new URL(url).port)
    const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
    closing.push(async () => void other.destroy())
    await once(other, 'connect')
    const silent = Array.from({ length: 60 }, () => dial(url))
    await Promise.all(silent.map((socket) => Promise.race([once(socket, 'connect'), ended(socket)])))
    expect((await ask(`${url}/health`)).status).toBe(200)
    other.write(getText('/health', 'connection: close\r\n'))
    expect(await said(other)).toContain('HTTP/1.1 200 ')
  })
})
