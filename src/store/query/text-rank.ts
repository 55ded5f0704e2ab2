// Ranks the records that match a question in words and satisfy a condition: the one ranking of search and of recall.
// Invariant: the order is that of FTS5's bm25() over all matches, then as `ties` says, whichever way it was found.
import type { SqlRow } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import type { Fragment } from '../schema/column.ts'
import { conditionOf, matchingRows, type Read } from '../condition/condition.ts'
import { matchExpression, type MatchOptions } from '../word/text-query.ts'
import type { WordIndex } from './reach-index.ts'
import { tokenize } from '../word/tokenize.ts'

export interface RankQuestion extends MatchOptions {
  readonly words: readonly string[]
  /** Only in these columns of the index. */
  readonly columns?: readonly number[] | undefined
  readonly where: readonly Fragment[]
  /** True when few of the matches are likely to satisfy `where`. */
  readonly isNarrow: boolean
  /** True when nothing narrows it: see `RecallScope`. */
  readonly isPlain?: boolean
  /** What comes first among equal scores: what happened last, or what was stored last. */
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
  /** The terms of the question that the record has, when that is known. */
  readonly has?: readonly string[]
}

export type TextRank = (question: RankQuestion) => RankedText[]

type Best = Pick<RankedText, 'seq' | 'score' | 'has'>
interface FacetRow extends SqlRow {
  readonly seq: number
  readonly happened_at: string
}

/** How many more than wanted are looked at, for those that the condition sorts out and for equals. */
const surplus = 20
/** How many times as many are taken when too few of the best satisfied the condition. */
const widening = 4

/**
 * `textIndex`, the words in memory, answers what it can; before anything else is asked, `catchUp` is called. `otherwise`
 * answers in place of FTS5, which walks over all records.
 */
export function createTextRank(
  read: Read,
  textIndex: WordIndex | undefined,
  catchUp: () => void,
  otherwise?: TextRank,
): TextRank {
  /** Those of `best` that satisfy the condition, in the order of `best`. */
  const matching = (best: readonly Best[], { where, isPlain }: RankQuestion): RankedText[] => {
    const known = isPlain ? textIndex?.warm() : undefined
    const at = new Map<number, number>()
    const asked: number[] = []
    for (const { seq } of best) {
      const document = known?.documentOf(seq) ?? -1
      if (known && document >= 0 && known.isPlain(document)) at.set(seq, known.threads.atOf(document))
      else asked.push(seq)
    }
    if (asked.length > 0)
      for (const row of matchingRows(read, asked, where).values())
        at.set(row.seq, parseTime(row.happenedAt) ?? 0)
    return best.flatMap((one): RankedText[] => {
      const happened = at.get(one.seq)
      return happened === undefined ? [] : [{ ...one, at: happened }]
    })
  }

  /**
   * Goes through lists of the best, each longer than the one before, until it has the first `wanted` and nothing that
   * comes later could be among them: when the list is in the final order, or all that is left scores less.
   */
  const createCollector = (question: RankQuestion, wanted: number, inOrder: boolean) => {
    const found: RankedText[] = []
    let from = 0
    const isClear = (next: Best | undefined) => {
      const last = found[wanted - 1]
      return last !== undefined && (inOrder || last.score > (next?.score ?? 0))
    }
    /** The answer, or undefined when a longer list is needed. `isAll`: there is no longer one. */
    return (best: readonly Best[], isAll: boolean): RankedText[] | undefined => {
      for (; from < best.length && !isClear(best[from]); from += wanted + surplus)
        found.push(...matching(best.slice(from, from + wanted + surplus), question))
      if (from < best.length || isAll || isClear(best.at(-1)))
        return found.sort(byRank(question.ties)).slice(question.offset ?? 0, wanted)
      from = best.length
      return undefined
    }
  }

  const fromMemory = (question: RankQuestion, wanted: number): RankedText[] | undefined => {
    const { match, prefix, columns, words } = question
    if (!textIndex || match === 'all' || prefix || columns) return undefined
    const terms = words.map((word) => tokenize(word))
    // A word that the index parts is a phrase, and postings know no order.
    if (terms.some((parts) => parts.length !== 1)) return undefined
    const collect = createCollector(question, wanted, question.ties === 'stored')
    for (let taken = wanted + 2 * surplus; ; taken *= widening) {
      const best = textIndex.search(terms.flat(), taken)
      const settled = best && collect(best, best.length < taken)
      if (!best || settled) return settled
    }
  }

  /** Joining every match costs more than ranking it, so the best are taken from the index before they are joined. */
  const fromIndex = (question: RankQuestion, expression: string, wanted: number) => {
    if (question.isNarrow) return undefined
    const taken = 2 * wanted + surplus
    const best = read<SqlRow & Best>(
      `SELECT rowid AS seq, -rank AS score FROM text_index WHERE text_index MATCH ?
       ORDER BY rank, rowid DESC LIMIT ?`,
      [expression, taken],
    )
    return createCollector(question, wanted, question.ties === 'stored')(best, best.length < taken)
  }

  /** Ranks without reading a body: sorting would carry every one of them along. */
  const fromJoin = (question: RankQuestion, expression: string): RankedText[] => {
    const { ties, limit = -1, offset = 0 } = question
    const { condition, params, records } = conditionOf(question.where)
    const rows = read<FacetRow & { readonly score: number }>(
      `SELECT f.seq, f.happened_at, -bm25(text_index) AS score
       FROM text_index JOIN facets f ON f.seq = text_index.rowid ${records}
       WHERE text_index MATCH ? AND ${condition}
       ORDER BY score DESC, ${ties === 'happened' ? 'f.happened_at DESC, ' : ''}f.seq DESC LIMIT ? OFFSET ?`,
      [expression, ...params, limit, offset],
    )
    return rows.map(({ seq, happened_at: happenedAt, score }) => ({
      seq,
      at: parseTime(happenedAt) ?? 0,
      score,
    }))
  }

  return (question) => {
    const expression = matchExpression(question.words, question)
    if (expression === undefined) return []
    const { limit, offset = 0 } = question
    if (!question.isPlain || !textIndex?.covers()) catchUp()
    const wanted = limit === undefined ? undefined : offset + limit
    const quick = wanted === undefined ? undefined : fromMemory(question, wanted)
    if (quick) return quick
    catchUp()
    if (otherwise) return otherwise(question)
    return (
      (wanted === undefined ? undefined : fromIndex(question, expression, wanted)) ??
      fromJoin(question, expression)
    )
  }
}

export const byRank = (ties: RankQuestion['ties']) => (a: RankedText, b: RankedText) => {
  if (a.score !== b.score) return b.score - a.score
  if (ties === 'stored' || a.at === b.at) return b.seq - a.seq
  return b.at - a.at
}
