// Long words are cut in texts and in questions alike, and nothing else is.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutLongWords, wordLimit } from '../../../../src/store/word/long-word.ts'

const longest = (text: string) =>
  Math.max(0, ...(text.match(/[\p{L}\p{N}\p{Co}\p{M}]+/gu) ?? []).map((word) => Array.from(word).length))
const words = fc.tuple(
  fc.constantFrom('a', 'Z', '7', 'é', '字', '𐐷', ' ', '-', '。'),
  fc.integer({ min: 1, max: 700 }),
)

test('no word is longer than the limit, its beginning stays, and shorter ones are as they were', () => {
  fc.assert(
    fc.property(fc.array(words, { maxLength: 8 }), (runs) => {
      const text = runs.map(([letter, count]) => letter.repeat(count)).join('')
      const cut = cutLongWords(text)
      expect(longest(cut)).toBe(Math.min(longest(text), wordLimit))
      expect(cut.replaceAll(/[\p{L}\p{N}\p{Co}\p{M}]/gu, '')).toBe(
        text.replaceAll(/[\p{L}\p{N}\p{Co}\p{M}]/gu, ''),
      )
      if (longest(text) <= wordLimit) expect(cut).toBe(text)
    }),
  )
})

test('a longer word is cut at its limit', () => {
  const [head, tail] = ['b'.repeat(wordLimit), 'c'.repeat(10)]
  expect(cutLongWords(`a ${head}${tail} d`)).toBe(`a ${head} d`)
  expect(cutLongWords(cutLongWords(`${head}${tail}`))).toBe(head)
})
