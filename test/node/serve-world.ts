// `daybook serve` in this process, over a PostgreSQL of the tests' own: as many servers and devices as a test wants.
import { type Daybook, openDaybook, serveMirrors } from '../../src/hosts/node/index.ts'
import { createPostgres } from './postgres-world.ts'

export function createServeWorld() {
  const key = 'test-key-0123456789'
  const postgres = createPostgres()
  let database = ''
  const closing: (() => Promise<unknown>)[] = []

  async function start(options: Partial<Parameters<typeof serveMirrors>[0]> = {}) {
    const server = await serveMirrors({ database, port: 0, key, ...options })
    closing.push(server.close)
    return server
  }

  async function device(url: string, name: string, live: boolean): Promise<Daybook> {
    const sync = { url, key, triggers: 'manual', live } as const
    const book = await openDaybook({ name, agent: live ? 'live' : 'still', path: ':memory:', sync })
    closing.push(() => book.close())
    return book
  }

  async function ask(url: string, body: unknown, bearer = key) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  const run = (url: string, book: string, id: string, input: unknown, bearer?: string) =>
    ask(`${url}/v1/books/${book}/capabilities/${id}`, input, bearer)

  return {
    ...{ key, postgres, closing, start, device, ask, run },
    /** Before the first test. */
    async open() {
      database = (await postgres.get()).postgres.url
    },
    /** After the last. */
    async close() {
      for (const end of closing.toReversed()) await end()
      await postgres.close()
    },
  }
}
