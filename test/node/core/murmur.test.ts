import { expect, it } from 'vitest'
import { murmur128, nameHash } from '../../../src/core/text/murmur.ts'

it('is MurmurHash3_x86_128: it has the verification value of SMHasher', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
  const hashes = Array.from({ length: 256 }, (_, i) => murmur128(bytes.subarray(0, i), 256 - i))
  // SMHasher reads the words in memory order, least significant byte first.
  const words = hashes.flatMap((hash) => hash.match(/.{8}/g) ?? []).map((word) => Number.parseInt(word, 16))
  expect(murmur128(new Uint8Array(Uint32Array.from(words).buffer)).slice(0, 8)).toBe('b3ece62a')
})

it('depends on every byte, at every length around a block', () => {
  const seen = new Set<string>()
  for (let length = 0; length <= 40; length++) {
    seen.add(murmur128(new Uint8Array(length)))
    for (let at = 0; at < length; at++) seen.add(murmur128(new Uint8Array(length).fill(1, at, at + 1)))
  }
  expect(seen.size).toBe(41 + (40 * 41) / 2)
})

it('tells parts of a name apart', () => {
  const names = [
    ['ab', 'c'],
    ['a', 'bc'],
    ['abc'],
    ['a,b', 'c'],
    ['a', 'b,c'],
    ['"', '"'],
    ['\ud800'],
    ['\ufffd'],
  ]
  expect(new Set(names.map((parts) => nameHash(...parts))).size).toBe(names.length)
})
