// Scans in WebAssembly: over all vectors (scan.wat, with SIMD) and over their codes (near.wat, counting bits). Each has a
// twin in plain JavaScript, its test oracle and fallback.
// Invariants: a scan and its twin write the same bytes. A score is an exact integer dot product, rounded once to 32 bits,
// times a scale.
import type { Wasm, WasmExports } from '../../core/ports.ts'
import { nearModule } from './near-module.ts'
import { scanModule } from './scan-module.ts'

/** Rows are `width` bytes of numbers, a multiple of 32, then the scale of the row (32-bit float). */
export interface ScanRange {
  readonly width: number
  /** The first row. */
  readonly row: number
  /** The row to stop before. */
  readonly count: number
  /** Whether the mask filters rows. */
  readonly masked: boolean
  /** Least score. */
  readonly floor: number
}

export interface VectorKernel extends KernelMemory {
  readonly kind: 'simd' | 'scalar'
  /** Scans until the space for hits is full. */
  scan(range: ScanRange): Scanned
}

export const strideOf = (width: number) => width + 4

/** The function that scan.wat exports. */
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

/** SIMD where the host may compile WebAssembly, else the twin. */
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

/** The twin: one number at a time. */
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

/** Offsets in the memory of a kernel, in bytes. Rows come last, so that growing moves nothing. */
export const layout = {
  /** The row at which the scan ended (32 bits). */
  endedAt: 0,
  /** 16-bit numbers, or a code. */
  query: 64,
  queryLimit: 4096,
  /** Hits: pairs of row (32 bits) and score (32-bit float) or differing bits (32 bits). */
  found: 16_384,
  foundLimit: 1024,
  /** One bit for each row. */
  mask: 32_768,
  rowLimit: 2_097_152,
  rows: 32_768 + 2_097_152 / 8,
} as const
const pageBytes = 65_536

export interface KernelMemory {
  memory(): ArrayBuffer
  /** Grows to this many bytes and keeps the content; `memory()` may return another buffer. False when out of memory. */
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

/** The mask of the rows before `count`. */
export function maskOf({ memory }: KernelMemory, count: number): Uint8Array {
  return new Uint8Array(memory(), layout.mask, (count + 7) >>> 3)
}

/** Rows are `width` bytes, a multiple of 16. */
export interface NearRange extends Omit<ScanRange, 'floor'> {
  /** Most differing bits. */
  readonly most: number
}

export interface CodeKernel extends KernelMemory {
  /** Scans until the space for hits is full. */
  near(range: NearRange): Scanned
}

/** The function that near.wat exports. */
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

/** WebAssembly where the host may compile it, else the twin. */
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

/** The twin: 32 bits at a time. */
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
