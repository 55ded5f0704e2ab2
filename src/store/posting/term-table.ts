// The words of the text index with how many records have each, as FTS5 keeps them; spelled as the index spells them.
import type { SqlDatabase } from '../../core/ports.ts'

/** In how many records each of `terms` stands; those that stand in none are left out. */
export function readFrequencies(db: SqlDatabase, terms: readonly string[]): Map<string, number> {
  const rows = db.all<{ term: string; doc: number }>(
    'SELECT term, doc FROM text_words WHERE term IN (SELECT value FROM json_each(?))',
    [JSON.stringify(terms)],
  )
  return new Map(rows.map(({ term, doc }) => [term, doc]))
}

/** Terms that begin with `letter` and are `shortest` to `longest` characters long. */
export function readTerms(db: SqlDatabase, letter: string, shortest: number, longest: number): string[] {
  const rows = db.all<{ term: string }>(
    'SELECT term FROM text_words WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?',
    [letter, `${letter}\u{10ffff}`, shortest, longest],
  )
  return rows.map(({ term }) => term)
}

/** The term that the most records have of those that begin with `beginning`. */
export function readBegun(db: SqlDatabase, beginning: string): string | undefined {
  return db.get<{ term: string }>(
    'SELECT term FROM text_words WHERE term >= ? AND term < ? ORDER BY doc DESC, term LIMIT 1',
    [beginning, `${beginning}\u{10ffff}`],
  )?.term
}
