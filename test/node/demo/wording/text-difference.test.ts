// The difference of two texts by words: what was removed, what was added, and nothing lost on the way.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textDifference } from '../../../../demo/wording/text-difference.ts'

const textOf = (parts: ReturnType<typeof textDifference>, without: string) =>
  parts
    .filter(({ change }) => change !== without)
    .map(({ text }) => text)
    .join('')

describe('the difference of two texts', () => {
  it('marks whole words, what is removed before what is added', () => {
    expect(textDifference('the parser fails at once', 'the lexer fails twice')).toEqual([
      { change: 'same', text: 'the ' },
      { change: 'removed', text: 'parser' },
      { change: 'added', text: 'lexer' },
      { change: 'same', text: ' fails ' },
      { change: 'removed', text: 'at once' },
      { change: 'added', text: 'twice' },
    ])
  })

  it('takes a number with a fraction, and a time, for one word', () => {
    const parts = textDifference('0.5 at 10:41', '0.8 at 10:42')
    expect(parts.map(({ text }) => text)).toEqual(['0.5', '0.8', ' at ', '10:41', '10:42'])
  })

  it('is one kept part for the same text, and nothing for none', () => {
    expect(textDifference('same words', 'same words')).toEqual([{ change: 'same', text: 'same words' }])
    expect(textDifference('', '')).toEqual([])
  })

  it('counts the middle of two very long texts as replaced', () => {
    const before = `start ${'a b '.repeat(2000)}end`
    const after = `start ${'c d '.repeat(2000)}end`
    expect(textDifference(before, after).map(({ change }) => change)).toEqual([
      'same',
      'removed',
      'added',
      'same',
    ])
  })

  it('gives back both texts, whatever they are, and keeps every word of a text that only grew', () => {
    const text = fc.array(fc.constantFrom('a', 'b', ' ', '-', 'é', '😀', '\n')).map((all) => all.join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const parts = textDifference(before, after)
        expect(textOf(parts, 'added')).toBe(before)
        expect(textOf(parts, 'removed')).toBe(after)
        const grown = textDifference(before, `${before}.${after}`)
        expect(grown.some(({ change }) => change === 'removed')).toBe(false)
      }),
    )
  })
})
