// The words of a search: quoted passages are phrases, and long words are cut like in texts.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSearch, queryWords } from '../../../../src/store/word/text-query.ts'
import { cutLongWords, indexText, maxWordLetters } from '../../../../src/store/word/text.ts'

const word = fc.stringMatching(/^[a-z]{1,6}$/)
const phrase = fc.array(word, { minLength: 1, maxLength: 4 })
const marks = fc.constantFrom(['"', '"'], ['“', '”'], ['„', '“'])

describe('the text of a search', () => {
  test('is its words, and each passage in quotes is one of them', () => {
    const piece = fc.oneof(
      word.map((one) => ({ text: one, word: one, isPhrase: false })),
      fc.tuple(phrase, marks).map(([words, [open, close]]) => ({
        text: `${open}${words.join(' - ')}${close}`,
        word: words.join(' '),
        isPhrase: true,
      })),
    )
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const { words, isOpen } = parseSearch(pieces.map(({ text }) => text).join(' '))
        expect(words).toEqual([...new Set(pieces.map((one) => one.word))])
        expect(isOpen).toBe(pieces.at(-1)?.isPhrase === false)
      }),
    )
  })

  test('ignores soft hyphens, as the index does', () => {
    expect(parseSearch('in\u00advoice "to\u00adtal sum"').words).toEqual(['invoice', 'total sum'])
    expect(indexText('the in\u00advoice')).toBe('the invoice')
  })

  test('without a quote that closes is the same words as ever', () => {
    const plain = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/["“”„]/gu, ' '))
    fc.assert(
      fc.property(plain, plain, (before, after) => {
        const text = `${before} "${after}`
        expect(parseSearch(text)).toEqual({ words: queryWords(text), isOpen: true })
      }),
    )
  })

  test('has quotes that stand inside a word for signs', () => {
    expect(parseSearch('a 5" and a 7" pipe').words).toEqual(['a', '5', 'and', '7', 'pipe'])
    expect(parseSearch('""').words).toEqual([])
    expect(parseSearch('"東京都"').words).toEqual(['東京 京都'])
  })
})

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
      expect(longest(cut)).toBe(Math.min(longest(text), maxWordLetters))
      expect(cut.replaceAll(/[\p{L}\p{N}\p{Co}\p{M}]/gu, '')).toBe(
        text.replaceAll(/[\p{L}\p{N}\p{Co}\p{M}]/gu, ''),
      )
      if (longest(text) <= maxWordLetters) expect(cut).toBe(text)
    }),
  )
})

test('a longer word is cut at its limit', () => {
  const [head, tail] = ['b'.repeat(maxWordLetters), 'c'.repeat(10)]
  expect(cutLongWords(`a ${head}${tail} d`)).toBe(`a ${head} d`)
  expect(cutLongWords(cutLongWords(`${head}${tail}`))).toBe(head)
})
