// The fixture over the transport of the product: `fetch`, as every host has it.
import { InMemoryServerEventBus } from '@modelcontextprotocol/server'
import { loadMcp } from '../../../src/doors/mcp/mcp-book.ts'
import { answerMcp } from '../../../src/doors/mcp/mcp-http.ts'
import { createFixtureServer } from './fixture-server.ts'

const bus = new InMemoryServerEventBus()
const guards = {
  isOwnMachine: true,
  isAllowedOrigin: (origin: string) => /^http:\/\/(localhost|127\.0\.0\.1)(:|$)/.test(origin),
}

export const answerFixture = async (request: Request): Promise<Response> =>
  answerMcp(request, { mcp: await loadMcp(), guards, factory: createFixtureServer, bus })
