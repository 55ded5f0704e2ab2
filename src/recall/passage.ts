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
import { gain } from './fuse.ts'

/**
 * A text of at most this many UTF-16 units is one passage. Longer texts are cut into passages of about this length.
 */
export const passageLength = 600
/** A run of text without the end of a sentence is cut if it is longer than this. */
const longest = 2 * passageLength

/** UTF-16 offsets into a text: from the first unit to before the last. */
export interface PassageSpan {
  readonly from: number
  readonly to: number
}

/** Ends of paragraphs, lines and sentences, in scripts with such marks. */
const ends = /\n\s*|[.!?…][)"'”’»\]]*\s+|[。！？]\s*/gu

/** The passages of `text`, in order. */
export function passagesOf(text: string): PassageSpan[] {
  const passages: PassageSpan[] = []
  let from = 0
  let last = 0
  const close = (to: number) => {
    if (to > from) passages.push({ from, to })
    from = to
  }
  const reach = (end: number) => {
    if (end - from > passageLength) close(last)
    while (end - from > longest) close(wordEnd(text, from + passageLength))
    last = end
  }
  for (const { index, 0: mark } of text.matchAll(ends)) reach(index + mark.length)
  reach(text.length)
  close(text.length)
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
  readonly places: ReadonlyMap<string, number>
  readonly weights: Float64Array
  readonly telling: Float64Array
  readonly totalTelling: number
}

export interface BestPassage extends Passage {
  /** BM25 score; `passageWords` is the average length. */
  readonly score: number
  /** The weight of the question's words in the passage, as a share of the weight of all words of the question. */
  readonly coverage: number
}

/** Words in a usual passage. */
const passageWords = 60
/** Most records that are read, the best first: reading long records takes a while. */
const readLimit = 100
/** Most texts with cached passages: the same long records answer many questions in a row. */
const cachedTexts = 400

interface CutPassage extends PassageSpan {
  readonly terms: readonly string[]
}

export type PassageReader = (seqs: readonly number[], question: QuestionWeights) => Map<number, BestPassage>

/** Scores the passages of long records among `seqs`, which come best first. */
export function createPassageReader({ queries, kinds }: Pick<BookStore, 'queries' | 'kinds'>): PassageReader {
  const cache = new Map<string, readonly CutPassage[]>()
  const cut = (text: string): readonly CutPassage[] => {
    let passages = cache.get(text)
    if (passages) return passages
    if (cache.size >= cachedTexts) cache.clear()
    passages = passagesOf(text).map(({ from, to }) => ({
      from,
      to,
      terms: tokenize(indexText(text.slice(from, to))),
    }))
    cache.set(text, passages)
    return passages
  }
  return (seqs, question) => {
    const best = new Map<number, BestPassage>()
    if (seqs.length === 0) return best
    for (const [seq, record] of queries.read(seqs.slice(0, readLimit))) {
      for (const { path, text } of longTexts(kinds, record)) {
        for (const passage of cut(text)) {
          const { from, to } = passage
          const one = measure(passage, question)
          if (one.score > (best.get(seq)?.score ?? 0)) best.set(seq, { path, from, to, ...one })
        }
      }
    }
    return best
  }
}

/** The texts of a record with more than one passage, and their paths. */
function longTexts(kinds: Kinds, record: { readonly kind: string }): { path: string; text: string }[] {
  return (kinds.get(record.kind)?.text ?? []).flatMap((path) => {
    if (path === whenField) return []
    const text = collectText(readPath(record, path)).join(' ')
    return text.length > passageLength ? [{ path, text }] : []
  })
}

function measure({ terms }: CutPassage, { places, weights, telling, totalTelling }: QuestionWeights) {
  const counts = new Map<number, number>()
  for (const term of terms) {
    const j = places.get(term)
    if (j !== undefined) counts.set(j, (counts.get(j) ?? 0) + 1)
  }
  let score = 0
  let matched = 0
  // Sum in the order of the question's words, so that the result is the same to the last bit.
  for (let j = 0; j < weights.length; j++) {
    const count = counts.get(j)
    if (count === undefined) continue
    score += (weights[j] as number) * gain(count, terms.length / passageWords)
    matched += telling[j] as number
  }
  return { score, coverage: totalTelling > 0 ? matched / totalTelling : 0 }
}
