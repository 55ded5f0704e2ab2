// Bytes as text, against Node's own encoder: one text for each byte string, and nothing else is taken for one.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from '../../../src/shape/encoded-bytes.ts'

describe.each([
  ['base64', toBase64, fromBase64],
  ['base64url', toBase64Url, fromBase64Url],
] as const)('%s', (encoding, encode, decode) => {
  const texts = fc.string({ unit: fc.constantFrom(...'ABZaz09-_=+/ é\n') })
  const nearly = fc.tuple(fc.uint8Array(), fc.nat(), texts).map(([bytes, at, other]) => {
    const text = Buffer.from(bytes).toString(encoding)
    return text.slice(0, at % (text.length + 1)) + other.slice(0, 1) + text.slice(at % (text.length + 1))
  })

  it('is what Node makes of it, there and back', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString(encoding)
        expect(encode(bytes)).toBe(text)
        expect(decode(text)).toEqual(Uint8Array.from(bytes))
      }),
    )
  })

  it('has one text for each byte string', () => {
    fc.assert(
      fc.property(fc.oneof(texts, nearly), (text) => {
        const bytes = decode(text)
        expect(bytes === undefined || encode(bytes) === text).toBe(true)
      }),
    )
  })
})
