// Ranking by postings in memory.
import type { Zone } from '../../core/zone.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Kinds } from '../../core/kind.ts'
import type { SqlRow } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import { readMatchingRecords, type ReadRows } from '../condition/condition.ts'
import type { IndexTotals } from '../posting/fts-index.ts'
import { eachPosting } from '../posting/posting-list.ts'
import type { Postings } from '../posting/postings.ts'
import { expandPrefix } from '../word/porter.ts'
import { holdsWords } from '../word/text-query.ts'
import { textsOfRecord } from '../word/text.ts'
import { tokenize } from '../word/tokenize.ts'
import type { WordIndex } from './reach-index.ts'
import {
  b,
  BestCollector,
  type Beside,
  type FilterMatches,
  k1,
  rankedPage,
  type RankedText,
  type RankQuestion,
  surplus,
} from './text-rank.ts'

/** Most records whose texts are read at once. */
const batch = 100
/** When too few of the best matches satisfy the condition, the next list is this many times longer. */
const widening = 4

/**
 * The first `wanted` matches of a question for any of some words. Undefined for a question with `match: 'all'`, a
 * prefix, columns or a phrase, and when the words are not in memory.
 */
export function findBest(
  index: WordIndex,
  question: RankQuestion,
  wanted: number,
  filter: FilterMatches,
): RankedText[] | undefined {
  const { match, prefix, columns, words } = question
  if (match === 'all' || prefix || columns) return undefined
  const terms = words.map((word) => tokenize(word))
  // A word of several terms is a phrase. Postings have no positions, so they can't find phrases.
  if (terms.some((parts) => parts.length !== 1)) return undefined
  const collector = new BestCollector(question, wanted, filter)
  for (let listed = wanted + 2 * surplus; ; listed *= widening) {
    const best = index.search(terms.flat(), listed)
    const answer = best && collector.add(best, best.length < listed)
    if (!best || answer) return answer
  }
}

export interface PostingSource {
  readonly read: ReadRows
  readonly kinds: Kinds
  readonly zone: Zone
}

/** From the number of a record to how often it has a term. */
type Counts = ReadonlyMap<number, number>

/**
 * The matches of any question, best first: also phrases, prefixes and single columns, for which it reads the texts.
 * Invariant: neither the answer nor the time depends on records that are not in `postings`.
 */
export function rankPostings(
  source: PostingSource,
  postings: Postings,
  question: RankQuestion,
  { own, beside }: { readonly own: IndexTotals; readonly beside: Beside | undefined },
): RankedText[] {
  const { words, columns, prefix = false, where } = question
  const units = words.map((word, i) => unitOf(postings, word, prefix && i === words.length - 1))
  const seqs = question.match === 'all' ? allOf(units) : [...new Set(units.flatMap((unit) => [...unit.seqs]))]
  const visible = readMatchingRecords(source.read, seqs, where)
  const isExact = columns === undefined && units.every(({ isPhrase }) => !isPhrase)
  const texts = isExact ? undefined : readTexts(source, [...visible.keys()], columns)
  const terms = new Map(units.flatMap(({ terms: of }) => [...of]))
  const counts = columns === undefined ? terms : undefined
  const other = beside?.totals() ?? { rows: 0, terms: 0 }
  const elsewhere = beside?.frequencies([...terms.keys()])
  const rows = own.rows + other.rows
  const average = rows > 0 ? (own.terms + other.terms) / rows : 1
  const sizes = postings.sizes()
  const ranked: RankedText[] = []
  for (const { seq, happenedAt } of visible.values()) {
    const text = texts?.get(seq)
    if (texts && !(text && holdsWords(text, words, question))) continue
    const base = k1 * (1 - b + (b * (sizes[postings.documentOf(seq)] ?? 1)) / average)
    const inColumns = counts ? undefined : countIn(text ?? [], terms.keys())
    let score = 0
    const has: string[] = []
    for (const [term, of] of terms) {
      const n = (counts ? of.get(seq) : inColumns?.get(term)) ?? 0
      if (n === 0) continue
      const having = of.size + (elsewhere?.get(term) ?? 0)
      const rarity = Math.log((rows - having + 0.5) / (having + 0.5))
      score += (rarity > 0 ? rarity : 1e-6) * ((n * (k1 + 1)) / (n + base))
      has.push(term)
    }
    ranked.push({ seq, at: parseTime(happenedAt) ?? 0, score, has })
  }
  return rankedPage(ranked, question)
}

/** A word of a question. */
interface Unit {
  /** The records that may have the word. */
  readonly seqs: ReadonlySet<number>
  readonly terms: ReadonlyMap<string, Counts>
  /** True when its terms must follow each other: postings have no positions, so the text decides. */
  readonly isPhrase: boolean
}

function unitOf(postings: Postings, word: string, isPrefix: boolean): Unit {
  const parts = tokenize(word)
  const last = parts.at(-1)
  const terms = new Map(parts.map((term) => [term, countsOf(postings, term)]))
  const counts = [...terms.values()]
  const rarest = counts.toSorted((one, other) => one.size - other.size)[0] ?? new Map<number, number>()
  if (!isPrefix || last === undefined)
    return {
      seqs: new Set([...rarest.keys()].filter((seq) => counts.every((of) => of.has(seq)))),
      terms,
      isPhrase: parts.length > 1,
    }
  const expanded = expandPrefix(word).map((one) => tokenize(one))
  const completed = [...postings.terms()].filter(
    (term) => term.startsWith(last) && postings.frequency(term) > 0,
  )
  for (const term of [...completed, ...expanded.flat()])
    if (!terms.has(term)) terms.set(term, countsOf(postings, term))
  const seqs = new Set([...terms.values()].flatMap((of) => [...of.keys()]))
  return { seqs, terms, isPhrase: parts.length > 1 || expanded.some((one) => one.length > 1) }
}

function allOf(units: readonly Unit[]): number[] {
  const [rarest, ...others] = units.toSorted((one, other) => one.seqs.size - other.seqs.size)
  return [...(rarest?.seqs ?? [])].filter((seq) => others.every(({ seqs }) => seqs.has(seq)))
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

function countIn(texts: readonly string[], terms: Iterable<string>): Map<string, number> {
  const counts = new Map(Array.from(terms, (term) => [term, 0]))
  for (const term of texts.flatMap((text) => tokenize(text))) {
    const n = counts.get(term)
    if (n !== undefined) counts.set(term, n + 1)
  }
  return counts
}

/** The indexed texts of records, column by column. */
function readTexts(
  { read, kinds, zone }: PostingSource,
  seqs: readonly number[],
  columns: readonly number[] | undefined,
): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (let from = 0; from < seqs.length; from += batch) {
    const rows = read<SqlRow & { seq: number; kind: string; happened_at: string; body: string }>(
      `SELECT f.seq, f.kind, f.happened_at, CASE f.outdated WHEN 0 THEN r.body ELSE '{}' END AS body
       FROM json_each(?) j CROSS JOIN facets f ON f.seq = j.value JOIN records r ON r.seq = f.seq`,
      [JSON.stringify(seqs.slice(from, from + batch))],
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
export function completionIn(postings: Postings, prefix: string): string | undefined {
  let best: string | undefined
  let most = 0
  for (const term of postings.terms()) {
    if (!term.startsWith(prefix)) continue
    const having = postings.frequency(term)
    if (having < most || having === 0 || (having === most && best !== undefined && best < term)) continue
    best = term
    most = having
  }
  return best
}
