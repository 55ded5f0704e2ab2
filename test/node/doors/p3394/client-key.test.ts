// To whom a client sends its key: over HTTPS or within this machine, and never on to where a redirect points.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { DaybookClient } from '../../../../src/doors/p3394/client.ts'
import { failure } from '../../../contract/book-case.ts'

const key = 'dbk1.secret'

async function serve(headers: Readonly<Record<string, string>>, status: number) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.writeHead(status, headers).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

it.each(['http://daybook.example', 'http://10.0.0.7:8787', 'http://localhost.example', 'ws://localhost'])(
  'refuses to send a key to %s',
  (url) => {
    expect(() => new DaybookClient({ url, key })).toThrow(/`url`/)
    expect(() => new DaybookClient({ url })).not.toThrow()
  },
)

it.each([
  'https://daybook.example/',
  'http://localhost:8787',
  'http://127.0.0.1:8787/edge',
  'http://[::1]:1',
])('sends it to %s', (url) => expect(() => new DaybookClient({ url, key })).not.toThrow())

it('follows no redirect with a key', async () => {
  const other = await serve({}, 200)
  const edge = await serve({ location: other.url }, 307)
  await using client = new DaybookClient({ url: edge.url, key })
  const error = await failure(client.send({ capability: 'kstar:get_trace', content: { id: 't' } }))
  expect([error.code, other.requests.length]).toEqual(['no-transport', 0])
  expect(edge.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
})
