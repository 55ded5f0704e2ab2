// The form of a word: the index has stems, so `university` also finds `universe`. A record with the word of the question
// ranks above one with another word of the same stem; an inflected form counts as the word.
// Invariant: no expression is made for a record, and no text is split: most words of a text are never read. Pure.
import { tokenize } from '../store/word/tokenize.ts'
import { isLetter, wordsLike } from './stem-word.ts'

/** The part of a term's share that a record loses by another word of its stem. An inflected form (`failed`) says the same. */
const otherWordLoss = 0.4

const asciiWord = /^[a-z]{3,}$/
/** Endings of an inflection, after the common beginning of both words. */
const inflections = new Set(['', 's', 'es', 'e', 'ed', 'd', 'ing', 'y', 'ies', 'ied', 'ying'])

/** Each term of a question with its word: one word of English letters. Other words have no other forms. */
export function wordsByTerm(words: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    words.flatMap((word) => {
      const [term] = asciiWord.test(word) ? tokenize(word) : []
      return term === undefined ? [] : [[term, word] as const]
    }),
  )
}

/**
 * The factor of a record by the forms of its words, 0.6 to 1. `terms`: those of the question that the record has.
 * `words`: see `wordsByTerm`.
 */
export function formFactor(
  texts: readonly string[],
  terms: readonly string[],
  words: ReadonlyMap<string, string>,
): number {
  let lower: string[] | undefined
  let loss = 0
  for (const term of terms) {
    const word = words.get(term)
    if (word !== undefined) loss += lossOf((lower ??= texts.map((text) => text.toLowerCase())), term, word)
  }
  return 1 - loss / Math.max(1, terms.length)
}

/** The loss of a term; 0 if a text has the word or a form of it, or no word of its stem, as for a word of a date. */
function lossOf(texts: readonly string[], term: string, word: string): number {
  if (texts.some((text) => hasWord(text, word))) return 0
  let loss = 0
  for (const text of texts)
    for (const { from, to } of wordsLike(text, term)) {
      const other = text.slice(from, to)
      if (tokenize(other)[0] !== term) continue
      if (isInflected(word, other)) return 0
      loss = otherWordLoss
    }
  return loss
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isLetter(text.charCodeAt(at - 1)) && !isLetter(text.charCodeAt(at + word.length))) return true
  return false
}

/** True when both words are one word with different endings: `fail` and `failed`, `city` and `cities`, `run` and `running`. */
export function isInflected(one: string, other: string): boolean {
  let common = 0
  while (common < one.length && one[common] === other[common]) common += 1
  const double = one[common - 1] ?? ''
  const isEnding = (rest: string) =>
    inflections.has(rest) || rest === `${double}ed` || rest === `${double}ing`
  return isEnding(one.slice(common)) && isEnding(other.slice(common))
}
