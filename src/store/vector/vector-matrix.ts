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
const candidateCount = { min: 1000, perHit: 4 } as const
/** Up to this many rows, a search of each row is faster than a scan of all. */
const maxSingleRowScans = 256
/** Size of a sample. The standard error of its mean is about a thirtieth of the deviation. */
const sampleSize = 1000
/** Growth factor of memory. */
const growthFactor = 1.25

export class VectorMatrix {
  readonly #kernel: VectorKernel
  readonly #codeKernel: CodeKernel | undefined
  readonly #codesAbove: number
  readonly #dimensions: number
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

  constructor(
    kernel: VectorKernel,
    dimensions: number,
    { maxBytes, codeKernel, codesAbove = defaultCodesAbove }: VectorMatrixOptions,
  ) {
    this.#kernel = kernel
    this.#codeKernel = codeKernel
    this.#codesAbove = codesAbove
    this.#dimensions = dimensions
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
    const kernel = this.#kernel
    const seqs = this.#seqs
    const width = this.#width
    const scale = quantiseQuestion(question, new Int16Array(kernel.memory(), layout.query, width))
    if (scale === 0 || this.#rowOfSeq.size === 0 || limit < 1) return []
    if (onlySeqs) this.#writeMask(onlySeqs)
    const topHits = createTopHits(limit)
    // A score times `scale` is a similarity.
    // Rounding may give a similarity slightly below −1, which must not exclude a vector.
    let minScore = minSimilarity <= -1 ? -Infinity : Math.fround(minSimilarity / scale)
    for (const rowRange of this.#rangesToScan(question, search)) {
      for (let { startRow } = rowRange; startRow < rowRange.endRow;) {
        const range = {
          width,
          startRow,
          endRow: rowRange.endRow,
          isMasked: onlySeqs !== undefined,
          minScore,
        }
        const { hitCount, nextRow } = kernel.scan(range)
        const view = new DataView(kernel.memory(), layout.hits, 8 * hitCount)
        for (let i = 0; i < hitCount; i++)
          topHits.add(view.getFloat32(8 * i + 4, true), seqs[view.getInt32(8 * i, true)] as number)
        minScore = Math.max(minScore, topHits.minScore())
        startRow = nextRow
      }
    }
    return topHits
      .sorted()
      .map(({ score, seq }) => ({ seq, similarity: Math.max(-1, Math.min(1, score * scale)) }))
  }

  /** Mean and deviation of the similarities of an even sample of the vectors, without zero vectors. */
  similarityDistribution(question: Float32Array): SimilarityDistribution {
    return computeDistribution(this.#kernel, { width: this.#width, count: this.#rowOfSeq.size }, question)
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
      numbers: new Int8Array(memory, at, this.#dimensions),
      scale: new DataView(memory).getFloat32(at + this.#width, true),
    }
  }

  #updateCode(row: number): void {
    const { size } = this.#rowOfSeq
    // Codes are made for all rows when there are more than `codesAbove`, and then for each new row.
    if (this.#codes) {
      if (!this.#codes.set(row, this.#readRow(row))) this.#codes = false
    } else if (this.#codes === undefined && this.#codeKernel && size > this.#codesAbove) {
      const sample = sampleRows(size).map((at) => this.#readRow(at))
      const codes = createVectorCodes(this.#codeKernel, meansOf(sample, this.#dimensions))
      let fits = true
      for (let at = 0; at < size && fits; at++) fits = codes.set(at, this.#readRow(at))
      this.#codes = fits && codes
    }
  }

  /** The ranges of rows to compare. */
  #rangesToScan(question: Float32Array, { limit, onlySeqs, exact }: VectorSearch): Iterable<RowRange> {
    const rows = this.#rowOfSeq
    if (onlySeqs && onlySeqs.length <= maxSingleRowScans) {
      return [...new Set(onlySeqs)].flatMap((seq) => {
        const row = rows.get(seq)
        return row === undefined ? [] : [{ startRow: row, endRow: row + 1 }]
      })
    }
    const compared = onlySeqs?.length ?? rows.size
    if (exact === true || !this.#codes || compared <= this.#codesAbove)
      return [{ startRow: 0, endRow: rows.size }]
    const count = Math.max(candidateCount.min, candidateCount.perHit * limit)
    const mask = onlySeqs && maskView(this.#kernel, rows.size)
    const nearest = this.#codes.nearest(question, { rows: rows.size, count, mask })
    return nearest.map((row) => ({ startRow: row, endRow: row + 1 }))
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

/** The rows from `startRow` up to, not including, `endRow`. */
interface RowRange {
  readonly startRow: number
  readonly endRow: number
}

/** An even sample of the rows below `count`. */
function sampleRows(count: number): number[] {
  const step = Math.max(1, count / sampleSize)
  return Array.from({ length: Math.min(count, sampleSize) }, (_, i) => Math.floor(i * step))
}

function computeDistribution(
  kernel: VectorKernel,
  { width, count }: { readonly width: number; readonly count: number },
  question: Float32Array,
): SimilarityDistribution {
  const numbers = new Int8Array(kernel.memory())
  const view = new DataView(kernel.memory())
  let sampleCount = 0
  let sum = 0
  let squares = 0
  for (const row of sampleRows(count)) {
    const at = layout.rows + row * rowBytesOf(width)
    const scale = view.getFloat32(at + width, true)
    if (scale === 0) continue
    let dot = 0
    for (let j = 0; j < question.length; j++) dot += (numbers[at + j] as number) * (question[j] as number)
    const similarity = dot * scale
    sampleCount += 1
    sum += similarity
    squares += similarity * similarity
  }
  if (sampleCount === 0) return { count: 0, mean: 0, deviation: 0 }
  const mean = sum / sampleCount
  return { count, mean, deviation: Math.sqrt(Math.max(0, squares / sampleCount - mean * mean)) }
}

interface ScoredSeq {
  readonly score: number
  readonly seq: number
}

const isWorse = (a: ScoredSeq, b: ScoredSeq) => (a.score === b.score ? a.seq < b.seq : a.score < b.score)

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
    /** A new score below this is not among the best; minus infinity until there are `limit` hits. */
    minScore: () => (heap.length < limit ? Number.NEGATIVE_INFINITY : (heap[0] as ScoredSeq).score),
    sorted: () => heap.sort((a, b) => (isWorse(a, b) ? 1 : -1)),
  }
}
