// Relevance feedback: the words of the best records find more of the answer, because they name what a question for a
// whole names only in general ("the leaking roof": slates, roofer, gutter).
// Invariant: the words come from records of the ranking alone, and every frequency is that of the caller's reach.
import { isPathWithin, readPath, textValues } from '../../core/json/path.ts'
import type { Kind } from '../../core/kind.ts'
import type { Want } from '../../core/capability/port/recall-port.ts'
import type { BookStore } from '../../store/book-store.ts'
import { queryWords } from '../../store/word/text-query.ts'
import { tokenize } from '../../store/word/tokenize.ts'
import { wordWeight } from '../../core/text/word-weight.ts'
import { lightTermsOf } from '../light-word.ts'
import { isAskingWord, stopWords } from '../question-words.ts'
import type { RerankedRecord } from '../rerank.ts'

/** How many of the best records give words. An order has fewer events than a list has items. */
const givers = { order: 8, others: 16 } as const
/** How many words are taken. */
const maxWords = 32
/**
 * A word that more of the records have names no subject: this share of the book. So in a book of less than 100 records a word
 * finds no further record. At most `inAll`, since each record with one of the words takes time.
 */
const most = { share: 0.02, inAll: 400 } as const
/** The score of the best record found by these words, as a share of the best score of the question itself. */
export const feedbackShares = { order: 0.2, others: 0.4 } as const

interface FeedbackTerm {
  readonly word: string
  weight: number
}

interface FeedbackStore {
  readonly kinds: BookStore['kinds']
  readonly queries: Pick<BookStore['queries'], 'frequencies' | 'indexedCount'>
}

/**
 * The words of the `best` records (best first) that at least one other record has too, heaviest first. Weight of a word: the
 * sum over the records of score × its count / √(words of the record), × its inverse document frequency (as in RM3, Lavrenko
 * and Croft 2001, with the square root because messages differ much in length). A record's labels, such as its speaker
 * or its domain, give no words.
 */
export function feedbackWords(
  { kinds, queries }: FeedbackStore,
  best: readonly RerankedRecord<unknown>[],
  questionTerms: readonly string[],
  want: Want,
): string[] {
  const ownTerms = new Set(questionTerms)
  const found = new Map<string, FeedbackTerm>()
  const giverCount = want === 'order' ? givers.order : givers.others
  for (const { texts, score, record } of best.slice(0, giverCount)) {
    const kind = kinds.get(record.kind)
    const labels = new Set(kind && labelTexts(kind, record).flatMap((text) => tokenize(text)))
    const isLight = lightTermsOf(texts.join(' '))
    const words = texts.flatMap((text) => queryWords(text)).filter((word) => canNameSubject(word))
    for (const word of words) {
      const [term = '', ...others] = tokenize(word)
      if (term === '' || others.length > 0 || ownTerms.has(term) || isLight(term) || labels.has(term))
        continue
      const one = found.get(term) ?? { word, weight: 0 }
      one.weight += score / Math.sqrt(words.length)
      found.set(term, one)
    }
  }
  const records = queries.indexedCount()
  const frequencies = queries.frequencies([...found.keys()])
  const maxFrequency = Math.min(most.inAll, records * most.share)
  return [...found]
    .flatMap(([term, { word, weight }]) => {
      const frequency = frequencies.get(term) ?? 0
      if (frequency < 2 || frequency > maxFrequency) return []
      return [{ word, weight: weight * wordWeight(records, frequency) }]
    })
    .sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
    .slice(0, maxWords)
    .map(({ word }) => word)
}

const canNameSubject = (word: string) => word.length > 2 && !stopWords.has(word) && !isAskingWord(word)

/** The texts by which many records are alike: who said it, and its domain and action. Names and subjects are different. */
function labelTexts({ text, facets: { actor, action, domain } }: Kind, body: object): string[] {
  const isLabel = (path: string) => isPathWithin(path, 'source') || [actor, action, domain].includes(path)
  return text.filter(isLabel).flatMap((path) => textValues(readPath(body, path)))
}
