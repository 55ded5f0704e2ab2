// MCP over the transport of HTTP, in this process: a book of its own for each test, and the tables of tools.
import { InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadMcp, type McpBook } from '../../../../src/doors/mcp/mcp-book.ts'
import { answerMcp } from '../../../../src/doors/mcp/mcp-http.ts'
import { createMcpServer } from '../../../../src/doors/mcp/mcp-server.ts'
import { parseSetNames, toolSetNames, toolsOf } from '../../../../src/doors/mcp/tool-set.ts'
import { capabilityTable } from '../../../../src/engine/capability-table.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { graphCases } from '../../../contract/mcp/graph.ts'
import { callTool, type McpHost, mcpCases, newClient } from '../../../contract/mcp/mcp.ts'

it('no tool says of what may stand beside its fields that it is an empty schema, which hosts take for a mistake', () => {
  const said = toolSetNames.flatMap((set) =>
    toolsOf([set], 'device').map(({ input, output }) => [input, output]),
  )
  expect(JSON.stringify(said)).toContain('"additionalProperties":true')
  expect(JSON.stringify(said)).not.toContain('"additionalProperties":{}')
})

const guards = { isOwnMachine: true, isAllowedOrigin: () => false }

const host: McpHost = {
  async open({ era, sets }) {
    const book = await openDaybook({ name: 'mcp', path: ':memory:' })
    const mcp = await loadMcp()
    const mcpBook: McpBook = {
      place: 'device',
      now: () => Date.now(),
      call: (id, input, { onProgress: _onProgress, ...options } = {}) => book.call(id, input, options),
    }
    const client = newClient(era)
    const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1:1/mcp'), {
      fetch: (url, init) =>
        answerMcp(new Request(url, init), {
          mcp,
          guards,
          factory: (context) => createMcpServer({ mcp, era: context.era, book: mcpBook, sets, version: '1' }),
        }),
    })
    await client.connect(transport)
    return {
      client,
      run: (id, input) => book.call(id, input),
      async [Symbol.asyncDispose]() {
        await client.close()
        await book.close()
      },
    }
  },
}

describe('a book on Node', () => {
  mcpCases(host)
  graphCases(host)
})

describe('the sets of tools', () => {
  const withheld = (id: string) =>
    /^(?:seal|secret|task|access|consent|import|bundle:(?:import|verify)|daybook:(?:create|list|revoke|erase|begin))/.test(
      id,
    ) ||
    [
      'kstar:grant_control_token',
      'kstar:purge',
      'kstar:set_sensitivity',
      'a2p:review',
      'a2p:reopen',
    ].includes(id)

  it.each(toolSetNames)('%s grants, seals, decides, erases and takes in nothing', (set) => {
    const verbs = toolsOf([set], 'device').flatMap((tool) => tool.verbs)
    expect(verbs.length).toBeGreaterThan(0)
    expect(verbs.filter(withheld)).toEqual([])
    const rights = new Map(capabilityTable.map(({ id, permission }) => [id as string, permission]))
    const owners = verbs.filter((id) => rights.get(id) === undefined)
    expect(owners).toEqual(set === 'embedding' ? ['embed:texts', 'embed:texts'] : [])
  })

  it('says of each tool what the table says: what reads, what forgets', () => {
    const hints = Object.fromEntries(
      toolsOf(['recall', 'records', 'graph'], 'device').map(({ name, hints: told }) => [name, told]),
    )
    expect(hints['recall']).toMatchObject({ readOnlyHint: true, destructiveHint: false })
    expect(hints['store_fact']).toMatchObject({ readOnlyHint: false, destructiveHint: false })
    expect(hints['forget']).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(hints['delete_entities']).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  })

  it('has names that a host takes, and objects for inputs', () => {
    const all = toolSetNames.flatMap((set) => toolsOf([set], 'device'))
    for (const { name, input } of all) {
      expect(name).toMatch(/^[A-Za-z0-9_./-]{1,64}$/)
      expect([name, input['type']]).toEqual([name, 'object'])
    }
    expect(toolsOf(parseSetNames(undefined), 'device').map(({ name }) => name)).toEqual([
      'remember',
      'recall',
      'get',
      'query_memory',
      'store_trace',
      'forget',
    ])
  })

  it('leaves out at a mirror what a device alone can do', () => {
    const names = (place: 'device' | 'mirror') => toolsOf(['pool'], place).map(({ name }) => name)
    expect(names('device')).toContain('pool_vote')
    expect(names('mirror')).toEqual(['pool_list_proposals', 'pool_facts'])
  })

  it('refuses a set that there is not, and two that promise one tool', () => {
    expect(() => parseSetNames('recall,everything')).toThrow(
      /no set `everything`; there are recall, records, kstar/,
    )
    expect(() => toolsOf(['recall', 'ks'], 'device')).toThrow(/`recall` and `ks` both have a tool `recall`/)
    expect(parseSetNames(' graph , graph')).toEqual(['graph'])
  })
})

it('keeps what a host adds to one entity by several calls at once', async () => {
  await using world = await host.open({ era: 'modern', sets: ['graph'] })
  const { client } = world
  await callTool(client, 'create_entities', {
    entities: [{ name: 'Ann', entityType: 'person', observations: [] }],
  })
  const contents = Array.from({ length: 20 }, (_, i) => `observation ${i}`)
  await Promise.all(
    contents.map((content) =>
      callTool(client, 'add_observations', { observations: [{ entityName: 'Ann', contents: [content] }] }),
    ),
  )
  const { value } = await callTool(client, 'read_graph')
  const [ann] = value['entities'] as { observations: string[] }[]
  expect(ann?.observations.toSorted()).toEqual(contents.toSorted())
})

describe('bad input', () => {
  const ask = async (book: McpBook, body: string, headers: Record<string, string> = {}) =>
    answerMcp(
      new Request('http://127.0.0.1:1/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body,
      }),
      {
        mcp: await loadMcp(),
        guards,
        factory: async ({ era }) =>
          createMcpServer({
            mcp: await loadMcp(),
            era,
            book,
            sets: ['recall', 'records', 'graph'],
            version: '1',
          }),
      },
    )

  it('is answered as an error of the protocol or of the tool, stores nothing and breaks nothing', async () => {
    await using book = await openDaybook({ name: 'fuzz', path: ':memory:' })
    const faults: unknown[] = []
    const mcpBook: McpBook = {
      place: 'device',
      now: () => Date.now(),
      call: (id, input, { onProgress: _onProgress, ...options } = {}) => book.call(id, input, options),
      onFault: (error) => faults.push(error),
    }
    const sound = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'store_fact', arguments: { schema: 'note', data: { text: 'x' } } },
    }
    const junk = fc.oneof(fc.jsonValue(), fc.constantFrom('__proto__', '', -1, 1e308, null, [], '\ud800'))
    const places = [
      ['jsonrpc'],
      ['method'],
      ['params'],
      ['params', 'name'],
      ['params', 'arguments'],
      ['params', 'arguments', 'schema'],
      ['params', 'arguments', 'data'],
      ['params', '_meta'],
    ] as const
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), junk, fc.boolean(), async (place, value, isCut) => {
        const message = structuredClone(sound) as Record<string, unknown>
        let at = message
        for (const name of place.slice(0, -1)) at = at[name] as Record<string, unknown>
        at[place.at(-1) ?? ''] = value
        const text = JSON.stringify(message)
        const response = await ask(mcpBook, isCut ? text.slice(0, text.length >> 1) : text)
        expect(response.status).toBeLessThan(500)
        const body = await response.text()
        const wasStored = /"result":.*\\"id\\":/.test(body) && !body.includes('"isError":true')
        const { records } = await book.records.query({})
        expect(records.length > 0).toBe(wasStored)
        for (const { id } of records) await book.records.forget({ id })
      }),
      { numRuns: 1000 },
    )
    expect(faults).toEqual([])
    const healthy = await ask(mcpBook, JSON.stringify(sound))
    expect(healthy.status).toBe(200)
  })

  it('tells a client nothing of a fault of Daybook itself but that there was one', async () => {
    const faults: string[] = []
    const broken: McpBook = {
      place: 'device',
      now: () => 0,
      call: () => Promise.reject(new RangeError('the key is hunter2')),
      onFault: ({ message }) => faults.push(message),
    }
    const call = { name: 'recall', arguments: { text: 'x' } }
    const response = await ask(
      broken,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
    )
    const body = await response.text()
    expect(body).toContain('internal')
    expect(body).not.toContain('hunter2')
    expect(faults.join('')).toContain('hunter2')
  })

  it('is refused above four megabytes', async () => {
    const book: McpBook = { place: 'device', now: () => 0, call: () => Promise.resolve({}) }
    expect((await ask(book, `"${'x'.repeat(4_200_000)}"`)).status).toBe(413)
  })
})

describe('a call that takes long', () => {
  it('tells how far it has come, and ends when its client has had enough', async () => {
    let begun = () => {}
    const hasBegun = new Promise<void>((resolve) => (begun = resolve))
    let ended: unknown
    const book: McpBook = {
      place: 'device',
      now: () => 0,
      call: (_id, _input, { signal, onProgress } = {}) =>
        new Promise((_resolve, reject) => {
          onProgress?.({ done: 1, total: 2, subject: 'half' })
          signal?.addEventListener('abort', () => {
            ended = 'aborted'
            reject(new Error('aborted'))
          })
          begun()
        }),
    }
    const [near, far] = InMemoryTransport.createLinkedPair()
    const mcp = await loadMcp()
    const server = createMcpServer({ mcp, era: 'legacy', book, sets: ['recall'], version: '1' })
    const client = newClient('legacy')
    await Promise.all([server.connect(far), client.connect(near)])
    const steps: unknown[] = []
    const abort = new AbortController()
    const call = client.callTool(
      { name: 'recall', arguments: { text: 'x' } },
      { signal: abort.signal, onprogress: (step) => steps.push(step) },
    )
    await hasBegun
    await client.ping()
    expect(steps).toMatchObject([{ progress: 1, total: 2, message: 'half' }])
    abort.abort()
    await expect(call).rejects.toThrow(/abort/i)
    await client.ping()
    expect(ended).toBe('aborted')
    await client.close()
  })
})
