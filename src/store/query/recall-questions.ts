// What recall asks of one store: candidates by their words, and whatever ranks records that were found.
// Invariant: every answer is narrowed by the scope of the question and by the bounds of who asks before anything is ranked.
import type { Moment } from '../../core/filter/filter-time.ts'
import type { Kinds } from '../../core/kind.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import {
  conditionOf,
  type MatchingRecord,
  matchingRows,
  type Read,
  type Weighed,
  weighRows,
} from '../condition/condition.ts'
import { checkBudget } from '../condition/read-budget.ts'
import { type RecallScope, type ScopeQuery, scopeSql } from '../condition/recall-scope.ts'
import { type IndexTotals, readTotals } from '../posting/index-totals.ts'
import type { Postings } from '../posting/postings.ts'
import { readBegun, readFrequencies, readTerms } from '../posting/term-table.ts'
import type { WordIndex } from './reach-index.ts'
import type { Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'
import type { Held } from '../condition/shown-link.ts'
import { editDistance } from '../word/edit-distance.ts'
import { begunAmong } from './known-rank.ts'
import { countTerms, namesOf, type Place, placesOf, type TermCounts } from './evidence.ts'
import type { ReachRank } from './reach-rank.ts'
import type { RankedText, TextRank } from './text-rank.ts'

export interface CandidateQuery extends ScopeQuery {
  readonly words: readonly string[]
  readonly match: 'any' | 'all'
  readonly limit: number
}

export interface Candidate extends RankedText {
  readonly rank: number
}

export interface RecallQuestions {
  candidates(query: CandidateQuery): Candidate[]
  /** Those of `seqs` that `scope` lets a recall see. For legs that have an index of their own. */
  matching(seqs: readonly number[], scope: ScopeQuery): Map<number, MatchingRecord>
  /** The same, with what weighs a hit beside its text. */
  weigh(seqs: readonly number[], scope: ScopeQuery): Map<number, Weighed>
  /** Where records stand in their sessions; neighbours outside `scope` are left out. */
  places(seqs: readonly number[], scope: ScopeQuery): Map<number, Place>
  /** How often each of the records has each of the terms, which are spelled as the index spells them. */
  termCounts(seqs: readonly number[], terms: readonly string[]): TermCounts
  /** What the text index counts over all its rows. */
  totals(): IndexTotals
  /** The numbers of all records that `scope` lets a recall see. */
  reach(scope: ScopeQuery): number[]
  /** In how many records each indexed word stands; words are given as the index spells them. */
  frequencies(words: readonly string[]): Map<string, number>
  /** The indexed word that the most records have of those that begin with `beginning`. */
  begun(beginning: string): string | undefined
  /** The indexed words that differ from `term` by at most `most` letters, but not in the first, and in how many records each is. */
  resembling(term: string, most: number): Map<string, number>
  /** What records of kinds that declare names are called; the others of `seqs` are left out. */
  named(seqs: readonly number[]): Map<number, string[]>
}

export interface RecallQuestionParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly textIndex: WordIndex | undefined
  readonly read: Read
  readonly rank: TextRank
  /** What counts words among the records within `bounds` alone; absent where all of the index counts. */
  readonly narrow: ReachRank | undefined
  /** Conditions that every record satisfies which may be seen. */
  readonly bounds: readonly Fragment[]
  /** Which ids are of records that may be seen, where not all may. */
  readonly held: Held | undefined
  /** When and where a question is asked. */
  readonly moment: () => Moment
}

function termsBeside(db: SqlDatabase, known: Postings | undefined, term: string, most: number): string[] {
  const letter = [...term][0] ?? ''
  const terms = known?.terms() ?? readTerms(db, letter, Math.max(1, term.length - most), term.length + most)
  const near: string[] = []
  for (const one of terms) {
    if (Math.abs(one.length - term.length) > most || !one.startsWith(letter)) continue
    if (editDistance(one, term, most) <= most) near.push(one)
  }
  return near
}

/** Records that a recall may see which nothing narrows; `ask` says it of those that are not plain. */
function plainSeqs(known: Postings, ask: (seqs: readonly number[]) => Iterable<number>): number[] {
  const sizes = known.sizes()
  const plain: number[] = []
  const others: number[] = []
  for (let document = 0; document < known.documents(); document++) {
    if (sizes[document] === 0) continue
    const list = known.isPlain(document) ? plain : others
    list.push(known.seqOf(document))
  }
  return others.length === 0 ? plain : [...plain, ...ask(others)]
}

/** What a record weighs that says nothing of itself. */
const weightless = { importance: undefined, confidence: undefined, pinned: false, uses: 0 } as const

/** `scope`: the conditions of a recall, for whoever ranks over two stores. */
export function createRecallQuestions(
  parts: RecallQuestionParts,
): RecallQuestions & { scope(query: ScopeQuery): RecallScope } {
  const { db, kinds, projection, textIndex, read, rank, narrow, bounds, held, moment } = parts

  const scopeOf = (query: ScopeQuery): RecallScope => {
    const asked = scopeSql(kinds, query, moment(), { bounds, held })
    if (bounds.length === 0) return asked
    const { looks = 0, narrowed = [] } = asked
    if (looks > 0) {
      projection.catchUp()
      checkBudget(read, looks, [...bounds, ...narrowed])
    }
    // A plain record is one that is in the index in memory, which for a guest holds nothing out of reach.
    return { where: [...bounds, ...asked.where], isNarrow: true, isPlain: asked.isPlain }
  }

  /** Before a question that postings answer, if they have all records. */
  const catchUpUnlessCovered = () => {
    if (!textIndex?.covers()) projection.catchUp()
  }

  return {
    scope: scopeOf,
    candidates({ words, match, limit, ...scope }) {
      if (narrow) projection.catchUp()
      return rank({ words, match, ...scopeOf(scope), ties: 'happened', limit }).map((one, i) => ({
        ...one,
        rank: i + 1,
      }))
    },
    matching(seqs, scope) {
      const { where } = scopeOf(scope)
      projection.catchUp()
      return matchingRows(read, seqs, where)
    },
    weigh(seqs, scope) {
      const { where, isPlain } = scopeOf(scope)
      if (isPlain) catchUpUnlessCovered()
      else projection.catchUp()
      const known = isPlain ? textIndex?.warm() : undefined
      if (!known) return weighRows(read, seqs, where)
      const light: [number, Weighed][] = []
      const asked: number[] = []
      for (const seq of seqs) {
        const document = known.documentOf(seq)
        if (document < 0 || !known.isPlain(document) || !known.isLight(document)) asked.push(seq)
        else light.push([seq, { ...weightless, at: known.threads.atOf(document) }])
      }
      return new Map([...light, ...(asked.length > 0 ? weighRows(read, asked, where) : [])])
    },
    places(seqs, scope) {
      const { where, isPlain } = scopeOf(scope)
      if (isPlain) catchUpUnlessCovered()
      else projection.catchUp()
      return placesOf({ read, known: textIndex?.warm() }, seqs, { where, isPlain, bounds })
    },
    termCounts(seqs, terms) {
      catchUpUnlessCovered()
      return countTerms({ read, kinds, zone: moment().zone, known: textIndex?.warm() }, seqs, terms)
    },
    totals() {
      catchUpUnlessCovered()
      return narrow ? narrow.totals() : (textIndex?.totals() ?? readTotals(db))
    },
    reach(scope) {
      const { where, isPlain } = scopeOf(scope)
      projection.catchUp()
      const known = isPlain && bounds.length > 0 ? textIndex?.warm() : undefined
      if (known) return plainSeqs(known, (seqs) => matchingRows(read, seqs, where).keys())
      const { condition, params, records } = conditionOf(where)
      const rows = read<{ seq: number }>(`SELECT f.seq FROM facets f ${records} WHERE ${condition}`, params)
      return rows.map(({ seq }) => seq)
    },
    frequencies(words) {
      catchUpUnlessCovered()
      if (narrow) return narrow.frequencies(words)
      return textIndex?.frequencies(words) ?? readFrequencies(db, words)
    },
    begun(beginning) {
      if (bounds.length > 0) projection.catchUp()
      const known = !narrow && textIndex?.covers() ? textIndex.warm() : undefined
      if (known) return begunAmong(known, beginning)
      projection.catchUp()
      return narrow ? narrow.begun(beginning) : readBegun(db, beginning)
    },
    resembling(term, most) {
      catchUpUnlessCovered()
      // How far apart two words are does not depend on who asks; in how many records one is does.
      const near = [...termsBeside(db, textIndex?.warm(), term, most)]
      return this.frequencies(near)
    },
    named: (seqs) => namesOf(read, kinds, seqs),
  }
}
