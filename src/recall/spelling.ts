// Completes and corrects words of a question that no record has: `config` finds `configuration`, `restarant` finds
// `restaurant`.
// Invariant: a word that a record has stays as it is.
import type { QueryStore } from '../store/query/query-store.ts'
import { editDistance } from '../store/word/edit-distance.ts'
import { expandPrefix } from '../store/word/porter.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { hasUnspacedScript } from '../store/word/unspaced-script.ts'
import { isAskingWord, stopWords } from './question-words.ts'

/** Least letters of a prefix: shorter prefixes match too much. */
const minPrefixLetters = 4

/**
 * Word that no record has → the most frequent word that starts with its letters, if any, or the same word in wide letters
 * (`ＡＢＣ`), and the reverse. `frequencies`: from a stem
 * (the result of `tokenize`) to how many records have it.
 */
export function completeWords(
  words: readonly string[],
  frequencies: ReadonlyMap<string, number>,
  queries: Pick<QueryStore, 'completion' | 'frequencies'>,
): ReadonlyMap<string, string> {
  const unknown = words.filter((word) => {
    const [term, ...more] = tokenize(word)
    return (
      term !== undefined &&
      more.length === 0 &&
      (frequencies.get(term) ?? 0) === 0 &&
      (canBePrefix(word) || isWide(word))
    )
  })
  return new Map(
    unknown.flatMap((word) => {
      const other = isWide(word) ? tokenize(toNarrow(word)) : toWide(word)
      const term = isWide(word)
        ? mostFrequent(queries.frequencies(other))
        : (queries.completion(word) ??
          mostFrequent(queries.frequencies([...stemsWithPrefix(word), ...other])))
      const spelled = term === undefined || isWide(term) ? term : wordWithStem(term)
      return spelled === undefined ? [] : [[word, spelled] as const]
    }),
  )
}

/**
 * Stems of longer words that start with `word`. The stemmer may remove more than the rest: `serializ` is a prefix of
 * `serializer`, whose stem is `serial`.
 */
const stemsWithPrefix = (word: string) =>
  [...new Set(expandPrefix(word).flatMap((one) => tokenize(one)))].filter(
    (stem) => stem.length >= minStemOfPrefix && !stopWords.has(stem),
  )

/** A shorter stem is no word's beginning: `mein` is not the beginning of `meing`, whose stem is `me`. */
const minStemOfPrefix = 3

/** Letters as wide as those of East Asian scripts. The index has them as they are. */
const wideLetters = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/
const isWide = (word: string) => wideLetters.test(word)
const toNarrow = (word: string) => word.normalize('NFKC').toLowerCase()
/** `word` in wide letters; none for other letters than those of English. */
const toWide = (word: string): string[] =>
  /^[a-z]+$/.test(word)
    ? [String.fromCharCode(...Array.from(word, (letter) => letter.charCodeAt(0) + 0xfee0))]
    : []

/**
 * A word with the stem `term`; undefined if none is found. Words of a question are stemmed, and the stem of a stem
 * may differ.
 */
export function wordWithStem(term: string): string | undefined {
  return ['', 'e', 'ion', 'ing', 'ed', 'y', 's', 'al', 'er']
    .map((ending) => term + ending)
    .find((word) => tokenize(word).join(' ') === term)
}

function mostFrequent(frequencies: ReadonlyMap<string, number>): string | undefined {
  const order = [...frequencies]
    .filter(([, n]) => n > 0)
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  return order[0]?.[0]
}

const canBePrefix = (word: string) =>
  word.length >= minPrefixLetters && /^\p{L}+$/u.test(word) && !hasUnspacedScript(word)

/**
 * Least letters of a corrected word, and of a word with two typing errors: shorter words resemble too many other
 * words.
 */
const minLetters = { corrected: 5, withTwoErrors: 9 } as const
/**
 * In a stem up to this length, a replaced letter makes another word; a missing, extra or swapped letter is a typing
 * error.
 */
const maxShortStem = 5
/** The weight of a corrected word, as a share of its usual weight. */
export const correctedWeight = 0.7

/** Misspelt word → the word that it probably means. The first letter is assumed to be right. */
export function correctWords(
  words: readonly string[],
  frequencies: ReadonlyMap<string, number>,
  queries: Pick<QueryStore, 'similarTerms' | 'frequencies'>,
): Map<string, string> {
  const corrected = new Map<string, string>()
  for (const word of words) {
    const [term, ...more] = tokenize(word)
    const isUnknown = term !== undefined && more.length === 0 && (frequencies.get(term) ?? 0) === 0
    if (isAskingWord(word)) continue
    if (!isUnknown || Math.min(word.length, term.length) < minLetters.corrected || !/^\p{L}+$/u.test(word))
      continue
    const maxErrors = Math.min(word.length, term.length) >= minLetters.withTwoErrors ? 2 : 1
    const near =
      nearest(term, maxErrors, queries.similarTerms(term, maxErrors)) ?? withOtherEnding(word, queries)
    const spelled = near === undefined ? undefined : wordWithStem(near)
    if (spelled !== undefined) corrected.set(word, spelled)
  }
  return corrected
}

/** The most frequent term among `word` with each corrected ending; undefined if no record has any. */
function withOtherEnding(word: string, queries: Pick<QueryStore, 'frequencies'>): string | undefined {
  const terms = correctEndings(word).flatMap((one) => tokenize(one))
  if (terms.length === 0) return undefined
  const order = [...queries.frequencies([...new Set(terms)])]
    .filter(([term, n]) => n > 0 && term.length >= minLetters.corrected - 1)
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  return order[0]?.[0]
}

const isTypingError = (term: string, near: string) =>
  term.length > maxShortStem ||
  term.length !== near.length ||
  [...term].toSorted().join('') === [...near].toSorted().join('')

/** The nearest term to `term`; of equally near terms, the most frequent. `maxErrors`: most typing errors. */
function nearest(term: string, maxErrors: number, found: ReadonlyMap<string, number>): string | undefined {
  const order = [...found]
    .filter(([near, n]) => n > 0 && near.length >= minLetters.corrected - 1 && isTypingError(term, near))
    .map(([near, n]) => ({ near, n, distance: editDistance(term, near, maxErrors) }))
    .toSorted((a, b) => a.distance - b.distance || b.n - a.n || (a.near < b.near ? -1 : 1))
  return order[0]?.near
}

/** Endings that the stemmer removes, single or combined. Shorter endings resemble too much. */
const endings =
  'ation ition ution ction ssion ization isation ification ' +
  'ment ness ance ence ancy ency ability ibility ivity ality ologist ology ' +
  'able ible ical ically ional ative ously fully ingly ively ' +
  'izing ising ating izer ator ated ized ised'
const allEndings = endings.split(' ').flatMap((ending) => [ending, `${ending}s`])
/** Least letters before the ending. */
const minStemLetters = 4

/**
 * `word` with its last letters replaced by an ending that differs by one typing error. The stemmer doesn't remove a
 * misspelt ending, so such a word is far from the stem it means (`indentaton` from `indent`). Pure.
 */
export function correctEndings(word: string): string[] {
  const corrected = new Set<string>()
  for (const ending of allEndings) {
    for (const length of [ending.length - 1, ending.length, ending.length + 1]) {
      const stem = word.slice(0, -length)
      if (stem.length < minStemLetters) continue
      if (editDistance(word.slice(-length), ending, 1) === 1) corrected.add(stem + ending)
    }
  }
  return [...corrected]
}
