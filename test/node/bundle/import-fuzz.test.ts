// Importers of what other memories saved, fed with anything: they answer drafts, or say where the file is wrong.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { looksLikeChatGpt, parseChatGpt } from '../../../src/bundle/importer/chatgpt.ts'
import { isCPersonaHeader, parseCPersona } from '../../../src/bundle/importer/cpersona.ts'
import type { Drafts } from '../../../src/bundle/importer/draft.ts'
import { isKeyedMessages, parseKeyedMessages } from '../../../src/bundle/importer/keyed-message.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { isDaybookError } from '../../../src/core/errors.ts'
import { isRecordId } from '../../../src/core/ids.ts'
import { parseWith } from '../../../src/core/schema.ts'

const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
)
const maybe = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 60, arbitrary: good }, { weight: 1, arbitrary: value })
const time = maybe(fc.constantFrom('', '2026-01-31T10:00:00Z', '2026-01-31'))
const object = (shape: Record<string, fc.Arbitrary<unknown>>) =>
  fc.oneof(
    { weight: 30, arbitrary: fc.record(shape) },
    { weight: 1, arbitrary: fc.record(shape, { requiredKeys: [] }) },
  )
const text = maybe(fc.string({ unit: 'binary', minLength: 1 }))
const source = maybe(
  fc.constantFrom<unknown>({}, { User: 'u' }, { Agent: { id: 'a' } }, { type: 'User', id: 'x' }),
)

const memory = object({
  _type: fc.constantFrom('memory', 'episode', 'profile'),
  agent_id: text,
  msg_id: text,
  content: text,
  summary: text,
  keywords: text,
  user_id: text,
  source,
  metadata: source,
  timestamp: time,
  created_at: time,
})
const header = fc.record({ _type: fc.constant('header'), version: maybe(fc.constant('cpersona-export/1.0')) })
const cPersona = fc
  .tuple(header, fc.array(memory, { maxLength: 6 }))
  .map(([head, rest]) => [head, ...rest].map((one) => JSON.stringify(one)).join('\n'))

const key = fc
  .tuple(text, fc.constantFrom('2026-01-31T10:00:00Z', '1769940001000', 'x'))
  .map(([a, t]) => `mem:${String(a).toWellFormed()}:${t}:h`)
const kept = object({ id: text, content: text, source, timestamp: time, metadata: source })
const keyed = fc
  .array(
    fc.tuple(
      key,
      fc.oneof(
        kept,
        kept.map((one) => JSON.stringify(one)),
      ),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .chain((rows) =>
    fc.constantFrom(
      JSON.stringify(Object.fromEntries(rows)),
      JSON.stringify(rows.map(([own, one]) => ({ key: own, value: one }))),
      rows.map(([own, one]) => JSON.stringify({ key: own, value: one })).join('\n'),
    ),
  )

const id = fc.constantFrom('a', 'b', 'c', 'd')
const turn = object({
  parent: maybe(id),
  message: maybe(
    object({
      id: maybe(id),
      create_time: maybe(fc.constantFrom(1767600000.25, 0)),
      recipient: text,
      author: object({
        role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'x'),
        name: text,
      }),
      content: object({
        content_type: fc.constantFrom('text', 'thoughts'),
        parts: maybe(fc.array(text)),
        text,
      }),
    }),
  ),
})
const chatGpt = fc
  .array(
    object({ id: text, title: text, current_node: maybe(id), mapping: maybe(fc.dictionary(id, turn)) }),
    { maxLength: 3 },
  )
  .map((list) => JSON.stringify(list))

const cases: [
  string,
  fc.Arbitrary<string>,
  (file: { name: string; text: string; hash: string; recordedMs: number }) => Drafts,
][] = [
  ['CPersona', cPersona, parseCPersona],
  ['keys', keyed, parseKeyedMessages],
  ['ChatGPT', chatGpt, parseChatGpt],
]

describe.each(cases)('the importer of %s', (_name, files, parse) => {
  it('makes records that fit their kinds, the same each time, or names the place', () => {
    let good = 0
    fc.assert(
      fc.property(fc.oneof({ weight: 6, arbitrary: files }, fc.string(), fc.json()), (content) => {
        const read = () => parse({ name: 'f', text: content, hash: 'h', recordedMs: 1_700_000_000_000 })
        let drafts: Drafts
        try {
          drafts = read()
        } catch (error) {
          expect(isDaybookError(error, 'invalid-file') && error.details['file']).toBeTruthy()
          return
        }
        for (const { kind, id: own, body } of drafts.records) {
          expect(isRecordId(own)).toBe(true)
          parseWith(kinds.get(kind)?.schema ?? never(), body)
          good += 1
        }
        expect(read()).toEqual(drafts)
      }),
      { numRuns: 400 },
    )
    expect(good).toBeGreaterThan(20)
  })
})

function never(): never {
  throw new Error('no such kind')
}

it('tells nothing else for one of these files', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (one) => {
      const first: unknown = Array.isArray(one) ? one[0] : one
      const isPlain = typeof first !== 'object' || first === null
      if (isPlain)
        expect([looksLikeChatGpt(one), isCPersonaHeader(one), isKeyedMessages(one)]).toEqual([
          false,
          false,
          false,
        ])
    }),
  )
})

it('reads what was said to a recipient without a name as said to all', () => {
  const said = (recipient: string) => ({
    id: 'b',
    recipient,
    author: { role: 'assistant' },
    content: { content_type: 'text', parts: ['Lisbon'] },
  })
  const kindsOf = (recipient: string) => {
    const mapping = { a: { message: null, children: ['b'] }, b: { parent: 'a', message: said(recipient) } }
    const text = JSON.stringify([{ id: 'x', current_node: 'b', mapping }])
    return parseChatGpt({ name: 'f', text, hash: 'h', recordedMs: 0 }).records.map(({ kind }) => kind)
  }
  expect([kindsOf(''), kindsOf('all'), kindsOf('python')]).toEqual([['message'], ['message'], ['trace']])
})
