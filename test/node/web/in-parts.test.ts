// Texts cut into parts for an upload: joined again they are what was given, whatever is cut where.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { uploadParts } from '../../../src/web/upload-part.ts'

async function* textsOf(texts: readonly string[]) {
  yield* texts
}

it('joins again to what was given, in parts of one size but the last', async () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 4, max: 20 }), async (given, partBytes) => {
      const found: Uint8Array[] = []
      const seen: { number: number; isLast: boolean; size: number }[] = []
      for await (const { number, bytes, isLast } of uploadParts(textsOf(given), partBytes)) {
        // What was given is overwritten later.
        found.push(bytes.slice())
        seen.push({ number, isLast, size: bytes.byteLength })
      }
      const all = await new Blob(found.map((one) => one.slice())).bytes()
      expect(all).toEqual(new TextEncoder().encode(given.join('')))
      expect(seen.map(({ number }) => number)).toEqual(seen.map((_one, i) => i + 1))
      expect(seen.map(({ isLast }) => isLast)).toEqual(seen.map((_one, i) => i === seen.length - 1))
      for (const { size } of seen.slice(0, -1)) expect(size).toBe(partBytes)
      expect(seen.at(-1)?.size === 0).toBe(all.byteLength === 0)
    }),
  )
})

it('has memory for two parts, however many there are', async () => {
  const buffers = new Set<ArrayBufferLike>()
  let count = 0
  for await (const { bytes } of uploadParts(textsOf(Array.from({ length: 50 }, () => 'x'.repeat(7))), 16)) {
    buffers.add(bytes.buffer)
    count += 1
  }
  expect([count, buffers.size]).toEqual([22, 2])
})
