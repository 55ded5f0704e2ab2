// The doors of this process and of the command line; those of the edge are in test/edge/http.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe } from 'vitest'
import { loadMcp } from '../../../src/doors/mcp/mcp-book.ts'
import { answerMcp } from '../../../src/doors/mcp/mcp-http.ts'
import { createMcpServer } from '../../../src/doors/mcp/mcp-server.ts'
import { answerMessages, connectBook, type ConnectOptions } from '../../../src/doors/message/message.ts'
import type { Daybook } from '../../../src/book/daybook.ts'
import { createDirectTransport, DaybookClient, openDaybook } from '../../../src/hosts/node/index.ts'
import { grant } from '../../contract/access/token-grant.ts'
import { type SentenceDoor, sameSentenceCases } from '../../contract/door/same-sentence.ts'
import { callTool, newClient } from '../../contract/mcp/mcp.ts'
import { ended, startDaybook } from '../hosts/node/command-line.ts'
import { startProcess } from '../hosts/node/socket/process.ts'
import { socketOf } from '../hosts/node/socket/raw-socket.ts'

type Fact = Parameters<Daybook['facts']['store']>[0]

const factsOf = async (book: Daybook) => (await book.facts.query({})).records

/** A door to a new book in memory. */
async function ofBook(open: (book: Daybook) => Promise<Pick<SentenceDoor, 'store'>>): Promise<SentenceDoor> {
  const book = await openDaybook({ name: 'sentence', path: ':memory:' })
  const { store } = await open(book)
  return { store, facts: () => factsOf(book), [Symbol.asyncDispose]: () => book.close() }
}

/** A door that speaks the descriptions of others, to a new book in a file. */
async function ofShaped(
  ways: (book: Daybook, path: string) => Promise<ConstructorParameters<typeof DaybookClient>[0]>,
): Promise<SentenceDoor> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-sentence-'))
  const path = join(folder, 'shared.daybook')
  const book = await openDaybook({ name: 'shared', path })
  const client = new DaybookClient(await ways(book, path))
  return {
    isShaped: true,
    async store(content) {
      const asked = { destination: 'kstar-memory', capability: 'kstar:store_fact', content }
      return (await client.deliver(asked)).data
    },
    facts: () => factsOf(book),
    async [Symbol.asyncDispose]() {
      await client.close()
      await book.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

describe('the same sentence', () => {
  sameSentenceCases({
    'a method of the book': () =>
      ofBook((book) => Promise.resolve({ store: (input) => book.facts.store(input as Fact) })),
    'the tools of a model': () =>
      ofBook(async (book) => {
        const { call } = await book.tools({ format: 'openai', set: 'records' })
        return { store: async (input) => (await call('store_fact', input)).value }
      }),
    MCP: () =>
      ofBook(async (book) => {
        const mcp = await loadMcp()
        const client = newClient('modern')
        const guards = { isOwnMachine: true, isAllowedOrigin: () => false }
        const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1:1/mcp'), {
          fetch: (url, init) =>
            answerMcp(new Request(url, init), {
              mcp,
              guards,
              factory: ({ era }) =>
                createMcpServer({
                  mcp,
                  era,
                  sets: ['records'],
                  version: '1',
                  book: { place: 'device', now: () => Date.now(), call: (id, input) => book.call(id, input) },
                }),
            }),
        })
        await client.connect(transport)
        return { store: async (input) => (await callTool(client, 'store_fact', input)).value }
      }),
    postMessage: () =>
      ofBook(async (book) => {
        const { token } = await grant(book, { permissions: ['write'] })
        const { port1, port2 } = new MessageChannel()
        const door = answerMessages(book, { as: token.token_id, from: port1 })
        const far = await connectBook({ to: port2 as unknown as ConnectOptions['to'] })
        return {
          async store(input) {
            const receipt = await far.call('kstar:store_fact', input as Fact)
            door.close()
            port1.close()
            return receipt
          },
        }
      }),
    'P3394 in this process': () =>
      ofShaped((book) => Promise.resolve({ transports: [createDirectTransport(book)] })),
    'P3394 over the socket of a book': () =>
      ofShaped((_book, path) => Promise.resolve({ socket: socketOf(path) })),
    'another process that shares the book': async () => {
      const folder = await mkdtemp(join(tmpdir(), 'daybook-sentence-'))
      const path = join(folder, 'shared.daybook')
      const book = await openDaybook({ name: 'shared', path })
      const other = await startProcess(path)
      return {
        store: (input) => other.run(`return book.facts.store(${JSON.stringify(input)})`),
        facts: () => factsOf(book),
        async [Symbol.asyncDispose]() {
          await other.kill()
          await book.close()
          await rm(folder, { recursive: true, force: true })
        },
      }
    },
    'the command line': async () => {
      const folder = await mkdtemp(join(tmpdir(), 'daybook-sentence-'))
      const file = join(folder, 'p3394/agents/agent/memory/book.daybook')
      return {
        isShaped: true,
        async store(input) {
          const args = ['store', 'fact', JSON.stringify(input), '--json', '--home', join(folder, 'p3394')]
          const { stdout } = await ended(startDaybook(args))
          return JSON.parse(stdout)
        },
        async facts() {
          await using book = await openDaybook({ name: 'agent', path: file })
          return await factsOf(book)
        },
        [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
      }
    },
  })
})
