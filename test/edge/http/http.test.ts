// The edge over HTTP, in workerd: what it answers, and what it refuses of bodies and input.
import { exports } from 'cloudflare:workers'
import { hc } from 'hono/client'
import { describe, expect, it } from 'vitest'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import type { SyncResponse } from '../../../src/sync/wire/protocol.ts'
import type { EdgeApp } from '../../../worker/create-edge.ts'
import { makeTrace } from '../../support/trace.ts'
import { call, expectError, newBook, origin, run, syncRequest, traceOp } from './http.ts'

const sync = (book: string) => `/v1/books/${book}/sync`

describe('what the edge answers', () => {
  it('GET /health says that it lives, to anybody', async () => {
    const response = await exports.default.fetch(`${origin}/health`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ ok: true, wire: 1 })
  })

  it('GET /health says with a key how a book is, and without one nothing of any', async () => {
    const book = newBook()
    await run(book, 'kstar:store_trace', makeTrace())
    const headers = { 'x-daybook-book': book }
    const health = async (key: string | null, over: Record<string, string> = headers) => {
      const response = await call('/health', { method: 'GET', key, headers: over })
      return [response.status, await response.json()]
    }
    expect(await health('development')).toEqual([
      200,
      {
        ok: true,
        wire: 1,
        book: { name: book, durability: 'durable-object', degraded: [], records: { trace: 1 } },
      },
    ])
    expect(await health(null)).toEqual([200, { ok: true, wire: 1 }])
    expect(await health('wrong')).toMatchObject([401, { code: 'unauthorized' }])
    expect(await health('development', {})).toEqual([200, { ok: true, wire: 1 }])
    expect(await health('development', { 'x-daybook-book': '../x' })).toMatchObject([400, {}])
  })

  it('GET /openapi.json describes every address, and needs no key', async () => {
    const response = await call('/openapi.json', { method: 'GET', key: null })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.json()).toMatchObject({
      openapi: '3.1.1',
      paths: {
        '/v1/books/{book}/capabilities/kstar:store_trace': { post: { operationId: 'kstar_store_trace' } },
      },
    })
  })

  it('GET /manifest describes every capability with its schemas', async () => {
    const response = await exports.default.fetch(`${origin}/manifest`)
    const manifest = (await response.json()) as {
      agent: object
      capabilities: { id: string; input: object; output: object }[]
    }
    const own = manifest.capabilities.slice(0, capabilityTable.length)
    expect(own.map(({ id }) => id)).toEqual(capabilityTable.map(({ id }) => id))
    expect(manifest.agent).toMatchObject({
      agent_id: 'kstar-memory',
      transports: [{ type: 'http', endpoint: origin }],
    })
    const store = manifest.capabilities.find(({ id }) => id === 'kstar:store_trace')
    expect(store).toMatchObject({
      methods: ['traces.store'],
      effect: 'write',
      input: { type: 'object', required: ['situation', 'task', 'action'], additionalProperties: false },
      output: { type: 'object', required: ['id', 'storedAt', 'durability'] },
    })
  })

  it('runs capabilities on the book that is named, and on no other', async () => {
    const [one, other] = [newBook(), newBook()]
    const { id, durability } = await run<{ id: string; durability: string }>(
      one,
      'kstar:store_trace',
      makeTrace(),
    )
    expect(durability).toBe('durable-object')
    expect(await run(one, 'kstar:get_trace', { id })).toMatchObject({ id, agent: 'edge', ver: 1 })
    expect(await run(other, 'kstar:get_trace', { id })).toBeNull()
    expect(await run(one, 'daybook:recall', { text: 'recursion' })).toMatchObject({
      hits: [{ record: { id } }],
    })
    expect(await run(one, 'daybook:status')).toMatchObject({ name: one, records: { trace: 1 } })
  })

  it('a write with an Idempotency-Key takes effect once', async () => {
    const book = newBook()
    const headers = { 'idempotency-key': 'once' }
    const first = await run(book, 'kstar:store_trace', makeTrace(), { headers })
    expect(await run(book, 'kstar:store_trace', makeTrace(), { headers })).toEqual(first)
    expect(await run(book, 'daybook:status')).toMatchObject({ records: { trace: 1 } })
    const reused = await call(`/v1/books/${book}/capabilities/kstar:store_trace`, {
      headers,
      body: makeTrace({ task: { goal: 'Another' } }),
    })
    await expectError(reused, 409, 'request-reused')
  })

  it('what a device pushed is what capabilities read, and what they wrote is what a device pulls', async () => {
    const book = newBook()
    const pushed = await call(sync(book), { body: syncRequest({ ops: [traceOp()] }) })
    expect(await pushed.json()).toMatchObject({ lastMid: 1, results: [{ mid: 1, s: 'ok', ver: 1, seq: 1 }] })
    expect(await run(book, 'kstar:get_trace', { id: 'trace-1' })).toMatchObject({ agent: 'tester' })
    const { id } = await run<{ id: string }>(book, 'kstar:store_trace', makeTrace())
    const pulled = await call(sync(book), { body: syncRequest({ device: 'd_second' }) })
    expect(await pulled.json()).toMatchObject({
      changes: [{ id: 'trace-1', by: 'd_http' }, { id }],
      cursor: 2,
    })
  })

  it('has the types of a client', async () => {
    const client = hc<EdgeApp>(origin, {
      headers: { authorization: 'Bearer development' },
      fetch: (input: RequestInfo | URL, init?: RequestInit) =>
        exports.default.fetch(new Request(input, init)),
    })
    const health = await client.health.$get()
    expect((await health.json()).wire).toBe(1)
    const response = await client.v1.books[':book'].sync.$post({
      param: { book: newBook() },
      json: syncRequest(),
    })
    const answer: SyncResponse = (await response.json()) as SyncResponse
    expect(answer.changes).toEqual([])
  })
})

describe('bodies', () => {
  const gzip = async (text: string): Promise<Uint8Array> => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  }

  it('takes gzip', async () => {
    const body = await gzip(JSON.stringify(syncRequest({ ops: [traceOp()] })))
    const response = await call(sync(newBook()), { body, headers: { 'content-encoding': 'gzip' } })
    expect(await response.json()).toMatchObject({ results: [{ s: 'ok' }] })
  })

  it('holds gzip to the limit of what comes out of it', async () => {
    const body = await gzip(' '.repeat(50_000_000))
    expect(body.byteLength).toBeLessThan(100_000)
    await expectError(
      await call(sync(newBook()), { body, headers: { 'content-encoding': 'gzip' } }),
      413,
      'too-large',
    )
  })

  it('refuses gzip that is none, and other encodings', async () => {
    const headers = (encoding: string) => ({ 'content-encoding': encoding })
    const notGzip = await call(sync(newBook()), { body: '{}', headers: headers('gzip') })
    await expectError(notGzip, 400, 'invalid-input', 'body')
    const torn = await call(sync(newBook()), {
      body: (await gzip('{"p":1}')).slice(0, -6),
      headers: headers('gzip'),
    })
    await expectError(torn, 400, 'invalid-input', 'body')
    const brotli = await call(sync(newBook()), { body: '{}', headers: headers('br') })
    await expectError(brotli, 400, 'invalid-input', 'content-encoding')
  })

  it('W4 answers too many ops with 413', async () => {
    const ops = Array.from({ length: 1001 }, (_, i) => traceOp({ mid: i + 1 }))
    const response = await call(sync(newBook()), { body: JSON.stringify(syncRequest({ ops })) })
    await expectError(response, 413, 'too-large', 'ops')
  })

  it('takes a body just under the limit and refuses one over it, announced or not', async () => {
    const under = JSON.stringify(syncRequest()).padEnd(2_100_000)
    expect((await call(sync(newBook()), { body: under })).status).toBe(200)
    await expectError(await call(sync(newBook()), { body: `${under} ` }), 413, 'too-large')
    const unannounced = new Request(`${origin}${sync(newBook())}`, {
      method: 'POST',
      headers: { authorization: 'Bearer development', 'content-type': 'application/json' },
      body: new Blob([`${under} `]).stream().pipeThrough(new TransformStream()),
    })
    expect(unannounced.headers.get('content-length')).toBeNull()
    await expectError(await exports.default.fetch(unannounced), 413, 'too-large')
  })

  it('takes a message of 1,000,000 bytes as a capability, and refuses a longer one', async () => {
    const book = newBook()
    const content = `${'"Log":\n'.repeat(100_000)}${'é'.repeat(150_000)}`
    const message = (text: string) => ({ message: { content: text, source: { type: 'User' } } })
    const { id } = await run<{ id: string }>(book, 'ks:store', message(content))
    expect(await run(book, 'kstar:get_record', { id })).toMatchObject({ content })
    const path = `/v1/books/${book}/capabilities/ks:store`
    const longer = await call(path, { body: message(`${content}x`) })
    await expectError(longer, 400, 'invalid-input', 'message.content')
  })

  it.each([
    ['no body', undefined, ''],
    ['an empty body', '', ''],
    ['malformed JSON', '{"p":1,', 'body'],
    ['JSON with a tail', '{} {}', 'body'],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'body'],
    ['a number', 7, ''],
    ['null', null, ''],
    ['a list', [], ''],
    ['a wrong field', syncRequest({ device: 'me' }), 'device'],
    ['a missing field', syncRequest({ pull: undefined }), 'pull'],
    ['an op of no sort', syncRequest({ ops: [traceOp({ op: 'merge' })] }), 'ops.0.op'],
    ['a field in an op', syncRequest({ ops: [traceOp({ base: -1 })] }), 'ops.0.base'],
    ['__proto__', `{"p":1,"device":"d_http","__proto__":{"x":1}}`, '__proto__'],
  ])('refuses %s with the place of it', async (_name, body, path) => {
    const book = newBook()
    const response = await call(sync(book), {
      body: body === null ? 'null' : body,
      headers: { 'content-type': 'application/json' },
    })
    await expectError(response, 400, 'invalid-input', path)
    expect(await run(book, 'daybook:status')).toMatchObject({ records: {} })
  })

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('refuses bottomless %s', async (_name, open, close) => {
    const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`
    await expectError(await call(sync(newBook()), { body: deep }), 400, 'invalid-input')
    await expectError(await call(sync(newBook()), { body: deep.slice(0, -1) }), 400, 'invalid-input', 'body')
    const path = `/v1/books/${newBook()}/capabilities/kstar:store_trace`
    await expectError(await call(path, { body: deep }), 400, 'invalid-input')
  })

  it('refuses what is not declared as JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      const response = await call(sync(newBook()), { body: '{}', headers: { 'content-type': type } })
      await expectError(response, 400, 'invalid-input', 'content-type')
    }
    const charset = await call(sync(newBook()), {
      body: JSON.stringify(syncRequest()),
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expect(charset.status).toBe(200)
  })

  it('speaks of versions', async () => {
    await expectError(await call(sync(newBook()), { body: syncRequest({ p: 2 }) }), 426, 'server-too-old')
    await expectError(await call(sync(newBook()), { body: syncRequest({ p: 0 }) }), 426, 'client-too-old')
    await expectError(
      await call(sync(newBook()), { body: syncRequest({ epoch: 'e_other' }) }),
      409,
      'resync-required',
    )
  })
})

describe('capabilities with bad input', () => {
  it('an unknown one', async () => {
    const path = `/v1/books/${newBook()}/capabilities/`
    for (const id of ['kstar:nothing', 'constructor', '__proto__', '%00', '..%2f..%2fsync']) {
      await expectError(await call(`${path}${id}`, { body: {} }), 404, 'unknown-capability')
    }
  })

  it.each([
    ['a missing part', { situation: {} }, 400, 'invalid-input'],
    ['a field too many', { ...makeTrace(), extra: 1 }, 400, 'invalid-input'],
    ['a hostile id', { ...makeTrace(), id: '../../etc' }, 400, 'invalid-input'],
    [
      '__proto__',
      JSON.parse('{"situation":{"domain":"x","context":{"__proto__":{"a":1}}}}') as object,
      400,
      'invalid-input',
    ],
    ['a field of 5 MB', { ...makeTrace(), task: { goal: 'x'.repeat(5_000_000) } }, 413, 'too-large'],
  ] as const)('%s: an error, and nothing is stored', async (_name, input, status, code) => {
    const book = newBook()
    await expectError(
      await call(`/v1/books/${book}/capabilities/kstar:store_trace`, { body: input }),
      status,
      code,
    )
    expect(await run(book, 'daybook:status')).toMatchObject({ records: {} })
  })

  it('an error of the engine comes whole', async () => {
    const path = `/v1/books/${newBook()}/capabilities`
    const filter = await call(`${path}/kstar:query_traces`, { body: { filters: { a: { near: 1 } } } })
    await expectError(filter, 400, 'invalid-filter', 'filters.a.near')
    const missing = await call(`${path}/kstar:complete_trace`, {
      body: { id: 'nobody', result: { success: true } },
    })
    await expectError(missing, 404, 'not-found', 'id')
    await expectError(await call(`${path}/daybook:sync`), 409, 'runs-elsewhere', 'capability')
  })

  it('what only a device can do', async () => {
    const path = `/v1/books/${newBook()}/capabilities`
    const unlocked = await call(`${path}/seal:unlock`, { body: { passphrase: 'long enough to be one' } })
    await expectError(unlocked, 409, 'runs-elsewhere', 'capability')
  })

  it('an Idempotency-Key that is none', async () => {
    const path = `/v1/books/${newBook()}/capabilities/kstar:store_trace`
    for (const key of ['a b', 'x'.repeat(201)]) {
      const response = await call(path, { body: makeTrace(), headers: { 'idempotency-key': key } })
      await expectError(response, 400, 'invalid-input', 'idempotency-key')
    }
  })
})
