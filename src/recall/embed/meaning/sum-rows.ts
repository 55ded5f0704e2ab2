// Sums rows of a table of vectors, in WebAssembly with SIMD (sum.wat) or in plain JavaScript.
// Invariant: both compute the same integers, so that a text has the same vector on every host.
import type { Wasm } from '../../../core/ports.ts'
import { sumModule } from './sum-module.ts'

export interface ScaledRows {
  readonly dimensions: number
  readonly scales: Float32Array
  /** Row i has the numbers from `i × dimensions` on, −8 to 7. */
  readonly rows: Int8Array
}

/**
 * Writes the sum of the first `count` rows that `list` names into `sums`. The row at place i of the list is multiplied
 * by a whole number: its scale × `halfPlace / (halfPlace + i)`, as a share of the greatest scale, × 32,767. No sum
 * exceeds 31 bits: with a million rows the shares add up to about 500.
 */
export type SumRows = (sums: Int32Array, list: Int32Array, count: number) => void

/** The piece at this place counts half as much as the first: the beginning of a long text names its subject. */
const halfPlace = 50
const maxFactor = 32_767

function factorsOf({ scales }: ScaledRows): (row: number, place: number) => number {
  const unit = maxFactor / scales.reduce((most, scale) => Math.max(most, Math.abs(scale)), Number.MIN_VALUE)
  return (row, place) => Math.round((scales[row] as number) * unit * (halfPlace / (halfPlace + place)))
}

/** The version in WebAssembly; undefined if the host can't compile it. */
export function createWasmSum(table: ScaledRows, wasm: Wasm | undefined): SumRows | undefined {
  const exported = wasm?.instantiate(sumModule)
  if (!exported) return undefined
  const { memory } = exported
  const sum = exported['sum'] as (list: number, end: number, width: number, out: number) => number
  const { dimensions, rows } = table
  const factorOf = factorsOf(table)
  const count = rows.length / dimensions
  const width = Math.ceil(dimensions / 32) * 32
  memory.grow(Math.ceil((layout.rows + count * width) / pageBytes) - memory.buffer.byteLength / pageBytes)
  const bytes = new Int8Array(memory.buffer, layout.rows, count * width)
  for (let i = 0; i < count; i++) bytes.set(rows.subarray(i * dimensions, (i + 1) * dimensions), i * width)
  const entries = new Int32Array(memory.buffer, layout.list, 2 * layout.maxEntries)
  const result = new Int32Array(memory.buffer, 0, width)
  return (sums, list, count) => {
    result.fill(0)
    for (let from = 0; from < count; from += layout.maxEntries) {
      const some = Math.min(layout.maxEntries, count - from)
      for (let i = 0; i < some; i++) {
        const row = list[from + i] as number
        entries[2 * i] = layout.rows + row * width
        entries[2 * i + 1] = factorOf(row, from + i)
      }
      sum(layout.list, layout.list + 8 * some, width, 0)
    }
    sums.set(result.subarray(0, dimensions))
  }
}

/** The memory of sum.wat: the sums, the list, the rows. */
const layout = { list: 65_536, maxEntries: 8_192, rows: 131_072 } as const
const pageBytes = 65_536

export function createScalarSum(table: ScaledRows): SumRows {
  const { dimensions, rows } = table
  const factorOf = factorsOf(table)
  return (sums, list, count) => {
    sums.fill(0)
    for (let i = 0; i < count; i++) {
      const row = list[i] as number
      const factor = factorOf(row, i)
      const from = row * dimensions
      for (let at = 0; at < dimensions; at++)
        sums[at] = (sums[at] as number) + factor * (rows[from + at] as number)
    }
  }
}
