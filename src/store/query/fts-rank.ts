// Ranking by FTS5, when the words are not in memory. `text_places` is an `fts5vocab` table with a row for each place
// of a term.
import { wordWeight } from '../../core/text/word-weight.ts'
import type { SqlRow } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import { joinConditions, type ReadRows } from '../condition/condition.ts'
import { b, k1 } from '../posting/bm25.ts'
import { type IndexTotals, termCountOf } from '../posting/fts-index.ts'
import type { Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'
import { expandPrefix } from '../word/porter.ts'
import { matchExpression } from '../word/text-query.ts'
import { tokenize } from '../word/tokenize.ts'
import {
  TopMatchCollector,
  type BestMatch,
  type OtherStats,
  type FilterMatches,
  pageOfRanked,
  type RankedRecord,
  type RankQuery,
  type ReachRank,
  extraMatches,
  type TextRank,
} from './text-rank.ts'

/** Ranks over all records by bm25(). */
export function createFtsRank(read: ReadRows, filter: FilterMatches): TextRank {
  /** Ranks in the index first and joins only the best matches: a join of every match costs more than its rank. */
  const rankInIndex = (question: RankQuery, expression: string) => {
    const { limit, offset = 0, isNarrow } = question
    // Most matches of a narrow question would fail its condition: `rankByJoin` is faster then.
    if (limit === undefined || isNarrow) return undefined
    const wanted = offset + limit
    const listLength = 2 * wanted + extraMatches
    const best = read<SqlRow & BestMatch>(
      `SELECT rowid AS seq, -rank AS score FROM text_index WHERE text_index MATCH ?
       ORDER BY rank, rowid DESC LIMIT ?`,
      [expression, listLength],
    )
    return new TopMatchCollector(question, wanted, filter).add(best, best.length < listLength)
  }

  /** Joins every match. Selects no body, because the sort would copy all bodies. */
  const rankByJoin = (question: RankQuery, expression: string): RankedRecord[] => {
    const { ties, limit = -1, offset = 0 } = question
    const { condition, params, recordsJoin } = joinConditions(question.where)
    const rows = read<SqlRow & { seq: number; happened_at: string; score: number }>(
      `SELECT f.seq, f.happened_at, -bm25(text_index) AS score
       FROM text_index JOIN facets f ON f.seq = text_index.rowid ${recordsJoin}
       WHERE text_index MATCH ? AND ${condition}
       ORDER BY score DESC, ${ties === 'happened' ? 'f.happened_at DESC, ' : ''}f.seq DESC LIMIT ? OFFSET ?`,
      [expression, ...params, limit, offset],
    )
    return rows.map(({ seq, happened_at: happenedAt, score }) => ({
      seq,
      happenedAtMs: parseTime(happenedAt) ?? 0,
      score,
    }))
  }

  return (question) => {
    const expression = matchExpression(question.words, question)
    if (expression === undefined) return []
    return rankInIndex(question, expression) ?? rankByJoin(question, expression)
  }
}

interface Match extends SqlRow {
  readonly seq: number
  readonly happened_at: string
  /** The sizes of its columns: see `termCountOf`. */
  readonly size: Uint8Array
}

export interface FtsReachRankDeps {
  readonly read: ReadRows
  readonly bounds: readonly Fragment[]
  readonly projection: Pick<Projection, 'generation'>
  readonly otherStats: OtherStats | undefined
}

/**
 * Ranks the records within `bounds` by BM25 over these records only. FTS5 still walks over all records with a term.
 */
export class FtsReachRank implements ReachRank {
  readonly #read: ReadRows
  readonly #bounds: ReturnType<typeof joinConditions>
  readonly #projection: FtsReachRankDeps['projection']
  readonly #otherStats: OtherStats | undefined
  /** A cache of `totals()`, valid for one generation of derived rows. */
  #cached: { readonly totals: IndexTotals; readonly generation: number } | undefined

  constructor({ read, bounds, projection, otherStats }: FtsReachRankDeps) {
    this.#read = read
    this.#bounds = joinConditions(bounds)
    this.#projection = projection
    this.#otherStats = otherStats
  }

  rank(question: RankQuery): RankedRecord[] {
    const { words, columns, prefix = false, where } = question
    const expression = matchExpression(words, question)
    const matches = expression === undefined ? [] : this.#matches(expression, where)
    if (matches.length === 0) return []
    const otherTotals = this.#otherStats?.totals() ?? { rows: 0, terms: 0 }
    const ownTotals = this.totals()
    const rows = ownTotals.rows + otherTotals.rows
    const termCount = ownTotals.terms + otherTotals.terms
    const seqs = JSON.stringify(matches.map(({ seq }) => seq))
    const terms = termsOf(words, prefix)
    const counts = [...terms].map(([term, isPrefix]) => ({
      term,
      countBySeq: this.#countTerm(term, isPrefix, columns, seqs),
    }))
    const otherFrequencies = this.#otherStats?.frequencies([...terms.keys()])
    const ranked = matches.map((match): RankedRecord => {
      const relativeLength = termCount > 0 ? (termCountOf(match.size) * rows) / termCount : 1
      let score = 0
      const matchedTerms: string[] = []
      for (const { term, countBySeq } of counts) {
        const frequency = countBySeq.get(match.seq) ?? 0
        if (frequency === 0) continue
        const documentFrequency = countBySeq.size + (otherFrequencies?.get(term) ?? 0)
        // Lucene's form of the weight: above 0 for every term. FTS5's would be negative for a term of most records.
        const idf = wordWeight(rows, documentFrequency)
        score += (idf * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + b * relativeLength))
        matchedTerms.push(term)
      }
      return { seq: match.seq, happenedAtMs: parseTime(match.happened_at) ?? 0, score, matchedTerms }
    })
    return pageOfRanked(ranked, question)
  }

  totals(): IndexTotals {
    const generation = this.#projection.generation()
    if (this.#cached?.generation === generation) return this.#cached.totals
    const { condition, params, recordsJoin } = this.#bounds
    const sizes = this.#read<{ size: Uint8Array }>(
      `SELECT d.sz AS size FROM facets f JOIN text_index_docsize d ON d.id = f.seq ${recordsJoin}
       WHERE ${condition}`,
      params,
    )
    const [all] = this.#read<{ n: number }>(
      `SELECT count(*) AS n FROM facets f ${recordsJoin} WHERE ${condition}`,
      params,
    )
    const terms = sizes.reduce((sum, { size }) => sum + termCountOf(size), 0)
    this.#cached = { totals: { rows: all?.n ?? 0, terms }, generation }
    return this.#cached.totals
  }

  completion(prefix: string): string | undefined {
    const { condition, params, recordsJoin } = this.#bounds
    const [row] = this.#read<{ term: string }>(
      `SELECT v.term FROM text_places v JOIN facets f ON f.seq = v.doc ${recordsJoin}
       WHERE v.term >= ? AND v.term < ? AND ${condition}
       GROUP BY v.term ORDER BY count(DISTINCT v.doc) DESC, v.term LIMIT 1`,
      [prefix, `${prefix}\u{10ffff}`, ...params],
    )
    return row?.term
  }

  frequencies(terms: readonly string[]): Map<string, number> {
    const { condition, params, recordsJoin } = this.#bounds
    const rows = this.#read<{ term: string; n: number }>(
      `SELECT v.term, count(DISTINCT v.doc) AS n FROM text_places v JOIN facets f ON f.seq = v.doc ${recordsJoin}
       WHERE v.term IN (SELECT value FROM json_each(?)) AND ${condition} GROUP BY v.term`,
      [JSON.stringify(terms), ...params],
    )
    return new Map(rows.map(({ term, n }) => [term, n]))
  }

  #matches(expression: string, where: readonly Fragment[]): Match[] {
    const { condition, params, recordsJoin } = joinConditions(where)
    return this.#read<Match>(
      `SELECT f.seq, f.happened_at, d.sz AS size FROM text_index JOIN facets f ON f.seq = text_index.rowid
       JOIN text_index_docsize d ON d.id = f.seq ${recordsJoin} WHERE text_index MATCH ? AND ${condition}`,
      [expression, ...params],
    )
  }

  /** For each record in `seqs`, a JSON list: how often it has the term, or terms with this prefix. */
  #countTerm(
    term: string,
    isPrefix: boolean,
    columns: readonly number[] | undefined,
    seqs: string,
  ): Map<number, number> {
    const range = isPrefix ? 'v.term >= ? AND v.term < ?' : 'v.term = ?'
    const inColumns = columns ? 'AND v.col IN (SELECT value FROM json_each(?))' : ''
    const rows = this.#read<{ doc: number; n: number }>(
      `SELECT v.doc, count(*) AS n FROM text_places v
       WHERE ${range} ${inColumns} AND v.doc IN (SELECT value FROM json_each(?)) GROUP BY v.doc`,
      [
        ...(isPrefix ? [term, `${term}\u{10ffff}`] : [term]),
        ...(columns ? [JSON.stringify(columns.map((column) => `t${column}`))] : []),
        seqs,
      ],
    )
    return new Map(rows.map(({ doc, n }) => [doc, n]))
  }
}

/** The terms of a question; the value is true for a prefix. */
function termsOf(words: readonly string[], prefix: boolean): Map<string, boolean> {
  const last = words.length - 1
  const terms = new Map<string, boolean>(
    words.flatMap((word, i) =>
      tokenize(word).map((term, k, all) => [term, prefix && i === last && k === all.length - 1] as const),
    ),
  )
  if (!prefix) return terms
  for (const word of expandPrefix(words[last] ?? ''))
    for (const term of tokenize(word)) if (!terms.has(term)) terms.set(term, false)
  return terms
}
