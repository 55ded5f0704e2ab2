// The same operations through every door: the same answers, the same refusals, and the same records behind each. Inputs are
// drawn from the schemas of the tools, one in three of them then damaged.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { defined } from '../../../src/core/defined.ts'
import { isDaybookError } from '../../../src/core/errors.ts'
import type { JsonSchema } from '../../../src/doors/manifest.ts'
import { loadMcp } from '../../../src/doors/mcp/mcp-book.ts'
import { answerMcp } from '../../../src/doors/mcp/mcp-http.ts'
import { createMcpServer } from '../../../src/doors/mcp/mcp-server.ts'
import { toolsOf } from '../../../src/doors/mcp/tool-set.ts'
import { callSeedShape, findSeedShape } from '../../../src/doors/seed-shape/seed-shape.ts'
import { createDirectTransport, DaybookClient, openDaybook } from '../../../src/hosts/node/index.ts'
import { callTool, newClient } from '../../contract/mcp/mcp.ts'
import { verbExamples } from '../../contract/door/right-example.ts'
import { propertySeed } from '../../property/draw-from-seed.ts'
import { createDice, type Dice } from '../../support/dice.ts'
import { valueOf } from '../../support/schema-value.ts'
import { createNodeEdge } from '../../support/server/node-edge.ts'
import { draws } from '../../support/whole.ts'
import { ended, startDaybook } from '../hosts/node/command-line.ts'
import { socketOf } from '../hosts/node/socket/raw-socket.ts'

interface Operation {
  readonly capability: string
  readonly tool: string
  readonly input: unknown
}

interface Door {
  /** Answers, or throws a `DaybookError` or `{ error }`. */
  run(operation: Operation): Promise<unknown>
  records(): Promise<unknown>
}

/** Tools of MCP by the capabilities that they are, in the shapes of others. */
const toolNames: Readonly<Record<string, string>> = {
  'kstar:store_trace': 'mcp__kstar__store_trace',
  'kstar:store_perception': 'mcp__kstar__store_perception',
  'kstar:store_fact': 'mcp__kstar__store_fact',
  'kstar:update_skill': 'mcp__kstar__update_skill',
  'kstar:query_memory': 'mcp__kstar__query_memory',
  'kstar:verify_control_token': 'mcp__kstar__verify_control_token',
  'kstar:get_token_lineage': 'mcp__kstar__get_token_lineage',
  'ks:store': 'store',
}
const sets = ['kstar', 'ks'] as const
const kinds = ['trace', 'perception', 'fact', 'skill', 'message'] as const

function damaged(value: unknown, dice: Dice): unknown {
  const wrong = [null, 7, 'x', [], {}, true][dice.below(6)]
  const names = Object.keys(value as object)
  const name = names[dice.below(names.length)] ?? 'noSuchField'
  if (dice.below(3) === 0) return { ...(value as object), noSuchField: wrong }
  return { ...(value as object), [name]: wrong }
}

/**
 * Without a sensitivity that only a host with keys takes, and without integers that JSON can't carry: of several faults
 * each door finds another one first.
 */
function plain(value: object): object {
  const safe = JSON.parse(
    JSON.stringify(value, (_name, one: unknown) =>
      typeof one === 'number' && Math.abs(one) > Number.MAX_SAFE_INTEGER ? 1 : one,
    ),
  ) as { readonly sensitivity?: unknown; readonly limit?: unknown }
  const { sensitivity, limit, ...rest } = safe
  return {
    ...rest,
    ...(['sensitive', 'restricted'].includes(String(sensitivity)) ? {} : defined({ sensitivity })),
    // A tool lists at most 50 and reports it, where other doors list a thousand.
    ...(Number(limit) > 50 ? {} : defined({ limit })),
  }
}

async function drawOperations(count: number): Promise<Operation[]> {
  const dice = createDice(propertySeed)
  const tools = toolsOf(sets, 'device')
  const names = Object.entries(toolNames)
  const right = new Map((await verbExamples()).map(({ name, input }) => [name, input as object]))
  return Array.from({ length: count }, (_, n) => {
    const [capability, tool] = names[n % names.length] ?? ['', '']
    const schema = tools.find(({ name }) => name === tool)?.input as JsonSchema
    const drawn = fc.sample(valueOf(schema), { numRuns: 1, seed: dice.below(2 ** 31) })[0]
    // Few drawn inputs are right by chance. Some ids come again.
    const name = findSeedShape(capability)?.names[0] ?? capability
    const example = { ...right.get(name), id: `x-${dice.below(count)}` }
    const fields = schema['properties'] as object
    const known = plain(
      Object.fromEntries(Object.entries(example).filter(([field]) => Object.hasOwn(fields, field))),
    )
    const input = [plain(drawn as object), known, known, damaged(known, dice)][dice.below(4)]
    return { capability, tool, input }
  })
}

/** A JSON value without what differs from book to book: times, new ids, the storage, the caller. */
function normal(value: unknown): unknown {
  const text = JSON.stringify(value ?? null, (name, one: unknown) =>
    ['durability', 'agent', 'agent_id', 'ver'].includes(name) ? undefined : one,
  )
  return JSON.parse(
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
      .replaceAll(/message::[\w-]+/g, '<message>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'),
  )
}

const sorted = (records: readonly unknown[]) => records.map((one) => JSON.stringify(normal(one))).toSorted()
/** The place of an input in a message. */
const placeInMessage = /^(?:content\.(?:0\.data\.)?|payload\.parts\.0\.data\.)/
const refusalOf = ({ code, details }: { code?: unknown; details?: unknown }) => ({
  refused: code,
  path: String((details as { path?: unknown } | undefined)?.path).replace(placeInMessage, ''),
})

/** The answer of a door, in the form that all doors have. */
async function outcomeOf(door: Door, operation: Operation): Promise<unknown> {
  try {
    const answer = await door.run(operation)
    return Array.isArray(answer) ? sorted(answer) : normal(answer)
  } catch (error) {
    if (isDaybookError(error)) return refusalOf(error)
    if (typeof error === 'object' && error !== null && 'code' in error) return refusalOf(error)
    throw error
  }
}

const recordsOf = async (query: (kind: string) => Promise<{ records: readonly unknown[] }>) => {
  const found = []
  for (const kind of kinds) found.push(...sorted((await query(kind)).records))
  return found
}
const recordsOfBook = (book: Daybook) =>
  recordsOf((kind) => book.call('kstar:query_memory', { filters: { kind }, limit: 1000 } as never) as never)

let folder = ''
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-operation-'))
})
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
  await rm(folder, { recursive: true, force: true })
})

async function openBook(path = ':memory:'): Promise<Daybook> {
  const book = await openDaybook({
    name: 'operation',
    agent: 'agent',
    path,
    secrets: 'off',
    checkpoint: false,
  })
  closing.push(() => book.close())
  return book
}

function clientDoor(book: Daybook, client: DaybookClient): Door {
  closing.push(() => client.close())
  return {
    run: async ({ capability, input }) =>
      (await client.deliver({ destination: 'kstar-memory', capability, content: input as object })).data,
    records: () => recordsOfBook(book),
  }
}

const doors: Readonly<Record<string, () => Promise<Door>>> = {
  async 'a call in this process'() {
    const book = await openBook()
    const call = (id: string, input: unknown) => book.call(id, input as never) as Promise<unknown>
    return {
      run: ({ capability, input }) => callSeedShape(capability, input, { now: () => Date.now(), call }),
      records: () => recordsOfBook(book),
    }
  },
  async 'P3394 in this process'() {
    const book = await openBook()
    return clientDoor(book, new DaybookClient({ transports: [createDirectTransport(book)] }))
  },
  async 'the socket of a book'() {
    const path = join(folder, 'shared.daybook')
    const book = await openBook(path)
    return clientDoor(book, new DaybookClient({ socket: socketOf(path) }))
  },
  async HTTP() {
    return edgeDoor('plain', ({ capability, input }, n) => ({
      path: `/capabilities/${capability}`,
      body: { message_id: `m-${n}`, content: input },
      answer: (body) => body,
    }))
  },
  async 'P3394 over HTTP'() {
    return edgeDoor('messages', ({ capability, input }, n) => ({
      path: '/messages',
      body: {
        id: `m-${n}`,
        destination: { agent_id: 'kstar-memory', capability_id: capability },
        content: [{ type: 'json', data: input }],
      },
      answer: ({ content }) => (content as [{ data: unknown }])[0].data,
    }))
  },
  async 'envelopes over HTTP'() {
    return edgeDoor('envelopes', ({ capability, input }, n) => ({
      path: '/messages',
      body: {
        spec_version: 'p3394/1.0',
        message_id: `m-${n}`,
        kind: 'message',
        performative: 'request',
        sender: { agent_id: 'tester' },
        recipients: [{ agent_id: 'kstar-memory', capability_id: capability }],
        payload: { parts: [{ type: 'json', data: input }] },
      },
      answer: ({ payload }) => (payload as { parts: [{ data: unknown }] }).parts[0].data,
    }))
  },
  async MCP() {
    const book = await openBook()
    const mcp = await loadMcp()
    const client = newClient('modern')
    const guards = { isOwnMachine: true, isAllowedOrigin: () => false }
    const call = (id: string, input: unknown) => book.call(id, input as never) as Promise<unknown>
    const factory: Parameters<typeof answerMcp>[1]['factory'] = ({ era }) =>
      createMcpServer({
        mcp,
        era,
        sets,
        version: '1',
        book: { place: 'device', now: () => Date.now(), call },
      })
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://127.0.0.1:1/mcp'), {
        fetch: (url, init) => answerMcp(new Request(url, init), { mcp, guards, factory }),
      }),
    )
    return {
      async run({ tool, input }) {
        const { text, isError } = await callTool(client, tool, input as object)
        const value: unknown = JSON.parse(text)
        if (isError && typeof (value as { code?: unknown }).code === 'string') throw value
        return value
      },
      records: () => recordsOfBook(book),
    }
  },
}

interface Sent {
  readonly path: string
  readonly body: object
  readonly answer: (body: Record<string, unknown>) => unknown
}

/** A book at an edge in this process. */
function edgeDoor(name: string, toRequest: (operation: Operation, n: number) => Sent): Promise<Door> {
  const edge = createNodeEdge()
  closing.push(() => Promise.resolve(edge.close()))
  let n = 0
  const post = async (path: string, body: unknown) => {
    const request = { method: 'POST', body: JSON.stringify(body) }
    const response = await edge.fetch(`/v1/books/${name}${path}`, request)
    const value = (await response.json()) as Record<string, unknown>
    if (!response.ok) throw value
    return value
  }
  return Promise.resolve({
    async run(operation) {
      const { path, body, answer } = toRequest(operation, ++n)
      return answer(await post(path, body))
    },
    records: () =>
      recordsOf(
        (kind) =>
          post('/capabilities/kstar:query_memory', { filters: { kind }, limit: 1000 }) as unknown as Promise<{
            records: readonly unknown[]
          }>,
      ),
  })
}

const count = draws(500, 3000)
const [firstName = '', ...otherNames] = Object.keys(doors)
const operations = await drawOperations(count)
const reference: unknown[] = []
let storedRecords: unknown
beforeAll(async () => {
  const door = (await doors[firstName]?.()) as Door
  for (const operation of operations) reference.push(await outcomeOf(door, operation))
  storedRecords = await door.records()
})

it('the operations store, answer and are refused', () => {
  const refused = reference.filter((one) => one !== null && typeof one === 'object' && 'refused' in one)
  expect(refused.length).toBeGreaterThan(count / 10)
  expect(refused.length).toBeLessThan(count * 0.75)
  expect((storedRecords as unknown[]).length).toBeGreaterThan(count / 10)
})

it.each(otherNames)('%s gives the same answers and stores the same records', async (name) => {
  const door = (await doors[name]?.()) as Door
  const different: unknown[] = []
  for (const [n, operation] of operations.entries()) {
    const outcome = await outcomeOf(door, operation)
    if (JSON.stringify(outcome) !== JSON.stringify(reference[n]))
      different.push({ n, operation, outcome, expected: reference[n] })
  }
  expect(different).toEqual([])
  expect(await door.records()).toEqual(storedRecords)
})

it('the command line gives the same answers and stores the same records', async () => {
  const book = await openBook()
  const direct = clientDoor(book, new DaybookClient({ transports: [createDirectTransport(book)] }))
  const file = join(folder, 'cli.daybook')
  const drawn = operations.slice(0, draws(24, 60))
  // A book for all of them, so that no operation has to make it.
  await (await openBook(file)).close()
  for (const { capability, tool, input } of drawn) {
    const expected = await outcomeOf(direct, { capability, tool, input })
    const args = [
      'send',
      'kstar-memory',
      capability,
      '--content',
      JSON.stringify(input),
      '--json',
      '--book',
      file,
    ]
    const { code, stdout, stderr } = await ended(startDaybook(args))
    const { answer } = (code === 0 ? JSON.parse(stdout) : {}) as { readonly answer?: unknown }
    if (code === 0) expect(Array.isArray(answer) ? sorted(answer) : normal(answer)).toEqual(expected)
    else {
      const { refused } = expected as { readonly refused: string }
      expect([input, stderr]).toEqual([input, expect.stringContaining(`${refused}: `)])
    }
  }
  expect(await recordsOfBook(await openBook(file))).toEqual(await direct.records())
})
