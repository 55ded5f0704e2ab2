// Words of a question that no record has, and that differ from one which some have by a slip: `restarant` stands for
// `restaurant`. The first letter is taken to be right.
// Invariant: a word that some record has is left as it is, so that who asks for what is there gets that.
import type { QueryStore } from '../../store/query/query-store.ts'
import { editDistance } from '../../store/word/edit-distance.ts'
import { tokenize } from '../../store/word/tokenize.ts'
import { isAskingWord } from './asking-word.ts'
import { spell } from './grown-word.ts'
import { withMendedEnding } from './misspelt-ending.ts'

/** Shorter words, and shorter stems, are near too many others. Two slips only in long ones. */
const least = { letters: 5, ofTwo: 9 } as const
/** In so short a stem another letter makes another word; a letter too many or too few, or two exchanged, is a slip. */
const shortStem = 5
/** What a word weighs that stands for a misspelt one, as a share of what it would. */
export const misspeltShare = 0.7

/** For each of `words` that has no record and resembles a term: a word of that term. */
export function meantWords(
  words: readonly string[],
  frequencies: ReadonlyMap<string, number>,
  queries: Pick<QueryStore, 'resembling' | 'frequencies'>,
): Map<string, string> {
  const meant = new Map<string, string>()
  for (const word of words) {
    const [term, ...more] = tokenize(word)
    const isUnknown = term !== undefined && more.length === 0 && (frequencies.get(term) ?? 0) === 0
    if (isAskingWord(word)) continue
    if (!isUnknown || Math.min(word.length, term.length) < least.letters || !/^\p{L}+$/u.test(word)) continue
    const most = Math.min(word.length, term.length) >= least.ofTwo ? 2 : 1
    const near = nearest(term, most, queries.resembling(term, most)) ?? commonestWithEnding(word, queries)
    const spelled = near === undefined ? undefined : spell(near)
    if (spelled !== undefined) meant.set(word, spelled)
  }
  return meant
}

/** Of what the word may be with its ending mended, the term that the most records have. */
function commonestWithEnding(word: string, queries: Pick<QueryStore, 'frequencies'>): string | undefined {
  const terms = withMendedEnding(word).flatMap((one) => tokenize(one))
  if (terms.length === 0) return undefined
  const order = [...queries.frequencies([...new Set(terms)])]
    .filter(([term, n]) => n > 0 && term.length >= least.letters - 1)
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  return order[0]?.[0]
}

const isSlip = (term: string, near: string) =>
  term.length > shortStem ||
  term.length !== near.length ||
  [...term].toSorted().join('') === [...near].toSorted().join('')

/** The nearest; of those the one that the most records have. */
function nearest(term: string, most: number, found: ReadonlyMap<string, number>): string | undefined {
  const order = [...found]
    .filter(([near, n]) => n > 0 && near.length >= least.letters - 1 && isSlip(term, near))
    .map(([near, n]) => ({ near, n, distance: editDistance(term, near, most) }))
    .toSorted((a, b) => a.distance - b.distance || b.n - a.n || (a.near < b.near ? -1 : 1))
  return order[0]?.near
}
