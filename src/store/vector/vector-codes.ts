// Binary codes of vectors: a bit for each number, 1 when the number is above the mean of its dimension. Vectors
// whose codes differ in few bits are probably similar. A scan of the codes reads about a tenth of the memory.
// Invariant: row i is the code of row i of the vectors. All codes use the same means.
import { type CodeKernel, layout } from './vector-kernel.ts'
import type { QuantisedVector } from './quantise.ts'

export interface NearestCodes {
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
  nearest(question: Float32Array, wanted: NearestCodes): number[]
  sizeBytes(): number
}

/** Growth factor of memory. */
const growth = 1.25

/** `usual`: the mean of each dimension, from `usualOf`. */
export function createVectorCodes(kernel: CodeKernel, usual: Float32Array): VectorCodes {
  const width = Math.ceil(usual.length / 128) * 16
  let spaceRows = 0

  const reserve = (count: number): boolean => {
    if (count <= spaceRows) return true
    const wanted = Math.min(layout.rowLimit, Math.ceil(count * growth))
    if (count > wanted || !kernel.grow(layout.rows + wanted * width)) return false
    spaceRows = wanted
    return true
  }

  return {
    set(row, { numbers, scale }) {
      if (!reserve(row + 1)) return false
      writeCode(new Uint8Array(kernel.memory(), layout.rows + row * width, width), numbers, (i) =>
        scale === 0 ? 0 : (usual[i] as number) / scale,
      )
      return true
    },
    move(from, to) {
      const at = layout.rows + from * width
      new Uint8Array(kernel.memory()).copyWithin(layout.rows + to * width, at, at + width)
    },
    nearest(question, { rows, count, mask }) {
      writeCode(new Uint8Array(kernel.memory(), layout.query, width), question, (i) => usual[i] as number)
      if (mask) new Uint8Array(kernel.memory(), layout.mask, mask.length).set(mask)
      const near = createNear(width * 8, count)
      for (let row = 0; row < rows;) {
        const range = { width, row, count: rows, masked: mask !== undefined, most: near.most() }
        const { found, next } = kernel.near(range)
        const pairs = new Int32Array(kernel.memory(), layout.found, 2 * found)
        for (let i = 0; i < found; i++) near.offer(pairs[2 * i] as number, pairs[2 * i + 1] as number)
        near.tighten()
        row = next
      }
      return near.take()
    },
    sizeBytes: () => kernel.memory().byteLength,
  }
}

function writeCode(into: Uint8Array, numbers: ArrayLike<number>, usualAt: (i: number) => number): void {
  into.fill(0)
  for (let i = 0; i < numbers.length; i++)
    if ((numbers[i] as number) > usualAt(i)) into[i >>> 3] = (into[i >>> 3] as number) | (1 << (i & 7))
}

/** Collects the `count` rows that differ in the fewest bits, and rows that tie with the last. */
function createNear(bits: number, count: number) {
  const rows: number[] = []
  const differences: number[] = []
  /** From a count of differing bits to how many rows have it. */
  const tally = new Int32Array(bits + 1)
  let most = bits
  let size = 0
  return {
    offer(row: number, differ: number) {
      if (differ > most) return
      rows.push(row)
      differences.push(differ)
      tally[differ] = (tally[differ] as number) + 1
      size += 1
    },
    /** Lowers the limit of differing bits while at least `count` rows are below it. */
    tighten() {
      for (; size - (tally[most] as number) >= count; most--) size -= tally[most] as number
    },
    most: () => most,
    take(): number[] {
      let room = Math.max(0, 2 * count - (size - (tally[most] as number)))
      return rows.filter((_, i) => {
        const differ = differences[i] as number
        return differ < most || (differ === most && room-- > 0)
      })
    },
  }
}

/** The mean of each dimension over `vectors`. */
export function usualOf(vectors: readonly QuantisedVector[], dimensions: number): Float32Array {
  const usual = new Float32Array(dimensions)
  for (const { numbers, scale } of vectors)
    for (let i = 0; i < dimensions; i++) usual[i] = (usual[i] as number) + (numbers[i] ?? 0) * scale
  return usual.map((sum) => sum / Math.max(1, vectors.length))
}
