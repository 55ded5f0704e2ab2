// Random bytes in advance: all from the generator, each given out once, and none left behind.
import { expect, it } from 'vitest'
import { createRandomPool } from '../../../src/core/random-pool.ts'

it('gives out each byte of the generator once, and clears it', () => {
  const pools: Uint8Array[] = []
  let next = 0
  const random = createRandomPool((bytes) => {
    pools.push(bytes)
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = 1 + (next++ % 251)
  })
  const ids = Array.from({ length: 1000 }, () => random.bytes(8))
  const given = ids.flatMap((bytes) => [...bytes])
  expect(given).toEqual(Array.from({ length: 8000 }, (_, i) => 1 + (i % 251)))
  expect(pools[0]?.subarray(0, 8000 - 4096).every((byte) => byte === 0)).toBe(true)
  const key = random.bytes(32)
  expect(key).toHaveLength(32)
  expect(pools.at(-1)).toBe(key)
  expect(random.bytes(0)).toHaveLength(0)
})

it('skips what is left when it is too little', () => {
  let fills = 0
  const random = createRandomPool((bytes) => bytes.fill((fills += 1)))
  for (let at = 0; at < 4096 - 3; at += 1) random.bytes(1)
  expect([...random.bytes(8)]).toEqual([2, 2, 2, 2, 2, 2, 2, 2])
})
