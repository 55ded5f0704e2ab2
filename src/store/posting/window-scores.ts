// The scores of a window (a range of document numbers), and its candidates: the documents that may be among the best.
// Invariant: between windows all scores are 0: the caller clears every window.
import { b, k1, maxGainOfTerm } from './bm25.ts'
import {
  endOfBlock,
  maxPackedFrequency,
  type PackedEntries,
  blockSize,
  blockOf,
  frequencyBits,
} from './packed-entries.ts'
import {
  frequencyOf,
  isEntryOf,
  maxShortFrequency,
  type PostingList,
  seekPosting,
  shortFrequencyBits,
} from './posting-list.ts'

/**
 * The list of one term of a question. It adds `weight × gain`, at most `maxContribution`, to the score of each of its
 * documents.
 */
export interface QueryTerm {
  readonly list: PostingList
  readonly weight: number
  readonly maxContribution: number
}

export interface DocumentStats {
  /** From a document to how many terms it has; 0 for a removed one. */
  readonly sizes: Uint32Array
  /** Average number of terms of a document. */
  readonly averageSize: number
  /** All document numbers are below this. */
  readonly documentCount: number
}

/**
 * Gains are cached for frequencies below 4 and sizes below 256. An entry whose frequency did not fit has at least
 * `maxPackedFrequency`, which is above these: so its gain comes from its true frequency.
 */
const cachedFrequencies = 4
const cachedSizes = 256

/** For windows of up to `windowSize` documents. Its loops read fields into local variables first, which is faster. */
export class WindowScores {
  readonly candidates: Uint32Array
  readonly #scores: Float64Array
  readonly #gains = new Float64Array(cachedFrequencies * cachedSizes)
  /** The average size for which `#gains` are cached. */
  #gainsAverageSize = Number.NaN
  /** The length of a document times this is the part of its length norm that depends on the length. */
  #lengthFactor = 0
  #sizes: Uint32Array = new Uint32Array(0)
  /** First document of the window. */
  #windowStart = 0

  constructor(windowSize: number) {
    this.#scores = new Float64Array(windowSize)
    this.candidates = new Uint32Array(windowSize)
  }

  /** Starts a question over these documents. */
  prepare({ sizes, averageSize }: DocumentStats): void {
    this.#sizes = sizes
    if (this.#gainsAverageSize === averageSize) return
    this.#gainsAverageSize = averageSize
    this.#lengthFactor = (k1 * b) / averageSize
    // Size 0 marks removed documents, which gain nothing.
    for (let frequency = 1; frequency < cachedFrequencies; frequency++)
      for (let size = 1; size < cachedSizes; size++)
        this.#gains[frequency * cachedSizes + size] = gainBySize(frequency, size, this.#lengthFactor)
  }

  /** Starts a window at `document`. */
  startWindow(document: number): void {
    this.#windowStart = document
  }

  /** Resets the scores of the window, whose last document is before `end`. */
  clear(end: number): void {
    this.#scores.fill(0, 0, end - this.#windowStart)
  }

  scoreOf(document: number): number {
    return this.#scores[document - this.#windowStart] as number
  }

  /**
   * The score of `document` over all `terms`. `from`: the position in each list to search from. The call moves these
   * forward, so call it with ascending documents.
   */
  fullScoreOf(document: number, terms: readonly QueryTerm[], from: number[]): number {
    const size = this.#sizes[document] as number
    const lengthFactor = this.#lengthFactor
    let score = 0
    for (let i = 0; i < terms.length; i++) {
      const { list, weight } = terms[i] as QueryTerm
      const at = seekPosting(list, document, from[i] as number)
      if (isEntryOf(list, at, document))
        score += weight * gainBySize(frequencyOf(list, at, document), size, lengthFactor)
      from[i] = at
    }
    return score
  }

  /** Adds the gains from a list to the first `count` candidates, which ascend: looks each up, from `from` on. */
  addToCandidates({ list, weight }: QueryTerm, count: number, from: number): void {
    const { candidates } = this
    const first = this.#windowStart
    const sizes = this.#sizes
    const scores = this.#scores
    const lengthFactor = this.#lengthFactor
    let at = from
    for (let i = 0; i < count; i++) {
      const document = candidates[i] as number
      at = seekPosting(list, document, at)
      if (!isEntryOf(list, at, document)) continue
      const place = document - first
      const gain = gainBySize(frequencyOf(list, at, document), sizes[document] as number, lengthFactor)
      scores[place] = (scores[place] as number) + weight * gain
    }
  }

  /** Adds the gains of the entries from position `from` up to, not including, `to`. */
  addRange(term: QueryTerm, from: number, to: number): void {
    const { list, weight } = term
    if (list.packed) return this.#addPackedRange(term, list.packed, from, to)
    const { entries } = list
    const first = this.#windowStart
    const sizes = this.#sizes
    const scores = this.#scores
    const gains = this.#gains
    const lengthFactor = this.#lengthFactor
    for (let at = from; at < to; at++) {
      const entry = entries[at] as number
      const document = entry >>> shortFrequencyBits
      const size = sizes[document] as number
      const frequency = entry & maxShortFrequency
      const gain =
        frequency < cachedFrequencies && size < cachedSizes
          ? (gains[frequency * cachedSizes + size] as number)
          : gainBySize(frequencyOf(list, at, document), size, lengthFactor)
      const place = document - first
      scores[place] = (scores[place] as number) + weight * gain
    }
  }

  #addPackedRange({ list, weight }: QueryTerm, packed: PackedEntries, from: number, to: number): void {
    const { codes } = packed
    const first = this.#windowStart
    const sizes = this.#sizes
    const scores = this.#scores
    const gains = this.#gains
    const lengthFactor = this.#lengthFactor
    let at = from
    for (let block = blockOf(first); at < to; block++) {
      const end = Math.min(to, endOfBlock(packed, block))
      const begin = block * blockSize
      const offset = begin - first
      for (; at < end; at++) {
        const code = codes[at] as number
        const within = code >>> frequencyBits
        const size = sizes[begin + within] as number
        const frequency = code & maxPackedFrequency
        const gain =
          frequency < cachedFrequencies && size < cachedSizes
            ? (gains[frequency * cachedSizes + size] as number)
            : gainBySize(frequencyOf(list, at, begin + within), size, lengthFactor)
        const place = offset + within
        scores[place] = (scores[place] as number) + weight * gain
      }
    }
  }

  /**
   * Appends the live documents of these entries whose score is 0 to the first `count` candidates; returns the new
   * count. Call it before `addRange` of the same entries.
   */
  addUnscoredCandidates({ packed, entries }: PostingList, from: number, to: number, count: number): number {
    const { candidates } = this
    const first = this.#windowStart
    const sizes = this.#sizes
    const scores = this.#scores
    let length = count
    for (let at = from, block = blockOf(first); at < to; block++) {
      const end = packed ? Math.min(to, endOfBlock(packed, block)) : to
      for (; at < end; at++) {
        const document = packed
          ? block * blockSize + ((packed.codes[at] as number) >>> frequencyBits)
          : (entries[at] as number) >>> shortFrequencyBits
        if (scores[document - first] === 0 && sizes[document] !== 0) candidates[length++] = document
      }
    }
    return length
  }

  /**
   * Drops those of the first `count` candidates that score below `minScore`; returns how many are left. The order stays.
   */
  filterCandidates(count: number, minScore: number): number {
    const { candidates } = this
    const first = this.#windowStart
    const scores = this.#scores
    let length = 0
    for (let i = 0; i < count; i++) {
      const document = candidates[i] as number
      if ((scores[document - first] as number) >= minScore) candidates[length++] = document
    }
    return length
  }

  /**
   * Makes all documents before `end` with a score of `minScore` or above candidates; returns how many. `minScore` is
   * above 0.
   */
  collectCandidates(end: number, minScore: number): number {
    const { candidates } = this
    const first = this.#windowStart
    const scores = this.#scores
    const size = end - first
    let length = 0
    for (let place = 0; place < size; place++)
      if ((scores[place] as number) >= minScore) candidates[length++] = first + place
    return length
  }
}

/** `gainOf` of bm25.ts, except for rounding, with the length norm in two parts; 0 for a removed document. */
const gainBySize = (frequency: number, size: number, lengthFactor: number) =>
  size === 0 ? 0 : (maxGainOfTerm * frequency) / (frequency + constantNorm + lengthFactor * size)

/** The part of the length norm that does not depend on the length. */
const constantNorm = k1 * (1 - b)
