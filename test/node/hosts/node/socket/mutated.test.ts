// 10,000 messages over the socket of a book, each with one thing wrong: one error shape, nothing stored, nobody else disturbed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { errorTable } from '../../../../../src/core/errors.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { storeTraceMessage } from '../../../../contract/seed-shape/specification-data.ts'
import { frameOf, openRaw, socketOf } from './raw-socket.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-mutated-'))
const path = join(folder, 'mutated.daybook')
let book: Daybook
beforeAll(async () => {
  book = await openDaybook({ name: 'mutated', path })
})
afterAll(async () => {
  await book.close()
  rmSync(folder, { recursive: true, force: true })
})

const envelope = {
  spec_version: 'p3394/1.0',
  message_id: 'e-1',
  kind: 'message',
  performative: 'request',
  sender: { agent_id: 'probe' },
  recipients: [{ agent_id: 'kstar-memory', capability_id: 'kstar:store_trace' }],
  payload: { parts: [{ type: 'json', data: storeTraceMessage.content[0].data }] },
}

const noObject = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.array(fc.jsonValue()))
const noText = fc.oneof(
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.jsonValue()),
  fc.dictionary(fc.string(), fc.jsonValue()),
)
const noName = fc.oneof(noText, fc.constant(''), fc.constant('x'.repeat(2000)))
const noId = fc.oneof(noText, fc.constantFrom('', 'a b', 'é', '\u0000', 'x'.repeat(201)))
const noList = fc.oneof(
  fc.string(),
  fc.double(),
  fc.constantFrom(null, [], [null], [[]], [{}]),
  fc.dictionary(fc.string(), fc.jsonValue()),
)
const word = (...known: string[]) =>
  fc.oneof(
    noText,
    fc.string().filter((one) => !known.includes(one)),
  )
const capability = fc.oneof(
  noName,
  fc.string({ minLength: 1 }).map((text) => `kstar:none-${text}`.slice(0, 900)),
)
const deep = fc.nat(400).map((depth) => {
  let value: unknown = 'x'
  for (let i = 0; i <= depth + 70; i += 1) value = { a: value }
  return value
})

type Wrong = readonly [base: object, path: readonly string[], value: fc.Arbitrary<unknown>]
const inTrace = (base: object, ...at: string[]): Wrong[] => [
  [base, at, noObject],
  [base, [...at, 'situation'], noObject],
  [base, [...at, 'task'], noObject],
  [base, [...at, 'action'], noObject],
  [base, [...at, 'situation', 'context'], deep],
  [base, [...at, 'result', 'success'], noObject.filter((one) => typeof one !== 'boolean')],
]
const wrongs: readonly Wrong[] = [
  [storeTraceMessage, ['id'], noId],
  [storeTraceMessage, ['type'], word('request', 'notification')],
  [storeTraceMessage, ['source'], fc.constantFrom(5, null, [], {}, '', 'http://x', 'p3394://')],
  [storeTraceMessage, ['destination'], fc.constantFrom(5, null, [], {}, '', 'http://x', 'p3394://')],
  [storeTraceMessage, ['destination', 'capability_id'], capability],
  [storeTraceMessage, ['content'], noList],
  [storeTraceMessage, ['content', '0', 'type'], word('json')],
  ...inTrace(storeTraceMessage, 'content', '0', 'data'),
  [envelope, ['spec_version'], word('p3394/1.0')],
  [envelope, ['message_id'], noId],
  [envelope, ['kind'], word('message')],
  [envelope, ['performative'], word('request')],
  [envelope, ['sender'], noObject],
  [envelope, ['sender', 'agent_id'], noName],
  [envelope, ['recipients'], noList],
  [envelope, ['recipients', '0', 'capability_id'], capability],
  [envelope, ['payload'], noObject],
  [envelope, ['payload', 'parts'], noList],
  [envelope, ['payload', 'parts', '0', 'type'], word('json')],
  ...inTrace(envelope, 'payload', 'parts', '0', 'data'),
]

/** `base` with `value` at `path`. */
function laid(base: unknown, [name, ...below]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  if (Array.isArray(base))
    return base.map((one: unknown, i) => (String(i) === name ? laid(one, below, value) : one))
  const members = base as Record<string, unknown>
  return { ...members, [name]: laid(members[name], below, value) }
}

const mutated = fc.oneof(
  fc.jsonValue().filter((one) => !(typeof one === 'object' && one !== null && ('t' in one || 'type' in one))),
  ...wrongs.map(([base, at, value]) => value.map((one) => laid(base, at, one))),
)

/** The error that a message carries, whichever form it has. */
function errorIn(answer: unknown): unknown {
  const { content, payload } = answer as {
    content?: [{ data: unknown }]
    payload?: { parts: [{ data: unknown }] }
  }
  return (content?.[0] ?? payload?.parts[0])?.data
}

it('10,000 messages with one thing wrong are each answered with an error, and store nothing', async () => {
  const messages = fc.sample(mutated, { seed: 3394, numRuns: 10_000 })
  const raw = await openRaw(socketOf(path))
  for (const message of messages) raw.socket.write(frameOf(JSON.stringify(message)))
  const shapes = new Map<string, number>()
  for (const _ of messages) {
    const answer = (await raw.next()) as Record<string, unknown>
    const error = errorIn(answer) as { code: string; message: string; details: object }
    expect([answer['type'] ?? answer['kind'], typeof error.message, typeof error.details]).toEqual([
      'error',
      'string',
      'object',
    ])
    shapes.set(error.code, (shapes.get(error.code) ?? 0) + 1)
  }
  expect([...shapes.keys()].filter((code) => !(code in errorTable) || code === 'internal')).toEqual([])
  expect(shapes.get('invalid-input')).toBeGreaterThan(5000)
  expect((await book.traces.count()).total).toBe(0)
  expect(await raw.ask(storeTraceMessage)).toMatchObject({ type: 'response' })
  raw.socket.end()
  await book.traces.forget({ id: (await book.traces.query()).records[0]?.id ?? '' })
}, 170_000)

const joining = {
  type: 'join',
  version: [1, 1],
  process: `${'a'.repeat(32)}.0`,
  file: '1:2',
  scope: { agent: 'probe' },
  strict: false,
}

it('who joins with one thing wrong is refused, and its connection ends', async () => {
  const some = fc.oneof(
    ...(['version', 'process', 'file', 'scope', 'strict'] as const).map((name) =>
      fc
        .oneof(noText, fc.string())
        .filter((one) => typeof one !== typeof joining[name])
        .map((one) => ({ ...joining, [name]: one })),
    ),
    fc.constant(joining),
    fc.jsonValue().map((token) => ({ t: 'auth', token: [token] })),
  )
  for (const message of fc.sample(some, { seed: 3394, numRuns: 200 })) {
    const raw = await openRaw(socketOf(path))
    raw.socket.write(frameOf(JSON.stringify(message)))
    const [first, ...more] = await raw.rest()
    expect(first).toMatchObject({
      type: 'refuse',
      error: { code: expect.any(String) as string, details: {} },
    })
    expect(more).toEqual([])
  }
  expect((await book.stats()).total).toBe(0)
})
