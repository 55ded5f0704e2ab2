// A bundle is what it says, not how it is spelled: any JSON spelling of it imports to the same, and any change of what it says
// is refused. What another program left out has stated defaults.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalText } from '../../../src/core/text/canonical-json.ts'
import type { Json, JsonObject } from '../../../src/core/json/path.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'
import { specificationBundle } from '../../contract/seed-shape/specification-data.ts'
import { draws, respell } from './spelling.ts'
import { makeTrace } from '../../support/trace.ts'
import { BundleReader } from '../../../src/bundle/format/bundle-reader.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'

const open = () => openDaybook({ name: 'spelling', path: ':memory:' })
const sumOf = (content: Json) => `sha256:${createHash('sha256').update(canonicalText(content)).digest('hex')}`

/** A bundle as another program seals it. */
function sealed(content: JsonObject): JsonObject {
  return { ...content, integrity: { checksum: sumOf(content) } }
}

async function ownBundle(): Promise<JsonObject> {
  await using book = await open()
  await book.traces.storeMany({
    traces: [1, 2, 3].map((n) =>
      makeTrace({
        task: { goal: `Grün/line\u2028 "${n}" \u0007` },
        action: { type: 'count', parameters: { n: n * 1e21, m: n / 3, k: n } },
      }),
    ),
  })
  await book.perceptions.store({ content: 'Likes tea', subject: 'ana', confidence: 0.5 })
  await book.skills.store({ name: 'brew', definition: { procedure: 'Boil.' } })
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of (await book.export()) as unknown as AsyncIterable<Uint8Array>)
    text += decoder.decode(bytes, { stream: true })
  return JSON.parse(text) as JsonObject
}

const bodies = async (book: Awaited<ReturnType<typeof open>>) =>
  (await book.records.query({ orderBy: 'id', limit: 1000 })).records.map(({ ver: _ver, ...rest }) => rest)

it('takes any spelling of a bundle, and makes the same of it', async () => {
  const own = await ownBundle()
  const others = [own, sealed(specificationBundle)]
  for (const bundle of others) {
    await using first = await open()
    await first.import(JSON.stringify(bundle))
    const wanted = await bodies(first)
    expect(wanted.length).toBeGreaterThan(3)
    await fc.assert(
      fc.asyncProperty(draws, fc.constantFrom('', '\ufeff', '\n', '\ufeff \r\n'), async (draw, before) => {
        await using book = await open()
        const text = `${before}${respell(bundle, draw)}\n`
        const { bundle: result } = await book.import(text)
        expect(result).toMatchObject({ imported: wanted.length, conflictCount: 0 })
        expect(await bodies(book)).toEqual(wanted)
      }),
      { numRuns: 40 },
    )
  }
})

it('refuses any change of what a bundle says, in any spelling, and imports nothing', async () => {
  const own = await ownBundle()
  await using book = await open()
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
  await fc.assert(
    fc.asyncProperty(draws, leaf, async (draw, value) => {
      const { integrity, ...content } = own
      const changed = change(content, draw, value)
      fc.pre(canonicalText(changed) !== canonicalText(content))
      const text = respell({ ...(changed as JsonObject), integrity: integrity ?? null }, draw)
      expect((await failure(book.verify(text))).code).toMatch(/^(?:invalid-file|bundle-newer)$/)
    }),
    { numRuns: 300 },
  )
  expect((await book.stats()).total).toBe(0)
})

it('gives back the same records and summary however a spelling is cut on the way', async () => {
  const own = await ownBundle()
  fc.assert(
    fc.property(draws, fc.integer({ min: 1, max: 40 }), (draw, size) => {
      const text = respell(own, draw)
      const cut = (length: number) => {
        const reader = new BundleReader({ kinds, digest: nodePorts.digest, now: '', wants: () => true })
        const found = []
        for (let at = 0; at < text.length; at += length)
          found.push(...reader.push(text.slice(at, at + length)))
        const { summary, records } = reader.end()
        return { summary, records: [...found, ...records] }
      }
      expect(cut(size)).toEqual(cut(text.length))
    }),
    { numRuns: 60 },
  )
})

it('refuses a bundle in another order than that of its names that is too large to be held, and takes it in order', async () => {
  await using book = await open()
  const content = 'x'.repeat(100_000)
  const perceptions = Array.from({ length: 170 }, (_, i) => ({ id: `p-${i}`, content: `${i}${content}` }))
  const { agent } = specificationBundle
  const rest = { agent, format: 'kstar-bundle', version: '1.0.0', exported_at: '2026-01-31' }
  const large = { ...rest, memory: { traces: [], perceptions } }
  expect(await failure(book.verify(JSON.stringify(sealed(large))))).toMatchObject({ code: 'too-large' })
  const { version, ...first } = rest
  const ordered = { ...first, memory: { perceptions, traces: [] }, version }
  const { counts } = await book.verify(JSON.stringify(sealed(ordered), null, 2))
  expect(counts).toEqual({ perception: 170, trace: 0 })
})

it('says what is wrong with a bundle that somebody else wrote, and where', async () => {
  await using book = await open()
  const { memory, ...head } = specificationBundle
  const [trace] = memory.traces
  const cases: [content: JsonObject, path: string][] = [
    [{ ...head }, 'memory'],
    [{ ...specificationBundle, format: 'other' }, 'format'],
    [{ ...specificationBundle, version: 1 }, 'version'],
    [{ ...specificationBundle, exported_at: 'soon' }, 'exported_at'],
    [{ ...specificationBundle, agent: { id: 1, type: 'a', version: 'b' } }, 'agent.id'],
    [{ ...specificationBundle, extra: 1 }, 'extra'],
    [{ ...specificationBundle, memory: { wishes: [] } }, 'memory.wishes'],
    [{ ...specificationBundle, memory: { traces: [1] } }, 'memory.traces.0'],
    [{ ...specificationBundle, memory: { traces: [{}] } }, 'memory.traces.0.id'],
    [{ ...specificationBundle, memory: { traces: [trace, trace] } }, 'memory.traces.1.id'],
    [
      { ...specificationBundle, memory: { traces: [{ ...trace, timestamp: 'soon' }] } },
      'memory.traces.0.created_at',
    ],
    [{ ...specificationBundle, memory: { facts: [{ id: 'f' }] } }, 'memory.facts.0.schema'],
    [{ ...specificationBundle, memory: { perceptions: [{ id: 'p' }] } }, 'memory.perceptions.0.content'],
    [
      { ...specificationBundle, statistics: { ...head.statistics, trace_count: 0 } },
      'statistics.trace_count',
    ],
    [{ ...specificationBundle, schemas_used: [1] }, 'schemas_used'],
  ]
  for (const [content, path] of cases) {
    const error = await failure(book.verify(JSON.stringify(sealed(content))))
    expect([error.code, error.details['path']]).toEqual(['invalid-file', path])
  }
  const text = JSON.stringify(sealed(specificationBundle))
  for (const [altered, path, code = 'invalid-file'] of [
    [text.replace('"integrity":', '"format":"kstar-bundle","integrity":'), 'format'],
    [text.replace('"traces":[', '"facts":[],"traces":['), 'memory.facts'],
    [JSON.stringify(specificationBundle), 'integrity'],
    [text.replace('"sha256:', '"md5:'), 'integrity.checksum'],
    [text.replace('"traces":[', `"traces":[${'['.repeat(200)}`), 'memory.traces.0'],
    [text.slice(0, -1), 'integrity', 'incomplete-file'],
  ] as const) {
    const error = await failure(book.verify(altered))
    expect([error.code, error.details['path']]).toEqual([code, path])
  }
  expect((await book.stats()).total).toBe(0)
})

/** `value` with one leaf, one member or one item of it changed. */
function change(value: Json, draw: (n: number) => number, leaf: Json): Json {
  if (Array.isArray(value) && value.length > 0) {
    const at = draw(value.length)
    if (draw(6) === 0) return value.filter((_, i) => i !== at)
    return value.map((one: Json, i) => (i === at ? change(one, draw, leaf) : one))
  }
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (Array.isArray(value) || members.length === 0) return leaf
  const [key = '', member = null] = members[draw(members.length)] ?? []
  if (draw(8) === 0) return Object.fromEntries(members.filter(([name]) => name !== key))
  return { ...(value as JsonObject), [key]: change(member as Json, draw, leaf) }
}

it('throws the same error again after an error', () => {
  const reader = new BundleReader({ kinds, digest: nodePorts.digest, now: '', wants: () => true })
  expect(() => reader.push('{"format" ; ')).toThrow(/Expected `:`: the file is not valid JSON here/)
  expect(() => reader.push(' ')).toThrow(/Expected `:`/)
  expect(() => reader.end()).toThrow(/Expected `:`/)
})

it('names the limit of a value that is too long', () => {
  const reader = new BundleReader({ kinds, digest: nodePorts.digest, now: '', wants: () => true })
  expect(() => reader.push(`{"format": "${'x'.repeat(300)}"`)).toThrow(
    expect.objectContaining({ code: 'too-large', details: { path: 'format', limitCharacters: 200 } }),
  )
})
