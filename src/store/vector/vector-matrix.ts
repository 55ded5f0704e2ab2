// All vectors of a book in one piece of memory, and the search for the most similar. The search compares all vectors
// up to `codesAbove`; above that, those with the nearest codes, unless `exact` is set.
// Invariant: row i belongs to the record `seqs[i]`. Rows have no gaps: the last row moves into the place of a
// removed one.
import { type CodeKernel, layout, maskView, rowBytesOf, type VectorKernel } from './vector-kernel.ts'
import { type QuantisedVector, quantiseQuestion } from './quantise.ts'
import { createVectorCodes, meansOf, type VectorCodes } from './vector-codes.ts'

export interface VectorHit {
  readonly seq: number
  /** Cosine similarity to the question, −1 to 1. */
  readonly similarity: number
}

export interface VectorSearch {
  readonly limit: number
  /** The least similarity of a hit, −1 to 1. */
  readonly minSimilarity: number
  /** Search only these records. Default all. */
  readonly onlySeqs?: readonly number[] | undefined
  /** Compare every vector, however many there are. Default false. */
  readonly exact?: boolean | undefined
}

/** The distribution of the similarities to a question. */
export interface SimilarityDistribution {
  /** How many vectors there are. */
  readonly count: number
  readonly mean: number
  /** Standard deviation. */
  readonly deviation: number
}

export interface VectorMatrixOptions {
  /** Most memory for the vectors and their codes, in bytes. */
  readonly maxBytes: number
  /** Scans the codes. Default: every search compares all vectors. */
  readonly codeKernel?: CodeKernel | undefined
  /** Above this many vectors, a search compares only those with the nearest codes. */
  readonly codesAbove?: number | undefined
}

/** To compare this many vectors takes four milliseconds. */
const defaultCodesAbove = 131_072
/**
 * How many nearest codes a search compares: `perHit` for each wanted hit, at least `min`. Among a million sentence
 * vectors (all-MiniLM-L6-v2), these include 99.8 % of the ten most similar.
 */
const candidateCount = { min: 1000, perHit: 7 } as const
/** Up to this many rows, a search of each row is faster than a scan of all. */
const maxSingleRowScans = 256
/** Size of a sample. The standard error of its mean is about a thirtieth of the deviation. */
const sampleSize = 1000
/** So many scores of a sample more than the wanted share are a sure floor, nearly always. */
const sampleMargin = 6
/** Growth factor of memory. */
const growthFactor = 1.25

export class VectorMatrix {
  readonly dimensions: number
  readonly #kernel: VectorKernel
  readonly #codeKernel: CodeKernel | undefined
  readonly #codesAbove: number
  /** Bytes of the numbers of a row: a multiple of 32, as the kernel requires. */
  readonly #width: number
  /** Bytes of a row. */
  readonly #stride: number
  readonly #maxRows: number
  readonly #rowOfSeq = new Map<number, number>()
  #seqs = new Float64Array(64)
  /** Rows that fit into the present memory. */
  #reservedRows = 0
  /** Undefined until there are more than `codesAbove` rows; `false` when there was no memory for the codes. */
  #codes: VectorCodes | false | undefined
  /** The scores of the last question; undefined after a change. */
  #sampled: { readonly question: Float32Array; readonly scores: Float32Array } | undefined

  constructor(
    kernel: VectorKernel,
    dimensions: number,
    { maxBytes, codeKernel, codesAbove = defaultCodesAbove }: VectorMatrixOptions,
  ) {
    this.#kernel = kernel
    this.#codeKernel = codeKernel
    this.#codesAbove = codesAbove
    this.dimensions = dimensions
    this.#width = Math.ceil(dimensions / 32) * 32
    this.#stride = rowBytesOf(this.#width)
    // A code has a bit for each number.
    const rowBytes = this.#stride + (codeKernel ? this.#width / 8 : 0)
    this.#maxRows = Math.min(layout.maxRows, Math.floor(maxBytes / rowBytes))
  }

  /** Adds or replaces the vector of a record; false when no memory is left. */
  set(seq: number, { numbers, scale }: QuantisedVector): boolean {
    const rows = this.#rowOfSeq
    const old = rows.get(seq)
    if (old === undefined && !this.#reserve(rows.size + 1)) return false
    this.#sampled = undefined
    const row = old ?? rows.size
    if (old === undefined) rows.set(seq, row)
    this.#seqs[row] = seq
    const at = layout.rows + row * this.#stride
    const memory = this.#kernel.memory()
    const bytes = new Int8Array(memory, at, this.#width)
    bytes.set(numbers)
    bytes.fill(0, numbers.length)
    new DataView(memory).setFloat32(at + this.#width, scale, true)
    this.#updateCode(row)
    return true
  }

  remove(seq: number): void {
    const row = this.#rowOfSeq.get(seq)
    if (row === undefined) return
    this.#sampled = undefined
    const last = this.#rowOfSeq.size - 1
    this.#rowOfSeq.delete(seq)
    if (row === last) return
    const stride = this.#stride
    const from = layout.rows + last * stride
    new Uint8Array(this.#kernel.memory()).copyWithin(layout.rows + row * stride, from, from + stride)
    if (this.#codes) this.#codes.move(last, row)
    const moved = this.#seqs[last] as number
    this.#seqs[row] = moved
    this.#rowOfSeq.set(moved, row)
  }

  has(seq: number): boolean {
    return this.#rowOfSeq.has(seq)
  }

  /** The most similar vectors, best first; of equals, the higher record number first. */
  search(question: Float32Array, search: VectorSearch): VectorHit[] {
    const { limit, minSimilarity, onlySeqs } = search
    if (this.#rowOfSeq.size === 0 || limit < 1) return []
    const rows = this.#rowsToCompare(question, search)
    const sampleScores = rows || onlySeqs ? undefined : this.#sampleScores(question)
    const scale = this.#writeQuestion(question)
    if (scale === 0) return []
    // A score times `scale` is a similarity.
    // Rounding may give a similarity slightly below −1, which must not exclude a vector.
    const minScore = minSimilarity <= -1 ? -Infinity : Math.fround(minSimilarity / scale)
    let best = createTopHits(limit)
    if (rows) this.#scanRows(rows, minScore, best)
    else {
      if (onlySeqs) this.#writeMask(onlySeqs)
      const likely = sampleScores ? likelyFloor(sampleScores, limit / this.#rowOfSeq.size) : -Infinity
      this.#scanAll(onlySeqs !== undefined, Math.max(minScore, likely), best)
      if (best.size() < limit && likely > minScore) {
        best = createTopHits(limit)
        this.#scanAll(false, minScore, best)
      }
    }
    return best
      .sorted()
      .map(({ score, seq }) => ({ seq, similarity: Math.max(-1, Math.min(1, score * scale)) }))
  }

  /** Mean and deviation of the similarities of an even sample of the vectors, without zero vectors. */
  similarityDistribution(question: Float32Array): SimilarityDistribution {
    const scores = this.#sampleScores(question)
    if (scores.length === 0) return { count: 0, mean: 0, deviation: 0 }
    const scale = this.#writeQuestion(question)
    let sum = 0
    let squares = 0
    for (const score of scores) {
      const similarity = score * scale
      sum += similarity
      squares += similarity * similarity
    }
    const mean = sum / scores.length
    const deviation = Math.sqrt(Math.max(0, squares / scores.length - mean * mean))
    return { count: this.#rowOfSeq.size, mean, deviation }
  }

  size(): number {
    return this.#rowOfSeq.size
  }

  sizeBytes(): number {
    const codeBytes = this.#codes ? this.#codes.sizeBytes() : 0
    return this.#kernel.memory().byteLength + this.#seqs.byteLength + this.#rowOfSeq.size * 24 + codeBytes
  }

  #reserve(count: number): boolean {
    if (count > this.#maxRows) return false
    if (count > this.#reservedRows) {
      const wanted = Math.min(this.#maxRows, Math.max(64, Math.ceil(count * growthFactor)))
      // Eight bytes more, because the last load of a scan may read beyond the last row.
      if (!this.#kernel.grow(layout.rows + wanted * this.#stride + 8)) return false
      this.#reservedRows = wanted
    }
    if (count > this.#seqs.length) {
      const larger = new Float64Array(Math.ceil(count * growthFactor))
      larger.set(this.#seqs)
      this.#seqs = larger
    }
    return true
  }

  #readRow(row: number): QuantisedVector {
    const at = layout.rows + row * this.#stride
    const memory = this.#kernel.memory()
    return {
      numbers: new Int8Array(memory, at, this.dimensions),
      scale: new DataView(memory).getFloat32(at + this.#width, true),
    }
  }

  #updateCode(row: number): void {
    const { size } = this.#rowOfSeq
    // Codes are made for all rows when there are more than `codesAbove`, and then for each new row.
    if (this.#codes) {
      if (!this.#codes.set(row, this.#readRow(row))) this.#codes = false
    } else if (this.#codes === undefined && this.#codeKernel && size > this.#codesAbove) {
      const sample = Array.from(sampleRows(size), (at) => this.#readRow(at))
      const codes = createVectorCodes(this.#codeKernel, meansOf(sample, this.dimensions))
      let fits = true
      for (let at = 0; at < size && fits; at++) fits = codes.set(at, this.#readRow(at))
      this.#codes = fits && codes
    }
  }

  /** Writes a question where the kernel reads it. A score times the result is a similarity. */
  #writeQuestion(question: Float32Array): number {
    return quantiseQuestion(question, new Int16Array(this.#kernel.memory(), layout.query, this.#width))
  }

  /** The scores of an even sample of the vectors, without zero vectors, lowest first. */
  #sampleScores(question: Float32Array): Float32Array {
    if (this.#sampled?.question === question) return this.#sampled.scores
    this.#writeQuestion(question)
    const { hitCount } = this.#kernel.scanRows(sampleRows(this.#rowOfSeq.size), {
      width: this.#width,
      minScore: -Infinity,
    })
    const hits = new DataView(this.#kernel.memory(), layout.hits, 8 * hitCount)
    const all = new DataView(this.#kernel.memory())
    const scalesAt = layout.rows + this.#width
    let count = 0
    const scores = new Float32Array(hitCount)
    for (let i = 0; i < hitCount; i++)
      if (all.getFloat32(scalesAt + hits.getInt32(8 * i, true) * this.#stride, true) !== 0)
        scores[count++] = hits.getFloat32(8 * i + 4, true)
    this.#sampled = { question, scores: scores.subarray(0, count).sort() }
    return this.#sampled.scores
  }

  /** Adds hits among all rows, or among those of the mask. */
  #scanAll(isMasked: boolean, minScore: number, best: TopHits): void {
    const endRow = this.#rowOfSeq.size
    for (let startRow = 0; startRow < endRow;) {
      const floor = Math.max(minScore, best.minScore())
      const range = { width: this.#width, startRow, endRow, isMasked, minScore: floor }
      const { hitCount, nextRow } = this.#kernel.scan(range)
      this.#addHits(hitCount, best)
      startRow = nextRow
    }
  }

  #scanRows(rows: Int32Array, minScore: number, best: TopHits): void {
    for (let from = 0; from < rows.length; from += layout.maxHits) {
      const some = rows.subarray(from, from + layout.maxHits)
      this.#addHits(this.#kernel.scanRows(some, { width: this.#width, minScore }).hitCount, best)
    }
  }

  #addHits(count: number, best: TopHits): void {
    const view = new DataView(this.#kernel.memory(), layout.hits, 8 * count)
    for (let i = 0; i < count; i++)
      best.add(view.getFloat32(8 * i + 4, true), this.#seqs[view.getInt32(8 * i, true)] as number)
  }

  /** The rows to compare; undefined: all, or all of the mask. */
  #rowsToCompare(question: Float32Array, { limit, onlySeqs, exact }: VectorSearch): Int32Array | undefined {
    const rows = this.#rowOfSeq
    if (onlySeqs && onlySeqs.length <= maxSingleRowScans)
      return Int32Array.from(new Set(onlySeqs.flatMap((seq) => rows.get(seq) ?? [])))
    const compared = onlySeqs?.length ?? rows.size
    if (exact === true || !this.#codes || compared <= this.#codesAbove) return undefined
    const count = Math.max(candidateCount.min, candidateCount.perHit * limit)
    if (onlySeqs) this.#writeMask(onlySeqs)
    const mask = onlySeqs && maskView(this.#kernel, rows.size)
    return Int32Array.from(this.#codes.nearest(question, { rows: rows.size, count, mask }))
  }

  #writeMask(only: readonly number[]): void {
    const mask = maskView(this.#kernel, this.#rowOfSeq.size)
    mask.fill(0)
    for (const seq of only) {
      const row = this.#rowOfSeq.get(seq)
      if (row !== undefined) mask[row >>> 3] = (mask[row >>> 3] as number) | (1 << (row & 7))
    }
  }
}

/** An even sample of the rows below `count`. */
function sampleRows(count: number): Int32Array {
  const step = Math.max(1, count / sampleSize)
  return new Int32Array(Math.min(count, sampleSize)).map((_, i) => Math.floor(i * step))
}

/**
 * A score that more rows than wanted reach, as far as a sample of scores shows, lowest first; minus infinity if it shows
 * too little. `share`: of the wanted rows among all.
 */
function likelyFloor(sample: Float32Array, share: number): number {
  const place = Math.ceil(2 * share * sample.length) + sampleMargin
  return place * 4 < sample.length ? (sample[sample.length - place] as number) : -Infinity
}

interface ScoredSeq {
  readonly score: number
  readonly seq: number
}

const isWorse = (a: ScoredSeq, b: ScoredSeq) => (a.score === b.score ? a.seq < b.seq : a.score < b.score)

type TopHits = ReturnType<typeof createTopHits>

/** Keeps the best `limit` hits; once there are as many, in a heap with the worst on top. */
function createTopHits(limit: number) {
  const heap: ScoredSeq[] = []
  const siftDown = (from: number) => {
    for (let at = from; ;) {
      const child = 2 * at + 1
      let worst = at
      const next = child + 1
      if (child < heap.length && isWorse(heap[child] as ScoredSeq, heap[worst] as ScoredSeq)) worst = child
      if (next < heap.length && isWorse(heap[next] as ScoredSeq, heap[worst] as ScoredSeq)) worst = next
      if (worst === at) return
      const moved = heap[at] as ScoredSeq
      heap[at] = heap[worst] as ScoredSeq
      heap[worst] = moved
      at = worst
    }
  }
  return {
    add(score: number, seq: number) {
      const hit = { score, seq }
      if (heap.length < limit) {
        heap.push(hit)
        if (heap.length === limit) for (let at = heap.length >>> 1; at >= 0; at--) siftDown(at)
      } else if (isWorse(heap[0] as ScoredSeq, hit)) {
        heap[0] = hit
        siftDown(0)
      }
    },
    size: () => heap.length,
    /** A new score below this is not among the best; minus infinity until there are `limit` hits. */
    minScore: () => (heap.length < limit ? Number.NEGATIVE_INFINITY : (heap[0] as ScoredSeq).score),
    sorted: () => heap.sort((a, b) => (isWorse(a, b) ? 1 : -1)),
  }
}
