// What a search asks for: words, and phrases where quotes close around some.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { askedWordsOf, wordsOf } from '../../../../src/store/word/text-query.ts'

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
        const { words, isOpen } = askedWordsOf(pieces.map(({ text }) => text).join(' '))
        expect(words).toEqual([...new Set(pieces.map((one) => one.word))])
        expect(isOpen).toBe(pieces.at(-1)?.isPhrase === false)
      }),
    )
  })

  test('without a quote that closes is the same words as ever', () => {
    const plain = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/["“”„]/gu, ' '))
    fc.assert(
      fc.property(plain, plain, (before, after) => {
        const text = `${before} "${after}`
        expect(askedWordsOf(text)).toEqual({ words: wordsOf(text), isOpen: true })
      }),
    )
  })

  test('has quotes that stand inside a word for signs', () => {
    expect(askedWordsOf('a 5" and a 7" pipe').words).toEqual(['a', '5', 'and', '7', 'pipe'])
    expect(askedWordsOf('""').words).toEqual([])
    expect(askedWordsOf('"東京都"').words).toEqual(['東京 京都'])
  })
})
