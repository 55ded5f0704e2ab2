// All vectors of a book in one piece of memory, and the best of them for a question: of up to `codedFrom` the exact best, of
// more the best of those whose codes are nearest, unless the exact ones are asked for.
// Invariant: row i belongs to `seqs[i]`; rows are dense, because the last one moves into a gap.
import { layout, maskOf } from './kernel-memory.ts'
import { type QuantisedVector, quantiseQuestion } from './quantise.ts'
import type { CodeKernel } from './code-kernel.ts'
import { createVectorCodes, usualOf, type VectorCodes } from './vector-codes.ts'
import { strideOf, type VectorKernel } from './vector-kernel.ts'

export interface VectorHit {
  readonly seq: number
  /** Cosine of the angle to the question, −1 to 1. */
  readonly similarity: number
}

export interface VectorSearch {
  readonly limit: number
  /** What is less similar is not found. */
  readonly floor: number
  /** Only these records. */
  readonly only?: readonly number[] | undefined
  /** Compares every vector, however many there are. */
  readonly exact?: boolean | undefined
}

/** How similar a question usually is to what is here. */
export interface Spread {
  /** How many vectors there are. */
  readonly count: number
  readonly mean: number
  /** Standard deviation. */
  readonly deviation: number
}

export interface VectorMatrix {
  /** False when there is no space left. */
  set(seq: number, vector: QuantisedVector): boolean
  remove(seq: number): void
  has(seq: number): boolean
  /** The most similar, the higher seq first among equals. */
  search(question: Float32Array, search: VectorSearch): VectorHit[]
  /** Mean and deviation of the similarities to a few hundred of the vectors, evenly taken, without those of zeros. */
  spread(question: Float32Array): Spread
  size(): number
  sizeBytes(): number
}

export interface VectorMatrixOptions {
  /** How much memory the vectors and their codes may take, in bytes. */
  readonly limitBytes: number
  /** What scans the codes; without it every vector is compared, however many there are. */
  readonly codes?: CodeKernel | undefined
  /** More than so many are not compared one by one. */
  readonly codedFrom?: number | undefined
}

/** So many are compared one by one in four milliseconds. */
const defaultCodedFrom = 131_072
/** Of a million vectors of sentences (all-MiniLM-L6-v2), so many nearest codes have all of the ten most similar but 0.2 %. */
const candidates = { least: 1000, each: 4 } as const
/** So many are found row by row sooner than by a scan of all. */
const fewRows = 256
/** So many vectors tell what is usual: the mean of so many is off by a thirtieth of the deviation. */
const sampled = 1000
/** Memory grows by this share, so that filling costs few copies. */
const growth = 1.25

export function createVectorMatrix(
  kernel: VectorKernel,
  dimensions: number,
  { limitBytes, codes: codeKernel, codedFrom = defaultCodedFrom }: VectorMatrixOptions,
): VectorMatrix {
  const width = Math.ceil(dimensions / 32) * 32
  const stride = strideOf(width)
  const rowLimit = Math.min(layout.rowLimit, Math.floor(limitBytes / (stride + (codeKernel ? width / 8 : 0))))
  const rows = new Map<number, number>()
  let seqs = new Float64Array(64)
  /** Rows that the memory has space for. */
  let spaceRows = 0
  /** From the row on that makes them worth having; `false` when there was no space for them. */
  let codes: VectorCodes | false | undefined

  const reserve = (count: number): boolean => {
    if (count > rowLimit) return false
    if (count > spaceRows) {
      const wanted = Math.min(rowLimit, Math.max(64, Math.ceil(count * growth)))
      // Eight bytes more than the rows: the last load of a row may begin at its end.
      if (!kernel.grow(layout.rows + wanted * stride + 8)) return false
      spaceRows = wanted
    }
    if (count > seqs.length) {
      const grown = new Float64Array(Math.ceil(count * growth))
      grown.set(seqs)
      seqs = grown
    }
    return true
  }

  const readRow = (row: number): QuantisedVector => {
    const at = layout.rows + row * stride
    return {
      numbers: new Int8Array(kernel.memory(), at, dimensions),
      scale: new DataView(kernel.memory()).getFloat32(at + width, true),
    }
  }

  const code = (row: number) => {
    if (codes) {
      if (!codes.set(row, readRow(row))) codes = false
    } else if (codes === undefined && codeKernel && rows.size > codedFrom) {
      const made = createVectorCodes(codeKernel, usualOf(evenly(rows.size).map(readRow), dimensions))
      codes = made
      for (let at = 0; at < rows.size && codes; at++) if (!made.set(at, readRow(at))) codes = false
    }
  }

  /** Rows worth comparing, in pieces of neighbours. */
  const piecesFor = (question: Float32Array, { limit, only, exact }: VectorSearch): Iterable<Piece> => {
    if (only && only.length <= fewRows) {
      return [...new Set(only)].flatMap((seq) => {
        const row = rows.get(seq)
        return row === undefined ? [] : [{ row, count: row + 1 }]
      })
    }
    const compared = only?.length ?? rows.size
    if (exact === true || !codes || compared <= codedFrom) return [{ row: 0, count: rows.size }]
    const count = Math.max(candidates.least, candidates.each * limit)
    const mask = only && maskOf(kernel, rows.size)
    return codes.nearest(question, { rows: rows.size, count, mask }).map((row) => ({ row, count: row + 1 }))
  }

  const maskOnly = (only: readonly number[]) => {
    const mask = maskOf(kernel, rows.size)
    mask.fill(0)
    for (const seq of only) {
      const row = rows.get(seq)
      if (row !== undefined) mask[row >>> 3] = (mask[row >>> 3] as number) | (1 << (row & 7))
    }
  }

  return {
    set(seq, { numbers, scale }) {
      const known = rows.get(seq)
      if (known === undefined && !reserve(rows.size + 1)) return false
      const row = known ?? rows.size
      if (known === undefined) rows.set(seq, row)
      seqs[row] = seq
      const at = layout.rows + row * stride
      const bytes = new Int8Array(kernel.memory(), at, width)
      bytes.set(numbers)
      bytes.fill(0, numbers.length)
      new DataView(kernel.memory()).setFloat32(at + width, scale, true)
      code(row)
      return true
    },
    remove(seq) {
      const row = rows.get(seq)
      if (row === undefined) return
      const last = rows.size - 1
      rows.delete(seq)
      if (row === last) return
      const bytes = new Uint8Array(kernel.memory())
      const from = layout.rows + last * stride
      bytes.copyWithin(layout.rows + row * stride, from, from + stride)
      if (codes) codes.move(last, row)
      const moved = seqs[last] as number
      seqs[row] = moved
      rows.set(moved, row)
    },
    has: (seq) => rows.has(seq),
    search(question, search) {
      const { limit, floor, only } = search
      const query = new Int16Array(kernel.memory(), layout.query, width)
      const scale = quantiseQuestion(question, query)
      if (scale === 0 || rows.size === 0 || limit < 1) return []
      if (only) maskOnly(only)
      const best = createBest(limit)
      // Rounded numbers may lie a little beyond the opposite of the question, which is no less similar for that.
      let least = floor <= -1 ? -Infinity : Math.fround(floor / scale)
      for (const piece of piecesFor(question, search)) {
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
    },
    spread: (question) => spreadOf(kernel, { width, count: rows.size }, question),
    size: () => rows.size,
    sizeBytes: () =>
      kernel.memory().byteLength + seqs.byteLength + rows.size * 24 + (codes ? codes.sizeBytes() : 0),
  }
}

/** Rows from `row` on, before `count`. */
interface Piece {
  readonly row: number
  readonly count: number
}

/** Up to `sampled` of the rows before `count`, evenly taken. */
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

/** The best `limit` of what was offered: a heap with the worst of them on top. */
function createBest(limit: number) {
  const heap: Scored[] = []
  const sink = (from: number) => {
    for (let at = from; ;) {
      const left = 2 * at + 1
      const right = left + 1
      let worst = at
      if (left < heap.length && isWorse(heap[left] as Scored, heap[worst] as Scored)) worst = left
      if (right < heap.length && isWorse(heap[right] as Scored, heap[worst] as Scored)) worst = right
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
    /** What scores less can't come among the best any more. */
    least: () => (heap.length < limit ? Number.NEGATIVE_INFINITY : (heap[0] as Scored).score),
    take: () => heap.sort((a, b) => (isWorse(a, b) ? 1 : -1)),
  }
}
