// `daybook serve` in this process, over a PostgreSQL of the tests' own: as many servers and devices as a test wants.
import { type Daybook, openDaybook, serveMirrors } from '../../../../../src/hosts/node/index.ts'
import { createPostgres } from '../postgres/postgres-world.ts'

export interface BookAt {
  readonly url: string
  readonly book: string
}

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

  /** A book in memory that syncs when it is told to; `live`: and listens to its mirror. */
  async function device(
    url: string,
    name: string,
    { agent = 'a', live = false }: { readonly agent?: string; readonly live?: boolean } = {},
  ): Promise<Daybook> {
    const sync = { url, key, triggers: 'manual', live } as const
    const book = await openDaybook({ name, agent, path: ':memory:', sync })
    closing.push(() => book.close())
    return book
  }

  /** With the key of the server, unless `headers` say otherwise; without a body it is a GET. */
  async function ask(url: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  const run = ({ url, book }: BookAt, id: string, input: unknown, headers?: Record<string, string>) =>
    ask(`${url}/v1/books/${book}/capabilities/${id}`, input, headers)

  return {
    key,
    postgres,
    closing,
    start,
    device,
    ask,
    run,
    async open() {
      database = (await postgres.get()).postgres.url
    },
    async close() {
      for (const end of closing.toReversed()) await end()
      await postgres.close()
    },
  }
}

/** Until `book` has synced something in. */
export const pulled = (book: Daybook) =>
  new Promise<number>((resolve) => {
    book.on('sync', ({ result }) => {
      if (result && result.pulled > 0) resolve(result.pulled)
    })
  })

/** Until the line of `book` to its mirror is open. */
export const untilOpen = async (book: Daybook) => {
  while ((await book.status()).sync?.live !== 'open') await new Promise((resolve) => setImmediate(resolve))
}
