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
  readonly row: number
  /** The row to stop before. */
  readonly count: number
  /** True when the mask selects rows. */
  readonly masked: boolean
  /** The least score of a hit. */
  readonly floor: number
}

export interface VectorKernel extends KernelMemory {
  readonly kind: 'simd' | 'scalar'
  /** Scans until the end of the range, or until the space for hits is full. */
  scan(range: ScanRange): Scanned
}

export const strideOf = (width: number) => width + 4

/** The function that scan.wat exports. It returns the end of the hits. */
type Scan = (
  ...args: [
    query: number,
    at: number,
    row: number,
    count: number,
    width: number,
    mask: number,
    out: number,
    limit: number,
    floor: number,
  ]
) => number

/** The SIMD version when the host can compile WebAssembly, otherwise the JavaScript version. */
export function createVectorKernel(wasm: Wasm | undefined): VectorKernel {
  const exported = wasm?.instantiate(scanModule)
  if (!exported) return createScalarKernel()
  const space = wasmMemory(exported)
  const scan = exported['scan'] as Scan
  return {
    kind: 'simd',
    ...space,
    scan({ width, row, count, masked, floor }) {
      const at = layout.rows + row * strideOf(width)
      const limit = layout.found + 8 * layout.foundLimit
      const mask = masked ? layout.mask : 0
      const end = scan(layout.query, at, row, count, width, mask, layout.found, limit, floor)
      return {
        found: (end - layout.found) / 8,
        next: new Int32Array(space.memory(), layout.endedAt, 1)[0] as number,
      }
    },
  }
}

/** The JavaScript version: one number at a time. */
export function createScalarKernel(): VectorKernel {
  const space = arrayMemory()
  return {
    kind: 'scalar',
    ...space,
    scan({ width, row, count, masked, floor }) {
      const buffer = space.memory()
      const numbers = new Int8Array(buffer)
      const mask = new Uint8Array(buffer, layout.mask)
      const query = new Int16Array(buffer, layout.query, width)
      const view = new DataView(buffer)
      const stride = strideOf(width)
      let found = 0
      let next = row
      for (
        let at = layout.rows + row * stride;
        next < count && found < layout.foundLimit;
        next++, at += stride
      ) {
        if (masked && (((mask[next >>> 3] as number) >>> (next & 7)) & 1) === 0) continue
        let dot = 0
        for (let i = 0; i < width; i++) dot += (numbers[at + i] as number) * (query[i] as number)
        const score = Math.fround(Math.fround(dot) * view.getFloat32(at + width, true))
        if (!(score >= floor)) continue
        view.setInt32(layout.found + 8 * found, next, true)
        view.setFloat32(layout.found + 8 * found + 4, score, true)
        found += 1
      }
      view.setInt32(layout.endedAt, next, true)
      return { found, next }
    },
  }
}

/** Offsets and limits of the memory of a kernel, in bytes. The rows come last, so that growth moves nothing. */
export const layout = {
  /** The row at which the scan ended (32 bits). */
  endedAt: 0,
  /** The question: 16-bit numbers, or a code. */
  query: 64,
  queryLimit: 4096,
  /** The hits: each a row (32 bits), then a score (32-bit float) or a count of differing bits (32 bits). */
  found: 16_384,
  foundLimit: 1024,
  /** One bit for each row, 1 to compare it. */
  mask: 32_768,
  rowLimit: 2_097_152,
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

export interface Scanned {
  /** The number of hits. */
  readonly found: number
  /** The row to continue from. */
  readonly next: number
}

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
export function maskOf({ memory }: KernelMemory, count: number): Uint8Array {
  return new Uint8Array(memory(), layout.mask, (count + 7) >>> 3)
}

/** A row is a code of `width` bytes, a multiple of 16. */
export interface NearRange extends Omit<ScanRange, 'floor'> {
  /** Most differing bits of a hit. */
  readonly most: number
}

export interface CodeKernel extends KernelMemory {
  /** Scans until the end of the range, or until the space for hits is full. */
  near(range: NearRange): Scanned
}

/** The function that near.wat exports. It returns the end of the hits. */
type Near = (
  ...args: [
    query: number,
    at: number,
    row: number,
    count: number,
    width: number,
    mask: number,
    out: number,
    limit: number,
    most: number,
  ]
) => number

/** The WebAssembly version when the host can compile it, otherwise the JavaScript version. */
export function createCodeKernel(wasm: Wasm | undefined): CodeKernel {
  const exported = wasm?.instantiate(nearModule)
  if (!exported) return createScalarCodeKernel()
  const space = wasmMemory(exported)
  const near = exported['near'] as Near
  return {
    ...space,
    near({ width, row, count, masked, most }) {
      const at = layout.rows + row * width
      const limit = layout.found + 8 * layout.foundLimit
      const mask = masked ? layout.mask : 0
      const end = near(layout.query, at, row, count, width, mask, layout.found, limit, most)
      return {
        found: (end - layout.found) / 8,
        next: new Int32Array(space.memory(), layout.endedAt, 1)[0] as number,
      }
    },
  }
}

/** The JavaScript version: 32 bits at a time. */
export function createScalarCodeKernel(): CodeKernel {
  const space = arrayMemory()
  return {
    ...space,
    near({ width, row, count, masked, most }) {
      const buffer = space.memory()
      const words = new Int32Array(buffer, layout.rows)
      const mask = new Uint8Array(buffer, layout.mask)
      const query = new Int32Array(buffer, layout.query, width / 4)
      const view = new DataView(buffer)
      let found = 0
      let next = row
      for (let at = (row * width) / 4; next < count && found < layout.foundLimit; next++, at += width / 4) {
        if (masked && (((mask[next >>> 3] as number) >>> (next & 7)) & 1) === 0) continue
        let differ = 0
        for (let i = 0; i < width / 4; i++) differ += bitsOf((words[at + i] as number) ^ (query[i] as number))
        if (differ > most) continue
        view.setInt32(layout.found + 8 * found, next, true)
        view.setInt32(layout.found + 8 * found + 4, differ, true)
        found += 1
      }
      view.setInt32(layout.endedAt, next, true)
      return { found, next }
    },
  }
}

/** The number of set bits of a 32-bit number: Henry S. Warren, Hacker's Delight, 2nd edition, figure 5-2. */
function bitsOf(number: number): number {
  const pairs = number - ((number >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
