// A very long text is read near the words that are wanted.
import { expect, test } from 'vitest'
import { partWith } from '../../../../demo/wording/long-text.ts'
import { matchedPieces } from '../../../../demo/wording/passage-word.ts'

const filler = 'The pump ran all day. '.repeat(45_000)

test('is read near a word, else from its beginning', () => {
  const text = `${filler}The Wombats guard it.`
  expect(partWith(text, ['wombat'])).toMatch(/^…[^]*The Wombats guard it\.…$/)
  expect(partWith(text, ['wombat']).length).toBeLessThan(7000)
  expect(partWith(text, ['heron'])).toMatch(/^The pump[^]*…$/)
  expect(partWith('short', ['heron'])).toBe('short')
})

test('shows the words of a search at its end, in a moment', () => {
  const startedMs = performance.now()
  const pieces = matchedPieces({ content: `${filler}The Wombats guard it.` }, 'wombat')
  expect(pieces.filter(({ isMatch }) => isMatch).map(({ text }) => text)).toEqual(['Wombats'])
  expect(performance.now() - startedMs).toBeLessThan(500)
})
