// Reads FTS5's own tables: how many rows, terms and levels the text index has, and its terms.
import type { SqlDatabase } from '../../core/ports.ts'

/** Rows and terms of the text index, as FTS5 counts them: removed rows stay counted. */
export interface IndexTotals {
  readonly rows: number
  readonly terms: number
}

/** FTS5's "averages record": the number of rows, then of terms in each column. */
const totalsId = 1
/** FTS5's "structure record": the segments of the index, level by level. */
const structureId = 10
/** Four bytes of a cookie, and four that mark version 2 of the record. */
const structureStart = 8
/** The index is rebuilt at this many levels. */
export const mostLevels = 1000

export function readTotals(db: SqlDatabase): IndexTotals {
  const row = db.get<{ block: Uint8Array }>('SELECT block FROM text_index_data WHERE id = ?', [totalsId])
  const [rows = 0, ...terms] = row ? readNumbers(row.block) : []
  return { rows, terms: terms.reduce((sum, n) => sum + n, 0) }
}

/** Each `optimize` of an index with deleted rows adds a level; FTS5 reports an index with over 2,000 as corrupt. */
export function readLevels(db: SqlDatabase): number {
  const row = db.get<{ block: Uint8Array }>('SELECT block FROM text_index_data WHERE id = ?', [structureId])
  const [levels = 0] = readNumbers(new Uint8Array(row?.block ?? []).subarray(structureStart))
  return levels
}

/** How many terms a row of the index has. `block`: FTS5's size record, the number of terms of each column. */
export function sizeOf(block: Uint8Array): number {
  return readNumbers(block).reduce((sum, n) => sum + n, 0)
}

/** Numbers in groups of 7 bits, the highest first, as SQLite writes them. */
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

/** How many records have each of `terms`; without those that none has. */
export function readFrequencies(db: SqlDatabase, terms: readonly string[]): Map<string, number> {
  const rows = db.all<{ term: string; doc: number }>(
    'SELECT term, doc FROM text_words WHERE term IN (SELECT value FROM json_each(?))',
    [JSON.stringify(terms)],
  )
  return new Map(rows.map(({ term, doc }) => [term, doc]))
}

/** Terms that begin with `letter` and have `shortest` to `longest` characters. */
export function readTerms(db: SqlDatabase, letter: string, shortest: number, longest: number): string[] {
  const rows = db.all<{ term: string }>(
    'SELECT term FROM text_words WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?',
    [letter, `${letter}\u{10ffff}`, shortest, longest],
  )
  return rows.map(({ term }) => term)
}

/** The most frequent term that begins with `prefix`. */
export function readCompletion(db: SqlDatabase, prefix: string): string | undefined {
  return db.get<{ term: string }>(
    'SELECT term FROM text_words WHERE term >= ? AND term < ? ORDER BY doc DESC, term LIMIT 1',
    [prefix, `${prefix}\u{10ffff}`],
  )?.term
}
