// All vectors of a book in one piece of memory, and the exact best of them for a question.
// Invariant: row i belongs to `seqs[i]`; rows are dense, because the last one moves into a gap.
import { type QuantisedVector, quantiseQuestion } from './quantise.ts'
import { layout, strideOf, type VectorKernel } from './vector-kernel.ts'

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
}

export interface VectorMatrix {
  /** False when there is no space left. */
  set(seq: number, vector: QuantisedVector): boolean
  remove(seq: number): void
  has(seq: number): boolean
  /** The most similar, the higher seq first among equals. */
  search(question: Float32Array, search: VectorSearch): VectorHit[]
  size(): number
  sizeBytes(): number
}

/** Memory grows by this share, so that filling costs few copies. */
const growth = 1.25

export function createVectorMatrix(
  kernel: VectorKernel,
  dimensions: number,
  limitBytes: number,
): VectorMatrix {
  const width = Math.ceil(dimensions / 32) * 32
  const stride = strideOf(width)
  const rowLimit = Math.min(layout.rowLimit, Math.floor(limitBytes / stride))
  const rows = new Map<number, number>()
  let seqs = new Float64Array(64)
  /** Rows that the memory has space for. */
  let spaceRows = 0

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

  const maskOnly = (only: readonly number[]) => {
    const mask = new Uint8Array(kernel.memory(), layout.mask, (rows.size + 7) >>> 3)
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
      const moved = seqs[last] as number
      seqs[row] = moved
      rows.set(moved, row)
    },
    has: (seq) => rows.has(seq),
    search(question, { limit, floor, only }) {
      const query = new Int16Array(kernel.memory(), layout.query, width)
      const scale = quantiseQuestion(question, query)
      if (scale === 0 || rows.size === 0 || limit < 1) return []
      if (only) maskOnly(only)
      const best = createBest(limit)
      let least = Math.fround(floor / scale)
      for (let row = 0; row < rows.size;) {
        const range = { width, row, count: rows.size, masked: only !== undefined, floor: least }
        const { found, next } = kernel.scan(range)
        const view = new DataView(kernel.memory(), layout.found, 8 * found)
        for (let i = 0; i < found; i++)
          best.offer(view.getFloat32(8 * i + 4, true), seqs[view.getInt32(8 * i, true)] as number)
        least = Math.max(least, best.least())
        row = next
      }
      return best
        .take()
        .map(({ score, seq }) => ({ seq, similarity: Math.max(-1, Math.min(1, score * scale)) }))
    },
    size: () => rows.size,
    sizeBytes: () => kernel.memory().byteLength + seqs.byteLength + rows.size * 24,
  }
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
