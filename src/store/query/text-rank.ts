// The port of ranking: the records that match some words and satisfy a condition, best first. Postings in memory
// (posting-rank.ts) and FTS5 (fts-rank.ts) implement it; store-rank.ts chooses one.
// Invariant: both order by bm25() over all matches, then by `ties`.
import type { Reach } from '../../core/access/reach.ts'
import type { IndexTotals } from '../posting/fts-index.ts'
import type { Fragment } from '../schema/column.ts'
import type { MatchOptions } from '../word/text-query.ts'

export interface RankQuestion extends MatchOptions {
  readonly words: readonly string[]
  /** Matches in these columns of the index only. Default all. */
  readonly columns?: readonly number[] | undefined
  readonly where: readonly Fragment[]
  /** True when few of the matches are likely to satisfy `where`. */
  readonly isNarrow: boolean
  /** True without a filter: see `ScopeConditions`. */
  readonly isPlain?: boolean
  /** The order of equal scores: latest `happened_at` first, or last stored first. */
  readonly ties: 'happened' | 'stored'
  /** Most matches to return. Undefined: all. */
  readonly limit: number | undefined
  readonly offset?: number
}

export interface RankedText {
  readonly seq: number
  /** When the record happened, in milliseconds since 1970 UTC. */
  readonly at: number
  /** Higher is better. */
  readonly score: number
  /** The terms of the question that the record has. Absent when FTS5 ranked. */
  readonly has?: readonly string[]
}

export type TextRank = (question: RankQuestion) => RankedText[]

/** The port of word statistics. */
export interface WordStats {
  /** How many records have each term. */
  frequencies(terms: readonly string[]): Map<string, number>
  /** The most frequent term with this prefix. */
  completion(prefix: string): string | undefined
  /** The number of records, and of all their words. */
  totals(): IndexTotals
}

/**
 * Ranks and counts among the records in a reach only.
 * Invariant: no score, order or count depends on a record outside the reach.
 */
export interface ReachRank extends WordStats {
  readonly rank: TextRank
}

/** Word statistics of another database, added to the own ones. */
export interface Beside {
  totals(): IndexTotals
  frequencies(terms: readonly string[]): ReadonlyMap<string, number>
  within(reach: Reach): Beside
}

/** BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), with the constants of FTS5. */
export const k1 = 1.2
export const b = 0.75

export const byRank = (ties: RankQuestion['ties']) => (one: RankedText, other: RankedText) => {
  if (one.score !== other.score) return other.score - one.score
  if (ties === 'stored' || one.at === other.at) return other.seq - one.seq
  return other.at - one.at
}

/** The page of `ranked` that the question asks for. */
export function rankedPage(ranked: RankedText[], { ties, offset = 0, limit }: RankQuestion): RankedText[] {
  return ranked.sort(byRank(ties)).slice(offset, limit === undefined ? undefined : offset + limit)
}

/** A match before the test of its condition. */
export type BestMatch = Pick<RankedText, 'seq' | 'score' | 'has'>
/** Returns the matches in `best` that satisfy the condition of the question, in order. */
export type FilterMatches = (best: readonly BestMatch[], question: RankQuestion) => RankedText[]

/** How many matches beyond the wanted ones are tested: some fail the condition, and some tie with the last. */
export const surplus = 20

/**
 * Collects the first `wanted` matches of a ranking from lists of the best, each list longer than the previous. It is
 * done when no later match can be among them: the list is in final order, or all later matches score less.
 */
export class BestCollector {
  readonly #question: RankQuestion
  readonly #wanted: number
  readonly #filter: FilterMatches
  readonly #found: RankedText[] = []
  #from = 0

  constructor(question: RankQuestion, wanted: number, filter: FilterMatches) {
    this.#question = question
    this.#wanted = wanted
    this.#filter = filter
  }

  /** The answer, or undefined when a longer list is needed. `isAll`: `best` has all matches. */
  add(best: readonly BestMatch[], isAll: boolean): RankedText[] | undefined {
    const question = this.#question
    const found = this.#found
    const size = this.#wanted + surplus
    for (; this.#from < best.length && !this.#isDone(best[this.#from]); this.#from += size)
      found.push(...this.#filter(best.slice(this.#from, this.#from + size), question))
    if (this.#from < best.length || isAll || this.#isDone(best.at(-1)))
      return found.sort(byRank(question.ties)).slice(question.offset ?? 0, this.#wanted)
    this.#from = best.length
    return undefined
  }

  #isDone(next: BestMatch | undefined): boolean {
    const last = this.#found[this.#wanted - 1]
    return last !== undefined && (this.#question.ties === 'stored' || last.score > (next?.score ?? 0))
  }
}
