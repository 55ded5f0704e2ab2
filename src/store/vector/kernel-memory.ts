// The memory of a kernel: WebAssembly's own where that may be compiled, else an array for its twin.
// Invariant: what is in it stays when it grows; the buffer may be another one afterwards.
import type { WasmExports } from '../../core/ports.ts'

/** Where things lie in the memory of a kernel, in bytes. Rows come last, so that growing moves nothing. */
export const layout = {
  /** First the row at which the scan ended (32 bits); then the query: 16-bit numbers, or a code. */
  endedAt: 0,
  query: 64,
  queryLimit: 4096,
  /** What was found: pairs of row (32 bits) and score (32-bit float), or of row and bits that differ (32 bits). */
  found: 16_384,
  foundLimit: 1024,
  /** One bit for each row: whether it may be found. */
  mask: 32_768,
  rowLimit: 2_097_152,
  rows: 32_768 + 2_097_152 / 8,
} as const
const pageBytes = 65_536

export interface KernelMemory {
  memory(): ArrayBuffer
  /** Grows the memory to this many bytes; `memory()` may be another afterwards. False when there is no such space. */
  grow(bytes: number): boolean
}

/** Where a scan ended. */
export interface Scanned {
  /** How many rows it found. */
  readonly found: number
  /** The row to go on from. */
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
        const grown = new ArrayBuffer(Math.ceil(bytes / pageBytes) * pageBytes)
        new Uint8Array(grown).set(new Uint8Array(buffer))
        buffer = grown
        return true
      } catch {
        return false
      }
    },
  }
}

/** Which rows may be found, of those before `count`: the bits of the mask. */
export function maskOf({ memory }: KernelMemory, count: number): Uint8Array {
  return new Uint8Array(memory(), layout.mask, (count + 7) >>> 3)
}
