// What the three legs of full text work with, gathered once for a question: the best records by their own text, those
// that stand right beside them in their sessions, and how often each has each word of the question.
// Invariant: the same on every host, whether postings in memory or FTS5 answered.
import type { BookStore } from '../store/book-store.ts'
import type { Candidate } from '../store/query/recall-questions.ts'
import { isUnspaced } from '../store/word/unspaced-script.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { wordWeight } from './fuse.ts'
import { growWords } from './grown-word.ts'
import type { Question } from './leg.ts'

/** Records by their place in `seqs`: those found come first, in their order, and then those beside them. */
export interface TextEvidence {
  readonly limit: number
  readonly found: readonly Candidate[]
  readonly seqs: readonly number[]
  /** The question's words as the index spells them, and what each weighs. */
  readonly terms: readonly string[]
  readonly weights: Float64Array
  readonly totalWeight: number
  /** The question is about something else than the book: see `isForeign`. */
  readonly foreign: boolean
  /** What each word weighs in telling whether a record answers: not less than in a book of a hundred records. */
  readonly telling: Float64Array
  /** How many words each record has, as a share of the average. */
  readonly lengths: Float64Array
  /** How often record `i` has term `j`: `counts[i × terms + j]`. */
  readonly counts: Uint32Array
  /** Places of the records right before and after each of those found, in its session; -1 for none. */
  readonly before: Int32Array
  readonly after: Int32Array
  /** A number for the session of each of those found; one without a session has a number of its own. */
  readonly sessions: Int32Array
}

/** In a book of fewer records, words weigh as they would among this many: so few say nothing of how rare a word is. */
const fewRecords = 100
/** BM25's k1 and b, as FTS5 has them. */
const k1 = 1.2
const b = 0.75

/** What a word adds to the score of a text that has it `count` times and is `length` times as long as the average. */
export function gain(count: number, length: number): number {
  return count === 0 ? 0 : (count * (k1 + 1)) / (count + k1 * (1 - b + b * length))
}

/** Gathers the evidence of a question once, however many legs ask. */
export function createEvidenceReader(
  store: Pick<BookStore, 'queries'>,
): (question: Question) => TextEvidence | undefined {
  const gathered = new WeakMap<Question, TextEvidence | undefined>()
  return (question) => {
    if (!gathered.has(question)) gathered.set(question, gather(store, question))
    return gathered.get(question)
  }
}

/** Pairs of letters that are no word: grammar in kana, and what nobody ever wrote because two words meet there. */
const isChance = (term: string, having: number) =>
  isUnspaced(term) && (having === 0 || /^[\u3041-\u309f]{2}$/.test(term))
/** What such a pair weighs, as a share of what a word does. */
const chanceShare = 0.25

/** A question of so many words, of which a book of so many records knows only one, hits upon that one by chance. */
const foreign = { words: 3, records: 100 } as const

function isForeign(terms: readonly string[], frequencies: ReadonlyMap<string, number>, records: number) {
  if (terms.length < foreign.words || records < foreign.records) return false
  const known = terms.filter((term) => (frequencies.get(term) ?? 0) > 0)
  // Pairs of letters are not words.
  return known.length === 1 && !isUnspaced(known[0] ?? '')
}

const termsOf = (words: readonly string[]) => [...new Set(words.flatMap((word) => tokenize(word)))]

function gather({ queries }: Pick<BookStore, 'queries'>, question: Question): TextEvidence | undefined {
  const { match, scope, limit } = question
  if (question.words.length === 0) return undefined
  const asked = queries.frequencies(termsOf(question.words))
  const words = match === 'all' ? question.words : growWords(question.words, asked, queries)
  const terms = termsOf(words)
  const frequencies = words === question.words ? asked : queries.frequencies(terms)
  const found = queries.candidates({ ...scope, words, match, limit })
  if (found.length === 0) return undefined
  const records = queries.size()
  const weighAmong = (count: number) =>
    Float64Array.from(terms, (term) => {
      const having = frequencies.get(term) ?? 0
      return wordWeight(count, having) * (isChance(term, having) ? chanceShare : 1)
    })
  const weights = weighAmong(records)
  const seqs = found.map(({ seq }) => seq)
  const indexOf = new Map(seqs.map((seq, i) => [seq, i]))
  const indexed = (seq: number | undefined): number => {
    if (seq === undefined) return -1
    let i = indexOf.get(seq)
    if (i === undefined) {
      indexOf.set(seq, (i = seqs.length))
      seqs.push(seq)
    }
    return i
  }
  const places = queries.places(seqs, scope)
  const before = new Int32Array(found.length).fill(-1)
  const after = new Int32Array(found.length).fill(-1)
  const sessions = new Int32Array(found.length)
  const numbers = new Map<string | number, number>()
  found.forEach(({ seq }, i) => {
    const place = places.get(seq)
    before[i] = indexed(place?.before)
    after[i] = indexed(place?.after)
    if (place?.session === undefined) sessions[i] = -1 - i
    else {
      const number = numbers.get(place.session) ?? numbers.size
      numbers.set(place.session, number)
      sessions[i] = number
    }
  })
  const { rows, terms: size } = queries.totals()
  const averageSize = rows > 0 && size > 0 ? size / rows : 1
  const { counts, sizes } = queries.termCounts(seqs, terms)
  return {
    limit,
    found,
    seqs,
    terms,
    weights,
    counts,
    before,
    after,
    sessions,
    telling: records < fewRecords ? weighAmong(fewRecords) : weights,
    foreign: isForeign(terms, frequencies, records),
    totalWeight: weights.reduce((sum, weight) => sum + weight, 0),
    lengths: Float64Array.from(sizes, (one) => one / averageSize),
  }
}
