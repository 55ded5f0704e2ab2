// The matched words of a hit, as the inspector shows them.
import { expect, test } from 'vitest'
import { matchedWords, matchLabels, nearbyWords } from '../../../../demo/wording/matched-word.ts'
import type { RecallHit } from '../../../../src/index.ts'

const hit = {
  because: {
    text: {
      rank: 1,
      bm25: 1,
      coverage: 1,
      words: ['zoe', 'turbott', 'key'],
      matches: [
        { question: 'zoe', record: 'Zoë' },
        { question: 'turbott', record: 'turbot' },
        { question: 'key', record: 'Keys' },
      ],
    },
    window: { rank: 1, bm25: 1, coverage: 1, words: ['zoe', 'turbott', 'key', 'March', 'menu'] },
    date: { day: '2026-03-04', words: ['March'] },
  },
} as unknown as RecallHit

test('matched words are those of the record; a word that the question writes otherwise is before an arrow', () => {
  expect(matchedWords(hit)).toEqual(['Zoë', 'turbot', 'Keys'])
  expect(matchLabels(hit)).toEqual(['Zoë', 'turbott → turbot', 'key → Keys'])
})

test('nearby words are those that only a neighbour has', () => {
  expect(nearbyWords(hit)).toEqual(['menu'])
})

test('a hit by meaning alone has no matched words', () => {
  const other = { because: {} } as RecallHit
  expect([matchedWords(other), matchLabels(other), nearbyWords(other)]).toEqual([[], [], []])
})
