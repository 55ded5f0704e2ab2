// Keys of texts stay what they are: ids, answers and tables of stored books were made of them.
import { expect, it } from 'vitest'
import { nameId } from '../../../src/core/text/name-id.ts'
import { roundKey, shortKey, textKey } from '../../../src/core/text/text-key.ts'

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
