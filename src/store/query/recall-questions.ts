// The queries of recall to one store: candidates by their words, and facts that rank them.
// Invariant: the scope of the query and the bounds of the caller narrow the records before any is ranked.
import type { Moment } from '../../core/filter/filter-time.ts'
import type { Kinds } from '../../core/kind.ts'
import {
  joinConditions,
  readMatchingRecords,
  type ReadRows,
  type RankWeights,
  readRankWeights,
} from '../condition/condition.ts'
import { assertWithinBudget } from '../condition/read-budget.ts'
import { type ScopeConditions, type ScopeQuery, scopeSql } from '../condition/recall-scope.ts'
import type { FindVisibleIds } from '../condition/visible-link.ts'
import type { IndexTotals } from '../posting/fts-index.ts'
import type { Postings } from '../posting/postings.ts'
import type { Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'
import { countTerms, readNames, type SessionNeighbours, neighboursOf, type TermCounts } from './evidence.ts'
import type { WordIndex } from './reach-index.ts'
import type { Ranking } from './store-rank.ts'
import type { RankedRecord } from './text-rank.ts'

export interface CandidateQuery extends ScopeQuery {
  readonly words: readonly string[]
  /** A record must have any of the words, or all. */
  readonly match: 'any' | 'all'
  readonly limit: number
}

export interface Candidate extends RankedRecord {
  /** 1 for the best. */
  readonly rank: number
}

export interface RecallQueries {
  /** The best matches within the scope, best first. */
  candidates(query: CandidateQuery): Candidate[]
  /** The records in `seqs` that are within `scope`. For legs with an index of their own. */
  matching(seqs: readonly number[], scope: ScopeQuery): ReadonlySet<number>
  /** The records in `seqs` that are within `scope`, with the weights that rank a hit besides its text. */
  rankWeights(seqs: readonly number[], scope: ScopeQuery): Map<number, RankWeights>
  /** The session of each record, and its neighbours that are within `scope`. */
  neighbours(seqs: readonly number[], scope: ScopeQuery): Map<number, SessionNeighbours>
  /** How often each record has each term, spelled as in the index. */
  termCounts(seqs: readonly number[], terms: readonly string[]): TermCounts
  /** Totals of the text index. */
  totals(): IndexTotals
  /** The numbers of all records within `scope`. */
  seqsInScope(scope: ScopeQuery): number[]
  /** How many records have each term, spelled as in the index. */
  frequencies(words: readonly string[]): Map<string, number>
  /** The most frequent indexed term with this prefix; undefined without any. */
  completion(prefix: string): string | undefined
  /**
   * Indexed terms with the same first letter as `term` and an edit distance of at most `most`, with their
   * frequencies.
   */
  similarTerms(term: string, most: number): Map<string, number>
  /** The names of the records in `seqs` whose kinds declare names. */
  names(seqs: readonly number[]): Map<number, string[]>
}

export interface RecallQueryDeps {
  readonly kinds: Kinds
  readonly projection: Projection
  readonly textIndex: WordIndex | undefined
  readonly read: ReadRows
  readonly ranking: Ranking
  /** Conditions of every visible record. */
  readonly bounds: readonly Fragment[]
  /** Finds the visible ids; undefined when all are visible. */
  readonly findVisibleIds: FindVisibleIds | undefined
  /** Time and zone of a question. */
  readonly moment: () => Moment
}

/** `scope` gives the conditions of a recall, for a ranking over two stores. */
export function createRecallQueries(
  deps: RecallQueryDeps,
): RecallQueries & { scope(query: ScopeQuery): ScopeConditions } {
  const { kinds, projection, textIndex, read, bounds, moment } = deps
  const { rank, reachRank, stats, similarTerms } = deps.ranking
  const scopeOf = (query: ScopeQuery) => boundedScope(deps, query)
  const { catchUpUnlessCovered, catchUpFor, postingsFor } = derivedOf(deps)

  return {
    scope: scopeOf,
    candidates({ words, match, limit, ...scope }) {
      // Without `reachRank`, `rank` lets the projection catch up itself when that is needed.
      if (reachRank) projection.catchUp()
      return rank({ words, match, ...scopeOf(scope), ties: 'happened', limit }).map((one, i) => ({
        ...one,
        rank: i + 1,
      }))
    },
    matching(seqs, scope) {
      const { where, isPlain } = scopeOf(scope)
      return matchingOf(seqs, postingsFor(isPlain), (others) => {
        projection.catchUp()
        return readMatchingRecords(read, others, where).keys()
      })
    },
    rankWeights(seqs, scope) {
      const { where, isPlain } = scopeOf(scope)
      catchUpFor(isPlain)
      const postings = postingsFor(isPlain)
      return postings
        ? rankWeightsFromMemory(postings, seqs, { read, where })
        : readRankWeights(read, seqs, where)
    },
    neighbours(seqs, scope) {
      const { where, isPlain } = scopeOf(scope)
      catchUpFor(isPlain)
      return neighboursOf({ read, postings: textIndex?.completePostings() }, seqs, { where, isPlain, bounds })
    },
    termCounts(seqs, terms) {
      catchUpUnlessCovered()
      return countTerms(
        { read, kinds, zone: moment().zone, postings: textIndex?.completePostings() },
        seqs,
        terms,
      )
    },
    totals() {
      catchUpUnlessCovered()
      return stats.totals()
    },
    seqsInScope(scope) {
      const { where, isPlain } = scopeOf(scope)
      projection.catchUp()
      const postings = postingsFor(isPlain && bounds.length > 0)
      if (postings) return seqsFromMemory(postings, (seqs) => readMatchingRecords(read, seqs, where).keys())
      const { condition, params, recordsJoin } = joinConditions(where)
      const rows = read<{ seq: number }>(
        `SELECT f.seq FROM facets f ${recordsJoin} WHERE ${condition}`,
        params,
      )
      return rows.map(({ seq }) => seq)
    },
    frequencies(words) {
      catchUpUnlessCovered()
      return stats.frequencies(words)
    },
    completion(prefix) {
      if (reachRank) projection.catchUp()
      return stats.completion(prefix)
    },
    similarTerms(term, most) {
      catchUpUnlessCovered()
      // Terms out of the caller's reach have frequency 0 or are absent, so the answer reveals none of them.
      return this.frequencies(similarTerms(term, most))
    },
    names: (seqs) => readNames(read, kinds, seqs, !projection.isBehind()),
  }
}

/** The rows and postings that are derived from records, as current as a query needs them. */
function derivedOf({ projection, textIndex }: Pick<RecallQueryDeps, 'projection' | 'textIndex'>) {
  /** Lets the projection catch up unless the postings have all records. */
  const catchUpUnlessCovered = () => {
    if (!textIndex?.isUpToDate()) projection.catchUp()
  }
  return {
    catchUpUnlessCovered,
    /** `catchUpUnlessCovered` for a plain query; for any other the projection must catch up. */
    catchUpFor(isPlain: boolean) {
      if (isPlain) catchUpUnlessCovered()
      else projection.catchUp()
    },
    postingsFor: (isPlain: boolean) => (isPlain ? textIndex?.completePostings() : undefined),
  }
}

/** The conditions of `query`, within the bounds of the caller. Throws `too-broad` for a guest. */
function boundedScope(
  { kinds, projection, read, bounds, findVisibleIds, moment }: RecallQueryDeps,
  query: ScopeQuery,
): ScopeConditions {
  const scope = scopeSql(kinds, query, moment(), { bounds, findVisibleIds })
  if (bounds.length === 0) return scope
  const { bodyReadCost = 0, columnConditions = [] } = scope
  if (bodyReadCost > 0) {
    projection.catchUp()
    assertWithinBudget(read, bodyReadCost, [...bounds, ...columnConditions])
  }
  // A guest's index in memory has no record out of reach, so a plain record in it is visible.
  return { where: [...bounds, ...scope.where], isNarrow: true, isPlain: scope.isPlain }
}

/** The weights of a light record: one without importance, confidence, pin and uses. */
const noWeights = { importance: undefined, confidence: undefined, pinned: false, uses: 0 } as const

/** The records in `seqs` within the scope: plain records in memory, and those of the others that `filter` finds. */
function matchingOf(
  seqs: readonly number[],
  postings: Postings | undefined,
  filter: (others: readonly number[]) => Iterable<number>,
): ReadonlySet<number> {
  const isPlain = (seq: number) => {
    const document = postings?.documentOf(seq) ?? -1
    return document >= 0 && postings?.isPlain(document) === true
  }
  const others = seqs.filter((seq) => !isPlain(seq))
  return new Set(others.length === 0 ? seqs : [...seqs.filter(isPlain), ...filter(others)])
}

/** Like `readRankWeights`, but takes records that are plain and light from memory. */
function rankWeightsFromMemory(
  postings: Postings,
  seqs: readonly number[],
  { read, where }: { readonly read: ReadRows; readonly where: readonly Fragment[] },
): Map<number, RankWeights> {
  const weights = new Map<number, RankWeights>()
  const fromDatabase: number[] = []
  for (const seq of seqs) {
    const document = postings.documentOf(seq)
    if (document < 0 || !postings.isPlain(document) || !postings.isLight(document)) fromDatabase.push(seq)
    else weights.set(seq, { ...noWeights, happenedAtMs: postings.sessions.timeOf(document) })
  }
  if (fromDatabase.length > 0)
    for (const [seq, one] of readRankWeights(read, fromDatabase, where)) weights.set(seq, one)
  return weights
}

/** The records that a recall without a filter may return. `filter` tests those that are not plain. */
function seqsFromMemory(postings: Postings, filter: (seqs: readonly number[]) => Iterable<number>): number[] {
  const sizes = postings.sizes()
  const plain: number[] = []
  const toFilter: number[] = []
  for (let document = 0; document < postings.documentCount(); document++) {
    if (sizes[document] === 0) continue
    const list = postings.isPlain(document) ? plain : toFilter
    list.push(postings.seqOf(document))
  }
  return toFilter.length === 0 ? plain : [...plain, ...filter(toFilter)]
}
