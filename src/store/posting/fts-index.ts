// Reads the internal tables of FTS5: how many rows, terms and levels the text index has, and its terms.
import type { SqlDatabase } from '../../core/ports.ts'

/** Rows and terms of the text index by the count of FTS5, which includes removed rows. */
export interface IndexTotals {
  readonly rows: number
  readonly terms: number
}

/** FTS5's "averages record": the number of rows, then of terms in each column. */
const averagesRecordId = 1
/** FTS5's "structure record": the segments of the index, level by level. */
const structureRecordId = 10
/** Offset of the level count: after four bytes of a cookie and four bytes that mark version 2 of the record. */
const levelCountOffset = 8
/** An index with this many levels is rebuilt. */
export const maxLevels = 1000

export function readIndexTotals(db: SqlDatabase): IndexTotals {
  const row = db.get<{ block: Uint8Array }>('SELECT block FROM text_index_data WHERE id = ?', [
    averagesRecordId,
  ])
  const [rows = 0, ...terms] = row ? decodeVarints(row.block) : []
  return { rows, terms: terms.reduce((sum, n) => sum + n, 0) }
}

/** The levels of the index. Each `optimize` after a deletion adds one; FTS5 reports more than 2,000 as corrupt. */
export function readLevelCount(db: SqlDatabase): number {
  const row = db.get<{ block: Uint8Array }>('SELECT block FROM text_index_data WHERE id = ?', [
    structureRecordId,
  ])
  const [levels = 0] = decodeVarints(new Uint8Array(row?.block ?? []).subarray(levelCountOffset))
  return levels
}

/**
 * How many terms a row of the index has. `block`: the size record of FTS5, with the number of terms of each column.
 */
export function termCountOf(block: Uint8Array): number {
  return decodeVarints(block).reduce((sum, n) => sum + n, 0)
}

/** Decodes numbers in groups of 7 bits, the highest first, the form of SQLite. */
function decodeVarints(block: Uint8Array): number[] {
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

/**
 * How many records have each term in `terms`. A term without records is left out. `text_words` is an `fts5vocab` table.
 */
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

/** The most frequent term that begins with `prefix`; undefined without any. */
export function readCompletion(db: SqlDatabase, prefix: string): string | undefined {
  return db.get<{ term: string }>(
    'SELECT term FROM text_words WHERE term >= ? AND term < ? ORDER BY doc DESC, term LIMIT 1',
    [prefix, `${prefix}\u{10ffff}`],
  )?.term
}
