// Chooses the ranking: postings when they are in memory and can answer, otherwise FTS5.
import type { SqlDatabase } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import { readMatchingRecords, type ReadRows } from '../condition/condition.ts'
import { readCompletion, readFrequencies, readTerms, readTotals } from '../posting/fts-index.ts'
import type { Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'
import { editDistance } from '../word/edit-distance.ts'
import { createFtsRank, FtsReachRank } from './fts-rank.ts'
import { completionIn, findBest, type PostingSource, rankPostings } from './posting-rank.ts'
import type { WordIndex } from './reach-index.ts'
import type { Beside, FilterMatches, ReachRank, TextRank, WordStats } from './text-rank.ts'

export interface RankingParts extends PostingSource {
  readonly db: SqlDatabase
  /** The conditions of a reach, which each question also includes. Undefined: all records are visible. */
  readonly bounds: readonly Fragment[] | undefined
  readonly projection: Projection
  /** The text index in memory. */
  readonly textIndex: WordIndex | undefined
  readonly beside: Beside | undefined
}

export interface Ranking {
  readonly rank: TextRank
  /**
   * Ranks and counts among the records in a reach, or of two databases. Undefined for all records of one database.
   */
  readonly reach: ReachRank | undefined
  /** Word statistics over the visible records. */
  readonly stats: WordStats
  /** Indexed terms with the same first letter as `term` and an edit distance of at most `most`. */
  termsNear(term: string, most: number): string[]
}

export function createRanking(parts: RankingParts): Ranking {
  const { db, textIndex, beside } = parts
  const reach = parts.bounds || beside ? createReachRank(parts) : undefined
  return {
    // Two stores rank like one: the frequency of a word in both weighs every match.
    rank: beside && reach ? reach.rank : createTextRank(parts, reach?.rank),
    reach,
    stats: reach ?? createStats(parts),
    termsNear(term, most) {
      const letter = [...term][0] ?? ''
      const { length } = term
      const terms =
        textIndex?.warm()?.terms() ?? readTerms(db, letter, Math.max(1, length - most), length + most)
      const near: string[] = []
      for (const one of terms) {
        if (Math.abs(one.length - length) > most || !one.startsWith(letter)) continue
        if (editDistance(one, term, most) <= most) near.push(one)
      }
      return near
    },
  }
}

/** Word statistics over all records. Except for `completion`, the caller must let the projection catch up. */
function createStats({ db, textIndex, projection }: RankingParts): WordStats {
  return {
    frequencies: (terms) => textIndex?.frequencies(terms) ?? readFrequencies(db, terms),
    completion(prefix) {
      const postings = textIndex?.covers() ? textIndex.warm() : undefined
      if (postings) return completionIn(postings, prefix)
      projection.catchUp()
      return readCompletion(db, prefix)
    },
    totals: () => textIndex?.totals() ?? readTotals(db),
  }
}

/** Call its methods when the projection has caught up. */
function createReachRank(parts: RankingParts): ReachRank {
  const { textIndex, bounds = [{ sql: '1', params: [] }], beside } = parts
  const fts = new FtsReachRank({ ...parts, bounds })
  return {
    rank(question) {
      const postings = textIndex?.warm()
      if (!textIndex || !postings) return fts.rank(question)
      return rankPostings(parts, postings, question, { own: textIndex.totals(), beside })
    },
    frequencies: (terms) => textIndex?.frequencies(terms) ?? fts.frequencies(terms),
    completion(prefix) {
      const postings = textIndex?.warm()
      return postings ? completionIn(postings, prefix) : fts.completion(prefix)
    },
    totals: () => (textIndex?.warm() ? textIndex.totals() : fts.totals()),
  }
}

/** `inReach`: the ranking of a guest in place of FTS5, which walks over all records. */
function createTextRank(
  { read, textIndex, projection }: RankingParts,
  inReach: TextRank | undefined,
): TextRank {
  const filter = createFilter(read, textIndex)
  const fallback = inReach ?? createFtsRank(read, filter)
  return (question) => {
    const { words, limit, offset = 0, isPlain } = question
    if (words.length === 0) return []
    if (!isPlain || !textIndex?.covers()) projection.catchUp()
    const best =
      textIndex && limit !== undefined ? findBest(textIndex, question, offset + limit, filter) : undefined
    if (best) return best
    projection.catchUp()
    return fallback(question)
  }
}

/** Tests the condition of a question: in memory for plain records, in the database for others. */
function createFilter(read: ReadRows, textIndex: WordIndex | undefined): FilterMatches {
  return (best, { where, isPlain }) => {
    const postings = isPlain ? textIndex?.warm() : undefined
    const times = new Map<number, number>()
    const others: number[] = []
    for (const { seq } of best) {
      const document = postings?.documentOf(seq) ?? -1
      if (postings && document >= 0 && postings.isPlain(document))
        times.set(seq, postings.sessions.atOf(document))
      else others.push(seq)
    }
    if (others.length > 0)
      for (const { seq, happenedAt } of readMatchingRecords(read, others, where).values())
        times.set(seq, parseTime(happenedAt) ?? 0)
    return best.flatMap((one) => {
      const at = times.get(one.seq)
      return at === undefined ? [] : [{ ...one, at }]
    })
  }
}
