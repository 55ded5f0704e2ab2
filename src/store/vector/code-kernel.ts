// The scan over the codes of all vectors: a WebAssembly function that counts bits (near.wat), and its twin in plain
// JavaScript, its oracle and stand-in.
// Invariant: both write the same bytes.
import type { Wasm } from '../../core/ports.ts'
import { arrayMemory, type KernelMemory, layout, type Scanned, wasmMemory } from './kernel-memory.ts'
import { nearModule } from './near-module.ts'

/** What a scan is asked. Rows are `width` bytes, a multiple of 16. */
export interface NearRange {
  readonly width: number
  /** From this row on. */
  readonly row: number
  readonly count: number
  /** Whether the mask counts. */
  readonly masked: boolean
  /** What differs in more bits is not found. */
  readonly most: number
}

export interface CodeKernel extends KernelMemory {
  /** Finds until the space for what is found is full; answers how many it found and the row to go on from. */
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

/** The kernel that this host can run: WebAssembly where it may be compiled, else the twin. */
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

/** How many bits of a 32-bit number are set: Henry S. Warren, Hacker's Delight, 2nd edition, figure 5-2. */
function bitsOf(number: number): number {
  const pairs = number - ((number >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
