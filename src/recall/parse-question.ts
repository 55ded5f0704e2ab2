// The words of a question that are searched, with its dates. Pure.
import type { Moment } from '../core/filter/filter-time.ts'
import { textQueryLimits } from '../store/word/text-query.ts'
import type { Question } from './leg.ts'
import type { RecallPartSet } from './part.ts'
import { datesAmong, searchedParts } from './question-date.ts'
import { stopWords, withoutAskingWords } from './question-words.ts'

/**
 * The words of a question without stop words. If it has stop words only, a match has all its words. Today, yesterday
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
  const meaningfulWords = words.filter((word) => !stopWords.has(word))
  if (meaningfulWords.length === 0) return { words, match: 'all', dates }
  return {
    words: without.has('plain') ? meaningfulWords : withoutAskingWords(meaningfulWords),
    match: 'any',
    dates,
  }
}
