// Ranking by FTS5, when the words are not in memory.
import type { SqlRow } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import { joinConditions, type ReadRows } from '../condition/condition.ts'
import { type IndexTotals, sizeOf } from '../posting/fts-index.ts'
import type { Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'
import { expandPrefix } from '../word/porter.ts'
import { matchExpression } from '../word/text-query.ts'
import { tokenize } from '../word/tokenize.ts'
import {
  b,
  BestCollector,
  type BestMatch,
  type Beside,
  type FilterMatches,
  k1,
  rankedPage,
  type RankedText,
  type RankQuestion,
  type ReachRank,
  surplus,
  type TextRank,
} from './text-rank.ts'

/** Ranks over all records by bm25(). */
export function createFtsRank(read: ReadRows, filter: FilterMatches): TextRank {
  /** Ranks in the index first and joins only the best matches: a join of every match costs more than its rank. */
  const fromIndex = (question: RankQuestion, expression: string) => {
    const { limit, offset = 0, isNarrow } = question
    if (limit === undefined || isNarrow) return undefined
    const wanted = offset + limit
    const listed = 2 * wanted + surplus
    const best = read<SqlRow & BestMatch>(
      `SELECT rowid AS seq, -rank AS score FROM text_index WHERE text_index MATCH ?
       ORDER BY rank, rowid DESC LIMIT ?`,
      [expression, listed],
    )
    return new BestCollector(question, wanted, filter).add(best, best.length < listed)
  }

  /** Joins every match. Selects no body, because the sort would copy all bodies. */
  const fromJoin = (question: RankQuestion, expression: string): RankedText[] => {
    const { ties, limit = -1, offset = 0 } = question
    const { condition, params, recordsJoin } = joinConditions(question.where)
    const rows = read<SqlRow & { seq: number; happened_at: string; score: number }>(
      `SELECT f.seq, f.happened_at, -bm25(text_index) AS score
       FROM text_index JOIN facets f ON f.seq = text_index.rowid ${recordsJoin}
       WHERE text_index MATCH ? AND ${condition}
       ORDER BY score DESC, ${ties === 'happened' ? 'f.happened_at DESC, ' : ''}f.seq DESC LIMIT ? OFFSET ?`,
      [expression, ...params, limit, offset],
    )
    return rows.map(({ seq, happened_at: at, score }) => ({ seq, at: parseTime(at) ?? 0, score }))
  }

  return (question) => {
    const expression = matchExpression(question.words, question)
    if (expression === undefined) return []
    return fromIndex(question, expression) ?? fromJoin(question, expression)
  }
}

interface Match extends SqlRow {
  readonly seq: number
  readonly happened_at: string
  readonly size: Uint8Array
}

export interface FtsReachRankParts {
  readonly read: ReadRows
  readonly bounds: readonly Fragment[]
  readonly projection: Pick<Projection, 'generation'>
  readonly beside: Beside | undefined
}

/**
 * Ranks the records within `bounds` by BM25 over these records only. FTS5 still walks over all records with a term.
 */
export class FtsReachRank implements ReachRank {
  readonly #read: ReadRows
  readonly #within: ReturnType<typeof joinConditions>
  readonly #projection: FtsReachRankParts['projection']
  readonly #beside: Beside | undefined
  #cached: { readonly totals: IndexTotals; readonly generation: number } | undefined

  constructor({ read, bounds, projection, beside }: FtsReachRankParts) {
    this.#read = read
    this.#within = joinConditions(bounds)
    this.#projection = projection
    this.#beside = beside
  }

  rank(question: RankQuestion): RankedText[] {
    const { words, columns, prefix = false, where } = question
    const expression = matchExpression(words, question)
    const matches = expression === undefined ? [] : this.#matches(expression, where)
    if (matches.length === 0) return []
    const other = this.#beside?.totals() ?? { rows: 0, terms: 0 }
    const own = this.totals()
    const rows = own.rows + other.rows
    const size = own.terms + other.terms
    const seqs = JSON.stringify(matches.map(({ seq }) => seq))
    const terms = termsOf(words, prefix)
    const counts = [...terms].map(([term, isPrefix]) => ({
      term,
      of: this.#count(term, isPrefix, columns, seqs),
    }))
    const elsewhere = this.#beside?.frequencies([...terms.keys()])
    const ranked = matches.map((match): RankedText => {
      const length = size > 0 ? (sizeOf(match.size) * rows) / size : 1
      let score = 0
      const has: string[] = []
      for (const { term, of } of counts) {
        const n = of.get(match.seq) ?? 0
        if (n === 0) continue
        const having = of.size + (elsewhere?.get(term) ?? 0)
        const idf = Math.log(1 + (Math.max(0, rows - having) + 0.5) / (having + 0.5))
        score += (idf * n * (k1 + 1)) / (n + k1 * (1 - b + b * length))
        has.push(term)
      }
      return { seq: match.seq, at: parseTime(match.happened_at) ?? 0, score, has }
    })
    return rankedPage(ranked, question)
  }

  totals(): IndexTotals {
    const generation = this.#projection.generation()
    if (this.#cached?.generation === generation) return this.#cached.totals
    const { condition, params, recordsJoin } = this.#within
    const sizes = this.#read<{ size: Uint8Array }>(
      `SELECT d.sz AS size FROM facets f JOIN text_index_docsize d ON d.id = f.seq ${recordsJoin}
       WHERE ${condition}`,
      params,
    )
    const [all] = this.#read<{ n: number }>(
      `SELECT count(*) AS n FROM facets f ${recordsJoin} WHERE ${condition}`,
      params,
    )
    const terms = sizes.reduce((sum, { size }) => sum + sizeOf(size), 0)
    this.#cached = { totals: { rows: all?.n ?? 0, terms }, generation }
    return this.#cached.totals
  }

  completion(prefix: string): string | undefined {
    const { condition, params, recordsJoin } = this.#within
    const [row] = this.#read<{ term: string }>(
      `SELECT v.term FROM text_places v JOIN facets f ON f.seq = v.doc ${recordsJoin}
       WHERE v.term >= ? AND v.term < ? AND ${condition}
       GROUP BY v.term ORDER BY count(DISTINCT v.doc) DESC, v.term LIMIT 1`,
      [prefix, `${prefix}\u{10ffff}`, ...params],
    )
    return row?.term
  }

  frequencies(terms: readonly string[]): Map<string, number> {
    const { condition, params, recordsJoin } = this.#within
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
  #count(
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
