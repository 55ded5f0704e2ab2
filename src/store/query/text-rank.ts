// The port of ranking: records that match a question in words and satisfy a condition, best first. Postings in memory
// (posting-rank.ts) and FTS5 (fts-rank.ts) implement it; store-rank.ts chooses.
// Invariant: whichever answers, the order is that of bm25() over all matches, then as `ties` says.
import type { Reach } from '../../core/access/reach.ts'
import type { IndexTotals } from '../posting/fts-index.ts'
import type { Fragment } from '../schema/column.ts'
import type { MatchOptions } from '../word/text-query.ts'

export interface RankQuestion extends MatchOptions {
  readonly words: readonly string[]
  /** Only in these columns of the index. */
  readonly columns?: readonly number[] | undefined
  readonly where: readonly Fragment[]
  /** True when few of the matches are likely to satisfy `where`. */
  readonly isNarrow: boolean
  /** True without a filter: see `ScopeConditions`. */
  readonly isPlain?: boolean
  /** Among equal scores: the last that happened first, or the last stored. */
  readonly ties: 'happened' | 'stored'
  /** Undefined: all of them. */
  readonly limit: number | undefined
  readonly offset?: number
}

export interface RankedText {
  readonly seq: number
  /** When it happened, milliseconds since 1970 UTC. */
  readonly at: number
  readonly score: number
  /** The terms of the question that the record has, when the ranking knows them. */
  readonly has?: readonly string[]
}

export type TextRank = (question: RankQuestion) => RankedText[]

/** The port of statistics: how many records have a word. */
export interface WordStats {
  /** How many records have each term. */
  frequencies(terms: readonly string[]): Map<string, number>
  /** The most frequent term with this prefix. */
  completion(prefix: string): string | undefined
  /** Records, and all their words. */
  totals(): IndexTotals
}

/**
 * Ranks and counts among the records in a reach alone.
 * Invariant: no score, order or count depends on a record outside the reach.
 */
export interface ReachRank extends WordStats {
  readonly rank: TextRank
}

/** Another database whose records count in how rare a word is. */
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

/** A match whose condition isn't tested yet. */
export type BestMatch = Pick<RankedText, 'seq' | 'score' | 'has'>
/** Keeps those of `best` that satisfy the condition of the question, in order. */
export type FilterMatches = (best: readonly BestMatch[], question: RankQuestion) => RankedText[]

/** How many more than wanted are tested, for those that fail the condition and for ties. */
export const surplus = 20

/**
 * Collects the first `wanted` of a ranking from lists of the best matches, each longer than the previous, until no later
 * match can be among them: because the list is in final order, or because all later ones score less.
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

  /** The answer, or undefined when a longer list is needed. `isAll`: there is no longer one. */
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
