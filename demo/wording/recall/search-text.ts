// The words of a search as the book reads them: each by itself, and in quotes that close one after another.
// Invariant: a mark is where the book found something, as nearly as can be told without its index.
import { fold, wordsOfText } from '../matched-word.ts'

/** Each is a word, or the words of a phrase. */
type Wanted = readonly (readonly string[])[]

const quoted = /(?<![\p{L}\p{N}])["“„]([^"“”„]*)["“”](?![\p{L}\p{N}])/gu

export function readSearch(search: string): Wanted {
  const phrases = [...search.matchAll(quoted)].map(([, inside = '']) => wordsOfText(inside).map(fold))
  const words = wordsOfText(search.replaceAll(quoted, ' ')).map((word) => [fold(word)])
  return [...phrases, ...words].filter((one) => one.length > 0)
}

/** The places of what is met from the word at `from` on; none when nothing is. */
export function placesMet(folded: readonly string[], from: number, wanted: Wanted): number[] {
  const longest = wanted
    .filter((one) => one.every((word, i) => meets(folded[from + i] ?? '', word, one.length === 1)))
    .reduce((most, { length }) => Math.max(most, length), 0)
  return Array.from({ length: longest }, (_, i) => from + i)
}

/** As the index sees it, nearly: the same word, one with another ending, or one that begins with it. */
function meets(word: string, wanted: string, mayBegin: boolean): boolean {
  if (word === wanted) return true
  if (/\d/.test(wanted)) return false
  if (mayBegin && wanted.length > 1 && word.startsWith(wanted)) return true
  const stem = wanted.slice(0, Math.max(4, wanted.length - 3))
  return wanted.length > 4 && word.startsWith(stem) && Math.abs(word.length - wanted.length) < 4
}
