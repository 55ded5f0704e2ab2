// Bundles byte by byte: the checksum is what anybody would compute, and no altered byte passes, encrypted or not.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BundleReader } from '../../../src/bundle/format/bundle-reader.ts'
import { canonicalText } from '../../../src/core/text/canonical-json.ts'
import { product } from '../../../src/bundle/format/product.ts'
import { BundleDecrypter, encryptText } from '../../../src/bundle/format/encrypted-bundle.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import type { SealingKey } from '../../../src/core/ports.ts'
import type { Stored } from '../../../src/core/record.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { bundleOf } from '../../support/bundle-source.ts'

const trace = kinds.get('trace')
const message = kinds.get('message')
if (!trace || !message) throw new Error('There are no such kinds.')
const own = [trace, message]

function makeRecord(n: number, kind = 'trace', body: JsonObject = {}): Stored<JsonObject> {
  const at = `2026-01-0${(n % 9) + 1}T00:00:00.000Z`
  const head = { created_at: at, updated_at: at, ver: n, agent: 'tester' }
  return { ...body, id: `${kind}-${n}`, kind, ...head, timestamp: at }
}
const records = [
  makeRecord(2, 'trace', {
    text: 'control \u0001\u001f, emoji 🙂, lone \ud800, "quoted\\"',
    n: [1.5e21, 0, 1e-7],
  }),
  makeRecord(1, 'trace', { '': {}, é: [], z: { b: 1, a: [{}] }, '10': 1, '9': 2 }),
  makeRecord(3, 'message'),
  makeRecord(4, 'message', { text: ']},"schemas_used":[' }),
]
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** What a reader makes of a text that comes in pieces of `size`. */
function read(text: string, size = text.length) {
  const now = '2026-03-01T00:00:00.000Z'
  const reader = new BundleReader({ kinds, digest: nodePorts.digest, now, wants: () => true })
  const found = []
  for (let at = 0; at < text.length; at += size) found.push(...reader.push(text.slice(at, at + size)))
  const { summary, records } = reader.end()
  return { summary, records: [...found, ...records].map(({ record }) => record) }
}

/** What is refused is refused in words: ours, or the decoder's where bytes are no text at all. */
const refusal = /\w/

/** Whether two texts are the same JSON in two spellings. */
function saysSame(one: string | Uint8Array, other: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(typeof one === 'string' ? one : decode(one)), JSON.parse(other))
  } catch {
    return false
  }
}

/** Bytes as a text, as the doors decode them. */
const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

it('has the checksum of its canonical JSON without `integrity`', async () => {
  const text = await bundleOf(
    records.filter(({ id }) => id !== 'trace-2'),
    own,
    nodePorts,
  )
  const { integrity, ...content } = JSON.parse(text)
  const hash = createHash('sha256')
    .update(canonicalize(content) ?? '')
    .digest('hex')
  expect(integrity).toEqual({ checksum: `sha256:${hash}` })
})

it('spells JSON as RFC 8785 does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      expect(canonicalText(value as never)).toBe(canonicalize(value))
    }),
  )
})

it('is the same text for the same content, whatever order it was stored in', async () => {
  const text = await bundleOf(records, own, nodePorts)
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(records, { minLength: records.length }),
      fc.shuffledSubarray(own, { minLength: own.length }),
      async (shuffled, mixed) => {
        const reordered = shuffled.map(
          (one) => Object.fromEntries(Object.entries(one).toReversed()) as typeof one,
        )
        expect(await bundleOf(reordered, mixed, nodePorts)).toBe(text)
      },
    ),
    { numRuns: 30 },
  )
})

it('gives back what was written, however it is cut on the way', async () => {
  const text = await bundleOf(records, own, nodePorts)
  const wanted = records.map(({ kind: _kind, ver: _ver, ...record }) => record)
  for (const size of [1, 2, 3, 7, 64, text.length]) {
    const { summary, records: found } = read(text, size)
    expect(found.sort((a, b) => (String(a['id']) < String(b['id']) ? 1 : -1))).toEqual(
      wanted.sort((a, b) => (a.id < b.id ? 1 : -1)),
    )
    expect(summary.counts).toEqual({ message: 2, trace: 2 })
  }
})

it('refuses every single flipped bit that says something else', async () => {
  const bytes = bytesOf(await bundleOf(records.slice(0, 1), own, nodePorts))
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const altered = bytes.slice()
      altered[at] = (altered[at] ?? 0) ^ (1 << bit)
      if (saysSame(altered, decode(bytes))) expect(read(decode(altered)).records).toHaveLength(1)
      else expect(() => read(decode(altered)), `byte ${at}, bit ${bit}`).toThrow(refusal)
    }
  }
})

it('refuses any other byte anywhere, any cut and anything in between, unless it says the same', async () => {
  const bytes = bytesOf(await bundleOf(records, own, nodePorts))
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const altered = bytes.slice()
      altered[at] = ((altered[at] ?? 0) + change) & 0xff
      if (!saysSame(altered, decode(bytes))) expect(() => read(decode(altered))).toThrow(refusal)
    }),
    { numRuns: 500 },
  )
  for (let length = 0; length < bytes.length; length++) {
    expect(() => read(decode(bytes.slice(0, length))), `cut at ${length}`).toThrow(refusal)
  }
  fc.assert(
    fc.property(fc.nat(bytes.length), fc.constantFrom(' ', '\n', '{}', ',', '0', '"'), (at, extra) => {
      const text = decode(bytes)
      const altered = text.slice(0, at) + extra + text.slice(at)
      if (saysSame(altered, text)) expect(read(altered)).toEqual(read(text))
      else expect(() => read(altered)).toThrow(refusal)
    }),
    { numRuns: 500 },
  )
})

it('fails on nothing but a clear error, whatever it is given', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0019a', '"format":"kstar-bundle"') }),
      (noise) => {
        expect(() => read(`{"format":"kstar-bundle","version":"1.0.0"${noise}`)).toThrow(
          expect.objectContaining({
            name: 'DaybookError',
            code: expect.stringMatching(/invalid-file|incomplete-file|too-large/),
          }),
        )
      },
    ),
    { numRuns: 500 },
  )
})

/** Sealing with a key that is there at once: what is tested is not how it is derived. */
async function withQuickKey() {
  const key = await nodePorts.cipher.derive('passphrase', new Uint8Array(16), 1)
  const derive = (): Promise<SealingKey> => Promise.resolve(key)
  return { cipher: { derive }, random: nodePorts.random }
}

async function sealed(text: string, ports: Awaited<ReturnType<typeof withQuickKey>>): Promise<string> {
  async function* source() {
    yield text
  }
  let file = ''
  for await (const piece of encryptText(source(), 'passphrase', ports)) file += piece
  return file
}

async function unsealed(file: string, { cipher }: Awaited<ReturnType<typeof withQuickKey>>): Promise<string> {
  const reader = new BundleDecrypter('passphrase', cipher)
  return (await reader.push(file)) + (await reader.end())
}

it('seals and opens any text, in chunks', async () => {
  const ports = await withQuickKey()
  for (const text of ['', 'a', '🙂'.repeat(40_000), 'x'.repeat(65_536), 'x'.repeat(131_073)]) {
    expect(await unsealed(await sealed(text, ports), ports)).toBe(text)
  }
})

it('opens nothing of which a byte was flipped, cut, moved or doubled', async () => {
  const ports = await withQuickKey()
  const file = await sealed('y'.repeat(200_000), ports)
  const bytes = bytesOf(file)
  const [head = '', ...chunks] = file.split('\n')
  expect(chunks.length).toBe(4)
  const refused = async (text: string) => {
    await expect(unsealed(text, ports)).rejects.toThrow(refusal)
  }
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.nat(bytes.length - 1),
        fc.nat(head.length + 3),
        fc.integer({ min: bytes.length - 4, max: bytes.length - 1 }),
        fc.constantFrom(...positionsOf(file, '\n')),
      ),
      fc.integer({ min: 1, max: 255 }),
      async (at, change) => {
        const altered = bytes.slice()
        altered[at] = ((altered[at] ?? 0) + change) & 0xff
        let text: string
        try {
          text = decode(altered)
        } catch {
          return
        }
        await refused(text)
      },
    ),
    { numRuns: 300 },
  )
  const [one = '', two = '', three = '', last = ''] = chunks
  for (const order of [
    [one, two, three],
    [one, two, last],
    [two, one, three, last],
    [one, one, two, three, last],
    [one, two, three, last, last],
    [],
  ]) {
    await refused([head, ...order].join('\n'))
  }
  await fc.assert(
    fc.asyncProperty(fc.nat(file.length - 1), (length) => refused(file.slice(0, length))),
    { numRuns: 200 },
  )
})

function positionsOf(text: string, wanted: string): number[] {
  return Array.from(text).flatMap((unit, i) => (unit === wanted ? [i] : []))
}

it('names the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  expect(product.version).toBe(version)
})
