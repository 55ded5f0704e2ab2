// Scans in WebAssembly: over all vectors (scan.wat, with SIMD) and over their codes (near.wat, which counts bits).
// Each has a version in plain JavaScript: the fallback, and the reference in tests.
// Invariant: both versions write the same bytes. A score is an exact integer dot product, rounded to a 32-bit float,
// times the scale of the row.
import type { Wasm, WasmExports } from '../../core/ports.ts'
import { nearModule } from './near-module.ts'
import { scanModule } from './scan-module.ts'

/** A row is `width` bytes of numbers, then the scale of the row (32-bit float). */
export interface ScanRange {
  /** A multiple of 32. */
  readonly width: number
  /** The first row. */
  readonly startRow: number
  /** The row to stop before. */
  readonly endRow: number
  /** True when the mask selects rows. */
  readonly isMasked: boolean
  /** The least score of a hit. */
  readonly minScore: number
}

export interface VectorKernel extends KernelMemory {
  readonly kind: 'simd' | 'scalar'
  /** Scans until the end of the range, or until the space for hits is full. */
  scan(range: ScanRange): ScanResult
  /** Scans `rows`, at most `layout.maxHits`, in their order. */
  scanRows(rows: Int32Array, wanted: Pick<ScanRange, 'width' | 'minScore'>): Pick<ScanResult, 'hitCount'>
}

/** Bytes of a row: its numbers and its scale. */
export const rowBytesOf = (width: number) => width + 4

/**
 * The function that scan.wat exports. It returns the end of the hits. `query`, `at` (the first row), `mask`
 * (0: all rows), `out` (the hits) and `limit` (their end) are offsets in the memory.
 */
type ScanFunction = (
  ...args: [
    query: number,
    at: number,
    startRow: number,
    endRow: number,
    width: number,
    mask: number,
    out: number,
    limit: number,
    minScore: number,
  ]
) => number

/** The SIMD version when the host can compile WebAssembly, otherwise the JavaScript version. */
export function createVectorKernel(wasm: Wasm | undefined): VectorKernel {
  const exported = wasm?.instantiate(scanModule)
  if (!exported) return createScalarKernel()
  const space = wasmMemory(exported)
  const scan = exported['scan'] as ScanFunction
  return {
    kind: 'simd',
    ...space,
    scan({ width, startRow, endRow, isMasked, minScore }) {
      const at = layout.rows + startRow * rowBytesOf(width)
      const limit = layout.hits + 8 * layout.maxHits
      const mask = isMasked ? layout.mask : 0
      const end = scan(layout.query, at, startRow, endRow, width, mask, layout.hits, limit, minScore)
      return {
        hitCount: (end - layout.hits) / 8,
        nextRow: new Int32Array(space.memory(), layout.endRow, 1)[0] as number,
      }
    },
    scanRows(rows, { width, minScore }) {
      const limit = layout.hits + 8 * layout.maxHits
      let end: number = layout.hits
      for (const row of rows) {
        const at = layout.rows + row * rowBytesOf(width)
        end = scan(layout.query, at, row, row + 1, width, 0, end, limit, minScore)
      }
      return { hitCount: (end - layout.hits) / 8 }
    },
  }
}

/** The JavaScript version: one number at a time. */
export function createScalarKernel(): VectorKernel {
  const space = arrayMemory()
  const scorer = (width: number) => {
    const buffer = space.memory()
    const numbers = new Int8Array(buffer)
    const query = new Int16Array(buffer, layout.query, width)
    const view = new DataView(buffer)
    const scoreOf = (row: number) => {
      const at = layout.rows + row * rowBytesOf(width)
      let dot = 0
      for (let i = 0; i < width; i++) dot += (numbers[at + i] as number) * (query[i] as number)
      return Math.fround(Math.fround(dot) * view.getFloat32(at + width, true))
    }
    const writeHit = (place: number, row: number, score: number) => {
      view.setInt32(layout.hits + 8 * place, row, true)
      view.setFloat32(layout.hits + 8 * place + 4, score, true)
    }
    return { view, scoreOf, writeHit }
  }
  return {
    kind: 'scalar',
    ...space,
    scan({ width, startRow, endRow, isMasked, minScore }) {
      const { view, scoreOf, writeHit } = scorer(width)
      const mask = new Uint8Array(space.memory(), layout.mask)
      let hitCount = 0
      let nextRow = startRow
      for (; nextRow < endRow && hitCount < layout.maxHits; nextRow++) {
        if (isMasked && (((mask[nextRow >>> 3] as number) >>> (nextRow & 7)) & 1) === 0) continue
        const score = scoreOf(nextRow)
        if (score >= minScore) writeHit(hitCount++, nextRow, score)
      }
      view.setInt32(layout.endRow, nextRow, true)
      return { hitCount, nextRow }
    },
    scanRows(rows, { width, minScore }) {
      const { scoreOf, writeHit } = scorer(width)
      let hitCount = 0
      for (const row of rows) {
        const score = scoreOf(row)
        if (score >= minScore) writeHit(hitCount++, row, score)
      }
      return { hitCount }
    },
  }
}

/** Offsets in the memory of a kernel, in bytes, and limits. The rows come last, so that growth moves nothing. */
export const layout = {
  /** The row at which the scan ended (32 bits). */
  endRow: 0,
  /** The question: 16-bit numbers, or a code. */
  query: 64,
  /** Most numbers of a question: `maxDimensions` in recall/embed/embed-fetch.ts is the same. */
  maxQueryLength: 4096,
  /** The hits: each a row (32 bits), then a score (32-bit float) or a count of differing bits (32 bits). */
  hits: 16_384,
  maxHits: 1024,
  /** One bit for each row, 1 to compare it. */
  mask: 32_768,
  maxRows: 2_097_152,
  rows: 32_768 + 2_097_152 / 8,
} as const
const pageBytes = 65_536

export interface KernelMemory {
  memory(): ArrayBuffer
  /**
   * Grows to at least `bytes` and keeps the content; then `memory()` may return another buffer. False when out of
   * memory.
   */
  grow(bytes: number): boolean
}

export interface ScanResult {
  /** The number of hits. */
  readonly hitCount: number
  /** The row to continue from. */
  readonly nextRow: number
}

/** The memory of a WebAssembly instance. */
export function wasmMemory({ memory }: WasmExports): KernelMemory {
  return {
    memory: () => memory.buffer,
    grow(bytes) {
      const missing = Math.ceil((bytes - memory.buffer.byteLength) / pageBytes)
      if (missing <= 0) return true
      try {
        memory.grow(missing)
        return true
      } catch {
        return false
      }
    },
  }
}

/** Memory without WebAssembly. */
export function arrayMemory(): KernelMemory {
  let buffer = new ArrayBuffer(layout.rows)
  return {
    memory: () => buffer,
    grow(bytes) {
      if (bytes <= buffer.byteLength) return true
      try {
        const larger = new ArrayBuffer(Math.ceil(bytes / pageBytes) * pageBytes)
        new Uint8Array(larger).set(new Uint8Array(buffer))
        buffer = larger
        return true
      } catch {
        return false
      }
    },
  }
}

/** The mask of the rows below `count`. */
export function maskView({ memory }: KernelMemory, count: number): Uint8Array {
  return new Uint8Array(memory(), layout.mask, (count + 7) >>> 3)
}

/** A row is a code of `width` bytes, a multiple of 16. */
export interface NearRange extends Omit<ScanRange, 'minScore'> {
  /** Most differing bits of a hit. */
  readonly maxDifference: number
}

export interface CodeKernel extends KernelMemory {
  /** Scans until the end of the range, or until the space for hits is full. */
  scanCodes(range: NearRange): ScanResult
}

/** The function that near.wat exports. It returns the end of the hits. Offsets as in `ScanFunction`. */
type NearFunction = (
  ...args: [
    query: number,
    at: number,
    startRow: number,
    endRow: number,
    width: number,
    mask: number,
    out: number,
    limit: number,
    maxDifference: number,
  ]
) => number

/** The WebAssembly version when the host can compile it, otherwise the JavaScript version. */
export function createCodeKernel(wasm: Wasm | undefined): CodeKernel {
  const exported = wasm?.instantiate(nearModule)
  if (!exported) return createScalarCodeKernel()
  const space = wasmMemory(exported)
  const near = exported['near'] as NearFunction
  return {
    ...space,
    scanCodes({ width, startRow, endRow, isMasked, maxDifference }) {
      const at = layout.rows + startRow * width
      const limit = layout.hits + 8 * layout.maxHits
      const mask = isMasked ? layout.mask : 0
      const end = near(layout.query, at, startRow, endRow, width, mask, layout.hits, limit, maxDifference)
      return {
        hitCount: (end - layout.hits) / 8,
        nextRow: new Int32Array(space.memory(), layout.endRow, 1)[0] as number,
      }
    },
  }
}

/** The JavaScript version: 32 bits at a time. */
export function createScalarCodeKernel(): CodeKernel {
  const space = arrayMemory()
  return {
    ...space,
    scanCodes({ width, startRow, endRow, isMasked, maxDifference }) {
      const buffer = space.memory()
      const words = new Int32Array(buffer, layout.rows)
      const mask = new Uint8Array(buffer, layout.mask)
      const query = new Int32Array(buffer, layout.query, width / 4)
      const view = new DataView(buffer)
      let hitCount = 0
      let nextRow = startRow
      for (
        let at = (startRow * width) / 4;
        nextRow < endRow && hitCount < layout.maxHits;
        nextRow++, at += width / 4
      ) {
        if (isMasked && (((mask[nextRow >>> 3] as number) >>> (nextRow & 7)) & 1) === 0) continue
        let differ = 0
        for (let i = 0; i < width / 4; i++)
          differ += countBits((words[at + i] as number) ^ (query[i] as number))
        if (differ > maxDifference) continue
        view.setInt32(layout.hits + 8 * hitCount, nextRow, true)
        view.setInt32(layout.hits + 8 * hitCount + 4, differ, true)
        hitCount += 1
      }
      view.setInt32(layout.endRow, nextRow, true)
      return { hitCount, nextRow }
    },
  }
}

/** The number of set bits of a 32-bit number: Henry S. Warren, Hacker's Delight, 2nd edition, figure 5-2. */
function countBits(number: number): number {
  const pairs = number - ((number >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
