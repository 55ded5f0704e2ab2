// Spans of a book: how they are named, what stands in them and what does not, and that the calls are the same with them.
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { expect, it, onTestFinished } from 'vitest'
import { memoryVerbs } from '../../../../../src/doors/adapter/otel/memory-operation.ts'
import { type TracingOptions, withTracing } from '../../../../../src/doors/adapter/otel/tracing.ts'
import { daybookMemory } from '../../../../../src/doors/adapter/anthropic/memory.ts'
import { capabilityTable } from '../../../../../src/engine/capability-table.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { failure } from '../../../../contract/book-case.ts'

async function openTraced(options: Omit<TracingOptions, 'tracer'> = {}) {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const plain = await openDaybook({ name: 'traced', path: ':memory:' })
  onTestFinished(() => plain.close())
  const book = withTracing(plain, { tracer: provider.getTracer('test'), ...options })
  const spans = () =>
    exporter.getFinishedSpans().map(({ name, kind, attributes, status }) => {
      return { name, kind, attributes, status }
    })
  return { book, plain, spans }
}

it('names each operation on memory as the conventions do, and says how many records it was about', async () => {
  const { book, spans } = await openTraced({ storeId: 'home' })
  const { id } = await book.perceptions.store({ content: 'likes green tea', subject: 'tea' })
  await book.perceptions.update({ id, updates: { confidence: 0.5 } })
  await book.recall({ text: 'green tea' })
  await book.call('kstar:query_memory', { kind: 'trace' })
  await book.perceptions.store({ id, content: 'likes black tea', replace: true })
  await book.documents.write({
    changes: [
      { key: 'a', value: {} },
      { key: 'b', value: {} },
    ],
  })
  await book.perceptions.forget({ id })
  await book.records.forget({ id })
  await book.status()
  const told = spans().map(({ name, attributes }) => [
    name,
    attributes['daybook.capability'],
    attributes['gen_ai.memory.record.count'],
    attributes['gen_ai.memory.record.id'],
  ])
  expect(told).toEqual([
    ['create_memory', 'kstar:store_perception', 1, id],
    ['update_memory', 'kstar:update_perception', 1, id],
    ['search_memory', 'daybook:recall', 1, undefined],
    ['search_memory', 'kstar:query_memory', 0, undefined],
    ['upsert_memory', 'kstar:store_perception', 1, id],
    ['upsert_memory', 'document:write', 2, undefined],
    ['delete_memory', 'kstar:forget', 1, id],
    ['delete_memory', 'kstar:forget', 0, id],
  ])
  for (const { name, kind, attributes, status } of spans()) {
    expect({ kind, status }).toEqual({ kind: 0, status: { code: 0 } })
    expect(attributes).toMatchObject({ 'gen_ai.operation.name': name, 'gen_ai.memory.store.id': 'home' })
  }
})

it('has nothing in a span of what is remembered, searched for or refused, unless that is asked for', async () => {
  const secret = 'the code is 4711'
  const use = async (book: Awaited<ReturnType<typeof openTraced>>['book']) => {
    await book.perceptions.store({ id: 'p', content: secret })
    await book.recall({ text: secret })
    await book.documents.write({ changes: [{ key: secret, value: { secret } }] })
    const other = { id: 'p', content: `${secret}!` }
    await failure(book.perceptions.store(other))
    await failure(book.documents.write({ changes: [{ key: secret, value: {}, ifMatch: null }] }))
  }
  const silent = await openTraced()
  await use(silent.book)
  expect(silent.spans()).toHaveLength(5)
  expect(JSON.stringify(silent.spans())).not.toContain('4711')
  const told = await openTraced({ captureContent: true })
  await use(told.book)
  const [stored, searched, , , refused] = told.spans()
  expect(JSON.parse(String(stored?.attributes['gen_ai.memory.records']))).toEqual([
    { id: 'p', content: secret },
  ])
  expect(searched?.attributes['gen_ai.memory.query.text']).toBe(secret)
  expect(searched?.attributes['gen_ai.memory.records']).toContain(secret)
  expect(refused?.status).toMatchObject({ code: 2, message: expect.stringContaining(secret) })
})

it('tells of a failed call by its code, and rejects as the book does', async () => {
  const { book, spans } = await openTraced()
  const refused = await failure(book.perceptions.store({ content: '' }))
  expect(refused).toMatchObject({ code: 'invalid-input', details: { path: 'content' } })
  expect(spans()).toMatchObject([
    { attributes: { 'error.type': 'invalid-input' }, status: { code: 2, message: 'invalid-input' } },
  ])
})

it('traces handles and adapters too, and leaves the rights of a handle as they are', async () => {
  const { book, spans } = await openTraced()
  const handle = book.with({ session: 's1' })
  const { id } = await handle.perceptions.store({ content: 'in a session' })
  expect(await book.records.get({ id })).toMatchObject({ session: 's1' })
  await daybookMemory(book).create({ command: 'create', path: '/memories/a.md', file_text: 'x' })
  expect(spans().map(({ name }) => name)).toContain('upsert_memory')
  const stranger = book.with({ as: 'tok_of_nobody' })
  expect(await failure(stranger.recall({ text: 'x' }))).toMatchObject({ code: 'unauthorized' })
  await handle.close()
  expect(await failure(handle.recall({ text: 'x' }))).toMatchObject({ code: 'book-closed' })
  expect((await book.recall({ text: 'session' })).hits).toHaveLength(1)
})

it('is the book itself without a tracer, and refuses what is none', async () => {
  const { plain } = await openTraced()
  expect(withTracing(plain, { tracer: undefined })).toBe(plain)
  expect(() => withTracing(plain, { tracer: {} as never })).toThrow('startActiveSpan')
})

it('knows every method of the verbs that it traces', () => {
  const offered = new Map<string, readonly string[]>(capabilityTable.map(({ id, methods }) => [id, methods]))
  for (const { id, methods } of memoryVerbs) expect([id, methods]).toEqual([id, offered.get(id)])
})
