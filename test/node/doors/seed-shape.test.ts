// The table of shapes: every row calls verbs that there are, under names that no other row has; the tools of a KS2.2 memory
// server and of Katra's meeting room; messages that are almost sound.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { callSeedShape, seedShapes } from '../../../src/doors/seed-shape/seed-shape.ts'
import { answerMessage } from '../../../src/doors/p3394/message.ts'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import { type Daybook, openDaybook } from '../../../src/hosts/node/index.ts'
import { storeTraceMessage } from '../../contract/seed-shape/specification-data.ts'
import { shaped } from '../../contract/seed-shape/specification.ts'
import { failure } from '../../contract/book-case.ts'

const open = () => openDaybook({ name: 'shapes', path: ':memory:', embedder: { provider: 'none' } })

it('has each name once, and calls verbs that there are', () => {
  const names = seedShapes.flatMap((shape) => shape.names)
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  const ids = new Set<string>(capabilityTable.map(({ id }) => id))
  expect(seedShapes.flatMap(({ capabilities }) => capabilities.filter((id) => !ids.has(id)))).toEqual([])
})

it('can say what each row takes', () => {
  for (const { input, names } of seedShapes)
    expect([names[0], z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })['type']]).toEqual([
      names[0],
      'object',
    ])
})

it('names an error of a capability as the caller named the field', async () => {
  await using book = await open()
  const call = shaped(book)
  const trace = await failure(call('get_trace', { trace_id: 'a b' }))
  expect(trace).toMatchObject({ details: { path: 'trace_id', issues: [{ path: 'trace_id' }] } })
  expect(trace.message).toMatch(/^`trace_id` is not a record id/)
  const kind = await failure(call('query_memory', { type: 'wish' }))
  expect(kind).toMatchObject({ code: 'invalid-input', details: { path: 'type' } })
})

it('leaves an error that is none of ours as it is', async () => {
  const call = () => Promise.reject(new RangeError('broken'))
  await expect(callSeedShape('get_stats', {}, { call, now: () => 0 })).rejects.toThrow(RangeError)
})

it('refuses a bundle that is too large to be one value, and gives up what it began', async () => {
  const asked: unknown[] = []
  const call = (_id: string, input: unknown) => {
    asked.push(input)
    return Promise.resolve({ text: 'x'.repeat(6_000_000), cursor: 'c' })
  }
  expect(await failure(callSeedShape('export_bundle', {}, { call, now: () => 0 }))).toMatchObject({
    code: 'too-large',
    details: { path: 'bundle' },
  })
  expect(asked.at(-1)).toEqual({ cursor: 'c', cancel: true })
})

it('answers as a KS2.2 memory server does', async () => {
  await using book = await open()
  const call = shaped(book)
  const message = {
    id: 'm-1',
    content: 'I live in Porto',
    source: { type: 'User', id: 'u-1', name: 'Ana' },
    timestamp: '2026-02-23T10:00:00Z',
    metadata: { mood: 'calm' },
  }
  expect(await call('store', { agent_id: 'agent.karin', message })).toMatchObject({ ok: true })
  expect(await call('store', { agent_id: 'agent.karin', message })).toMatchObject({
    ok: true,
    skipped: true,
    reason: 'duplicate msg_id',
  })
  const { id, content, source } = message
  expect(await call('recall', { agent_id: 'agent.karin', query: 'Porto', limit: 5 })).toMatchObject({
    messages: [{ id, content, source, timestamp: '2026-02-23T10:00:00.000Z' }],
  })
  const history = [message]
  expect(await call('archive_episode', { agent_id: 'agent.karin', history })).toMatchObject({
    ok: true,
    episode_id: expect.any(String) as string,
  })
  expect(await call('update_profile', { agent_id: 'agent.karin', history })).toMatchObject({
    ok: true,
    profiles_updated: 1,
  })
  expect(await call('recall', { agent_id: '', query: '' })).toEqual({
    error: expect.stringContaining('agent_id') as string,
  })
  expect(await call('embed', { texts: ['hello world', 'test query'] })).toEqual({
    error: expect.stringContaining('embedder') as string,
  })
})

it("answers as Katra's meeting room does, with its names for errors", async () => {
  await using book = await open()
  const call = shaped(book)
  expect(await call('katra_hear', { last_heard: 0 })).toEqual({ message_number: null, messages_lost: false })
  await book.room.say({ text: 'Good morning', as: 'alice' })
  expect(await call('katra_say', { message: 'Hello' })).toEqual({ message_number: 2 })
  expect(await call('katra_hear', {})).toMatchObject({
    message_number: 1,
    speaker_name: 'alice',
    content: 'Good morning',
    messages_lost: false,
  })
  expect(await call('katra_who_is_here')).toMatchObject({ count: 2, cis: [{}, { ci_id: 'alice' }] })
  expect(await call('katra_say', { message: 'é'.repeat(600) })).toMatchObject({ error: 'E_INPUT_TOO_LONG' })
  expect(await call('katra_say', {})).toMatchObject({ error: 'E_INPUT_INVALID' })
})

it('answers a message with one thing changed in one of two forms, and stores what it says it stored', async () => {
  await using book = await open()
  let n = 0
  const stored = async () => (await book.stats()).kinds['trace']?.count ?? 0
  const json = fc.jsonValue({ maxDepth: 2 })
  const places = ['id', 'type', 'source', 'destination', 'content', 'content.0', 'content.0.data'] as const
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), json, async (place, value) => {
      const before = await stored()
      const message = mutated({ ...storeTraceMessage, id: `m-${++n}` }, place.split('.'), value)
      const answer = await answerMessage(message, callOf(book))
      const [{ data }] = answer.content
      expect(answer).toMatchObject({ id: 'answer', source: { agent_id: expect.any(String) as string } })
      if (answer.type === 'error') {
        expect(data).toMatchObject({ code: expect.stringMatching(/^[a-z-]+$/) as string })
        expect((data as { code: string }).code).not.toBe('internal')
        expect(await stored()).toBe(before)
      } else if ('trace_id' in (data as object)) expect(await stored()).toBe(before + 1)
    }),
    { numRuns: 300 },
  )
})

const callOf = (book: Daybook) => ({
  now: () => 0,
  newId: () => 'answer',
  call: (id: string, input: unknown, requestId: string) =>
    book.call(id as never, input as never, { requestId }),
})

function mutated(whole: unknown, [first, ...rest]: readonly string[], value: unknown): unknown {
  if (first === undefined) return value
  if (Array.isArray(whole))
    return whole.map((one, i) => (String(i) === first ? mutated(one, rest, value) : (one as unknown)))
  const object = whole as Record<string, unknown>
  return { ...object, [first]: mutated(object[first], rest, value) }
}
