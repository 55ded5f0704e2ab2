// What the three legs of full text work with, gathered once for a question: the best records by their own text, those
// that stand right beside them in their sessions, and how often each has each word of the question.
// Invariant: the same on every host, whether postings in memory or FTS5 answered.
import type { BookStore } from '../store/book-store.ts'
import type { Candidate } from '../store/query/recall-questions.ts'
import { isUnspaced } from '../store/word/unspaced-script.ts'
import { tokenize } from '../store/word/tokenize.ts'
import type { Asked } from './asked.ts'
import { type BestPassage, createPassageReader, type PassageReader } from './passage/best-passage.ts'
import { wordWeight } from './fuse.ts'
import { isLightTerm } from './question/asking-word.ts'
import { growWords } from './question/grown-word.ts'
import { meantWords, misspeltShare } from './question/misspelt-word.ts'
import type { Question } from './leg.ts'
import type { Without } from './part.ts'

/** Records by their place in `seqs`: those found come first, in their order, and then those beside them. */
export interface TextEvidence {
  readonly limit: number
  readonly found: readonly Candidate[]
  readonly seqs: readonly number[]
  /** The question's words as the index spells them, and what each weighs. */
  readonly terms: readonly string[]
  readonly weights: Float64Array
  readonly totalWeight: number
  /** The floor of a long question is that of its best words. */
  readonly isCapped: boolean
  /** By a term that stands for a misspelt word: that word. */
  readonly spelled: ReadonlyMap<string, string>
  /** The question is about something else than the book: see `isForeign`. */
  readonly foreign: boolean
  /** What each word weighs in telling whether a record answers: not less than in a book of a hundred records. */
  readonly telling: Float64Array
  /** Long records among those found: where each answers best. By its number. */
  readonly passages: ReadonlyMap<number, BestPassage>
  /** How much of a record stands right beside another, 0 to 1: all of a short one, and the less of it the longer it is. */
  readonly near: Float64Array
  /** How many words each record has, as a share of the average. */
  readonly lengths: Float64Array
  /** How often record `i` has term `j`: `counts[i × terms + j]`. */
  readonly counts: Uint32Array
  /** Places of the records right before and after each of those found, in its session; -1 for none. */
  readonly before: Int32Array
  readonly after: Int32Array
  /** A number for the session of each of those found; one without a session has a number of its own. */
  readonly sessions: Int32Array
}

/** In a book of fewer records, words weigh as they would among this many: so few say nothing of how rare a word is. */
const fewRecords = 100
/** Within so many words of a record stands what belongs to it; in a script without spaces a word is about three terms. */
const wordsBeside = { spaced: 100, unspaced: 300 } as const

/** What `size` terms leave of a record to stand right beside another. */
const nearOf = (size: number, words: number) => Math.min(1, words / Math.max(1, size))

/** Gathers the evidence of a question once, however many legs ask. */
export function createEvidenceReader(
  store: Pick<BookStore, 'queries' | 'kinds'>,
  without: Without,
): (question: Question) => TextEvidence | undefined {
  const passagesOf = createPassageReader(store)
  const gathered = new WeakMap<Question, TextEvidence | undefined>()
  return (question) => {
    if (!gathered.has(question)) gathered.set(question, gather({ store, without, passagesOf }, question))
    return gathered.get(question)
  }
}

/** Pairs of letters that are no word: grammar in kana, and what nobody ever wrote because two words meet there. */
const isChance = (term: string, having: number) =>
  isUnspaced(term) && (having === 0 || /^[\u3041-\u309f]{2}$/.test(term))
/** What such a pair weighs, as a share of what a word does. */
const chanceShare = 0.25

/**
 * A question of so many words, of which a book of so many records knows only one, hits upon that one by chance. A few long
 * records, which have as many words as so many short ones, are such a book too.
 */
const foreign = { words: 3, records: 100, written: 2000 } as const

interface Sizes {
  readonly records: number
  /** Words of all records. */
  readonly written: number
}

/** True when nothing that the question is about is in the book: at most what goes with every subject, or one word by chance. */
function isForeign(
  terms: readonly string[],
  frequencies: ReadonlyMap<string, number>,
  { records, written }: Sizes,
) {
  const known = terms.filter((term) => (frequencies.get(term) ?? 0) > 0)
  if (known.length < terms.length && known.every(isLightTerm)) return true
  if (terms.length < foreign.words || (records < foreign.records && written < foreign.written)) return false
  // Pairs of letters are not words.
  return known.length === 1 && !isUnspaced(known[0] ?? '')
}

const termsOf = (words: readonly string[]) => [...new Set(words.flatMap((word) => tokenize(word)))]

interface Gathering {
  readonly store: Pick<BookStore, 'queries'>
  readonly without: Without
  readonly passagesOf: PassageReader
}

function gather(
  { store: { queries }, without, passagesOf }: Gathering,
  question: Question,
): TextEvidence | undefined {
  const { match, scope, limit } = question
  if (question.words.length === 0) return undefined
  const asked = queries.frequencies(termsOf(question.words))
  const grown = match === 'all' ? question.words : growWords(question.words, asked, queries)
  const unchanged =
    match === 'all' || without.has('spelling') ? [] : grown.filter((word) => question.words.includes(word))
  const meant = meantWords(unchanged, asked, queries)
  const words = meant.size === 0 ? grown : [...new Set(grown.map((word) => meant.get(word) ?? word))]
  const spelled = new Map([...meant].map(([word, other]) => [termsOf([other])[0] ?? '', word]))
  const terms = termsOf(words)
  const frequencies = words === question.words ? asked : queries.frequencies(terms)
  const found = queries.candidates({ ...scope, words, match, limit })
  if (found.length === 0) return undefined
  const records = queries.size()
  const weighAmong = (count: number) =>
    Float64Array.from(terms, (term) => {
      const having = frequencies.get(term) ?? 0
      const share = isChance(term, having) ? chanceShare : spelled.has(term) ? misspeltShare : 1
      return wordWeight(count, having) * share
    })
  const weights = weighAmong(records)
  const seqs = found.map(({ seq }) => seq)
  const indexOf = new Map(seqs.map((seq, i) => [seq, i]))
  const indexed = (seq: number | undefined): number => {
    if (seq === undefined) return -1
    let i = indexOf.get(seq)
    if (i === undefined) {
      indexOf.set(seq, (i = seqs.length))
      seqs.push(seq)
    }
    return i
  }
  const places = queries.places(seqs, scope)
  const before = new Int32Array(found.length).fill(-1)
  const after = new Int32Array(found.length).fill(-1)
  const sessions = new Int32Array(found.length)
  const numbers = new Map<string | number, number>()
  found.forEach(({ seq }, i) => {
    const place = places.get(seq)
    before[i] = indexed(place?.before)
    after[i] = indexed(place?.after)
    if (place?.session === undefined) sessions[i] = -1 - i
    else {
      const number = numbers.get(place.session) ?? numbers.size
      numbers.set(place.session, number)
      sessions[i] = number
    }
  })
  const { rows, terms: size } = queries.totals()
  const averageSize = rows > 0 && size > 0 ? size / rows : 1
  const { counts, sizes } = queries.termCounts(seqs, terms)
  const telling = records < fewRecords ? weighAmong(fewRecords) : weights
  const beside = terms.some(isUnspaced) ? wordsBeside.unspaced : wordsBeside.spaced
  const long = found.flatMap(({ seq }, i) => ((sizes[i] as number) > beside ? [seq] : []))
  const asking: Asked = {
    places: new Map(terms.map((term, j) => [term, j])),
    weights,
    telling,
    totalTelling: telling.reduce((sum, weight) => sum + weight, 0),
  }
  return {
    passages: passagesOf(without.has('passage') ? [] : long, asking),
    near: Float64Array.from(sizes, (size) => (without.has('length') ? 1 : nearOf(size, beside))),
    limit,
    found,
    seqs,
    terms,
    weights,
    counts,
    before,
    after,
    sessions,
    telling,
    spelled,
    isCapped: !without.has('floor'),
    foreign: isForeign(terms, frequencies, { records, written: size }),
    totalWeight: weights.reduce((sum, weight) => sum + weight, 0),
    lengths: Float64Array.from(sizes, (one) => one / averageSize),
  }
}
