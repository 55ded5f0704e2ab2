// Every verb and every tool over each door of a mirror, with no token, with one that permits too little, has ended or was revoked:
// nothing is done, nothing is said of what would be right, and the door says which it is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bookTable } from '../../../../src/book/book-table.ts'
import { createDaybook, type Daybook } from '../../../../src/book/daybook.ts'
import { createLocalDoor } from '../../../../src/doors/local-door.ts'
import { toolSetNames, toolsOf } from '../../../../src/doors/mcp/tool-set.ts'
import { capabilityTable, kinds } from '../../../../src/engine/capability-table.ts'
import { createEngine } from '../../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { openNodeKeyring } from '../../../../src/hosts/node/key/key-file.ts'
import { rights } from '../../../../src/core/access/permission.ts'
import { grant } from '../../../contract/access/token-grant.ts'
import {
  askedFor,
  bareMessage,
  envelopeMessage,
  rightOf,
  wrongInput,
} from '../../../contract/seed-shape/token-message.ts'
import { everyPermission, rightsBut } from '../../../contract/access/verb-right.ts'
import { createNodeEdge } from '../../../support/server/node-edge.ts'
import { createTestTime } from '../../../support/test-engine.ts'

const hour = 3_600_000
const { ports, pass } = createTestTime()
const edge = createNodeEdge(ports)
/** The tokens, whole: as who holds them shows them. */
const bearers = new Map<string, string>()
let book: Daybook

beforeAll(async () => {
  const carrier = {
    exchange: async (request: unknown) => {
      const body = JSON.stringify(request)
      return (await edge.fetch('/v1/books/b/sync', { method: 'POST', body })).json()
    },
  }
  const engine = createEngine({
    db: openNodeDatabase({ path: ':memory:' }),
    ports,
    name: 'b',
    scope: { agent: 'owner' },
    durability: 'memory',
    keys: openNodeKeyring(undefined),
    carrier,
    sync: { triggers: 'manual' },
  })
  book = createDaybook(
    createLocalDoor(engine, ports.scheduler),
    bookTable(capabilityTable, kinds),
    globalThis,
  )
  const make = async (name: string, permissions: readonly string[], more: object = {}) => {
    const { token, bearer = '' } = await grant(book, { permissions: [...permissions], ...more })
    bearers.set(name, bearer)
    return token.token_id
  }
  // A word of the owner's permits no verb.
  await make('narrow', ['evaluate'])
  await make('wide', everyPermission)
  for (const right of rights) await make(`all but ${right}`, rightsBut(right))
  await make('ended', everyPermission, { expires_at: new Date(ports.clock.now() + hour).toISOString() })
  const token_id = await make('revoked', everyPermission)
  await book.tokens.revoke({ token_id, reason: 'over' })
  await book.sync()
  await pass(2 * hour)
})
afterAll(async () => {
  await book.close()
  edge.close()
})

interface Post {
  readonly path: string
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** How each door is asked for a verb, or for what goes by one of the names that others know. */
const doors: Readonly<Record<string, (id: string) => Post>> = {
  'a capability': (id) => ({ path: `/v1/books/b/capabilities/${id}`, body: wrongInput }),
  'a capability, as an agent asks': (id) => ({
    path: `/capabilities/${id}`,
    body: { message_id: 'm-1', content: wrongInput },
    headers: { 'x-daybook-book': 'b' },
  }),
  'a message': (id) => ({ path: '/v1/books/b/messages', body: bareMessage(id) }),
  'an envelope': (id) => ({
    path: '/messages',
    body: envelopeMessage(id),
    headers: { 'x-daybook-book': 'b' },
  }),
}

interface Told {
  readonly code?: string
  readonly result?: {
    readonly isError?: boolean
    readonly content?: readonly { readonly text: string }[]
  }
}

async function askWith(name: string | null, { path, body, headers = {} }: Post): Promise<[number, Told]> {
  const key = name === null ? null : (bearers.get(name) ?? '')
  const init = { method: 'POST', body: JSON.stringify(body), headers }
  const response = await edge.fetch(path, init, key)
  const text = await response.text()
  return [response.status, JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Told]
}

/** The token that has every right but this one; what is the owner's alone no token has. */
const lacking = (right: ReturnType<typeof rightOf>) => (right === 'owner' ? 'wide' : `all but ${right}`)
const strangers = [
  [null, 401, 'unauthorized'],
  ['ended', 401, 'unauthorized'],
  ['revoked', 401, 'unauthorized'],
  ['narrow', 403, 'forbidden'],
] as const

describe.each(Object.entries(doors))('over HTTP, %s', (_name, post) => {
  it.each(strangers)('is told to nobody with the token %s: %i %s', async (name, status, code) => {
    const before = edge.storedIn('b')
    for (const [id] of askedFor) {
      const [answered, told] = await askWith(name, post(id))
      expect([id, answered, told.code]).toEqual([id, status, code])
    }
    expect(edge.storedIn('b')).toBe(before)
  })

  it('needs the right of its verb, and is the owner’s alone where the table says so', async () => {
    const before = edge.storedIn('b')
    for (const [id, verb] of askedFor) {
      const right = rightOf(verb)
      const [status, told] = await askWith(lacking(right), post(id))
      expect([id, status, told.code]).toEqual([id, 403, 'forbidden'])
    }
    expect(edge.storedIn('b')).toBe(before)
  })
})

/** The code, or what the descriptions of KS2.2 and Katra say in its place. */
const refusal = /^forbidden$|^E_CONSENT_DENIED$|does not permit|may not/

describe('over MCP', () => {
  const tools = toolSetNames.flatMap((set) => toolsOf([set], 'mirror').map((tool) => ({ set, tool })))
  const post = (set: string, name: string): Post => ({
    path: `/v1/books/b/mcp?tools=${set}`,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: wrongInput },
    },
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  })

  it.each(strangers)('every tool is told to nobody with the token %s: %i %s', async (name, status, code) => {
    for (const { set, tool } of tools) {
      const [answered, told] = await askWith(name, post(set, tool.name))
      expect([tool.name, answered, told.code]).toEqual([tool.name, status, code])
    }
  })

  it('every tool needs the rights of its verbs', async () => {
    const before = edge.storedIn('b')
    for (const { set, tool } of tools) {
      const right = rightOf(tool.verbs[0])
      const [, { result }] = await askWith(lacking(right), post(set, tool.name))
      const told = JSON.parse(result?.content?.[0]?.text ?? '{}') as { code?: string; error?: string }
      expect([tool.name, result?.isError]).toEqual([tool.name, true])
      // Some are described with words of their own for what fails.
      expect([tool.name, told.code ?? told.error]).toEqual([tool.name, expect.stringMatching(refusal)])
    }
    expect(edge.storedIn('b')).toBe(before)
  })
})
