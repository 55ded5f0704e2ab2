// The evidence for all legs of full text, gathered once for a question: the best records by their own text, their
// neighbours in their sessions, and how often each record has each word of the question.
// Invariant: the evidence is the same on every host, with postings in memory and with FTS5.
import type { RecallResult } from '../core/capability/port/recall-port.ts'
import { minRecordsForWeights, wordWeight } from '../core/text/word-weight.ts'
import type { BookStore } from '../store/book-store.ts'
import type { Candidate } from '../store/query/recall-questions.ts'
import { hasUnspacedScript } from '../store/word/unspaced-script.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { type BestPassage, createPassageReader, type PassageReader, type QuestionWeights } from './passage.ts'
import { bm25Gain } from './fuse.ts'
import { doQuestionOf, lightTermsOf } from './light-word.ts'
import { completeWords, correctWords, correctedWeight } from './spelling.ts'
import type { Question, Respelled } from './leg.ts'
import { createDateMatcher } from './question-date.ts'
import type { RecallPartSet } from './part.ts'

/** A record's index is its place in `seqs`: first the found records in order, then their neighbours. */
export interface TextEvidence {
  readonly limit: number
  readonly found: readonly Candidate[]
  /** Of a question with dates or numbers: 1 for each found record that has only parts of a date, which are no match. */
  readonly isLeftOut: Uint8Array | undefined
  /** Of such a question: 1 for each term of a date that counts in the record of that day only, not in its neighbours. */
  readonly ownDate: Uint8Array | undefined
  readonly seqs: readonly number[]
  /** The terms of the question, spelled as in the index, and their weights. */
  readonly terms: readonly string[]
  readonly weights: Float64Array
  readonly totalWeight: number
  readonly wordCounts: Pick<RecallResult, 'words' | 'indexed'>
  /** True: only the best words of a long question measure its answers. */
  readonly usesBestWordsOnly: boolean
  /** Completed or corrected term → the word of the question. */
  readonly respelled: ReadonlyMap<string, Respelled>
  /** 1 for each term of a light word, else 0. */
  readonly isLight: Uint8Array
  /** The index of the rarest term, which always answers; -1 for none. See `rarestTerm`. */
  readonly rarest: number
  /** True: the question isn't about the book. See `isForeignQuestion`. */
  readonly isForeign: boolean
  /** Weights of the terms for coverage. A book with fewer than a hundred records counts as a book with a hundred. */
  readonly coverageWeights: Float64Array
  /** Seq of a long record → its best passage. */
  readonly passages: ReadonlyMap<number, BestPassage>
  /** Long records whose best passage is unknown: see `ReadPassages`. */
  readonly unread: ReadonlySet<number>
  /** The share of each record that is near its neighbours, 0 to 1: 1 for a short record, less for a longer record. */
  readonly nearShare: Float64Array
  /** Words of each record, as a multiple of the average. */
  readonly lengths: Float64Array
  /** How often record `i` has term `j`: `counts[i × terms + j]`. */
  readonly counts: Uint32Array
  /** For each found record: the index of the previous and of the next record in its session; -1 for none. */
  readonly before: Int32Array
  readonly after: Int32Array
  /** For each found record: a number for its session; a unique negative number if it has no session. */
  readonly sessions: Int32Array
}

/** A neighbour counts within this many terms; in a script without spaces, a word is about three terms. */
const nearTerms = { spaced: 100, unspaced: 300 } as const

/** The share of a record with `termCount` terms that is near its neighbours, 0 to 1. */
const nearShareOf = (termCount: number, nearTerms: number) => Math.min(1, nearTerms / Math.max(1, termCount))

/**
 * Returns a reader that gathers the evidence once for all legs: recall passes the same `Question` object to
 * each.
 */
export function createEvidenceReader(
  store: Pick<BookStore, 'queries' | 'kinds'>,
  without: RecallPartSet,
): (question: Question) => TextEvidence | undefined {
  const passagesOf = createPassageReader(store)
  const gathered = new WeakMap<Question, TextEvidence | undefined>()
  return (question) => {
    if (!gathered.has(question))
      gathered.set(question, gatherEvidence({ store, without, passagesOf }, question))
    return gathered.get(question)
  }
}

/** True for a pair of letters that isn't a word: grammar in kana, or the border of two words, which no record has. */
const isChancePair = (term: string, documentFrequency: number) =>
  hasUnspacedScript(term) && (documentFrequency === 0 || /^[\u3041-\u309f]{2}$/.test(term))
/** The weight of such a pair, as a share of the weight of a word. */
const chancePairWeight = 0.25

/** From these sizes on, a single matching word is chance: of the question, and of the book in records or words. */
const foreignLimits = { questionTerms: 3, records: 100, bookWords: 2000 } as const

interface BookSize {
  readonly records: number
  /** Words of all records. */
  readonly words: number
}

/** The terms of a question by what they are for its subject. */
interface QuestionTerms {
  readonly terms: readonly string[]
  readonly frequencies: ReadonlyMap<string, number>
  readonly isLight: (term: string) => boolean
  readonly text: string
}

/** True when the book has no subject of the question: only words that fit any subject, or one word by chance. */
function isForeignQuestion(
  { terms, frequencies, isLight, text }: QuestionTerms,
  { records, words }: BookSize,
): boolean {
  const isUsed = (term: string) => (frequencies.get(term) ?? 0) > 0
  const used = terms.filter(isUsed)
  if (terms.some((term) => !isUsed(term) && !isLight(term)) && used.every(isLight)) return true
  // "What does a giraffe eat?" is about giraffes: in a book without them, who eats says nothing.
  const clause = doQuestionOf(text)
  if (clause && terms.includes(clause.subject) && !isUsed(clause.subject))
    if (used.every((term) => term === clause.verb || isLight(term))) return true
  const subjectTerms = terms.filter((term) => !isLight(term))
  const isSmall = records < foreignLimits.records && words < foreignLimits.bookWords
  if (subjectTerms.length < foreignLimits.questionTerms || isSmall) return false
  const [only = '', ...others] = used
  // A pair of letters is no word.
  if (only === '' || others.length > 0 || hasUnspacedScript(only)) return false
  const having = frequencies.get(only) ?? 0
  const isOwnSubject =
    having >= ownSubject.leastRecords &&
    having <= Math.max(ownSubject.leastRecords, ownSubject.share * records)
  return !isOwnSubject || subjectTerms.length > ownSubject.questionTerms || subjectTerms.at(-1) !== only
}

/**
 * The only known word of a question of at most so many terms is a subject of the book, not chance, if it is the last one
 * ("the order number of the marathon"), and if at least so many records have it, and at most this share of all.
 */
const ownSubject = { questionTerms: 3, leastRecords: 3, share: 0.02 } as const

/** A word is rare if at most this many records, or this share of all records, have it. */
const rareLimits = { records: 3, share: 0.005 } as const
/** Most words of the question that no record has, as a share of its other words. */
const maxUnknownShare = 0.5

/**
 * The index of the rarest word of the question, which always answers: the content word that fewest records have, if
 * it is rare. -1: the question has none, or its subject may be a word that no record has.
 */
function rarestTerm({ terms, frequencies, isLight }: QuestionTerms, records: number): number {
  let rarest = -1
  let least = Math.max(rareLimits.records, rareLimits.share * records)
  let knownCount = 0
  let unknownCount = 0
  terms.forEach((term, j) => {
    // A pair of letters is no word.
    if (isLight(term) || hasUnspacedScript(term)) return
    const having = frequencies.get(term) ?? 0
    if (having === 0) unknownCount += 1
    else knownCount += 1
    if (having === 0 || having > least || (rarest >= 0 && having === least)) return
    least = having
    rarest = j
  })
  return unknownCount <= maxUnknownShare * knownCount ? rarest : -1
}

const termsOf = (words: readonly string[]) => [...new Set(words.flatMap((word) => tokenize(word)))]

interface GatherDeps {
  readonly store: Pick<BookStore, 'queries'>
  readonly without: RecallPartSet
  readonly passagesOf: PassageReader
}

function gatherEvidence(
  { store: { queries }, without, passagesOf }: GatherDeps,
  question: Question,
): TextEvidence | undefined {
  const { match, scope, limit } = question
  if (question.words.length === 0) return undefined
  const { words, terms, respelled, frequencies } = spellWords(queries, question, without)
  const found = queries.candidates({ ...scope, words, match, limit })
  if (found.length === 0) return undefined
  const records = queries.indexedCount()
  const isLight = lightTermsAmong(terms, question, without)
  const weightsAmong = (count: number) =>
    Float64Array.from(terms, (term) => {
      const having = frequencies.get(term) ?? 0
      const share = isChancePair(term, having)
        ? chancePairWeight
        : respelled.get(term)?.isMisspelt
          ? correctedWeight
          : 1
      return wordWeight(count, having) * share
    })
  const weights = weightsAmong(records)
  const neighbours = findNeighbours(queries, question, found)
  const { rows, terms: termCount } = queries.totals()
  const averageSize = rows > 0 && termCount > 0 ? termCount / rows : 1
  const { counts, sizes } = queries.termCounts(neighbours.seqs, terms)
  const lengths = Float64Array.from(sizes, (one) => one / averageSize)
  const dated = matchDates(found, question, { terms, weights, counts, lengths })
  const coverageWeights = records < minRecordsForWeights ? weightsAmong(minRecordsForWeights) : weights
  const maxNearTerms = terms.some(hasUnspacedScript) ? nearTerms.unspaced : nearTerms.spaced
  const long = found.flatMap(({ seq }, i) => {
    const words = sizes[i] as number
    return words > maxNearTerms ? [{ seq, words }] : []
  })
  const questionWeights: QuestionWeights = {
    indexOfTerm: new Map(terms.map((term, j) => [term, j])),
    weights,
    coverageWeights,
    totalCoverageWeight: coverageWeights.reduce((sum, weight) => sum + weight, 0),
  }
  const questionTerms: QuestionTerms = { terms, frequencies, isLight, text: question.text }
  return {
    ...neighbours,
    ...passagesOf(without.has('passage') ? [] : long, questionWeights),
    nearShare: Float64Array.from(sizes, (one) =>
      without.has('length') ? 1 : nearShareOf(one, maxNearTerms),
    ),
    limit,
    ...dated,
    terms,
    weights,
    counts,
    coverageWeights,
    respelled,
    usesBestWordsOnly: !without.has('floor'),
    isLight: Uint8Array.from(terms, (term) => (isLight(term) ? 1 : 0)),
    rarest: without.has('rare') ? -1 : rarestTerm(questionTerms, records),
    isForeign: isForeignQuestion(questionTerms, { records, words: termCount }),
    totalWeight: weights.reduce((sum, weight) => sum + weight, 0),
    wordCounts: {
      words: terms.map((word) => ({ word, records: frequencies.get(word) ?? 0 })),
      indexed: records,
    },
    lengths,
  }
}

/**
 * Removes from `counts`, in place, the dates of a question that don't match as a whole; returns the found records with
 * the scores that are left.
 */
function matchDates(
  found: readonly Candidate[],
  { dates }: Question,
  { terms, weights, counts, lengths }: Pick<TextEvidence, 'terms' | 'weights' | 'counts' | 'lengths'>,
): Pick<TextEvidence, 'found' | 'isLeftOut' | 'ownDate'> {
  if (!dates) return { found, isLeftOut: undefined, ownDate: undefined }
  const width = terms.length
  const match = createDateMatcher(terms, dates)
  const ownDate = new Uint8Array(counts.length)
  const isLeftOut = new Uint8Array(found.length)
  const scored = [...found]
  for (let i = 0; i < lengths.length; i++) {
    const row = counts.subarray(i * width, (i + 1) * width)
    const gain = () =>
      row.reduce(
        (sum, count, j) =>
          sum + (count === 0 ? 0 : (weights[j] as number) * bm25Gain(count, lengths[i] as number)),
        0,
      )
    const one = found[i]
    const { ofDay, changed } = match({ counts: row, happenedAtMs: one?.happenedAtMs })
    for (const j of ofDay) ownDate[i * width + j] = 1
    if (changed.length === 0) continue
    const before = gain()
    for (const [j, count] of changed) row[j] = count
    if (!one) continue
    const rest = gain()
    scored[i] = { ...one, score: (one.score * rest) / before }
    if (rest === 0) isLeftOut[i] = 1
  }
  return { found: scored, isLeftOut, ownDate }
}

/** True for the light terms of a question; for none if the question has no other terms. */
function lightTermsAmong(
  terms: readonly string[],
  { text, match }: Question,
  without: RecallPartSet,
): (term: string) => boolean {
  if (match === 'all' || without.has('light')) return () => false
  const light = new Set(terms.filter(lightTermsOf(text)))
  return light.size === terms.length ? () => false : (term) => light.has(term)
}

/** The words of a question, completed and corrected, with their terms and the number of records with each term. */
function spellWords(
  queries: BookStore['queries'],
  { words: originals, match }: Question,
  without: RecallPartSet,
): Pick<TextEvidence, 'terms' | 'respelled'> & {
  readonly words: readonly string[]
  readonly frequencies: ReadonlyMap<string, number>
} {
  const frequencies = queries.frequencies(termsOf(originals))
  const completed =
    match === 'all' ? new Map<string, string>() : completeWords(originals, frequencies, queries)
  const unchanged =
    match === 'all' || without.has('spelling') ? [] : originals.filter((word) => !completed.has(word))
  const corrected = correctWords(unchanged, frequencies, queries)
  const isChanged = completed.size + corrected.size > 0
  const words = isChanged
    ? [...new Set(originals.map((word) => completed.get(word) ?? corrected.get(word) ?? word))]
    : originals
  const terms = termsOf(words)
  const respelledBy = (spelled: ReadonlyMap<string, string>, isMisspelt: boolean) =>
    [...spelled].map(([word, other]) => [termsOf([other])[0] ?? '', { word, isMisspelt }] as const)
  return {
    words,
    terms,
    respelled: new Map([...respelledBy(completed, false), ...respelledBy(corrected, true)]),
    frequencies: isChanged ? queries.frequencies(terms) : frequencies,
  }
}

/** The found records and their neighbours. */
function findNeighbours(
  queries: BookStore['queries'],
  { scope }: Question,
  found: readonly Candidate[],
): Pick<TextEvidence, 'seqs' | 'before' | 'after' | 'sessions'> {
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
  const neighboursBySeq = queries.neighbours(seqs, scope)
  const before = new Int32Array(found.length).fill(-1)
  const after = new Int32Array(found.length).fill(-1)
  const sessions = new Int32Array(found.length)
  const numbers = new Map<string | number, number>()
  found.forEach(({ seq }, i) => {
    const neighbours = neighboursBySeq.get(seq)
    before[i] = indexed(neighbours?.before)
    after[i] = indexed(neighbours?.after)
    if (neighbours?.session === undefined) sessions[i] = -1 - i
    else {
      const number = numbers.get(neighbours.session) ?? numbers.size
      numbers.set(neighbours.session, number)
      sessions[i] = number
    }
  })
  return { seqs, before, after, sessions }
}
