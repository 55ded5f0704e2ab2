// What the three legs of full text work with, gathered once for a question: the best records by their own text, those
// that stand right beside them in their sessions, and how often each has each word of the question.
// Invariant: the same on every host, whether postings in memory or FTS5 answered.
import type { BookStore } from '../store/book-store.ts'
import type { Place, TermCount } from '../store/evidence.ts'
import type { Candidate } from '../store/query-store.ts'
import { tokenize } from '../store/tokenize.ts'
import { wordWeight } from './fuse.ts'
import type { Question } from './leg.ts'

export interface TextEvidence {
  /** The best by their own text, best first. */
  readonly found: readonly Candidate[]
  /** The question's words as the index spells them, and what each weighs. */
  readonly terms: readonly string[]
  readonly weights: readonly number[]
  readonly totalWeight: number
  /** Words of a record, on average. */
  readonly averageSize: number
  readonly places: ReadonlyMap<number, Place>
  readonly counts: ReadonlyMap<number, TermCount>
}

/** BM25's k1 and b, as FTS5 has them. */
const [k1, b] = [1.2, 0.75]

/** What a word adds to the score of a text that has it `count` times and is `length` times as long as the average. */
export function gain(count: number, length: number): number {
  return count === 0 ? 0 : (count * (k1 + 1)) / (count + k1 * (1 - b + b * length))
}

/** Gathers the evidence of a question once, however many legs ask. */
export function createEvidenceReader(store: BookStore): (question: Question) => TextEvidence | undefined {
  const gathered = new WeakMap<Question, TextEvidence | undefined>()
  return (question) => {
    if (!gathered.has(question)) gathered.set(question, gather(store, question))
    return gathered.get(question)
  }
}

function gather({ queries }: BookStore, { words, match, scope, limit }: Question): TextEvidence | undefined {
  if (words.length === 0) return undefined
  const found = queries.candidates({ ...scope, words, match, limit })
  if (found.length === 0) return undefined
  const terms = [...new Set(words.flatMap((word) => tokenize(word)))]
  const frequencies = queries.frequencies(terms)
  const records = queries.size()
  const weights = terms.map((term) => wordWeight(records, frequencies.get(term) ?? 0))
  const { rows, terms: size } = queries.totals()
  const places = queries.places(
    found.map(({ seq }) => seq),
    scope,
  )
  const seqs = new Set(places.keys())
  for (const { before, after } of places.values()) {
    if (before !== undefined) seqs.add(before)
    if (after !== undefined) seqs.add(after)
  }
  return {
    found,
    terms,
    weights,
    totalWeight: weights.reduce((sum, weight) => sum + weight, 0),
    averageSize: rows > 0 ? size / rows : 1,
    places,
    counts: queries.termCounts([...seqs], terms),
  }
}
