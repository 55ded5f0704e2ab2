// The best passage of each long record among the best: where it says what is asked, and how well that place answers.
// Invariant: the same on every host, whether postings in memory or FTS5 found the record: it is read from the record.
import type { Passage } from '../../core/capability/port/recall-port.ts'
import { collectText, type Kinds, whenField } from '../../core/kind.ts'
import { readPath } from '../../core/json/path.ts'
import type { BookStore } from '../../store/book-store.ts'
import { tokenize } from '../../store/word/tokenize.ts'
import { indexText } from '../../store/word/text.ts'
import { passageLength, passagesOf, type Span } from './passage.ts'
import { type Asked, gain } from '../asked.ts'

/** A passage, and how well it answers. */
export interface BestPassage extends Passage {
  /** By BM25, as long as the average for a text of `passageWords`. */
  readonly score: number
  /** The weight of the question's words in it, as a share of the weight of all. */
  readonly coverage: number
}

/** So many words has a passage of usual length. */
const passageWords = 60
/** Long records are read, which takes a while, so only those among so many of the best. */
const readLimit = 100
/** Passages of texts that were read lately are kept: the same long records answer question after question. */
const keptTexts = 400

interface CutPassage extends Span {
  readonly terms: readonly string[]
}

export type PassageReader = (seqs: readonly number[], asked: Asked) => Map<number, BestPassage>

/** Reads the passages of those of `seqs`, which are the best first, that are long. */
export function createPassageReader({ queries, kinds }: Pick<BookStore, 'queries' | 'kinds'>): PassageReader {
  const kept = new Map<string, readonly CutPassage[]>()
  const cut = (text: string): readonly CutPassage[] => {
    let passages = kept.get(text)
    if (passages) return passages
    if (kept.size >= keptTexts) kept.clear()
    passages = passagesOf(text).map(({ from, to }) => ({
      from,
      to,
      terms: tokenize(indexText(text.slice(from, to))),
    }))
    kept.set(text, passages)
    return passages
  }
  return (seqs, asked) => {
    const best = new Map<number, BestPassage>()
    if (seqs.length === 0) return best
    for (const [seq, record] of queries.read(seqs.slice(0, readLimit))) {
      for (const { path, text } of longTexts(kinds, record)) {
        for (const passage of cut(text)) {
          const { from, to } = passage
          const one = measure(passage, asked)
          if (one.score > (best.get(seq)?.score ?? 0)) best.set(seq, { path, from, to, ...one })
        }
      }
    }
    return best
  }
}

/** The texts of a record that have more than one passage, each under the path of its field. */
function longTexts(kinds: Kinds, record: { readonly kind: string }): { path: string; text: string }[] {
  return (kinds.get(record.kind)?.text ?? []).flatMap((path) => {
    if (path === whenField) return []
    const text = collectText(readPath(record, path)).join(' ')
    return text.length > passageLength ? [{ path, text }] : []
  })
}

function measure({ terms }: CutPassage, { places, weights, telling, totalTelling }: Asked) {
  const counts = new Map<number, number>()
  for (const term of terms) {
    const j = places.get(term)
    if (j !== undefined) counts.set(j, (counts.get(j) ?? 0) + 1)
  }
  let score = 0
  let matched = 0
  // In the order of the question's words, so that the sum is the same to the last bit wherever they stand.
  for (let j = 0; j < weights.length; j++) {
    const count = counts.get(j)
    if (count === undefined) continue
    score += (weights[j] as number) * gain(count, terms.length / passageWords)
    matched += telling[j] as number
  }
  return { score, coverage: totalTelling > 0 ? matched / totalTelling : 0 }
}
