import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hasBase58Checksum, sha256 } from '../../../../src/core/secret/base58-check.ts'

it('the hash of a checksum is SHA-256, whatever the length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(
        createHash('sha256').update(bytes).digest('hex'),
      )
    }),
  )
})

it('a text has a checksum of Base58Check, or has none', () => {
  // The smallest key there is, as everybody publishes it.
  expect(hasBase58Checksum('5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf')).toBe(true)
  expect(hasBase58Checksum('5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDg')).toBe(false)
  for (const text of ['', '1', '11111', '0OIl', 'z']) expect(hasBase58Checksum(text)).toBe(false)
})
