// The tokenizer of `daybook/meaning` against the original, and its time on texts made to be slow.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { eachRun, wordsOfRun } from '../../../../src/recall/embed/meaning/text-words.ts'
import { createWordPieces, type WordPieces } from '../../../../src/recall/embed/meaning/word-piece.ts'

/** Made by scripts/meaning/tokenizer-cases.py. */
interface Cases {
  readonly vocabulary: string
  readonly texts: readonly string[]
  /** By text: the pieces that the original makes of it, as lines of the vocabulary. */
  readonly ids: readonly (readonly number[])[]
}

const file = join(import.meta.dirname, 'tokenizer-cases.json.gz')
const cases = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Cases
const vocabulary = cases.vocabulary.split('\n')
const unknown = vocabulary.indexOf('[UNK]')

function idsOf(pieces: WordPieces, text: string): number[] {
  const ids: number[] = []
  eachRun(text, (run) => {
    for (const word of wordsOfRun(run)) if (!pieces.split(word.text, word.size, ids)) ids.push(unknown)
  })
  return ids
}

test('10,000 strings of every script have the pieces that the original makes', () => {
  const pieces = createWordPieces(vocabulary)
  expect(cases.texts.length).toBe(10_000)
  const wrong = cases.texts.flatMap((text, i) => {
    const found = idsOf(pieces, text)
    return found.join() === cases.ids[i]?.join() ? [] : [{ text, found, right: cases.ids[i] }]
  })
  expect(wrong).toEqual([])
})

test('a lone half of a pair is dropped, as U+FFFD is', () => {
  const pieces = createWordPieces(vocabulary)
  for (const half of ['\ud83d', '\udc4d']) {
    expect(idsOf(pieces, `a${half}b`)).toEqual(idsOf(pieces, 'ab'))
    expect(idsOf(pieces, half)).toEqual([])
  }
})

test('a word falls to shorter pieces in a smaller vocabulary, or to none', () => {
  const pieces = createWordPieces(['mean', '##ing', '##in', '##g', 'me', '##an'])
  const split = (word: string) => {
    const into = [7]
    return pieces.split(word, word.length, into) ? into.slice(1) : into
  }
  expect(split('meaning')).toEqual([0, 1])
  expect(split('meing')).toEqual([4, 1])
  expect(split('meaningful')).toEqual([7])
  expect(split('')).toEqual([7])
})

test.each([
  ['one word', 'a'.repeat(1e6)],
  ['words of 100 letters', `${'z'.repeat(100)} `.repeat(1e4)],
  ['marks in the worst order', `a${'\u0301\u0323'.repeat(5e5)}`],
  ['marks of punctuation', '!'.repeat(1e6)],
  ['lone halves', '\ud83d'.repeat(1e6)],
  ['unequal signs', '≠'.repeat(1e6)],
])('a million characters take linear time: %s', (_name, text) => {
  const pieces = createWordPieces(vocabulary)
  const timeOf = (part: string) => {
    const startedMs = performance.now()
    idsOf(pieces, part)
    return performance.now() - startedMs
  }
  timeOf(text.slice(0, text.length / 8))
  const eighthMs = timeOf(text.slice(0, text.length / 8))
  expect(timeOf(text)).toBeLessThan(8 * 6 * Math.max(eighthMs, 10))
})
