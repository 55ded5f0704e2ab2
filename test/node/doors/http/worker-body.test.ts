// A body that the Worker refuses unread, at workerd as it listens: its connection ends in good order or serves the next request,
// so that no client is left in doubt about what it sends next.
import { Agent, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorker } from '../worker.ts'
import { postInPieces } from '../../hosts/node/post-in-pieces.ts'

const bearing = { authorization: 'Bearer development', 'content-type': 'application/json' }
const big = JSON.stringify({ text: 'x'.repeat(6_000_000) })
const refusals = [
  ['/v1/books/b/sync', bearing, 413],
  ['/v1/books/b/capabilities/kstar:store_trace', bearing, 413],
  ['/v1/books/b/mcp', { ...bearing, accept: 'application/json, text/event-stream' }, 413],
  ['/v1/books/b/sync', { ...bearing, authorization: 'Bearer none-such-key' }, 401],
  ['/v1/books/b/sync', { ...bearing, 'content-type': 'text/plain' }, 400],
  ['/nowhere', bearing, 404],
] as const

describe('a body that the Worker does not read', () => {
  let worker: Miniflare
  let url = ''
  beforeAll(async () => {
    worker = await openWorker()
    url = (await worker.ready).href.replace(/\/$/, '')
  })
  afterAll(() => worker.dispose())

  const post = (agent: Agent, path: string, { headers, body }: { headers: object; body: string | Buffer }) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(
        `${url}${path}`,
        { agent, method: 'POST', headers: { ...headers } },
        (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0))
          response.on('error', reject)
        },
      )
      sent.on('error', reject).end(body)
    })
  const next = { headers: bearing, body: '{}' }

  it.each([
    ['in pieces of no said length', { ...bearing, 'transfer-encoding': 'chunked' }, big],
    ['compressed', { ...bearing, 'content-encoding': 'gzip' }, gzipSync(big, { level: 0 })],
    [
      'compressed, in pieces',
      { ...bearing, 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' },
      gzipSync(big, { level: 0 }),
    ],
  ] as const)('of which some was read, %s, leaves the connection fit for the next request', async (...of) => {
    const [, headers, body] = of
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const statuses: number[] = []
    for (let i = 0; i < 25; i++) {
      statuses.push(await post(agent, '/v1/books/b/capabilities/kstar:store_trace', { headers, body }))
      statuses.push(await post(agent, '/v1/books/b/capabilities/daybook:status', next))
    }
    agent.destroy()
    expect(statuses).toEqual(Array.from({ length: 25 }, () => [413, 200]).flat())
  })

  it.each([
    ['plain', bearing, Buffer.from(big)],
    ['compressed', { ...bearing, 'content-encoding': 'gzip' }, gzipSync(big, { level: 0 })],
  ] as const)(
    'that comes piece by piece, %s, is read to its end before the answer goes',
    async (_, headers, body) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const answers: unknown[] = []
      for (let i = 0; i < 50; i++) {
        const path = '/v1/books/b/capabilities/kstar:store_trace'
        answers.push(await postInPieces(`${url}${path}`, { agent, headers, body }))
        answers.push(await post(agent, '/v1/books/b/capabilities/daybook:status', next))
      }
      agent.destroy()
      expect(answers).toEqual(Array.from({ length: 50 }, () => [{ status: 413, wasSent: true }, 200]).flat())
    },
  )

  it.each(refusals)(
    'at %s leaves the one connection of an agent fit for the next request, 25 times of 25',
    async (...of) => {
      const [path, headers, status] = of
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const statuses: number[] = []
      for (let i = 0; i < 25; i++) {
        statuses.push(await post(agent, path, { headers, body: big }))
        statuses.push(
          await post(agent, '/v1/books/b/capabilities/daybook:status', { headers: bearing, body: '{}' }),
        )
      }
      agent.destroy()
      expect(statuses).toEqual(Array.from({ length: 25 }, () => [status, 200]).flat())
    },
  )

  it.each(refusals)('at %s leaves `fetch` fit for the next request, 25 times of 25', async (...of) => {
    const [path, headers, status] = of
    const statuses: number[] = []
    for (let i = 0; i < 25; i++) {
      const refused = await fetch(`${url}${path}`, { method: 'POST', headers, body: big })
      statuses.push(refused.status)
      await refused.text()
      const next = `${url}/v1/books/b/capabilities/daybook:status`
      const answer = await fetch(next, { method: 'POST', headers: bearing, body: '{}' })
      statuses.push(answer.status)
      await answer.text()
    }
    expect(statuses).toEqual(Array.from({ length: 25 }, () => [status, 200]).flat())
  })
})
