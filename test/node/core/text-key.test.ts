// Keys of texts stay what they are: ids, answers and tables of stored books were made of them.
import { nameId } from '../../../src/core/text/name-id.ts'
import { murmur128, nameHash, roundKey, shortKey, textKey } from '../../../src/core/text/text-key.ts'
import { expect, it } from 'vitest'

it.each([
  [[], 2271354816561555],
  [[''], 2140654666776979],
  [['daybook'], 4437773333072657],
  [['day', 'book'], 1960532406530079],
  [['ä€😀\ud800'], 2703999108574514],
])('the texts %j have the key they always had', (texts, key) => {
  expect(textKey(texts)).toBe(key)
})

it.each([
  ['', 2166136261, 2271354816561555, 2271354816561556],
  ['daybook', 286282208, 300190818667281, 3777920259899360],
  ['ä€😀\ud800', 3358881424, 3522044349574450, 892780224084911],
])('the text %j has the keys it always had', (text, short, first, second) => {
  expect(shortKey(text)).toBe(short)
  expect(roundKey(text, 0)).toBe(first)
  expect(roundKey(text, 1)).toBe(second)
})

it('a name too long for an id ends in two keys of the whole', () => {
  const id = `skill::${'a'.repeat(200)}`
  const digits = (round: number) => roundKey(id, round).toString(16).padStart(13, '0')
  expect(nameId('skill', 'a'.repeat(200))).toBe(`${id.slice(0, 98)}:::${digits(0)}${digits(1)}`)
})

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
