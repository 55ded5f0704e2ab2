// The shapes that other memories' descriptions fix, over HTTP: the P3394 request form, and ids that only they have.
import { expect, it } from 'vitest'
import { traceContent } from '../../contract/seed-shape/specification-data.ts'
import { call, expectError, newBook, run } from './http.ts'

const path = (book: string, id = 'kstar:store_trace') => `/v1/books/${book}/capabilities/${id}`
const source = { agent_id: 'ieee3394-exemplar', channel_id: 'web' }

it('answers a P3394 request in its own shape, and does it once for each message', async () => {
  const book = newBook()
  const ask = (body: object, headers: Record<string, string>) => call(path(book), { body, headers })
  const body = { message_id: 'msg-uuid-123', source, content: traceContent }
  const headers = { 'X-P3394-Message-ID': 'msg-uuid-123', 'X-P3394-Source': 'ieee3394-exemplar' }
  const first: unknown = await (await ask(body, headers)).json()
  expect(first).toEqual({
    trace_id: expect.any(String) as string,
    stored_at: expect.any(String) as string,
  })
  expect(await (await ask(body, {})).json()).toEqual(first)
  expect(await (await ask({ source, content: traceContent }, headers)).json()).toEqual(first)
  expect(await run(book, 'daybook:status')).toMatchObject({ records: { trace: 1 } })
})

it('says what is wrong with a P3394 request by the names that it has there', async () => {
  const book = newBook()
  const headers = { 'X-P3394-Message-ID': 'm-1' }
  const wrong = async (id: string, content: object, at: string) =>
    expectError(await call(path(book, id), { body: { content }, headers }), 400, 'invalid-input', at)
  await wrong('kstar:store_trace', { situation: {}, task: {} }, 'action')
  await wrong('kstar:list_tokens_by_type', { token_type: '' }, 'token_type')
  await wrong('kstar:update_perception', { perception_id: 'a b', updates: {} }, 'perception_id')
  const noContent = await call(path(book), { body: { content: 1 }, headers })
  await expectError(noContent, 400, 'invalid-input', 'content')
})

it('takes a capability that no description has in its own shape, and names what nobody has', async () => {
  const book = newBook()
  const headers = { 'X-P3394-Message-ID': 'm-1' }
  const counted = await call(path(book, 'kstar:count_traces'), { body: { content: {} }, headers })
  expect(await counted.json()).toEqual({ total: 0, buckets: [] })
  await expectError(await call(path(book, 'kstar:none'), { body: {} }), 404, 'unknown-capability')
})

it('runs what only a description has a name for: a tool, a bundle as one value', async () => {
  const book = newBook()
  await run(book, 'mcp__kstar__store_trace', traceContent)
  const { bundle } = await run<{ bundle: object }>(book, 'kstar:export_bundle', { types: ['traces'] })
  const other = newBook()
  expect(await run(other, 'kstar:import_bundle', { bundle })).toMatchObject({
    imported_count: 1,
    conflicts: [],
  })
  expect(await run(other, 'mcp__kstar__query_memory', { type: 'trace' })).toMatchObject([traceContent])
  expect(await run(other, 'recall', { agent_id: 'edge', query: '' })).toEqual({ messages: [], want: 'best' })
  expect(await run(other, 'store', { agent_id: 'edge' })).toEqual({
    error: expect.stringContaining('message') as string,
  })
})
