// Requests that were right and were changed, to every route of a mirror that stores something: each is answered in the one error
// shape or with what it asked for, and what is stored is what was answered with success.
import { describe, expect, it } from 'vitest'
import { createDice } from '../../support/dice.ts'
import { checkErrorShape, damage, mutations } from './mutation.ts'

export interface MutatedHost {
  /** Requests to a route of each protocol; a fifth of them to another one for the same. */
  readonly count: number
  newBook(): string
  /** A POST of that text, as the owner. */
  ask(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: string }>
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

interface Route {
  /** Reads its messages as another one does, which is sent all of them. */
  readonly isLike?: true
  readonly path: (book: string) => string
  readonly headers?: (book: string) => Readonly<Record<string, string>>
  readonly right: (n: number) => unknown
  /** The names of what was stored; throws for an answer that is neither that nor an error of the one shape. */
  readonly stored: (answer: Answer, asked: string) => readonly unknown[]
}

const seed = 20_261_123
const atOnce = 25
const fact = (n: number) => ({ schema: 'note', data: { text: `mutated ${n}` } })

/** Where an error is the whole answer. */
function plain(idOf: (body: Record<string, unknown>) => unknown): Route['stored'] {
  return ({ status, body }) => {
    if (status < 300) return [idOf(body as Record<string, unknown>)]
    checkErrorShape(body, status)
    return []
  }
}
const factId = ({ fact_id, id }: Record<string, unknown>) => fact_id ?? id

interface Part {
  readonly data: Record<string, unknown>
}

/** A message is answered with a message, an error of it by the status and the fields of the one shape as well. */
const messageStored: Route['stored'] = ({ status, body }) => {
  const { content, payload } = body as { content?: [Part]; payload?: { parts: [Part] } }
  if (status < 300) return [factId((content?.[0] ?? payload?.parts[0])?.data ?? {})]
  const { code, message, retry, details } = body as Record<string, unknown>
  checkErrorShape({ code, message, retry, details }, status)
  return []
}

interface McpAnswer {
  readonly result?: {
    readonly isError?: boolean
    readonly content?: readonly { readonly text: string }[]
    readonly structuredContent?: Readonly<Record<string, unknown>>
  }
}

/** A tool refuses in its result; what is no call of a tool is refused in the words of JSON-RPC. */
const toolStored: Route['stored'] = ({ status, body }) => {
  const { result } = (body ?? {}) as McpAnswer
  if (status >= 500) throw new Error(`A status of ${status}: ${JSON.stringify(body)}`)
  if (result?.isError) checkErrorShape(JSON.parse(result.content?.[0]?.text ?? ''))
  const id = result?.isError ? undefined : result?.structuredContent?.['id']
  return id === undefined ? [] : [id]
}

const at = '2026-01-01T00:00:00.000Z'
const syncRequest = (n: number) => ({
  p: 1,
  device: `d_${n}`,
  epoch: null,
  ackedMid: 0,
  schema: 1,
  ops: [
    {
      mid: 1,
      kind: 'fact',
      id: `fact-${n}`,
      op: 'put',
      base: 0,
      stamp: '019b00000000-0000-d_mutated',
      at,
      created_at: at,
      agent: 'tester',
      body: { ...fact(n), verified: false },
    },
  ],
  pull: { cursor: 0, limit: 1, maxBytes: 500_000 },
})

interface Synced {
  readonly results: readonly { readonly mid: number; readonly s: string }[]
}

const opStored: Route['stored'] = ({ status, body }, asked) => {
  if (status !== 200) checkErrorShape(body, status)
  if (status !== 200) return []
  const { ops } = JSON.parse(asked) as { ops: { mid: number; kind: string; id: string }[] }
  const done = (body as Synced).results.filter(({ s }) => s === 'ok')
  return done.map((one) => {
    const op = ops.find(({ mid }) => mid === one.mid)
    return `${op?.kind} ${op?.id}`
  })
}

const message = (n: number) => ({
  id: `m${n}`,
  source: { agent_id: 'probe' },
  destination: 'p3394://kstar-memory/store_fact',
  content: [{ type: 'json', data: fact(n) }],
})
const envelope = (n: number) => ({
  spec_version: 'p3394/1.0',
  message_id: `m${n}`,
  kind: 'message',
  performative: 'request',
  sender: { agent_id: 'probe' },
  recipients: [{ agent_id: 'kstar-memory', capability_id: 'kstar:store_fact' }],
  payload: { parts: [{ type: 'json', data: fact(n) }] },
})
const mcpCall = (n: number) => ({
  jsonrpc: '2.0',
  id: n + 1,
  method: 'tools/call',
  params: { name: 'store_fact', arguments: fact(n) },
})
const byHeader = (book: string) => ({ 'x-daybook-book': book })

const routes: Readonly<Record<string, Route>> = {
  'a capability': {
    path: (book) => `/v1/books/${book}/capabilities/kstar:store_fact`,
    right: (n) => ({ message_id: `m${n}`, source: 'p3394://tutor', content: fact(n) }),
    stored: plain(factId),
  },
  'a capability of the book in the header': {
    isLike: true,
    path: () => '/capabilities/kstar:store_fact',
    headers: byHeader,
    right: fact,
    stored: plain(factId),
  },
  'a message of P3394': {
    path: (book) => `/v1/books/${book}/messages`,
    right: (n) => (n % 2 === 0 ? message(n) : envelope(n)),
    stored: messageStored,
  },
  'a message to the book in the header': {
    isLike: true,
    path: () => '/messages',
    headers: byHeader,
    right: (n) => (n % 2 === 0 ? envelope(n) : message(n)),
    stored: messageStored,
  },
  'a tool of MCP': {
    path: (book) => `/v1/books/${book}/mcp?tools=records`,
    headers: () => ({
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    }),
    right: mcpCall,
    stored: toolStored,
  },
  'the inbox': {
    isLike: true,
    path: (book) => `/v1/books/${book}/inbox`,
    right: (n) => ({ key: `k${n}`, text: `mutated ${n}`, to: 'tutor', data: { n } }),
    stored: plain(({ id }) => id),
  },
  sync: {
    path: (book) => `/v1/books/${book}/sync`,
    right: syncRequest,
    stored: opStored,
  },
}

export function mutatedHttpCases({ count: most, newBook, ask }: MutatedHost): void {
  const recordsOf = async (book: string) => {
    const { text } = await ask(`/v1/books/${book}/capabilities/daybook:status`, '{}', {})
    const { records } = JSON.parse(text) as { records: Record<string, number> }
    return Object.values(records).reduce((sum, one) => sum + one, 0)
  }

  describe.each(Object.entries(routes))('mutated requests to %s', (_name, route) => {
    const count = route.isLike ? most / 5 : most
    it(`are each answered, and store what was answered with success: ${count} of them`, async () => {
      const book = newBook()
      const dice = createDice(seed)
      const headers = route.headers?.(book) ?? {}
      const ids = new Set<unknown>()
      const source = mutations(route.right, count, seed)
      const lane = async () => {
        for (let next = source.next(); !next.done; next = source.next()) {
          const asked = damage(JSON.stringify(next.value), dice)
          const { status, text } = await ask(route.path(book), asked, headers)
          for (const id of route.stored({ status, body: bodyOf(text) }, asked)) ids.add(id)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, lane))
      expect(ids.size).toBeGreaterThan(count / 50)
      expect(ids.size).toBeLessThan(count / 2)
      expect(ids).not.toContain(undefined)
      expect(await recordsOf(book)).toBe(ids.size)
    })
  })
}

/** What an answer says, which is JSON or one event of a stream. */
function bodyOf(text: string): unknown {
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
  return data.trim() === '' ? undefined : (JSON.parse(data) as unknown)
}
