// MCP over HTTP at `daybook serve`, by the official client over real sockets: news for a listener, and two windows as two agents.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe } from 'vitest'
import { listenCases } from '../../../../contract/mcp/listen.ts'
import { windowCases } from '../../../../contract/mcp/windows.ts'
import { type McpHost, newClient } from '../../../../contract/mcp/mcp.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { key, start, run, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(`MCP of \`daybook serve\`${skipped}`, () => {
  let url = ''
  let serial = 0
  beforeAll(async () => {
    await open()
    ;({ url } = await start())
  })
  afterAll(close)

  const connect = async (book: string, as: string, { era, sets }: Parameters<McpHost['open']>[0]) => {
    const client = newClient(era)
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/v1/books/${book}/mcp?tools=${sets.join(',')}`), {
        requestInit: { headers: { authorization: `Bearer ${as}` } },
      }),
    )
    return client
  }
  windowCases(() => {
    const book = `windows-${++serial}`
    return Promise.resolve({
      async window() {
        const client = newClient('legacy')
        const transport = new StreamableHTTPClientTransport(
          new URL(`${url}/v1/books/${book}/mcp?tools=records,katra`),
          { requestInit: { headers: { authorization: `Bearer ${key}` } } },
        )
        await client.connect(transport)
        return { client, end: () => transport.terminateSession() }
      },
      run: async (id: string, input: unknown) => (await run({ url, book }, id, input)).body,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    })
  })
  listenCases({
    join: (_world, as) => connect(`listen-${serial}`, as, { era: 'modern', sets: ['graph'] }),
    async open(options) {
      const book = `listen-${++serial}`
      const client = await connect(book, key, options)
      return {
        client,
        run: async (id, input) => (await run({ url, book }, id, input)).body,
        [Symbol.asyncDispose]: () => client.close(),
      }
    },
  })
})
