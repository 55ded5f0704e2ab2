// The scores of the documents in a window, and the candidates for the best.
// Invariant: between questions all scores are 0.
import {
  endOfStretch,
  manyTimes,
  type PackedEntries,
  stretch,
  stretchOf,
  timesBits,
} from './packed-entries.ts'
import { frequencyOf, isAt, type PostingList, seekPosting } from './posting-list.ts'

/**
 * The list of one term of a question. It adds `weight × gain`, at most `bound`, to the score of each of its
 * documents.
 */
export interface Walk {
  readonly list: PostingList
  readonly weight: number
  readonly bound: number
}

export interface Field {
  /** From a document to how many terms it has; 0 for a removed one. */
  readonly sizes: Uint32Array
  /** Average number of terms of a document. */
  readonly average: number
  /** All document numbers are below this. */
  readonly documents: number
}

/** Gains are cached for frequencies below 4 and sizes below 256. */
const cachedFrequencies = 4
const cachedSizes = 256

/** For windows of up to `windowSize` documents. Its loops read fields into local variables first, which is faster. */
export class WindowScores {
  readonly candidates: Uint32Array
  readonly #scores: Float64Array
  readonly #gains = new Float64Array(cachedFrequencies * cachedSizes)
  /** The average size for which `#gains` are cached. */
  #gainsFor = Number.NaN
  #perTerm = 0
  #sizes: Uint32Array = new Uint32Array(0)
  /** First document of the window. */
  #first = 0

  constructor(windowSize: number) {
    this.#scores = new Float64Array(windowSize)
    this.candidates = new Uint32Array(windowSize)
  }

  /** Starts a question over `field`. */
  prepare({ sizes, average }: Field): void {
    this.#sizes = sizes
    if (this.#gainsFor === average) return
    this.#gainsFor = average
    this.#perTerm = 0.9 / average
    // Size 0 marks removed documents, which gain nothing.
    for (let frequency = 1; frequency < cachedFrequencies; frequency++)
      for (let size = 1; size < cachedSizes; size++)
        this.#gains[frequency * cachedSizes + size] = gainOf(frequency, size, this.#perTerm)
  }

  /** Starts a window at `document`. */
  begin(document: number): void {
    this.#first = document
  }

  /** Resets the scores of the window, whose last document is before `end`. */
  clear(end: number): void {
    this.#scores.fill(0, 0, end - this.#first)
  }

  scoreOf(document: number): number {
    return this.#scores[document - this.#first] as number
  }

  /** The full score of `document`. `from`: the position in each list to search from; the call moves these. */
  wholeScore(document: number, walks: readonly Walk[], from: number[]): number {
    const size = this.#sizes[document] as number
    const perTerm = this.#perTerm
    let score = 0
    for (let i = 0; i < walks.length; i++) {
      const { list, weight } = walks[i] as Walk
      const at = seekPosting(list, document, from[i] as number)
      if (isAt(list, at, document)) score += weight * gainOf(frequencyOf(list, at, document), size, perTerm)
      from[i] = at
    }
    return score
  }

  /** Adds the gains from a list to the first `count` candidates: looks each up, from position `from` on. */
  addCandidates({ list, weight }: Walk, count: number, from: number): void {
    const { candidates } = this
    const first = this.#first
    const sizes = this.#sizes
    const scores = this.#scores
    const perTerm = this.#perTerm
    let at = from
    for (let i = 0; i < count; i++) {
      const document = candidates[i] as number
      at = seekPosting(list, document, at)
      if (!isAt(list, at, document)) continue
      const place = document - first
      const gain = gainOf(frequencyOf(list, at, document), sizes[document] as number, perTerm)
      scores[place] = (scores[place] as number) + weight * gain
    }
  }

  /** Adds the gains of the entries from position `from` up to, not including, `to`. */
  add(walk: Walk, from: number, to: number): void {
    const { list, weight } = walk
    if (list.packed) return this.#addPacked(walk, list.packed, from, to)
    const { entries } = list
    const first = this.#first
    const sizes = this.#sizes
    const scores = this.#scores
    const gains = this.#gains
    const perTerm = this.#perTerm
    for (let at = from; at < to; at++) {
      const entry = entries[at] as number
      const document = entry >>> 8
      const size = sizes[document] as number
      const frequency = entry & 255
      const gain =
        frequency < cachedFrequencies && size < cachedSizes
          ? (gains[frequency * cachedSizes + size] as number)
          : gainOf(frequencyOf(list, at, document), size, perTerm)
      const place = document - first
      scores[place] = (scores[place] as number) + weight * gain
    }
  }

  #addPacked({ list, weight }: Walk, packed: PackedEntries, from: number, to: number): void {
    const { codes } = packed
    const first = this.#first
    const sizes = this.#sizes
    const scores = this.#scores
    const gains = this.#gains
    const perTerm = this.#perTerm
    let at = from
    for (let own = stretchOf(first); at < to; own++) {
      const end = Math.min(to, endOfStretch(packed, own))
      const begin = own * stretch
      const offset = begin - first
      for (; at < end; at++) {
        const code = codes[at] as number
        const within = code >>> timesBits
        const size = sizes[begin + within] as number
        const frequency = code & manyTimes
        const gain =
          frequency < cachedFrequencies && size < cachedSizes
            ? (gains[frequency * cachedSizes + size] as number)
            : gainOf(frequencyOf(list, at, begin + within), size, perTerm)
        const place = offset + within
        scores[place] = (scores[place] as number) + weight * gain
      }
    }
  }

  /**
   * Appends the live documents of these entries whose score is 0 to the first `count` candidates; returns the new
   * count.
   */
  note({ packed, entries }: PostingList, from: number, to: number, count: number): number {
    const { candidates } = this
    const first = this.#first
    const sizes = this.#sizes
    const scores = this.#scores
    let length = count
    for (let at = from, own = stretchOf(first); at < to; own++) {
      const end = packed ? Math.min(to, endOfStretch(packed, own)) : to
      for (; at < end; at++) {
        const document = packed
          ? own * stretch + ((packed.codes[at] as number) >>> timesBits)
          : (entries[at] as number) >>> 8
        if (scores[document - first] === 0 && sizes[document] !== 0) candidates[length++] = document
      }
    }
    return length
  }

  /** Keeps those of the first `count` candidates with a score of `bar` or above; returns how many. */
  filter(count: number, bar: number): number {
    const { candidates } = this
    const first = this.#first
    const scores = this.#scores
    let length = 0
    for (let i = 0; i < count; i++) {
      const document = candidates[i] as number
      if ((scores[document - first] as number) >= bar) candidates[length++] = document
    }
    return length
  }

  /**
   * Makes all documents before `end` with a score of `bar` or above candidates; returns how many. `bar` is above 0.
   */
  gather(end: number, bar: number): number {
    const { candidates } = this
    const first = this.#first
    const scores = this.#scores
    const size = end - first
    let length = 0
    for (let place = 0; place < size; place++)
      if ((scores[place] as number) >= bar) candidates[length++] = first + place
    return length
  }
}

const gainOf = (frequency: number, size: number, perTerm: number) =>
  size === 0 ? 0 : (2.2 * frequency) / (frequency + 0.3 + perTerm * size)
