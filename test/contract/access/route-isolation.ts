// No route of the edge leads from one book into another: what each does with somebody who has the keys of another book, and
// what it shows of another book to the owner of all. A route without a case here fails.
import type { z } from 'zod'
import { expect, it } from 'vitest'
import { a2pRoutes } from '../../../src/doors/http/a2p/a2p-app.ts'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import { makeTrace } from '../../support/trace.ts'

export interface RouteAnswer {
  readonly status: number
  readonly text: string
}

export interface RouteAsk {
  readonly method?: string
  readonly key: string | null
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface RouteHost {
  /** The key of the whole edge. */
  readonly key: string
  /** Method and path of each route of the app. */
  readonly routes: readonly string[]
  ask(path: string, ask: RouteAsk): Promise<RouteAnswer>
  /** True when there is such a book already. */
  exists(book: string): Promise<boolean>
}

/** One request to a route, with `mark` in whatever it stores. */
interface Probe {
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}
interface RouteCase {
  /** The protocol whose errors it answers; Daybook's own by default. */
  readonly protocol?: 'a2p'
  /** Absent for what is of no book. */
  readonly ofBook?: (book: string, mark: string) => Probe
  readonly ofAll?: Probe & { readonly needsKey: boolean; readonly status?: 404 }
}

const syncBody = (mark: string) => {
  const at = '2026-01-01T00:00:00.000Z'
  const put = {
    kind: 'unheard_of',
    id: mark,
    op: 'put',
    base: 0,
    stamp: '019b00000000-0000-d_probe',
    at,
    created_at: at,
  }
  return {
    p: 1,
    device: 'd_probe',
    epoch: null,
    ackedMid: 0,
    schema: 99,
    ops: [
      {
        mid: 1,
        ...put,
        agent: mark,
        body: { text: mark },
      },
    ],
    pull: {
      cursor: 0,
      limit: 100,
      maxBytes: 5e5,
    },
  }
}

const traceMessage = (mark: string) => ({
  id: 'message-1',
  source: { agent_id: 'probe' },
  destination: 'p3394://kstar-memory/store_trace',
  content: [{ type: 'json', data: makeTrace({ task: { goal: mark } }) }],
})

export const routeCases: Readonly<Record<string, RouteCase>> = {
  'POST /v1/books/:book/sync': {
    ofBook: (book, mark) => ({ path: `/v1/books/${book}/sync`, body: syncBody(mark) }),
  },
  'POST /v1/books/:book/capabilities/:id': {
    ofBook: (book, mark) => ({
      path: `/v1/books/${book}/capabilities/kstar:store_trace`,
      body: makeTrace({ task: { goal: mark } }),
      headers: { 'idempotency-key': mark },
    }),
  },
  'POST /v1/books/:book/inbox': {
    ofBook: (book, mark) => ({ path: `/v1/books/${book}/inbox`, body: { text: mark } }),
  },
  'POST /v1/books/:book/live': {
    ofBook: (book) => ({ path: `/v1/books/${book}/live`, body: { device: 'd_probe' } }),
  },
  'GET /v1/books/:book/live': {
    ofBook: (book) => ({
      path: `/v1/books/${book}/live`,
      headers: { upgrade: 'websocket', 'sec-websocket-protocol': `daybook.live.1, ticket.${'x'.repeat(43)}` },
    }),
  },
  'POST /v1/books/:book/mcp': {
    ofBook: (book, mark) => ({
      path: `/v1/books/${book}/mcp?tools=records`,
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'store_fact', arguments: { schema: 'probe', data: { mark } } },
      },
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    }),
  },
  'DELETE /v1/books/:book/mcp': {
    ofBook: (book) => ({ path: `/v1/books/${book}/mcp?agent=probe` }),
  },
  'POST /v1/books/:book/messages': {
    ofBook: (book, mark) => ({ path: `/v1/books/${book}/messages`, body: traceMessage(mark) }),
  },
  'POST /messages': {
    ofBook: (book, mark) => ({
      path: '/messages',
      body: traceMessage(mark),
      headers: { 'x-daybook-book': book },
    }),
  },
  'POST /capabilities/:id': {
    ofBook: (book, mark) => ({
      path: '/capabilities/kstar:store_trace',
      body: makeTrace({ task: { goal: mark } }),
      headers: { 'x-daybook-book': book },
    }),
  },
  'POST /v1/books/:book/embed': {
    ofBook: (book, mark) => ({ path: `/v1/books/${book}/embed`, body: { texts: [mark] } }),
  },
  'DELETE /v1/books/:book': {
    ofBook: (book) => ({ path: `/v1/books/${book}`, body: { confirm: book } }),
  },
  'PUT /v1/books/:book': {
    ofBook: (book) => ({ path: `/v1/books/${book}`, body: { confirm: book } }),
  },
  ...Object.fromEntries(
    a2pRoutes.map(({ method, path }) => [
      `${method} /a2p/v1${path}`,
      {
        protocol: 'a2p',
        ofBook: (book, mark) => {
          const did = `did:a2p:user:local:${book}`
          const isProfile = path.startsWith('/profile/')
          const agent = `did:a2p:agent:local:${mark}`
          return {
            path: `/a2p/v1${path.replace(':did', isProfile ? did : agent).replace(':id', mark)}`,
            ...(method === 'GET' ? {} : { body: { content: mark, category: 'a2p:context', did: agent } }),
            headers: isProfile ? {} : { 'x-daybook-book': book },
          }
        },
      } satisfies RouteCase,
    ]),
  ),
  'GET /a2p/v1/health': { ofAll: { path: '/a2p/v1/health', needsKey: false } },
  'GET /a2p/v1/did/:did': {
    ofAll: {
      path: '/a2p/v1/did/did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
      needsKey: false,
    },
  },
  'POST /embed': { ofAll: { path: '/embed', body: { texts: ['x'] }, needsKey: true } },
  'GET /health': { ofAll: { path: '/health', needsKey: false } },
  'GET /manifest': { ofAll: { path: '/manifest', needsKey: false } },
  // These hosts trust no identity provider.
  'GET /.well-known/oauth-protected-resource/v1/books/:book/mcp': {
    ofAll: { path: '/.well-known/oauth-protected-resource/v1/books/any/mcp', needsKey: false, status: 404 },
  },
  'GET /openapi.json': { ofAll: { path: '/openapi.json', needsKey: false } },
}

/** Every way to read that needs no input: none of them may know of another book. */
const readers = capabilityTable
  .filter(({ effect, input }) => effect === 'read' && (input as z.ZodType).safeParse({}).success)
  .map(({ id }) => id)

let serial = 0

export function routeIsolationCases(host: RouteHost): void {
  const name = () => `isolated-${++serial}`
  const methodOf = (route: string) => route.split(' ')[0] ?? ''
  const run = async (book: string, id: string, body: unknown, key = host.key) =>
    host.ask(`/v1/books/${book}/capabilities/${id}`, { key, body })
  const makeKey = async (book: string, input: object): Promise<string> => {
    const made = await run(book, 'daybook:create_access_key', { name: 'key', ...input })
    expect(made.status).toBe(200)
    return (JSON.parse(made.text) as { key: string }).key
  }
  const recordsOf = async (book: string): Promise<string> => {
    const body = { ...syncBody(''), device: 'd_reader', ops: [] }
    const answers = [await host.ask(`/v1/books/${book}/sync`, { key: host.key, body })]
    answers.push(await run(book, 'inbox:list', { agent: 'edge', state: 'all' }))
    answers.push(await run(book, 'daybook:list_access_keys', {}))
    return answers.map(({ text }) => text.replaceAll(/"serverTime":[^,}]+/g, '')).join('\n')
  }
  const everythingOf = async (book: string): Promise<string> => {
    const answers = [await run(book, 'daybook:recall', { text: 'mark goal text probe' })]
    for (const id of readers) answers.push(await run(book, id, {}))
    return [await recordsOf(book), ...answers.map(({ text }) => text)].join('\n')
  }

  it('has a case for every route of the app', () => {
    expect([...new Set(host.routes)].toSorted()).toEqual(Object.keys(routeCases).toSorted())
    expect(readers.length).toBeGreaterThan(10)
  })

  const ofBooks = Object.entries(routeCases).flatMap(([route, { ofBook }]) =>
    ofBook ? [[route, ofBook] as const] : [],
  )
  it.each(ofBooks)(
    '%s lets in nobody with the keys of another book, and changes nothing',
    async (route, probe) => {
      const [book, other] = [name(), name()]
      await run(book, 'kstar:store_trace', makeTrace())
      const strangers = [
        await makeKey(other, { owner: true }),
        await makeKey(other, { permissions: ['read', 'write', 'sync'] }),
        null,
        'wrong',
        'dbt1.AAAA',
        `dbk1.${'A'.repeat(16)}.${'A'.repeat(43)}`,
        'eyJhbGciOiJub25lIn0.e30.',
      ]
      const before = await recordsOf(book)
      for (const key of strangers) {
        const { path, body, headers } = probe(book, 'intruder')
        const answer = await host.ask(path, { method: methodOf(route), key, body, headers: headers ?? {} })
        expect([key?.slice(0, 5), answer.status]).toEqual([key?.slice(0, 5), 401])
        const isA2p = routeCases[route]?.protocol === 'a2p'
        const refusal = isA2p ? { error: { code: 'A2P001' } } : { code: 'unauthorized' }
        expect(JSON.parse(answer.text)).toMatchObject(refusal)
        expect(answer.text).not.toMatch(/intruder|goal/)
      }
      expect(await recordsOf(book)).toBe(before)
      // Nor does it make a book where there is none.
      const none = name()
      for (const key of strangers) {
        const { path, body, headers } = probe(none, 'intruder')
        await host.ask(path, { method: methodOf(route), key, body, headers: headers ?? {} })
      }
      expect(await host.exists(none)).toBe(false)
    },
  )

  it.each(ofBooks)('%s leaves nothing of one book in another', async (route, probe) => {
    const [book, other] = [name(), name()]
    await run(other, 'kstar:store_trace', makeTrace())
    const mark = `mark-${book}`
    const { path, body, headers } = probe(book, mark)
    await host.ask(path, { method: methodOf(route), key: host.key, body, headers: headers ?? {} })
    expect(await everythingOf(other)).not.toContain(mark)
    // The same once more, elsewhere: its name there is its own, also where a key makes it the same request.
    const again = probe(other, mark)
    const answer = await host.ask(again.path, {
      method: methodOf(route),
      key: host.key,
      body: again.body,
      headers: again.headers ?? {},
    })
    const stores = ['/sync', '/inbox', '/mcp?tools=records', '/messages', 'store_trace'].some((part) =>
      path.endsWith(part),
    )
    if (stores) expect(answer.status).toBeLessThan(300)
    if (stores) expect(await recordsOf(other)).toContain(mark)
  })

  const ofAll = Object.entries(routeCases).flatMap(([route, one]) =>
    one.ofAll ? [[route, one.ofAll] as const] : [],
  )
  it.each(ofAll)('%s says nothing of any book, and the key of a book is none there', async (route, probe) => {
    const book = name()
    await run(book, 'kstar:store_trace', makeTrace({ task: { goal: 'of one book alone' } }))
    const { path, body, needsKey, status = 200 } = probe
    const key = await makeKey(book, { owner: true })
    const answer = await host.ask(path, { method: methodOf(route), key, body })
    expect(answer.status).toBe(needsKey ? 401 : status)
    const open = await host.ask(path, { method: methodOf(route), key: needsKey ? host.key : null, body })
    expect(`${answer.text}${open.text}`).not.toMatch(new RegExp(`of one book alone|${book}`))
  })
}
