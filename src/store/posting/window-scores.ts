// What each document of a window has so far of its score, and who among them is a candidate for the best.
// Invariant: outside of a question nothing has anything, so that the next one begins with zeros everywhere.
import {
  endOfStretch,
  manyTimes,
  type PackedEntries,
  stretch,
  stretchOf,
  timesBits,
} from './packed-entries.ts'
import { frequencyOf, isAt, type PostingList, seekPosting } from './posting-list.ts'

/** One term of a question: what each of its documents gets is `weight × gain`, and at most `bound`. */
export interface Walk {
  readonly list: PostingList
  readonly weight: number
  readonly bound: number
}

export interface Field {
  /** How many terms each document has; 0 when it was removed. */
  readonly sizes: Uint32Array
  /** How many terms a document has on average. */
  readonly average: number
  /** Numbers of documents are below this. */
  readonly documents: number
}

/** Gains are kept for frequencies and sizes below these. */
const knownFrequencies = 4
const knownSizes = 256

export type WindowScores = ReturnType<typeof createWindowScores>

/** Scores for windows of up to `windowSize` documents. Closures over arrays: methods that load these from fields are slower. */
export function createWindowScores(windowSize: number) {
  const scores = new Float64Array(windowSize)
  const candidates = new Uint32Array(windowSize)
  const gains = new Float64Array(knownFrequencies * knownSizes)
  let gainsFor = Number.NaN
  let perTerm = 0
  let sizes: Uint32Array = new Uint32Array(0)
  /** The document with which the window begins. */
  let first = 0

  const gainOf = (frequency: number, size: number) =>
    size === 0 ? 0 : (2.2 * frequency) / (frequency + 0.3 + perTerm * size)

  /** What `document` gets from a list, looked up from `from` on. Answers where it was looked for. */
  const addOne = ({ list, weight }: Walk, document: number, from: number): number => {
    const at = seekPosting(list, document, from)
    if (isAt(list, at, document)) {
      const place = document - first
      const gain = gainOf(frequencyOf(list, at, document), sizes[document] as number)
      scores[place] = (scores[place] as number) + weight * gain
    }
    return at
  }

  /** Adds entries of a packed list, stretch by stretch. */
  const addPacked = ({ list, weight }: Walk, packed: PackedEntries, from: number, to: number) => {
    const { codes } = packed
    const lengths = sizes
    let at = from
    for (let own = stretchOf(first); at < to; own++) {
      const end = Math.min(to, endOfStretch(packed, own))
      const begun = own * stretch
      const offset = begun - first
      for (; at < end; at++) {
        const code = codes[at] as number
        const within = code >>> timesBits
        const size = lengths[begun + within] as number
        const frequency = code & manyTimes
        const gain =
          frequency < knownFrequencies && size < knownSizes
            ? (gains[frequency * knownSizes + size] as number)
            : gainOf(frequencyOf(list, at, begun + within), size)
        const place = offset + within
        scores[place] = (scores[place] as number) + weight * gain
      }
    }
  }

  return {
    candidates,
    addOne,
    /** For a question over `field`. */
    prepare(field: Field) {
      sizes = field.sizes
      if (gainsFor === field.average) return
      gainsFor = field.average
      perTerm = 0.9 / field.average
      // Of size 0 are those that were removed: they gain nothing.
      for (let frequency = 1; frequency < knownFrequencies; frequency++)
        for (let size = 1; size < knownSizes; size++)
          gains[frequency * knownSizes + size] = gainOf(frequency, size)
    },
    /** From now on the window begins with the document `document`. */
    begin(document: number) {
      first = document
    },
    /** Nothing in the window has anything; it ends before the document `end`. */
    clear(end: number) {
      scores.fill(0, 0, end - first)
    },
    scoreOf: (document: number): number => scores[document - first] as number,
    /** The whole score of `document`, from `walks`; each list is looked up from where `from` says, and `from` moves on. */
    wholeScore(document: number, walks: readonly Walk[], from: number[]): number {
      first = document
      for (let i = 0; i < walks.length; i++) from[i] = addOne(walks[i] as Walk, document, from[i] as number)
      const score = scores[0] as number
      scores[0] = 0
      return score
    },
    /** Adds what entries give to the documents of the window. */
    add(walk: Walk, from: number, to: number) {
      const { list, weight } = walk
      if (list.packed) return addPacked(walk, list.packed, from, to)
      const { entries } = list
      const begun = first
      const lengths = sizes
      for (let at = from; at < to; at++) {
        const entry = entries[at] as number
        const document = entry >>> 8
        const size = lengths[document] as number
        const frequency = entry & 255
        const gain =
          frequency < knownFrequencies && size < knownSizes
            ? (gains[frequency * knownSizes + size] as number)
            : gainOf(frequencyOf(list, at, document), size)
        const place = document - begun
        scores[place] = (scores[place] as number) + weight * gain
      }
    },
    /** Takes the documents of entries that have nothing so far for candidates, behind `noted`; answers how many there are. */
    note(list: PostingList, from: number, to: number, noted: number): number {
      let count = noted
      const { packed, entries } = list
      for (let at = from, own = stretchOf(first); at < to; own++) {
        const end = packed ? Math.min(to, endOfStretch(packed, own)) : to
        for (; at < end; at++) {
          const document = packed
            ? own * stretch + ((packed.codes[at] as number) >>> timesBits)
            : (entries[at] as number) >>> 8
          if (scores[document - first] === 0 && sizes[document] !== 0) candidates[count++] = document
        }
      }
      return count
    },
    /** Those of the candidates that have at least `bar`; answers how many. */
    keep(count: number, bar: number): number {
      let kept = 0
      for (let i = 0; i < count; i++) {
        const document = candidates[i] as number
        if ((scores[document - first] as number) >= bar) candidates[kept++] = document
      }
      return kept
    },
    /** All documents of the window, which ends before `end`, that have at least `bar`, which is above 0. */
    gather(end: number, bar: number): number {
      const begun = first
      let count = 0
      for (let place = 0; place < end - begun; place++)
        if ((scores[place] as number) >= bar) candidates[count++] = begun + place
      return count
    },
  }
}
