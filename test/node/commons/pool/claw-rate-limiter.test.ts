// How many envelopes a claw may send, whatever order they come in.
import { expect, it } from 'vitest'
import { ClawRateLimiter } from '../../../../src/commons/pool/rule/claw-rate-limiter.ts'

it('counts the envelopes of a second, also when those of two seconds come in turn', () => {
  const limiter = new ClawRateLimiter()
  const over = Array.from({ length: 10 }, (_, n) => limiter.isOverLimit('a@x', n % 2 === 0 ? 1500 : 500, 3))
  expect(over.filter(Boolean)).toHaveLength(4)
  expect(limiter.isOverLimit('b@x', 500, 3)).toBe(false)
  expect(limiter.isOverLimit('a@x', 2000, 3)).toBe(false)
})
