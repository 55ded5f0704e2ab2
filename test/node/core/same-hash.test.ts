// Two secrets are the same exactly when their texts are.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isSameHash } from '../../../src/core/same-hash.ts'

it('compares as texts do', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(isSameHash(one, one)).toBe(true)
      expect(isSameHash(one, other)).toBe(one === other)
    }),
    { seed: 20_261_120 },
  )
})
