// Ranks the matches of a question for a guest, by BM25 over the records in its reach alone.
// Invariant: no number here depends on a record outside the reach: not a score, not an order, not a count.
import type { SqlRow } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import type { Fragment } from '../schema/column.ts'
import { type IndexTotals, sizeOf } from '../posting/index-totals.ts'
import { grownWords } from '../word/prefix.ts'
import { conditionOf, type Read } from '../condition/condition.ts'
import { matchExpression } from '../word/text-query.ts'
import { byRank, type RankedText, type RankQuestion, type TextRank } from './text-rank.ts'
import { begunAmong, type Beside, type KnownSource, rankKnown } from './known-rank.ts'
import type { WordIndex } from './reach-index.ts'
import type { Projection } from '../record/projection.ts'
import { tokenize } from '../word/tokenize.ts'

/** Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009), with the constants of FTS5. */
const k1 = 1.2
const b = 0.75

interface Match extends SqlRow {
  readonly seq: number
  readonly happened_at: string
  readonly size: Uint8Array
}

export interface ReachRank {
  readonly rank: TextRank
  /** In how many records in reach each term stands. */
  frequencies(terms: readonly string[]): Map<string, number>
  /** The term that the most records in reach have of those that begin with `beginning`. */
  begun(beginning: string): string | undefined
  /** Records in reach, and all their words. */
  totals(): IndexTotals
}

export interface ReachRankParts extends KnownSource {
  readonly read: Read
  /** They must also be among the conditions of each question. */
  readonly bounds: readonly Fragment[]
  readonly projection: Pick<Projection, 'generation'>
  /** The words in reach, in memory. While it has none, FTS5 is asked, which walks over what is out of reach too. */
  readonly index?: WordIndex | undefined
  readonly beside?: Beside | undefined
}

/** Over an index that is caught up. */
export function createReachRank(parts: ReachRankParts): ReachRank {
  const { read, bounds, index, beside } = parts
  const { generation } = parts.projection
  const within = conditionOf(bounds)

  let counted: { readonly totals: IndexTotals; readonly at: number } | undefined

  const totals = (): IndexTotals => {
    if (index?.warm()) return index.totals()
    if (counted?.at === generation()) return counted.totals
    const rows = read<{ size: Uint8Array }>(
      `SELECT d.sz AS size FROM facets f JOIN text_index_docsize d ON d.id = f.seq ${within.records}
       WHERE ${within.condition}`,
      within.params,
    )
    const [all] = read<{ n: number }>(
      `SELECT count(*) AS n FROM facets f ${within.records} WHERE ${within.condition}`,
      within.params,
    )
    const terms = rows.reduce((sum, { size }) => sum + sizeOf(size), 0)
    counted = { totals: { rows: all?.n ?? 0, terms }, at: generation() }
    return counted.totals
  }

  const matchesOf = (expression: string, where: readonly Fragment[]): Match[] => {
    const { condition, params, records } = conditionOf(where)
    return read<Match>(
      `SELECT f.seq, f.happened_at, d.sz AS size FROM text_index JOIN facets f ON f.seq = text_index.rowid
       JOIN text_index_docsize d ON d.id = f.seq ${records} WHERE text_index MATCH ? AND ${condition}`,
      [expression, ...params],
    )
  }

  /** How often a term stands in each of `seqs` that has it. `isOpen`: it may be the beginning of one. */
  const timesOf = (term: string, isOpen: boolean, columns: readonly number[] | undefined, seqs: string) => {
    const range = isOpen ? 'v.term >= ? AND v.term < ?' : 'v.term = ?'
    const inColumns = columns ? 'AND v.col IN (SELECT value FROM json_each(?))' : ''
    const rows = read<{ doc: number; n: number }>(
      `SELECT v.doc, count(*) AS n FROM text_places v
       WHERE ${range} ${inColumns} AND v.doc IN (SELECT value FROM json_each(?)) GROUP BY v.doc`,
      [
        ...(isOpen ? [term, `${term}\u{10ffff}`] : [term]),
        ...(columns ? [JSON.stringify(columns.map((column) => `t${column}`))] : []),
        seqs,
      ],
    )
    return new Map(rows.map(({ doc, n }) => [doc, n]))
  }

  const rank = (question: RankQuestion): RankedText[] => {
    const known = index?.warm()
    if (known) return rankKnown(parts, known, question, { own: totals(), beside })
    const { words, columns, prefix = false, where, limit, offset = 0 } = question
    const expression = matchExpression(words, question)
    const matches = expression === undefined ? [] : matchesOf(expression, where)
    if (matches.length === 0) return []
    const others = beside?.totals() ?? { rows: 0, terms: 0 }
    const own = totals()
    const rows = own.rows + others.rows
    const all = own.terms + others.terms
    const seqs = JSON.stringify(matches.map(({ seq }) => seq))
    const last = words.length - 1
    const terms = new Map<string, boolean>(
      words.flatMap((word, i) =>
        tokenize(word).map((term, k, all) => [term, prefix && i === last && k === all.length - 1] as const),
      ),
    )
    if (prefix) {
      for (const word of grownWords(words[last] ?? ''))
        for (const term of tokenize(word)) if (!terms.has(term)) terms.set(term, false)
    }
    const times = [...terms].map(([term, isOpen]) => ({ term, of: timesOf(term, isOpen, columns, seqs) }))
    const elsewhere = beside?.frequencies([...terms.keys()])
    const ranked = matches.map((match): RankedText => {
      const length = all > 0 ? (sizeOf(match.size) * rows) / all : 1
      let score = 0
      const has: string[] = []
      for (const { term, of } of times) {
        const n = of.get(match.seq) ?? 0
        if (n === 0) continue
        const having = of.size + (elsewhere?.get(term) ?? 0)
        const idf = Math.log(1 + (Math.max(0, rows - having) + 0.5) / (having + 0.5))
        score += (idf * n * (k1 + 1)) / (n + k1 * (1 - b + b * length))
        has.push(term)
      }
      return { seq: match.seq, at: parseTime(match.happened_at) ?? 0, score, has }
    })
    ranked.sort(byRank(question.ties))
    return ranked.slice(offset, limit === undefined ? undefined : offset + limit)
  }

  return {
    rank,
    totals,
    begun(beginning) {
      const known = index?.warm()
      if (known) return begunAmong(known, beginning)
      const [row] = read<{ term: string }>(
        `SELECT v.term FROM text_places v JOIN facets f ON f.seq = v.doc ${within.records}
         WHERE v.term >= ? AND v.term < ? AND ${within.condition}
         GROUP BY v.term ORDER BY count(DISTINCT v.doc) DESC, v.term LIMIT 1`,
        [beginning, `${beginning}\u{10ffff}`, ...within.params],
      )
      return row?.term
    },
    frequencies(terms) {
      const known = index?.frequencies(terms)
      if (known) return known
      const rows = read<{ term: string; n: number }>(
        `SELECT v.term, count(DISTINCT v.doc) AS n FROM text_places v JOIN facets f ON f.seq = v.doc ${within.records}
         WHERE v.term IN (SELECT value FROM json_each(?)) AND ${within.condition} GROUP BY v.term`,
        [JSON.stringify(terms), ...within.params],
      )
      return new Map(rows.map(({ term, n }) => [term, n]))
    },
  }
}
