// How many rows, words and levels the text index has: read from FTS5's own records, so that averages are the same.
import type { SqlDatabase } from '../../core/ports.ts'

/** What the text index counts over all its rows. Rows that were removed stay counted there, so it is asked. */
export interface IndexTotals {
  readonly rows: number
  readonly terms: number
}

/** Where FTS5 keeps the number of rows and, column by column, of terms (its "averages record"). */
const totalsId = 1

export function readTotals(db: SqlDatabase): IndexTotals {
  const row = db.get<{ block: Uint8Array }>('SELECT block FROM text_index_data WHERE id = ?', [totalsId])
  return row ? totalsOf(row.block) : { rows: 0, terms: 0 }
}

/** Where FTS5 keeps which segments the index has, level by level (its "structure record"). */
const structureId = 10
/** Four bytes of a cookie, and four that announce the second version of the record. */
const structureStart = 8

/**
 * How many levels of segments the index has. Each `optimize` of an index with deleted rows adds one, and FTS5 takes an index
 * with more than 2,000 for corrupt.
 */
export function readLevels(db: SqlDatabase): number {
  const row = db.get<{ block: Uint8Array }>('SELECT block FROM text_index_data WHERE id = ?', [structureId])
  const [levels = 0] = readNumbers(new Uint8Array(row?.block ?? []).subarray(structureStart))
  return levels
}

/** At so many levels the index is filled anew. */
export const mostLevels = 1000

/** The averages record: the rows, then the terms of each column. */
function totalsOf(block: Uint8Array): IndexTotals {
  const [rows = 0, ...terms] = readNumbers(block)
  return { rows, terms: terms.reduce((sum, n) => sum + n, 0) }
}

/** The terms of one row of the index, from FTS5's own record of its size: the terms of each column. */
export function sizeOf(block: Uint8Array): number {
  return readNumbers(block).reduce((sum, n) => sum + n, 0)
}

/** Numbers of 7 bits a byte, the highest first, as SQLite writes them. */
function readNumbers(block: Uint8Array): number[] {
  const numbers: number[] = []
  let number = 0
  for (const byte of block) {
    number = number * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    numbers.push(number)
    number = 0
  }
  return numbers
}
