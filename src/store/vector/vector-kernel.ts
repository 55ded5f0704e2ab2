// The scan over all vectors: a WebAssembly function with SIMD (scan.wat), and its twin in plain JavaScript, its oracle and
// stand-in.
// Invariant: both write the same bytes. A score is an exact integer dot product, rounded once to 32 bits, times a scale.
import type { Wasm } from '../../core/ports.ts'
import { arrayMemory, type KernelMemory, layout, type Scanned, wasmMemory } from './kernel-memory.ts'
import { scanModule } from './scan-module.ts'

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

export interface VectorKernel extends KernelMemory {
  readonly kind: 'simd' | 'scalar'
  /** Finds until the space for what is found is full; answers how many it found and the row to go on from. */
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

/** The kernel that this host can run: with SIMD where WebAssembly may be compiled, else the twin. */
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

/** The twin: the same numbers from the same memory, one at a time. */
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
