// MCP over HTTP at `daybook serve`, by the official client over real sockets: what a listener is told.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe } from 'vitest'
import { listenCases } from '../../../../contract/mcp/listen.ts'
import { newClient } from '../../../../contract/mcp/mcp.ts'
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

  listenCases({
    async open({ era, sets }) {
      const book = `listen-${++serial}`
      const client = newClient(era)
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/v1/books/${book}/mcp?tools=${sets.join(',')}`), {
          requestInit: { headers: { authorization: `Bearer ${key}` } },
        }),
      )
      return {
        client,
        run: async (id, input) => (await run({ url, book }, id, input)).body,
        [Symbol.asyncDispose]: () => client.close(),
      }
    },
  })
})
