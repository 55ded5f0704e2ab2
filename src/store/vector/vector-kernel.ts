// The scan over all vectors: a WebAssembly function with SIMD, and its twin in plain JavaScript, its oracle and stand-in.
// Invariant: both write the same bytes. A score is an exact integer dot product, rounded once to 32 bits, times a scale.
import type { Wasm } from '../../core/ports.ts'
import { assembleModule, type FunctionText } from './wasm-assembly.ts'

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
  /** Makes room for this many bytes; `memory()` may be another afterwards. False when there is no such room. */
  grow(bytes: number): boolean
  /** Finds until the space for what is found is full; answers how many it found and the row to go on from. */
  scan(range: ScanRange): { readonly found: number; readonly next: number }
}

export const strideOf = (width: number) => width + 4

const scanText: FunctionText = {
  name: 'scan',
  params: {
    query: 'i32',
    at: 'i32',
    row: 'i32',
    count: 'i32',
    width: 'i32',
    mask: 'i32',
    out: 'i32',
    limit: 'i32',
    floor: 'f32',
  },
  locals: { q: 'i32', p: 'i32', stop: 'i32', a: 'v128', b: 'v128', score: 'f32' },
  result: 'i32',
  code: `
block ;; 1 from inside the loop: the end
  loop ;; one row
    local.get row
    local.get count
    i32.ge_u
    br_if 1
    block ;; 0 from inside: the next row
      local.get mask
      if ;; the bit of this row
        local.get mask
        local.get row
        i32.const 3
        i32.shr_u
        i32.add
        i32.load8_u 0
        local.get row
        i32.const 7
        i32.and
        i32.shr_u
        i32.const 1
        i32.and
        i32.eqz
        br_if 1
      end
      i32.const 0
      i32x4.splat
      local.tee a
      local.set b
      local.get query
      local.set q
      local.get at
      local.tee p
      local.get width
      i32.add
      local.set stop
      loop ;; 32 numbers: 8 bytes widened to 16 bits, times 8 of the query, summed in pairs
        local.get a
        local.get p
        v128.load8x8_s 0
        local.get q
        v128.load 0
        i32x4.dot_i16x8_s
        i32x4.add
        local.set a
        local.get b
        local.get p
        v128.load8x8_s 8
        local.get q
        v128.load 16
        i32x4.dot_i16x8_s
        i32x4.add
        local.set b
        local.get a
        local.get p
        v128.load8x8_s 16
        local.get q
        v128.load 32
        i32x4.dot_i16x8_s
        i32x4.add
        local.set a
        local.get b
        local.get p
        v128.load8x8_s 24
        local.get q
        v128.load 48
        i32x4.dot_i16x8_s
        i32x4.add
        local.set b
        local.get q
        i32.const 64
        i32.add
        local.set q
        local.get p
        i32.const 32
        i32.add
        local.tee p
        local.get stop
        i32.lt_u
        br_if 0
      end
      local.get a
      local.get b
      i32x4.add
      local.tee a
      i32x4.extract_lane 0
      local.get a
      i32x4.extract_lane 1
      i32.add
      local.get a
      i32x4.extract_lane 2
      i32.add
      local.get a
      i32x4.extract_lane 3
      i32.add
      f32.convert_i32_s
      local.get stop
      f32.load 0
      f32.mul
      local.tee score
      local.get floor
      f32.ge
      i32.eqz
      br_if 0
      local.get out
      local.get row
      i32.store 0
      local.get out
      local.get score
      f32.store 4
      local.get out
      i32.const 8
      i32.add
      local.tee out
      local.get limit
      i32.eq
      if ;; full: the caller sorts out and goes on from the row after this
        local.get row
        i32.const 1
        i32.add
        local.set row
        br 3
      end
    end
    local.get at
    local.get width
    i32.add
    i32.const 4
    i32.add
    local.set at
    local.get row
    i32.const 1
    i32.add
    local.set row
    br 0
  end
end
i32.const 0
local.get row
i32.store 0
local.get out
`,
}

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
  const pages = Math.ceil(layout.rows / pageBytes)
  const exported = wasm?.instantiate(assembleModule(scanText, pages))
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
