// Values that no verb takes: an imported file stores them as text, so that the book can be synced, exported and imported.
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'

const open = () => openDaybook({ name: 'files', path: ':memory:' })
const nested = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)

/** A member of an object for each value, as JSON text. */
const members = [
  '"id":1234567890123456789',
  '"long":-12345678901234567890123',
  '"power":1e20',
  '"huge":1e999',
  '"fine":[9007199254740991,1.5,1e21,"1234567890123456789\\\\","x\\"",-0.5]',
  '"nested":{"__proto__":{"x":1},"y":2}',
  '"__proto__":{"polluted":true}',
  `"deep":${nested(8000)}`,
].join()

const stored = {
  id: '1234567890123456789',
  long: '-12345678901234567890123',
  power: '1e20',
  huge: '1e999',
  fine: [9007199254740991, 1.5, 1e21, '1234567890123456789\\', 'x"', -0.5],
  nested: { '[__proto__]': { x: 1 }, y: 2 },
  '[__proto__]': { polluted: true },
}

const claudeLine = (input: string) =>
  `{"type":"assistant","uuid":"u","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"content":` +
  `[{"type":"tool_use","id":"t","name":"look","input":${input}}]}}`

it.each([
  ['claude-code', claudeLine(`{${members}}`), ['action', 'parameters']],
  ['mem0', `[{"id":"a","memory":"Tea","metadata":{${members}}}]`, ['imported', 'metadata']],
  ['keyed-messages', `{"mem:a:1769940001000:x":{"content":"Tea","metadata":{${members}}}}`, ['metadata']],
  [
    'keyed-messages',
    JSON.stringify({ 'mem:a:1769940001000:x': `{"content":"Tea","metadata":{${members}}}` }),
    ['metadata'],
  ],
  [
    'cpersona',
    `{"_type":"header","version":"cpersona-export/1.0"}\n{"_type":"memory","content":"Tea","metadata":${JSON.stringify(`{${members}}`)}}`,
    ['metadata'],
  ],
  [
    'swe-agent',
    `{"trajectory":[{"action":"ls","state":${JSON.stringify(`{${members}}`)}}]}`,
    ['situation', 'context', 'state'],
  ],
])('imports a file of %s whose values no verb takes', async (format, text, path) => {
  await using book = await open()
  const { ids } = await book.import(text, { format: format as 'mem0' })
  const record = await book.records.get({ id: ids[0] ?? '' })
  const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], record)
  expect(value).toMatchObject(stored)
  let deep = (value as { deep: unknown }).deep
  let level = 0
  for (; typeof deep === 'object'; level += 1) deep = (deep as { a: unknown }).a
  expect(deep).toBe(nested(8000 - level))
  expect(level).toBeGreaterThan(50)
  // The export of the book is whole, and filters still work.
  const bundle = await new Response(await book.export()).text()
  await using other = await open()
  expect((await other.import(bundle)).imported).toBe(1)
  const kind = (record as { kind: 'trace' }).kind
  expect((await book.records.query({ kind, filters: { nothing: 'x' } })).records).toEqual([])
})

it('stores arguments of a chat that no verb takes', async () => {
  await using book = await open()
  const call = (name: string, args: string) => ({ function: { name, arguments: args } })
  const tool_calls = [call('deep', nested(8000)), call('proto', '{"__proto__":{"x":1},"y":[]}')]
  await book.import(JSON.stringify([{ role: 'assistant', tool_calls }]))
  const { records } = await book.traces.query({ orderBy: 'id' })
  expect(records[1]?.action.parameters).toEqual({ '[__proto__]': { x: 1 }, y: [] })
  const bundle = await new Response(await book.export()).text()
  await using other = await open()
  expect((await other.import(bundle)).imported).toBe(2)
})

it.each(['{"a":00012345678901234567}', '{12345678901234567890:1}', '[12345678901234567890.]'])(
  'refuses %s, which is not JSON',
  async (text) => {
    await using book = await open()
    expect(await failure(book.import(text, { format: 'mem0' }))).toMatchObject({ code: 'invalid-file' })
  },
)
