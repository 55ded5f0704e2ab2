// Binary codes of vectors: a bit for each number, 1 when the number is above the mean of its dimension. Vectors
// whose codes differ in few bits are probably similar. A scan of the codes reads about a tenth of the memory.
// Invariant: row i is the code of row i of the vectors. All codes use the same means.
import { type CodeKernel, layout } from './vector-kernel.ts'
import type { QuantisedVector } from './quantise.ts'

export interface NearestCodesQuery {
  /** How many rows to scan. */
  readonly rows: number
  /** How many rows to find. With ties `nearest` returns up to twice as many. */
  readonly count: number
  /** A bit for each row, 1 to compare it. Default: compare all. */
  readonly mask?: Uint8Array | undefined
}

export interface VectorCodes {
  /** Writes the code of a vector; false when no memory is left. */
  set(row: number, vector: QuantisedVector): boolean
  /** Copies row `from` to row `to`. */
  move(from: number, to: number): void
  /** The rows whose codes differ least from the code of `question`, in ascending order. */
  nearest(question: Float32Array, wanted: NearestCodesQuery): number[]
  sizeBytes(): number
}

/** Growth factor of memory. */
const growthFactor = 1.25

/** `means`: the mean of each dimension, from `meansOf`. */
export function createVectorCodes(kernel: CodeKernel, means: Float32Array): VectorCodes {
  /** Bytes of a code: a multiple of 16, as the kernel requires. */
  const width = Math.ceil(means.length / 128) * 16
  let reservedRows = 0

  const reserve = (count: number): boolean => {
    if (count <= reservedRows) return true
    const wanted = Math.min(layout.maxRows, Math.ceil(count * growthFactor))
    if (count > wanted || !kernel.grow(layout.rows + wanted * width)) return false
    reservedRows = wanted
    return true
  }

  return {
    set(row, { numbers, scale }) {
      if (!reserve(row + 1)) return false
      writeCode(new Uint8Array(kernel.memory(), layout.rows + row * width, width), numbers, (i) =>
        scale === 0 ? 0 : (means[i] as number) / scale,
      )
      return true
    },
    move(from, to) {
      const at = layout.rows + from * width
      new Uint8Array(kernel.memory()).copyWithin(layout.rows + to * width, at, at + width)
    },
    nearest(question, { rows, count, mask }) {
      writeCode(new Uint8Array(kernel.memory(), layout.query, width), question, (i) => means[i] as number)
      if (mask) new Uint8Array(kernel.memory(), layout.mask, mask.length).set(mask)
      const collector = createNearestCollector(width * 8, count)
      for (let row = 0; row < rows;) {
        const range = {
          width,
          startRow: row,
          endRow: rows,
          isMasked: mask !== undefined,
          maxDifference: collector.maxDifference(),
        }
        const { hitCount, nextRow } = kernel.scanCodes(range)
        const pairs = new Int32Array(kernel.memory(), layout.hits, 2 * hitCount)
        for (let i = 0; i < hitCount; i++) collector.add(pairs[2 * i] as number, pairs[2 * i + 1] as number)
        collector.lowerLimit()
        row = nextRow
      }
      return collector.nearestRows()
    },
    sizeBytes: () => kernel.memory().byteLength,
  }
}

function writeCode(into: Uint8Array, numbers: ArrayLike<number>, meanOf: (i: number) => number): void {
  into.fill(0)
  for (let i = 0; i < numbers.length; i++)
    if ((numbers[i] as number) > meanOf(i)) into[i >>> 3] = (into[i >>> 3] as number) | (1 << (i & 7))
}

/** Collects the `count` rows that differ in the fewest bits, and rows that tie with the last. */
function createNearestCollector(bits: number, count: number) {
  const rows: number[] = []
  const differences: number[] = []
  /** From a count of differing bits to how many rows have it. */
  const rowsByDifference = new Int32Array(bits + 1)
  /** A row that differs in more bits is not among the nearest. */
  let maxDifference = bits
  /** How many rows differ in at most `maxDifference` bits. */
  let size = 0
  return {
    add(row: number, difference: number) {
      if (difference > maxDifference) return
      rows.push(row)
      differences.push(difference)
      rowsByDifference[difference] = (rowsByDifference[difference] as number) + 1
      size += 1
    },
    /** Lowers the limit of differing bits while at least `count` rows are below it. */
    lowerLimit() {
      for (; size - (rowsByDifference[maxDifference] as number) >= count; maxDifference--)
        size -= rowsByDifference[maxDifference] as number
    },
    maxDifference: () => maxDifference,
    nearestRows(): number[] {
      // Of the rows that tie at the limit, only some fit into twice the count.
      let room = Math.max(0, 2 * count - (size - (rowsByDifference[maxDifference] as number)))
      return rows.filter((_, i) => {
        const differ = differences[i] as number
        return differ < maxDifference || (differ === maxDifference && room-- > 0)
      })
    },
  }
}

/** The mean of each dimension over `vectors`. */
export function meansOf(vectors: readonly QuantisedVector[], dimensions: number): Float32Array {
  const means = new Float32Array(dimensions)
  for (const { numbers, scale } of vectors)
    for (let i = 0; i < dimensions; i++) means[i] = (means[i] as number) + (numbers[i] ?? 0) * scale
  return means.map((sum) => sum / Math.max(1, vectors.length))
}
