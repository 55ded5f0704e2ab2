// Words of a question that no record has, and that begin one which some have: `config` asks for `configuration`.
// Invariant: a word that some record has is left as it is, so that who asks for what is there gets that.
import { grownWords } from '../../store/word/prefix.ts'
import type { QueryStore } from '../../store/query/query-store.ts'
import { isUnspaced } from '../../store/word/unspaced-script.ts'
import { tokenize } from '../../store/word/tokenize.ts'

/** Shorter beginnings begin too much. */
const leastLength = 4

/** `words`, where one that nobody has stands for the term that the most records have of those it begins. */
export function growWords(
  words: readonly string[],
  frequencies: ReadonlyMap<string, number>,
  queries: Pick<QueryStore, 'begun' | 'frequencies'>,
): readonly string[] {
  const unknown = words.filter((word) => {
    const [term, ...more] = tokenize(word)
    return term !== undefined && more.length === 0 && (frequencies.get(term) ?? 0) === 0 && isBeginning(word)
  })
  if (unknown.length === 0) return words
  const grown = new Map(
    unknown.flatMap((word) => {
      const term = queries.begun(word) ?? commonest(queries.frequencies(stemsOf(word)))
      const spelled = term === undefined ? undefined : spell(term)
      return spelled === undefined ? [] : [[word, spelled] as const]
    }),
  )
  return [...new Set(words.map((word) => grown.get(word) ?? word))]
}

/** What the longer word goes on with, the stemmer may have taken off: `serializ` begins `serializer`, kept as `serial`. */
const stemsOf = (word: string) => [...new Set(grownWords(word).flatMap((one) => tokenize(one)))]

/** A word that the index keeps as `term`: what is asked for is stemmed, and a stem need not be its own. */
export function spell(term: string): string | undefined {
  return ['', 'e', 'ion', 'ing', 'ed', 'y', 's', 'al', 'er']
    .map((ending) => term + ending)
    .find((word) => tokenize(word).join(' ') === term)
}

function commonest(frequencies: ReadonlyMap<string, number>): string | undefined {
  const order = [...frequencies]
    .filter(([, n]) => n > 0)
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  return order[0]?.[0]
}

const isBeginning = (word: string) =>
  word.length >= leastLength && /^\p{L}+$/u.test(word) && !isUnspaced(word)
