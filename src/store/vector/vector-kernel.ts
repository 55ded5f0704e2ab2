// The scan over all vectors: a WebAssembly function with SIMD (scan.wat), and its twin in plain JavaScript, its oracle and
// stand-in.
// Invariant: both write the same bytes. A score is an exact integer dot product, rounded once to 32 bits, times a scale.
import type { Wasm } from '../../core/ports.ts'
import { scanModule } from './scan-module.ts'

/** Where things lie in the memory of a scan, in bytes. Rows come last, so that growing moves nothing. */
export const layout = {
  /** First the row at which the scan ended (32 bits); then the query, 16-bit numbers. */
  endedAt: 0,
  query: 64,
  queryLimit: 4096,
  /** What was found: pairs of row (32 bits) and score (32-bit float). */
  found: 16_384,
  foundLimit: 1024,
  /** One bit for each row: whether it may be found. */
  mask: 32_768,
  rowLimit: 2_097_152,
  rows: 32_768 + 2_097_152 / 8,
} as const
const pageBytes = 65_536

/** What a scan is asked. Rows are `width` bytes of numbers, a multiple of 32, then the row's scale (32-bit float). */
export interface ScanRange {
  readonly width: number
  /** From this row on. */
  readonly row: number
  readonly count: number
  /** Whether the mask counts. */
  readonly masked: boolean
  /** What scores less is not found. */
  readonly floor: number
}

export interface VectorKernel {
  readonly kind: 'simd' | 'scalar'
  memory(): ArrayBuffer
  /** Grows the memory to this many bytes; `memory()` may be another afterwards. False when there is no such space. */
  grow(bytes: number): boolean
  /** Finds until the space for what is found is full; answers how many it found and the row to go on from. */
  scan(range: ScanRange): { readonly found: number; readonly next: number }
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

/** The kernel that this host can run: with SIMD where WebAssembly may be compiled, else the twin. */
export function createVectorKernel(wasm: Wasm | undefined): VectorKernel {
  const exported = wasm?.instantiate(scanModule)
  if (!exported) return createScalarKernel()
  const { memory } = exported
  const scan = exported['scan'] as Scan
  return {
    kind: 'simd',
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
    scan({ width, row, count, masked, floor }) {
      const at = layout.rows + row * strideOf(width)
      const limit = layout.found + 8 * layout.foundLimit
      const mask = masked ? layout.mask : 0
      const end = scan(layout.query, at, row, count, width, mask, layout.found, limit, floor)
      return {
        found: (end - layout.found) / 8,
        next: new Int32Array(memory.buffer, layout.endedAt, 1)[0] as number,
      }
    },
  }
}

/** The twin: the same numbers from the same memory, one at a time. */
export function createScalarKernel(): VectorKernel {
  let buffer = new ArrayBuffer(layout.rows)
  return {
    kind: 'scalar',
    memory: () => buffer,
    grow(bytes) {
      if (bytes <= buffer.byteLength) return true
      try {
        const grown = new ArrayBuffer(Math.ceil(bytes / pageBytes) * pageBytes)
        new Uint8Array(grown).set(new Uint8Array(buffer))
        buffer = grown
        return true
      } catch {
        return false
      }
    },
    scan({ width, row, count, masked, floor }) {
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
