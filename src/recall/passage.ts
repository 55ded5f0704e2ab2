// Passages of long texts: runs of whole paragraphs and sentences, as offsets; and the best passage of a long record,
// so that the score of the record also depends on its best passage.
// Invariant: passages cover the whole text, without gaps and overlaps. They depend only on the text, so every host
// cuts the same passages.
import type { Passage } from '../core/capability/port/recall-port.ts'
import { readPath } from '../core/json/path.ts'
import { collectText, type Kinds, whenField } from '../core/kind.ts'
import type { BookStore } from '../store/book-store.ts'
import { indexText } from '../store/word/text.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { bm25Gain } from './fuse.ts'

/**
 * A text of at most this many UTF-16 units is one passage. Longer texts are cut into passages of about this length.
 */
export const maxPassageChars = 600
/** A run of text without the end of a sentence is cut if it is longer than this. */
const maxUnbrokenChars = 2 * maxPassageChars

/** UTF-16 offsets into a text: from the first unit to before the last. */
export interface PassageSpan {
  readonly from: number
  readonly to: number
}

/** Ends of paragraphs, lines and sentences, in scripts with such marks. */
const sentenceEnds = /\n\s*|[.!?…][)"'”’»\]]*\s+|[。！？]\s*/gu

/** The passages of `text`, in order. */
export function passagesOf(text: string): PassageSpan[] {
  const passages: PassageSpan[] = []
  let from = 0
  let lastEnd = 0
  const closePassage = (to: number) => {
    if (to > from) passages.push({ from, to })
    from = to
  }
  const addSentence = (end: number) => {
    if (end - from > maxPassageChars) closePassage(lastEnd)
    while (end - from > maxUnbrokenChars) closePassage(wordEnd(text, from + maxPassageChars))
    lastEnd = end
  }
  for (const { index, 0: mark } of text.matchAll(sentenceEnds)) addSentence(index + mark.length)
  addSentence(text.length)
  closePassage(text.length)
  return passages
}

/** The end of a word shortly before `at`, else `at`; never inside a character. */
function wordEnd(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at)
  if (space > at - 100) return space + 1
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at
}

/** The terms of a question with their weights, to score passages. */
export interface QuestionWeights {
  /** The index of each term in the weights. */
  readonly indexOfTerm: ReadonlyMap<string, number>
  readonly weights: Float64Array
  readonly coverageWeights: Float64Array
  readonly totalCoverageWeight: number
}

export interface BestPassage extends Passage {
  /** BM25 score; `averagePassageWords` is the average length. */
  readonly score: number
  /** The weight of the question's words in the passage, as a share of the weight of all words of the question. */
  readonly coverage: number
}

/** Words in a usual passage. */
const averagePassageWords = 60
/** Most records that are read, the best first: reading long records takes a while. */
const maxReadRecords = 100
/** UTF-16 units of text that a question reads, about: 20 ms for each million. The best record is always read. */
const maxReadChars = 4_000_000
/** UTF-16 units of a word with the space after it, about, to estimate the length of a record from its words. */
const charsPerWord = 6
/** UTF-16 units of all texts with cached passages: the same long records answer many questions in a row. */
const maxCachedChars = 8_000_000

interface CutPassage extends PassageSpan {
  readonly terms: readonly string[]
}

/** A long record, and how many words it has. */
export interface LongRecord {
  readonly seq: number
  readonly words: number
}

/** `unread`: records that were too much to read beside better ones, so that their best passage is unknown. */
export interface ReadPassages {
  readonly passages: ReadonlyMap<number, BestPassage>
  readonly unread: ReadonlySet<number>
}

export type PassageReader = (records: readonly LongRecord[], question: QuestionWeights) => ReadPassages

/** Scores the passages of long `records`, which come best first. */
export function createPassageReader({ queries, kinds }: Pick<BookStore, 'queries' | 'kinds'>): PassageReader {
  const cache = new Map<string, readonly CutPassage[]>()
  let cachedChars = 0
  const cutPassages = (text: string): readonly CutPassage[] => {
    let passages = cache.get(text)
    if (passages) return passages
    if (cachedChars + text.length > maxCachedChars) {
      cache.clear()
      cachedChars = 0
    }
    cachedChars += text.length
    passages = passagesOf(text).map(({ from, to }) => ({
      from,
      to,
      terms: tokenize(indexText(text.slice(from, to))),
    }))
    cache.set(text, passages)
    return passages
  }
  return (records, question) => {
    const best = new Map<number, BestPassage>()
    const { seqs, unread } = selectReadable(records)
    if (seqs.length === 0) return { passages: best, unread }
    for (const [seq, record] of queries.read(seqs)) {
      for (const { path, text } of longTexts(kinds, record)) {
        for (const passage of cutPassages(text)) {
          const { from, to } = passage
          const measured = scorePassage(passage, question)
          if (measured.score > (best.get(seq)?.score ?? 0)) best.set(seq, { path, from, to, ...measured })
        }
      }
    }
    return { passages: best, unread }
  }
}

/** The records to read: the best ones, as long as all are within `maxReadChars`. */
function selectReadable(records: readonly LongRecord[]): { seqs: number[]; unread: Set<number> } {
  const seqs: number[] = []
  const unread = new Set<number>()
  let chars = 0
  for (const { seq, words } of records.slice(0, maxReadRecords)) {
    chars += words * charsPerWord
    if (chars <= maxReadChars || seqs.length === 0) seqs.push(seq)
    else unread.add(seq)
  }
  return { seqs, unread }
}

/** The texts of a record with more than one passage, and their paths. */
function longTexts(kinds: Kinds, record: { readonly kind: string }): { path: string; text: string }[] {
  return (kinds.get(record.kind)?.text ?? []).flatMap((path) => {
    if (path === whenField) return []
    const text = collectText(readPath(record, path)).join(' ')
    return text.length > maxPassageChars ? [{ path, text }] : []
  })
}

function scorePassage(
  { terms }: CutPassage,
  { indexOfTerm, weights, coverageWeights, totalCoverageWeight }: QuestionWeights,
) {
  const counts = new Map<number, number>()
  for (const term of terms) {
    const j = indexOfTerm.get(term)
    if (j !== undefined) counts.set(j, (counts.get(j) ?? 0) + 1)
  }
  let score = 0
  let matched = 0
  // Sum in the order of the question's words, so that the result is the same to the last bit.
  for (let j = 0; j < weights.length; j++) {
    const count = counts.get(j)
    if (count === undefined) continue
    score += (weights[j] as number) * bm25Gain(count, terms.length / averagePassageWords)
    matched += coverageWeights[j] as number
  }
  return { score, coverage: totalCoverageWeight > 0 ? matched / totalCoverageWeight : 0 }
}
