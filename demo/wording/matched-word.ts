// The matched words of a hit, as the record spells them: recall gives stems.
import type { RecallHit } from '../../src/index.ts'

/** Each word once, in order of the question; a word that only a neighbour has stays a stem. */
export function matchedWords({ because, record }: RecallHit): string[] {
  const lists = Object.values(because).flatMap((part): unknown[] =>
    typeof part === 'object' && part !== null && 'words' in part && Array.isArray(part.words)
      ? part.words
      : [],
  )
  const terms = new Set(lists.filter((term) => typeof term === 'string'))
  const words = terms.size > 0 ? wordsOf(record) : new Map<string, string>()
  return [...new Set([...terms].map((term) => wordOfStem(term, words)))]
}

/** The words of a record, shortest first, by their spelling without case and accents. */
function wordsOf(record: object): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  for (const text of textsIn(record))
    for (const word of wordsOfText(text)) {
      const folded = fold(word)
      if (!words.has(folded)) words.set(folded, word)
    }
  return new Map([...words].sort(([one], [other]) => one.length - other.length))
}

/** The texts of a record, at any depth. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

export const wordsOfText = (text: string): string[] =>
  [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map(([word]) => word)

/** Without case and accents. */
export const fold = (word: string) => word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** The word of a stem: its ending is cut, a last y is an i, and at most one letter replaces the ending (`file` for `filing`). */
function wordOfStem(term: string, words: ReadonlyMap<string, string>): string {
  const begin = term.slice(0, -1)
  const signs = [
    (word: string) => word === term,
    (word: string) => term.endsWith('i') && (word.startsWith(`${begin}y`) || word.startsWith(`${begin}ie`)),
    (word: string) => word.startsWith(term),
    (word: string) => begin.length > 2 && word.startsWith(begin),
  ]
  for (const fits of signs) for (const [word, shown] of words) if (fits(word)) return shown
  return term
}
