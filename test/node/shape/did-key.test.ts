// Names of keys: one text for each, and nothing else is taken for one.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromDidKey, toDidKey } from '../../../src/shape/did.ts'

describe('did:key', () => {
  it('names the key of the specification', () => {
    const bytes = Uint8Array.from(
      Buffer.from('3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29', 'hex'),
    )
    const name = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'
    expect(toDidKey(bytes)).toBe(name)
    expect(fromDidKey(name)).toEqual(bytes)
  })

  it('goes there and back for every key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(fromDidKey(toDidKey(bytes))).toEqual(bytes)
      }),
    )
  })

  it('takes nothing else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `did:key:z6Mk${text}`),
        ),
        (text) => {
          const bytes = fromDidKey(text)
          expect(bytes === undefined || toDidKey(bytes) === text).toBe(true)
        },
      ),
    )
  })
})
