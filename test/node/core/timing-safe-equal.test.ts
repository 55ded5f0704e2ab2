// Two secrets are the same exactly when their texts are.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { timingSafeEqual } from '../../../src/core/timing-safe-equal.ts'

it('compares as texts do', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(timingSafeEqual(one, one)).toBe(true)
      expect(timingSafeEqual(one, other)).toBe(one === other)
    }),
    { seed: 20_261_120 },
  )
})
