// All vectors of a book in one piece of memory, and the search for the most similar. The search compares all vectors
// up to `codedFrom`; above that, those with the nearest codes, unless `exact` is set.
// Invariant: row i belongs to the record `seqs[i]`. Rows have no gaps: the last row moves into the place of a
// removed one.
import { type CodeKernel, layout, maskOf, strideOf, type VectorKernel } from './vector-kernel.ts'
import { type QuantisedVector, quantiseQuestion } from './quantise.ts'
import { createVectorCodes, usualOf, type VectorCodes } from './vector-codes.ts'

export interface VectorHit {
  readonly seq: number
  /** Cosine similarity to the question, −1 to 1. */
  readonly similarity: number
}

export interface VectorSearch {
  readonly limit: number
  /** The least similarity of a hit, −1 to 1. */
  readonly floor: number
  /** Search only these records. Default all. */
  readonly only?: readonly number[] | undefined
  /** Compare every vector, however many there are. Default false. */
  readonly exact?: boolean | undefined
}

/** The distribution of the similarities to a question. */
export interface Spread {
  /** How many vectors there are. */
  readonly count: number
  readonly mean: number
  /** Standard deviation. */
  readonly deviation: number
}

export interface VectorMatrixOptions {
  /** Most memory for the vectors and their codes, in bytes. */
  readonly limitBytes: number
  /** Scans the codes. Default: every search compares all vectors. */
  readonly codes?: CodeKernel | undefined
  /** Above this many vectors, a search compares only those with the nearest codes. */
  readonly codedFrom?: number | undefined
}

/** To compare this many vectors takes four milliseconds. */
const defaultCodedFrom = 131_072
/**
 * How many nearest codes a search compares: `each` for each wanted hit, at least `least`. Among a million sentence
 * vectors (all-MiniLM-L6-v2), these include 99.8 % of the ten most similar.
 */
const candidates = { least: 1000, each: 4 } as const
/** Up to this many rows, a search of each row is faster than a scan of all. */
const fewRows = 256
/** Size of a sample. The standard error of its mean is about a thirtieth of the deviation. */
const sampled = 1000
/** Growth factor of memory. */
const growth = 1.25

export class VectorMatrix {
  readonly #kernel: VectorKernel
  readonly #codeKernel: CodeKernel | undefined
  readonly #codedFrom: number
  readonly #dimensions: number
  /** Bytes of the numbers of a row. */
  readonly #width: number
  /** Bytes of a row. */
  readonly #stride: number
  readonly #rowLimit: number
  readonly #rows = new Map<number, number>()
  #seqs = new Float64Array(64)
  /** Rows that fit into the present memory. */
  #spaceRows = 0
  /** Undefined until there are more than `codedFrom` rows; `false` when there was no memory for the codes. */
  #codes: VectorCodes | false | undefined

  constructor(
    kernel: VectorKernel,
    dimensions: number,
    { limitBytes, codes, codedFrom = defaultCodedFrom }: VectorMatrixOptions,
  ) {
    this.#kernel = kernel
    this.#codeKernel = codes
    this.#codedFrom = codedFrom
    this.#dimensions = dimensions
    this.#width = Math.ceil(dimensions / 32) * 32
    this.#stride = strideOf(this.#width)
    const rowBytes = this.#stride + (codes ? this.#width / 8 : 0)
    this.#rowLimit = Math.min(layout.rowLimit, Math.floor(limitBytes / rowBytes))
  }

  /** Adds or replaces the vector of a record; false when no memory is left. */
  set(seq: number, { numbers, scale }: QuantisedVector): boolean {
    const rows = this.#rows
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
    this.#code(row)
    return true
  }

  remove(seq: number): void {
    const row = this.#rows.get(seq)
    if (row === undefined) return
    const last = this.#rows.size - 1
    this.#rows.delete(seq)
    if (row === last) return
    const stride = this.#stride
    const from = layout.rows + last * stride
    new Uint8Array(this.#kernel.memory()).copyWithin(layout.rows + row * stride, from, from + stride)
    if (this.#codes) this.#codes.move(last, row)
    const moved = this.#seqs[last] as number
    this.#seqs[row] = moved
    this.#rows.set(moved, row)
  }

  has(seq: number): boolean {
    return this.#rows.has(seq)
  }

  /** The most similar vectors, best first; of equals, the higher record number first. */
  search(question: Float32Array, search: VectorSearch): VectorHit[] {
    const { limit, floor, only } = search
    const kernel = this.#kernel
    const seqs = this.#seqs
    const width = this.#width
    const scale = quantiseQuestion(question, new Int16Array(kernel.memory(), layout.query, width))
    if (scale === 0 || this.#rows.size === 0 || limit < 1) return []
    if (only) this.#maskOnly(only)
    const best = createBest(limit)
    // Rounding may give a similarity slightly below −1, which must not exclude a vector.
    let least = floor <= -1 ? -Infinity : Math.fround(floor / scale)
    for (const piece of this.#piecesFor(question, search)) {
      for (let { row } = piece; row < piece.count;) {
        const range = { width, row, count: piece.count, masked: only !== undefined, floor: least }
        const { found, next } = kernel.scan(range)
        const view = new DataView(kernel.memory(), layout.found, 8 * found)
        for (let i = 0; i < found; i++)
          best.offer(view.getFloat32(8 * i + 4, true), seqs[view.getInt32(8 * i, true)] as number)
        least = Math.max(least, best.least())
        row = next
      }
    }
    return best
      .take()
      .map(({ score, seq }) => ({ seq, similarity: Math.max(-1, Math.min(1, score * scale)) }))
  }

  /** Mean and deviation of the similarities of an even sample of the vectors, without zero vectors. */
  spread(question: Float32Array): Spread {
    return spreadOf(this.#kernel, { width: this.#width, count: this.#rows.size }, question)
  }

  size(): number {
    return this.#rows.size
  }

  sizeBytes(): number {
    const codeBytes = this.#codes ? this.#codes.sizeBytes() : 0
    return this.#kernel.memory().byteLength + this.#seqs.byteLength + this.#rows.size * 24 + codeBytes
  }

  #reserve(count: number): boolean {
    if (count > this.#rowLimit) return false
    if (count > this.#spaceRows) {
      const wanted = Math.min(this.#rowLimit, Math.max(64, Math.ceil(count * growth)))
      // Eight bytes more, because the last load of a scan may read beyond the last row.
      if (!this.#kernel.grow(layout.rows + wanted * this.#stride + 8)) return false
      this.#spaceRows = wanted
    }
    if (count > this.#seqs.length) {
      const larger = new Float64Array(Math.ceil(count * growth))
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

  #code(row: number): void {
    const { size } = this.#rows
    if (this.#codes) {
      if (!this.#codes.set(row, this.#readRow(row))) this.#codes = false
    } else if (this.#codes === undefined && this.#codeKernel && size > this.#codedFrom) {
      const sample = evenly(size).map((at) => this.#readRow(at))
      const codes = createVectorCodes(this.#codeKernel, usualOf(sample, this.#dimensions))
      let fits = true
      for (let at = 0; at < size && fits; at++) fits = codes.set(at, this.#readRow(at))
      this.#codes = fits && codes
    }
  }

  /** The ranges of rows to compare. */
  #piecesFor(question: Float32Array, { limit, only, exact }: VectorSearch): Iterable<Piece> {
    const rows = this.#rows
    if (only && only.length <= fewRows) {
      return [...new Set(only)].flatMap((seq) => {
        const row = rows.get(seq)
        return row === undefined ? [] : [{ row, count: row + 1 }]
      })
    }
    const compared = only?.length ?? rows.size
    if (exact === true || !this.#codes || compared <= this.#codedFrom) return [{ row: 0, count: rows.size }]
    const count = Math.max(candidates.least, candidates.each * limit)
    const mask = only && maskOf(this.#kernel, rows.size)
    const nearest = this.#codes.nearest(question, { rows: rows.size, count, mask })
    return nearest.map((row) => ({ row, count: row + 1 }))
  }

  #maskOnly(only: readonly number[]): void {
    const mask = maskOf(this.#kernel, this.#rows.size)
    mask.fill(0)
    for (const seq of only) {
      const row = this.#rows.get(seq)
      if (row !== undefined) mask[row >>> 3] = (mask[row >>> 3] as number) | (1 << (row & 7))
    }
  }
}

/** The rows from `row` up to, not including, `count`. */
interface Piece {
  readonly row: number
  readonly count: number
}

/** An even sample of the rows below `count`. */
function evenly(count: number): number[] {
  const step = Math.max(1, count / sampled)
  return Array.from({ length: Math.min(count, sampled) }, (_, i) => Math.floor(i * step))
}

function spreadOf(
  kernel: VectorKernel,
  { width, count }: { readonly width: number; readonly count: number },
  question: Float32Array,
): Spread {
  const numbers = new Int8Array(kernel.memory())
  const view = new DataView(kernel.memory())
  let taken = 0
  let sum = 0
  let squares = 0
  for (const row of evenly(count)) {
    const at = layout.rows + row * strideOf(width)
    const scale = view.getFloat32(at + width, true)
    if (scale === 0) continue
    let dot = 0
    for (let j = 0; j < question.length; j++) dot += (numbers[at + j] as number) * (question[j] as number)
    const similarity = dot * scale
    taken += 1
    sum += similarity
    squares += similarity * similarity
  }
  if (taken === 0) return { count: 0, mean: 0, deviation: 0 }
  const mean = sum / taken
  return { count, mean, deviation: Math.sqrt(Math.max(0, squares / taken - mean * mean)) }
}

interface Scored {
  readonly score: number
  readonly seq: number
}

const isWorse = (a: Scored, b: Scored) => (a.score === b.score ? a.seq < b.seq : a.score < b.score)

/** Keeps the best `limit` hits: a heap with the worst on top. */
function createBest(limit: number) {
  const heap: Scored[] = []
  const sink = (from: number) => {
    for (let at = from; ;) {
      const child = 2 * at + 1
      let worst = at
      const next = child + 1
      if (child < heap.length && isWorse(heap[child] as Scored, heap[worst] as Scored)) worst = child
      if (next < heap.length && isWorse(heap[next] as Scored, heap[worst] as Scored)) worst = next
      if (worst === at) return
      const moved = heap[at] as Scored
      heap[at] = heap[worst] as Scored
      heap[worst] = moved
      at = worst
    }
  }
  return {
    offer(score: number, seq: number) {
      const one = { score, seq }
      if (heap.length < limit) {
        heap.push(one)
        if (heap.length === limit) for (let at = heap.length >>> 1; at >= 0; at--) sink(at)
      } else if (isWorse(heap[0] as Scored, one)) {
        heap[0] = one
        sink(0)
      }
    },
    /** A new score below this is not among the best; minus infinity until there are `limit` hits. */
    least: () => (heap.length < limit ? Number.NEGATIVE_INFINITY : (heap[0] as Scored).score),
    take: () => heap.sort((a, b) => (isWorse(a, b) ? 1 : -1)),
  }
}
