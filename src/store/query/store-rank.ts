// Chooses the ranking: postings when they are in memory and can answer, otherwise FTS5.
import type { SqlDatabase } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import { readMatchingRecords, type ReadRows } from '../condition/condition.ts'
import { readCompletion, readFrequencies, readTerms, readIndexTotals } from '../posting/fts-index.ts'
import type { Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'
import { editDistance } from '../word/edit-distance.ts'
import { createFtsRank, FtsReachRank } from './fts-rank.ts'
import { mostFrequentCompletion, findBest, type PostingSource, rankPostings } from './posting-rank.ts'
import type { WordIndex } from './reach-index.ts'
import type { OtherStats, FilterMatches, ReachRank, TextRank, WordStats } from './text-rank.ts'

export interface RankingDeps extends PostingSource {
  readonly db: SqlDatabase
  /** The conditions of a reach, which each question also includes. Undefined: all records are visible. */
  readonly bounds: readonly Fragment[] | undefined
  readonly projection: Projection
  /** The text index in memory. */
  readonly textIndex: WordIndex | undefined
  /** Word statistics of another database, when two stores rank like one. */
  readonly otherStats: OtherStats | undefined
}

export interface Ranking {
  readonly rank: TextRank
  /**
   * Ranks and counts among the records in a reach, or of two databases. Undefined for all records of one database.
   */
  readonly reachRank: ReachRank | undefined
  /** Word statistics over the visible records. */
  readonly stats: WordStats
  /** Indexed terms with the same first letter as `term` and an edit distance of at most `most`. */
  similarTerms(term: string, most: number): string[]
}

export function createRanking(deps: RankingDeps): Ranking {
  const { db, textIndex, otherStats } = deps
  const reachRank = deps.bounds || otherStats ? createReachRank(deps) : undefined
  return {
    // Two stores rank like one: the frequency of a word in both weighs every match.
    rank: otherStats && reachRank ? reachRank.rank : createTextRank(deps, reachRank?.rank),
    reachRank,
    stats: reachRank ?? createWordStats(deps),
    similarTerms(term, most) {
      const letter = [...term][0] ?? ''
      const { length } = term
      const terms =
        textIndex?.completePostings()?.terms() ??
        readTerms(db, letter, Math.max(1, length - most), length + most)
      const near: string[] = []
      for (const candidate of terms) {
        if (Math.abs(candidate.length - length) > most || !candidate.startsWith(letter)) continue
        if (editDistance(candidate, term, most) <= most) near.push(candidate)
      }
      return near
    },
  }
}

/** Word statistics over all records. Except for `completion`, the caller must let the projection catch up. */
function createWordStats({ db, textIndex, projection }: RankingDeps): WordStats {
  return {
    frequencies: (terms) => textIndex?.frequencies(terms) ?? readFrequencies(db, terms),
    completion(prefix) {
      const postings = textIndex?.isUpToDate() ? textIndex.completePostings() : undefined
      if (postings) return mostFrequentCompletion(postings, prefix)
      projection.catchUp()
      return readCompletion(db, prefix)
    },
    totals: () => textIndex?.totals() ?? readIndexTotals(db),
  }
}

/**
 * Ranks within `bounds`: by postings when they are in memory, otherwise by FTS5. Let the projection catch up
 * first.
 */
function createReachRank(deps: RankingDeps): ReachRank {
  const { textIndex, bounds = [{ sql: '1', params: [] }], otherStats } = deps
  const fts = new FtsReachRank({ ...deps, bounds })
  return {
    rank(question) {
      const postings = textIndex?.completePostings()
      if (!textIndex || !postings) return fts.rank(question)
      return rankPostings(deps, postings, question, { ownTotals: textIndex.totals(), otherStats })
    },
    frequencies: (terms) => textIndex?.frequencies(terms) ?? fts.frequencies(terms),
    completion(prefix) {
      const postings = textIndex?.completePostings()
      return postings ? mostFrequentCompletion(postings, prefix) : fts.completion(prefix)
    },
    totals: () => (textIndex?.completePostings() ? textIndex.totals() : fts.totals()),
  }
}

/** `inReach`: the ranking of a guest in place of FTS5, which walks over all records. */
function createTextRank(
  { read, textIndex, projection }: RankingDeps,
  inReach: TextRank | undefined,
): TextRank {
  const filter = createMatchFilter(read, textIndex)
  const fallback = inReach ?? createFtsRank(read, filter)
  return (question) => {
    const { words, limit, offset = 0, isPlain } = question
    if (words.length === 0) return []
    if (!isPlain || !textIndex?.isUpToDate()) projection.catchUp()
    const best =
      textIndex && limit !== undefined ? findBest(textIndex, question, offset + limit, filter) : undefined
    if (best) return best
    projection.catchUp()
    return fallback(question)
  }
}

/**
 * Tests the condition of a question: in memory for plain records, in the database for others. Every recall without a
 * filter may return a plain record, at any time; a plain question has no filter.
 */
function createMatchFilter(read: ReadRows, textIndex: WordIndex | undefined): FilterMatches {
  return (best, { where, isPlain }) => {
    const postings = isPlain ? textIndex?.completePostings() : undefined
    const times = new Map<number, number>()
    const untested: number[] = []
    for (const { seq } of best) {
      const document = postings?.documentOf(seq) ?? -1
      if (postings && document >= 0 && postings.isPlain(document))
        times.set(seq, postings.sessions.timeOf(document))
      else untested.push(seq)
    }
    if (untested.length > 0)
      for (const { seq, happenedAt } of readMatchingRecords(read, untested, where).values())
        times.set(seq, parseTime(happenedAt) ?? 0)
    return best.flatMap((match) => {
      const happenedAtMs = times.get(match.seq)
      return happenedAtMs === undefined ? [] : [{ ...match, happenedAtMs }]
    })
  }
}
