// The words of a question that are searched, with its dates. Pure.
import type { Moment } from '../core/filter/filter-time.ts'
import { textQueryLimits } from '../store/word/text-query.ts'
import type { Question } from './leg.ts'
import type { RecallPartSet } from './part.ts'
import { datesAmong, searchedParts } from './question-date.ts'
import { stopWords, withoutAskingWords } from './question-words.ts'

/** Titles write these with a capital letter too. */
const titleWords = new Set(
  'a an and as at be by for from in into is my of on or our the this to with your'.split(' '),
)

/** Words with a capital letter within a sentence: `Will` in "what does Will eat" is a name. */
const namesIn = (text: string): ReadonlySet<string> =>
  new Set(
    Array.from(text.matchAll(/(?<=[\p{Ll}\p{N}],? )\p{Lu}\p{Ll}+(?![\p{L}\p{N}])/gu), ([name]) =>
      name.toLowerCase(),
    ),
  )

/**
 * The words of a question without stop words, but with names that look like one. If it has stop words only, a match has all its words. Today, yesterday
 * and tomorrow become the words of that date, which records have.
 */
export function parseQuestionWords(
  text: string,
  moment: Moment,
  without: RecallPartSet,
): Pick<Question, 'words' | 'match' | 'dates'> {
  const parts = searchedParts(text, moment)
  const dates = datesAmong(parts, moment.zone)
  const words = [...new Set(parts.flatMap(({ searched }) => searched))].slice(0, textQueryLimits.words)
  const names = namesIn(text)
  const meaningfulWords = words.filter(
    (word) => !stopWords.has(word) || (names.has(word) && !titleWords.has(word)),
  )
  if (meaningfulWords.length === 0) return { words, match: 'all', dates }
  return {
    words: without.has('plain') ? meaningfulWords : withoutAskingWords(meaningfulWords),
    match: 'any',
    dates,
  }
}
