// The best of a recall, looked at once more: phrases, questions, repetitions, variety.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diversify, rerank, orderUnique, type RecordTexts } from '../../../src/recall/rerank.ts'
import { tokenize } from '../../../src/store/word/tokenize.ts'

let serial = 0
function read(text: string, score = 0.5, kind = 'message'): RecordTexts<string> {
  const record = { id: text, kind, created_at: '', updated_at: '', ver: 0, agent: 'a' }
  return { item: text, seq: ++serial, record, score, texts: [text] }
}
const look = (one: RecordTexts<string>, question = 'tidal garden') => rerank(one, tokenize(question))
const items = (all: readonly { item: string }[]) => all.map(({ item }) => item)

describe('the second look', () => {
  test('gives words that stand together up to 0.15 more, and a question a quarter less', () => {
    expect(look(read('the tidal garden')).score).toBeCloseTo(0.5 * 1.15, 12)
    expect(look(read('a garden that is tidal')).score).toBe(0.5)
    expect(look(read('the tidal garden'), 'big tidal garden').score).toBeCloseTo(0.5 * 1.075, 12)
    expect(look(read('Is the garden tidal? ')).score).toBeCloseTo(0.5 * 0.75, 12)
    expect(look(read('「潮の庭」ですか?')).score).toBeCloseTo(0.5 * 0.75, 12)
    expect(look(read('Is it? It is.')).score).toBe(0.5)
  })

  test('leaves out what says the same as one before it, unless it is another number or another kind', () => {
    const all = [
      read('Memory grows when clients hang up in the middle of a picture', 0.9),
      read('The memory grows, when clients hang up in the middle of the picture.', 0.8),
      read('Memory grows when clients hang up in the middle of a picture', 0.7, 'perception'),
      read('phone 031-555 0142', 0.6),
      read('phone 031-555 0199', 0.5),
      read('', 0.4),
      read('', 0.3),
    ].map((one) => look(one))
    expect(orderUnique(all, true).map(({ score }) => score)).toEqual([0.9, 0.7, 0.6, 0.5, 0.4, 0.3])
    expect(orderUnique(all.toReversed(), false).map(({ score }) => score)).toEqual(
      all.map(({ score }) => score),
    )
  })

  test('varies also where no hit has a score', () => {
    const all = [read('the tidal garden', 0), read('the tidal garden', 0), read('a red door', 0)].map((one) =>
      look(one),
    )
    expect(items(diversify(all, 2, 0.9))).toEqual(['the tidal garden', 'a red door'])
  })

  test('finds the same first ones however many are wanted, and the same overlap however soon it gives up', () => {
    const word = fc.constantFrom('a1', 'red', 'door', 'old', 'house', 'barn', 'quay', 'boat', 'blue', 'paint')
    const text = fc.oneof(
      fc.array(word, { maxLength: 12 }),
      fc.tuple(fc.constantFrom(...'abcdefgh'), fc.nat(2)).map(([extra, n]) => {
        const all = 'one two three four five six seven eight nine ten eleven twelve thirteen'.split(' ')
        return [...all.slice(n), extra]
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.nat(8)), { maxLength: 25 }), fc.nat(12), (texts, limit) => {
        const all = texts.map(([words, score]) => look(read(words.join(' '), score / 8), 'red door old red'))
        const kept: typeof all = []
        for (const one of [...all].sort((a, b) => b.score - a.score || b.seq - a.seq)) {
          const same = kept.some(
            (other) => one.texts.join() !== '' && one.texts.join() === other.texts.join(),
          )
          if (!same) kept.push(one)
        }
        expect(items(orderUnique(all, true, limit))).toEqual(items(kept.slice(0, limit)))
        expect(items(orderUnique(all, true))).toEqual(items(kept))
      }),
    )
  })

  test('reads no words when none of the neighbours can be there, and finds them when they can', () => {
    const texts = ['the tidal garden']
    expect(look({ ...read('the tidal garden'), matchedTerms: ['tidal'] }).score).toBe(0.5)
    expect(
      look({ ...read('the tidal garden'), texts, matchedTerms: ['garden', 'tidal'] }).score,
    ).toBeGreaterThan(0.5)
    expect(look(read('tidal garden tidal garden'), 'tidal garden tidal garden').score).toBeCloseTo(
      0.5 * 1.15,
      12,
    )
  })

  test('chooses what differs when asked to, and keeps the order when not', () => {
    const all = orderUnique(
      [
        read('red door of the old house', 0.9),
        read('red door of the old barn', 0.85),
        read('blue boat at the quay', 0.5),
      ].map((one) => look(one)),
      true,
    )
    expect(items(diversify(all, 2, 0))).toEqual(['red door of the old house', 'red door of the old barn'])
    expect(items(diversify(all, 2, 0.5))).toEqual(['red door of the old house', 'blue boat at the quay'])
    expect(items(diversify(all, 9, 1))).toHaveLength(3)
  })
})
