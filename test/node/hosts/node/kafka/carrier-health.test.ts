// What watches over a bridge of Kafka asks it over HTTP: a client that sends without end is ended, and costs nobody else.
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type Health, serveHealth } from '../../../../../src/hosts/node/kafka/carrier-health.ts'

let health: Health
afterEach(() => health[Symbol.asyncDispose]())

const results = { accepted: 0, duplicate: 0, stale: 0, conflict: 0, ignored: 0, rejected: 0 }
const open = async () => {
  const state = () => ({ state: 'running', received: 0, results, own: 0, sent: 0 }) as const
  health = await serveHealth({ host: '127.0.0.1', port: 0, state })
}

it('leaves the connection of a client whose body nobody wants fit for the next request', async () => {
  await open()
  for (let i = 0; i < 10; i++) {
    const refused = await fetch(`${health.url}/health`, { method: 'POST', body: 'x'.repeat(6_000_000) })
    expect([refused.status, await refused.text()]).toEqual([405, 'GET\n'])
    expect((await fetch(`${health.url}/health`)).status).toBe(200)
  }
})

it('ends the connection of a client that sends without end', async () => {
  await open()
  const socket = connect(Number(new URL(health.url).port), '127.0.0.1').on('error', () => undefined)
  socket.resume()
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write('POST /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: 900000000\r\n\r\n')
  const piece = Buffer.alloc(1_000_000, 0x78)
  let sent = 0
  while (!socket.destroyed && sent < 900) {
    sent += 1
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => undefined), ended])
  }
  expect(sent).toBeLessThan(200)
  await ended
  expect((await fetch(`${health.url}/health`)).status).toBe(200)
})
