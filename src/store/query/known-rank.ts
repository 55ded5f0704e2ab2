// Ranks the matches of any question in words over postings in memory: phrases, beginnings of words and single fields too.
// Invariant: a record that the postings do not have costs nothing and changes nothing.
import type { Zone } from '../../core/calendar/zone.ts'
import type { Reach } from '../../core/access/reach.ts'
import type { Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlRow } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import { matchingRows, type Read } from '../condition/condition.ts'
import type { IndexTotals } from '../posting/index-totals.ts'
import { eachPosting } from '../posting/posting-list.ts'
import type { Postings } from '../posting/postings.ts'
import { grownWords } from '../word/prefix.ts'
import { textOf } from '../word/text.ts'
import { holdsWords } from '../word/text-query.ts'
import { tokenize } from '../word/tokenize.ts'
import { byRank, type RankedText, type RankQuestion } from './text-rank.ts'

/** Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009), with the constants of FTS5. */
const k1 = 1.2
const b = 0.75
/** Records whose text is read at once. */
const batch = 100

export interface KnownSource {
  readonly read: Read
  readonly kinds: Kinds
  readonly zone: Zone
}

/** Records in another database that are ranked along: how common a word is, depends on all of them. */
export interface Beside {
  totals(): IndexTotals
  frequencies(terms: readonly string[]): ReadonlyMap<string, number>
  within(reach: Reach): Beside
}

/** By record: how often it has a term. */
type Times = ReadonlyMap<number, number>

interface Counted {
  readonly own: IndexTotals
  readonly beside: Beside | undefined
}

/** Those of `known` that match `question` and its conditions, best first. */
export function rankKnown(
  source: KnownSource,
  known: Postings,
  question: RankQuestion,
  { own, beside }: Counted,
): RankedText[] {
  const { words, columns, prefix = false, where, limit, offset = 0 } = question
  const units = words.map((word, i) => unitOf(known, word, prefix && i === words.length - 1))
  const seqs = question.match === 'all' ? allOf(units) : [...new Set(units.flatMap((unit) => [...unit.seqs]))]
  const seen = matchingRows(source.read, seqs, where)
  const isExact = columns === undefined && units.every(({ isPhrase }) => !isPhrase)
  const texts = isExact ? undefined : textsOf(source, [...seen.keys()], columns)
  const terms = new Map(units.flatMap(({ terms: of }) => [...of]))
  const counts = columns === undefined ? terms : undefined
  const others = beside?.totals() ?? { rows: 0, terms: 0 }
  const elsewhere = beside?.frequencies([...terms.keys()])
  const rows = own.rows + others.rows
  const average = rows > 0 ? (own.terms + others.terms) / rows : 1
  const sizes = known.sizes()
  const ranked: RankedText[] = []
  for (const { seq, happenedAt } of seen.values()) {
    const text = texts?.get(seq)
    if (texts && !(text && holdsWords(text, words, question))) continue
    const base = k1 * (1 - b + (b * (sizes[known.documentOf(seq)] ?? 1)) / average)
    const inFields = counts ? undefined : timesIn(text ?? [], terms.keys())
    let score = 0
    const has: string[] = []
    for (const [term, of] of terms) {
      const n = (counts ? of.get(seq) : inFields?.get(term)) ?? 0
      if (n === 0) continue
      const having = of.size + (elsewhere?.get(term) ?? 0)
      const rarity = Math.log((rows - having + 0.5) / (having + 0.5))
      score += (rarity > 0 ? rarity : 1e-6) * ((n * (k1 + 1)) / (n + base))
      has.push(term)
    }
    ranked.push({ seq, at: parseTime(happenedAt) ?? 0, score, has })
  }
  ranked.sort(byRank(question.ties))
  return ranked.slice(offset, limit === undefined ? undefined : offset + limit)
}

/** A word of a question: which records may have it, and its terms. */
interface Unit {
  readonly seqs: ReadonlySet<number>
  readonly terms: ReadonlyMap<string, Times>
  /** Its terms must stand one after another, which postings do not know. */
  readonly isPhrase: boolean
}

/** `isOpen`: the word may be the beginning of one. */
function unitOf(known: Postings, word: string, isOpen: boolean): Unit {
  const parts = tokenize(word)
  const last = parts.at(-1)
  const terms = new Map(parts.map((term) => [term, timesOf(known, term)]))
  const times = [...terms.values()]
  const first = times.toSorted((one, other) => one.size - other.size)[0] ?? new Map<number, number>()
  if (!isOpen || last === undefined)
    return {
      seqs: new Set([...first.keys()].filter((seq) => times.every((of) => of.has(seq)))),
      terms,
      isPhrase: parts.length > 1,
    }
  const grown = grownWords(word).map((one) => tokenize(one))
  const begun = [...known.terms()].filter((term) => term.startsWith(last) && known.frequency(term) > 0)
  for (const term of [...begun, ...grown.flat()]) if (!terms.has(term)) terms.set(term, timesOf(known, term))
  const seqs = new Set([...terms.values()].flatMap((of) => [...of.keys()]))
  return { seqs, terms, isPhrase: parts.length > 1 || grown.some((one) => one.length > 1) }
}

function allOf(units: readonly Unit[]): number[] {
  const [first, ...others] = units.toSorted((one, other) => one.seqs.size - other.seqs.size)
  return [...(first?.seqs ?? [])].filter((seq) => others.every(({ seqs }) => seqs.has(seq)))
}

function timesOf(known: Postings, term: string): Map<number, number> {
  const list = known.list(term)
  const times = new Map<number, number>()
  const sizes = known.sizes()
  if (list)
    eachPosting(list, 0, list.length, (document, n) => {
      if (sizes[document] !== 0) times.set(known.seqOf(document), n)
    })
  return times
}

function timesIn(texts: readonly string[], terms: Iterable<string>): Map<string, number> {
  const times = new Map(Array.from(terms, (term) => [term, 0]))
  for (const term of texts.flatMap((text) => tokenize(text))) {
    const n = times.get(term)
    if (n !== undefined) times.set(term, n + 1)
  }
  return times
}

/** What the index holds of the records, column by column. */
function textsOf(
  { read, kinds, zone }: KnownSource,
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
      const texts = kind ? textOf(kind, JSON.parse(body) as JsonObject, at, zone) : []
      found.set(seq, columns ? columns.flatMap((column) => texts[column] ?? []) : texts)
    }
  }
  return found
}

/** As `readBegun` says it, where the text index does not have all words yet. */
export function begunAmong(known: Postings, beginning: string): string | undefined {
  let best: string | undefined
  let most = 0
  for (const term of known.terms()) {
    if (!term.startsWith(beginning)) continue
    const having = known.frequency(term)
    if (having < most || having === 0 || (having === most && best !== undefined && best < term)) continue
    best = term
    most = having
  }
  return best
}
