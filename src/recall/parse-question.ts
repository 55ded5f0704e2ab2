// The words of a question that are searched, with its days as dates. Pure.
import { dayNamed, type Moment } from '../core/filter/filter-time.ts'
import { dateWords, parseTime } from '../core/time.ts'
import { queryWords, textQueryLimits } from '../store/word/text-query.ts'
import { hasUnspacedScript } from '../store/word/unspaced-script.ts'
import type { Question } from './leg.ts'
import type { RecallPartSet } from './part.ts'
import { stopWords, withoutAskingWords } from './question-words.ts'

/**
 * The words of a question without stop words. If it has stop words only, a match has all its words. Today, yesterday
 * and tomorrow become the words of that date, which records have.
 */
export function parseQuestionWords(
  text: string,
  moment: Moment,
  without: RecallPartSet,
): Pick<Question, 'words' | 'match'> {
  // In a script without spaces, each pair of letters is a word.
  const allWords = queryWords(text).flatMap((word) => (hasUnspacedScript(word) ? word.split(' ') : [word]))
  const words = [...new Set(allWords.flatMap((word) => withDate(word, moment)))]
  const meaningfulWords = words.slice(0, textQueryLimits.words).filter((word) => !stopWords.has(word))
  if (meaningfulWords.length === 0) return { words, match: 'all' }
  return { words: without.has('plain') ? meaningfulWords : withoutAskingWords(meaningfulWords), match: 'any' }
}

/** `word`, or the day and the month of the date that `word` names. */
export function withDate(word: string, moment: Moment): string[] {
  const day = dayNamed(word.toLowerCase(), moment)
  // Leave out the year and the weekday: too many records have them.
  return day === undefined
    ? [word]
    : dateWords(parseTime(day) ?? 0)
        .split(' ')
        .slice(1, 3)
}
