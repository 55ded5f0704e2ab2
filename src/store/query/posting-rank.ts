// Ranking by postings in memory.
import type { Zone } from '../../core/zone.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Kinds } from '../../core/kind.ts'
import type { SqlRow } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import { readMatchingRecords, type ReadRows } from '../condition/condition.ts'
import { gainOf, lengthNormOf, termWeight } from '../posting/bm25.ts'
import type { IndexTotals } from '../posting/fts-index.ts'
import { eachPosting } from '../posting/posting-list.ts'
import type { Postings } from '../posting/postings.ts'
import { expandPrefix } from '../word/porter.ts'
import { matchesWords } from '../word/text-query.ts'
import { textsOfRecord } from '../word/text.ts'
import { tokenize } from '../word/tokenize.ts'
import type { WordIndex } from './reach-index.ts'
import {
  TopMatchCollector,
  type OtherStats,
  type FilterMatches,
  pageOfRanked,
  type RankedRecord,
  type RankQuery,
  extraMatches,
} from './text-rank.ts'

/** Most records whose texts are read at once. */
const readBatch = 100
/** When too few of the best matches satisfy the condition, the next list is this many times longer. */
const widenFactor = 4

/**
 * The first `wanted` matches of a question for any of some words. Undefined for a question with `match: 'all'`, a
 * prefix, columns or a phrase, and when the words are not in memory.
 */
export function findBest(
  index: WordIndex,
  question: RankQuery,
  wanted: number,
  filter: FilterMatches,
): RankedRecord[] | undefined {
  const { match, prefix, columns, words } = question
  if (match === 'all' || prefix || columns) return undefined
  const terms = words.map((word) => tokenize(word))
  // A word of several terms is a phrase. Postings have no positions, so they can't find phrases.
  if (terms.some((wordTerms) => wordTerms.length !== 1)) return undefined
  const collector = new TopMatchCollector(question, wanted, filter)
  // `extraMatches`: some matches fail the condition, and some tie with the last.
  for (let listLength = wanted + 2 * extraMatches; ; listLength *= widenFactor) {
    const best = index.search(terms.flat(), listLength)
    const answer = best && collector.add(best, best.length < listLength)
    if (!best || answer) return answer
  }
}

export interface PostingSource {
  readonly read: ReadRows
  readonly kinds: Kinds
  readonly zone: Zone
}

/** From the number of a record to how often it has a term. */
type CountBySeq = ReadonlyMap<number, number>

/**
 * The matches of any question, best first: also phrases, prefixes and single columns, for which it reads the texts.
 * Invariant: neither the answer nor the time depends on records that are not in `postings`.
 */
export function rankPostings(
  source: PostingSource,
  postings: Postings,
  question: RankQuery,
  { ownTotals, otherStats }: { readonly ownTotals: IndexTotals; readonly otherStats: OtherStats | undefined },
): RankedRecord[] {
  const { words, columns, prefix = false, where } = question
  const wordMatches = words.map((word, i) => matchesOfWord(postings, word, prefix && i === words.length - 1))
  const seqs =
    question.match === 'all'
      ? seqsOfAllWords(wordMatches)
      : [...new Set(wordMatches.flatMap((unit) => [...unit.seqs]))]
  const visible = readMatchingRecords(source.read, seqs, where)
  const isExact = columns === undefined && wordMatches.every(({ isPhrase }) => !isPhrase)
  const texts = isExact ? undefined : readTexts(source, [...visible.keys()], columns)
  const terms = new Map(wordMatches.flatMap((one) => [...one.terms]))
  // The counts of the postings are over all columns.
  const hasCounts = columns === undefined
  const otherTotals = otherStats?.totals() ?? { rows: 0, terms: 0 }
  const otherFrequencies = otherStats?.frequencies([...terms.keys()])
  const rows = ownTotals.rows + otherTotals.rows
  const averageSize = rows > 0 ? (ownTotals.terms + otherTotals.terms) / rows : 1
  const sizes = postings.sizes()
  const ranked: RankedRecord[] = []
  for (const { seq, happenedAt } of visible.values()) {
    const text = texts?.get(seq)
    if (texts && !(text && matchesWords(text, words, question))) continue
    const lengthNorm = lengthNormOf(sizes[postings.documentOf(seq)] ?? 1, averageSize)
    const inColumns = hasCounts ? undefined : countInTexts(text ?? [], terms.keys())
    let score = 0
    const matchedTerms: string[] = []
    for (const [term, countBySeq] of terms) {
      const frequency = (hasCounts ? countBySeq.get(seq) : inColumns?.get(term)) ?? 0
      if (frequency === 0) continue
      const documentFrequency = countBySeq.size + (otherFrequencies?.get(term) ?? 0)
      score += termWeight(rows, documentFrequency) * gainOf(frequency, lengthNorm)
      matchedTerms.push(term)
    }
    ranked.push({ seq, happenedAtMs: parseTime(happenedAt) ?? 0, score, matchedTerms })
  }
  return pageOfRanked(ranked, question)
}

/** A word of a question. */
interface WordMatches {
  /** The records that may have the word. */
  readonly seqs: ReadonlySet<number>
  readonly terms: ReadonlyMap<string, CountBySeq>
  /** True when its terms must follow each other: postings have no positions, so the text decides. */
  readonly isPhrase: boolean
}

/** `isPrefix`: the last term of the word may be the beginning of a longer one. */
function matchesOfWord(postings: Postings, word: string, isPrefix: boolean): WordMatches {
  const wordTerms = tokenize(word)
  const lastTerm = wordTerms.at(-1)
  const terms = new Map(wordTerms.map((term) => [term, countsOf(postings, term)]))
  const counts = [...terms.values()]
  const rarest = counts.toSorted((one, other) => one.size - other.size)[0] ?? new Map<number, number>()
  if (!isPrefix || lastTerm === undefined)
    return {
      seqs: new Set([...rarest.keys()].filter((seq) => counts.every((of) => of.has(seq)))),
      terms,
      isPhrase: wordTerms.length > 1,
    }
  const expanded = expandPrefix(word).map((one) => tokenize(one))
  const completed = [...postings.terms()].filter(
    (term) => term.startsWith(lastTerm) && postings.frequency(term) > 0,
  )
  for (const term of [...completed, ...expanded.flat()])
    if (!terms.has(term)) terms.set(term, countsOf(postings, term))
  const seqs = new Set([...terms.values()].flatMap((of) => [...of.keys()]))
  return { seqs, terms, isPhrase: wordTerms.length > 1 || expanded.some((one) => one.length > 1) }
}

function seqsOfAllWords(units: readonly WordMatches[]): number[] {
  const [rarest, ...otherWords] = units.toSorted((one, other) => one.seqs.size - other.seqs.size)
  return [...(rarest?.seqs ?? [])].filter((seq) => otherWords.every(({ seqs }) => seqs.has(seq)))
}

function countsOf(postings: Postings, term: string): Map<number, number> {
  const list = postings.list(term)
  const counts = new Map<number, number>()
  const sizes = postings.sizes()
  if (list)
    eachPosting(list, 0, list.length, (document, n) => {
      if (sizes[document] !== 0) counts.set(postings.seqOf(document), n)
    })
  return counts
}

function countInTexts(texts: readonly string[], terms: Iterable<string>): Map<string, number> {
  const counts = new Map(Array.from(terms, (term) => [term, 0]))
  for (const term of texts.flatMap((text) => tokenize(text))) {
    const n = counts.get(term)
    if (n !== undefined) counts.set(term, n + 1)
  }
  return counts
}

/**
 * The indexed texts of records, column by column; with `columns`, only those. An outdated record has no text.
 */
function readTexts(
  { read, kinds, zone }: PostingSource,
  seqs: readonly number[],
  columns: readonly number[] | undefined,
): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (let from = 0; from < seqs.length; from += readBatch) {
    const rows = read<SqlRow & { seq: number; kind: string; happened_at: string; body: string }>(
      `SELECT f.seq, f.kind, f.happened_at, CASE f.outdated WHEN 0 THEN r.body ELSE '{}' END AS body
       FROM json_each(?) j CROSS JOIN facets f ON f.seq = j.value JOIN records r ON r.seq = f.seq`,
      [JSON.stringify(seqs.slice(from, from + readBatch))],
    )
    for (const { seq, kind: name, happened_at: at, body } of rows) {
      const kind = kinds.get(name)
      const texts = kind ? textsOfRecord(kind, JSON.parse(body) as JsonObject, at, zone) : []
      found.set(seq, columns ? columns.flatMap((column) => texts[column] ?? []) : texts)
    }
  }
  return found
}

/** The most frequent term that begins with `prefix`, like `readCompletion` of fts-index.ts. */
export function mostFrequentCompletion(postings: Postings, prefix: string): string | undefined {
  let best: string | undefined
  let highestFrequency = 0
  for (const term of postings.terms()) {
    if (!term.startsWith(prefix)) continue
    const frequency = postings.frequency(term)
    if (
      frequency < highestFrequency ||
      frequency === 0 ||
      (frequency === highestFrequency && best !== undefined && best < term)
    )
      continue
    best = term
    highestFrequency = frequency
  }
  return best
}
