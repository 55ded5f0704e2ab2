// What long talk needs: passages, words that people only ask with, and who is asked for.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asksInFirstPerson, withoutAskingWords } from '../../../src/recall/question-words.ts'
import { maxPassageChars, passagesOf } from '../../../src/recall/passage.ts'
import { minDrop, sharpCut } from '../../../src/core/capability/hit-rule.ts'
import { rerank } from '../../../src/recall/rerank.ts'
import { speakerRole } from '../../../src/shape/source.ts'

describe('passages', () => {
  test('follow each other, make up the whole text, part no character, and are of bounded length', () => {
    const piece = fc.oneof(
      fc.constantFrom('One sentence of it. ', 'Was it so? ', '\n\n', '\n- ', '次の文です。', '🙂'.repeat(50)),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.integer({ min: 1, max: 1500 }).map((n) => 'x'.repeat(n)),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('').toWellFormed()
        const passages = passagesOf(text)
        expect(passages.map(({ from, to }) => text.slice(from, to)).join('')).toBe(text)
        for (const { from, to } of passages) {
          expect(text.slice(from, to).isWellFormed()).toBe(true)
          expect(to - from).toBeGreaterThan(0)
          expect(to - from).toBeLessThanOrEqual(2 * maxPassageChars)
        }
      }),
    )
  })

  test('end where a paragraph or a sentence does', () => {
    const sentence = 'The quay is flooded twice a year, in spring and again in the autumn storms. '
    const text = `${sentence.repeat(6)}\n\n${sentence.repeat(6)}`
    const passages = passagesOf(text)
    expect(passages.length).toBe(2)
    for (const { from, to } of passages) expect(text.slice(from, to)).toMatch(/^The quay[^]*storms\.\s*$/)
    expect(passagesOf('short')).toEqual([{ from: 0, to: 5 }])
    expect(passagesOf('')).toEqual([])
  })
})

test('words that people ask with are not looked for, unless hardly any other is left', () => {
  const ask = (text: string) => withoutAskingWords(text.split(' ')).join(' ')
  expect(ask('ugh wondering redis chapter basically')).toBe('redis chapter')
  expect(ask('list order brought budget tracker conversations mention only items')).toBe('budget tracker')
  // An order is something, but not in a question about the talk itself.
  expect(ask('list order granite')).toBe('list order granite')
  expect(ask('didn t')).toBe('didn t')
})

test.each([
  ['When did I buy the cello?', true],
  ["What's my blood type?", true],
  ['Wo habe ich die Leiter gelassen?', true],
  ['¿Cuándo compré yo el piano?', true],
  ['我的过敏是什么', true],
  ['How did you recommend that I plan the sprint?', false],
  ['When does the harbour park open?', false],
  ['What is the IP of the router?', false],
])('asks for what its asker said or did: %s', (text, does) => {
  expect(asksInFirstPerson(text)).toBe(does)
})

test('who said something: by the type of its source, or by a name that is a role', () => {
  expect(speakerRole({ type: 'Agent', name: 'Ada' })).toBe('agent')
  expect(speakerRole({ type: 'User', name: 'assistant' })).toBe('agent')
  expect(speakerRole({ type: 'User', name: 'Ana' })).toBe('person')
  expect([speakerRole({ role: 'user' }), speakerRole({ role: 'assistant' })]).toEqual(['person', 'agent'])
  expect([speakerRole({}), speakerRole(undefined), speakerRole({ type: 'System' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a question keeps the more of its score the longer what follows it is', () => {
  const score = (answerInNextShare?: number, text = 'Where is the key?') =>
    rerank({ item: 0, seq: 1, record: {} as never, score: 1, texts: [text], answerInNextShare }, []).score
  expect([score(), score(1), score(0)]).toEqual([0.75, 0.75, 1])
  expect(score(0.2)).toBeCloseTo(0.95, 12)
  expect(score(1, 'The key is here.')).toBe(1)
})

test('the sharp cut comes before the largest drop, and nowhere when nothing stands out', () => {
  expect(sharpCut([])).toBe(0)
  expect(sharpCut([0.4])).toBe(1)
  expect(sharpCut([0.9, 0.88, 0.3, 0.1])).toBe(2)
  expect(sharpCut([0.9, 0.8, 0.7, 0.6])).toBe(4)
  expect(sharpCut([0, 0])).toBe(2)
  const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 })
  fc.assert(
    fc.property(scores, (some) => {
      const ordered = some.toSorted((a, b) => b - a)
      const count = sharpCut(ordered)
      const drops = ordered.slice(1).map((score, i) => (ordered[i] ?? 0) - score)
      const drop = count < ordered.length ? (drops[count - 1] ?? 0) : 0
      if (count < ordered.length) expect(drop).toBeGreaterThanOrEqual(minDrop * (ordered[0] ?? 0))
      else expect(drops.every((one) => one === 0 || one < minDrop * (ordered[0] ?? 0))).toBe(true)
      for (const one of drops) if (count < ordered.length) expect(drop).toBeGreaterThanOrEqual(one)
    }),
  )
})
