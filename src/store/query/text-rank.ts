// The port of ranking: the records that match some words and satisfy a condition, best first. Postings in memory
// (posting-rank.ts) and FTS5 (fts-rank.ts) implement it; store-rank.ts chooses one.
// Invariant: both order by bm25() over all matches, then by `ties`.
import type { Reach } from '../../core/access/reach.ts'
import type { IndexTotals } from '../posting/fts-index.ts'
import type { Fragment } from '../schema/column.ts'
import type { MatchOptions } from '../word/text-query.ts'

export interface RankQuery extends MatchOptions {
  readonly words: readonly string[]
  /** Matches in these columns of the index only. Default all. */
  readonly columns?: readonly number[] | undefined
  /** The conditions, at least one, that each match must satisfy. */
  readonly where: readonly Fragment[]
  /** True when few of the matches are likely to satisfy `where`. */
  readonly isNarrow: boolean
  /** True without a filter: every plain record (not expiring, not superseded, recallable) satisfies `where`. */
  readonly isPlain?: boolean
  /** The order of equal scores: latest `happened_at` first, or last stored first. */
  readonly ties: 'happened' | 'stored'
  /** Most matches to return. Undefined: all. */
  readonly limit: number | undefined
  /** How many of the best matches to skip. Default 0. */
  readonly offset?: number
}

export interface RankedRecord {
  readonly seq: number
  /** When the record happened, in milliseconds since 1970 UTC. */
  readonly happenedAtMs: number
  /** BM25: higher is better. FTS5's `bm25()` returns its negative. */
  readonly score: number
  /** The terms of the question that the record has. Absent when FTS5 ranked. */
  readonly matchedTerms?: readonly string[]
}

export type TextRank = (question: RankQuery) => RankedRecord[]

/** The port of word statistics. */
export interface WordStats {
  /** How many records have each term. */
  frequencies(terms: readonly string[]): Map<string, number>
  /** The most frequent term with this prefix; undefined without any. */
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
export interface OtherStats {
  totals(): IndexTotals
  frequencies(terms: readonly string[]): ReadonlyMap<string, number>
  within(reach: Reach): OtherStats
}

/** Orders by score, best first; equal scores by `ties`, then the record stored last first. */
export const compareByRank = (ties: RankQuery['ties']) => (one: RankedRecord, other: RankedRecord) => {
  if (one.score !== other.score) return other.score - one.score
  if (ties === 'stored' || one.happenedAtMs === other.happenedAtMs) return other.seq - one.seq
  return other.happenedAtMs - one.happenedAtMs
}

/** Sorts `ranked`, and returns the page that the question asks for. */
export function pageOfRanked(ranked: RankedRecord[], { ties, offset = 0, limit }: RankQuery): RankedRecord[] {
  return ranked.sort(compareByRank(ties)).slice(offset, limit === undefined ? undefined : offset + limit)
}

/** A match before the test of its condition. */
export type BestMatch = Pick<RankedRecord, 'seq' | 'score' | 'matchedTerms'>
/** Returns the matches in `best` that satisfy the condition of the question, in order. */
export type FilterMatches = (best: readonly BestMatch[], question: RankQuery) => RankedRecord[]

/** How many matches beyond the wanted ones are tested: some fail the condition, and some tie with the last. */
export const extraMatches = 20

/**
 * Collects the first `wanted` matches of a ranking from lists of the best. Each list repeats the one before
 * and adds matches. It is sorted by descending score; with ties by `stored`, equal scores by descending
 * `seq`. Enough matches are found when no later one can be among the first: by `stored` the list is in final
 * order; otherwise all later ones must score less.
 */
export class TopMatchCollector {
  readonly #question: RankQuery
  readonly #wanted: number
  readonly #filter: FilterMatches
  readonly #found: RankedRecord[] = []
  #tested = 0

  constructor(question: RankQuery, wanted: number, filter: FilterMatches) {
    this.#question = question
    this.#wanted = wanted
    this.#filter = filter
  }

  /** The answer, or undefined when a longer list is needed. `isAll`: `best` has all matches. */
  add(best: readonly BestMatch[], isAll: boolean): RankedRecord[] | undefined {
    const question = this.#question
    const found = this.#found
    const size = this.#wanted + extraMatches
    for (; this.#tested < best.length && !this.#isDone(best[this.#tested]); this.#tested += size)
      found.push(...this.#filter(best.slice(this.#tested, this.#tested + size), question))
    if (this.#tested < best.length || isAll || this.#isDone(best.at(-1)))
      return found.sort(compareByRank(question.ties)).slice(question.offset ?? 0, this.#wanted)
    this.#tested = best.length
    return undefined
  }

  #isDone(next: BestMatch | undefined): boolean {
    if (this.#wanted === 0) return true
    const last = this.#found[this.#wanted - 1]
    return last !== undefined && (this.#question.ties === 'stored' || last.score > (next?.score ?? 0))
  }
}
