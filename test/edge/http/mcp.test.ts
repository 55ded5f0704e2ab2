// MCP at `POST /v1/books/:book/mcp` of a Worker: the same promises, over a Durable Object for each book; and who is let in.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { graphCases } from '../../contract/mcp/graph.ts'
import { listenCases } from '../../contract/mcp/listen.ts'
import { windowCases } from '../../contract/mcp/windows.ts'
import { callTool, type McpHost, mcpCases, newClient } from '../../contract/mcp/mcp.ts'
import { call, origin, run } from './http.ts'

let serial = 0

async function connect(
  book: string,
  { key = 'development', tools = 'recall', era = 'modern' as const } = {},
) {
  const client = newClient(era)
  await client.connect(transportTo(book, key, tools))
  return client
}

function transportTo(book: string, key: string, tools: string) {
  const url = new URL(`${origin}/v1/books/${book}/mcp?tools=${tools}`)
  return new StreamableHTTPClientTransport(url, {
    fetch(target, { method = 'GET', headers, body } = {}) {
      const given = Object.fromEntries(new Headers(headers))
      return call(String(target), { method, key, headers: given, ...(body ? { body } : {}) })
    },
  })
}

const host: McpHost = {
  join: (_world, key) => connect(`mcp-${serial}`, { key, tools: 'graph' }),
  async open({ era, sets }) {
    const book = `mcp-${++serial}`
    const client = newClient(era)
    await client.connect(transportTo(book, 'development', sets.join(',')))
    return {
      client,
      run: (id, input) => run(book, id, input),
      [Symbol.asyncDispose]: () => client.close(),
    }
  },
}

describe('a book in a Durable Object', () => {
  mcpCases(host)
  graphCases(host)
  listenCases(host)
})

async function ownerKeyOf(book: string): Promise<string> {
  const { key } = await run<{ key: string }>(book, 'daybook:create_access_key', {
    name: 'laptop',
    owner: true,
  })
  return key
}

describe.each(['legacy', 'modern'] as const)('windows of a host, in the %s era', (era) => {
  windowCases(() => {
    const book = `mcp-windows-${++serial}`
    let windows = 0
    // Each key of an owner: the edge's, and one of the book.
    const key = era === 'modern' ? Promise.resolve('development') : ownerKeyOf(book)
    return Promise.resolve({
      async window() {
        const client = newClient(era)
        // A client without sessions names its window in the address.
        const agent = `agent=editor-${++windows}`
        const named = era === 'modern' ? `records,katra&${agent}` : 'records,katra'
        const transport = transportTo(book, await key, named)
        await client.connect(transport)
        const end = async () => {
          if (era === 'modern') return call(`/v1/books/${book}/mcp?${agent}`, { method: 'DELETE' })
          return transport.terminateSession()
        }
        return { client, end }
      },
      run: (id: string, input: unknown) => run(book, id, input),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    })
  })
})

describe('the address of a book', () => {
  const path = '/v1/books/guarded/mcp'
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const headers = { accept: 'application/json, text/event-stream' }

  it('lets a key do what it may and no more', async () => {
    const book = `mcp-key-${++serial}`
    const { key } = await run<{ key: string }>(book, 'daybook:create_access_key', {
      name: 'reader',
      permissions: ['read'],
      scope: '**',
    })
    const client = await connect(book, { key })
    expect(await callTool(client, 'remember', { text: 'tea' })).toMatchObject({
      isError: true,
      value: { code: 'forbidden' },
    })
    expect(await callTool(client, 'query_memory')).toMatchObject({ isError: false, value: { records: [] } })
    await client.close()
    const { key: none } = await run<{ key: string }>(book, 'daybook:create_access_key', {
      name: 'courier',
      permissions: ['sync'],
      scope: '**',
    })
    const refused = await call(`/v1/books/${book}/mcp`, { key: none, body: ping, headers })
    expect(refused.status).toBe(403)
  })

  it.each(['legacy', 'modern'] as const)(
    'gives the standing rules for the caller in the instructions, in the %s era',
    async (era) => {
      const book = `mcp-rules-${++serial}`
      await run(book, 'rule:add', { text: 'Answer in German.' })
      await run(book, 'rule:add', { text: 'Only for the tutor.', scope: { agent: 'tutor' } })
      const made = { name: 'reader', permissions: ['read'], scope: 'trace:weather' }
      const { key } = await run<{ key: string }>(book, 'daybook:create_access_key', made)
      const client = newClient(era)
      await client.connect(transportTo(book, key, 'recall'))
      expect(client.getInstructions()?.split('\n').slice(-1)).toEqual(['- Answer in German.'])
      await client.close()
    },
  )

  it('answers nobody without a key, and pages of other origins never', async () => {
    expect((await call(path, { key: null, body: ping, headers })).status).toBe(401)
    expect((await call(path, { key: 'wrong', body: ping, headers })).status).toBe(401)
    const page = { ...headers, origin: 'https://elsewhere.example' }
    const keyed = { key: 'a-key-of-this-edge', env: { DAYBOOK_KEY: 'a-key-of-this-edge' } }
    expect((await call(path, { body: ping, headers: page, ...keyed })).status).toBe(403)
    const own = { ...headers, origin: 'http://localhost:5173' }
    const named = { DAYBOOK_ORIGINS: 'http://localhost:5173' }
    expect((await call(path, { body: ping, headers: own, env: named })).status).toBe(200)
    const renamed = { ...headers, host: 'rebound.example:8787' }
    expect((await call(path, { body: ping, headers: renamed, ...keyed })).status).toBe(403)
  })

  it('says which sets there are to who asks for another, and takes no GET', async () => {
    const unknown = await call(`${path}?tools=all`, { body: ping, headers })
    expect([unknown.status, await unknown.json()]).toMatchObject([
      400,
      { code: 'invalid-input', details: { path: 'tools' } },
    ])
    const got = await call(path, { method: 'GET', headers })
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, DELETE'])
  })
})
