// Full-text search among the records that satisfy a condition, best match first.
// Invariant: what is searched for in a field is found in exactly that field, also where the index holds more in one column.
import type { CountQuery, TextHit, TextQuery } from '../../core/capability/port/record-port.ts'
import type { Zone } from '../../core/calendar/zone.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Kind } from '../../core/kind.ts'
import { formatTime } from '../../core/time.ts'
import type { Fragment } from '../schema/column.ts'
import { scopeOf } from './field-scope.ts'
import { type RecordRow, toRecord } from '../schema/record-row.ts'
import { askedWordsOf, holdsWords, matchExpression } from '../word/text-query.ts'
import type { RankedText, TextRank } from './text-rank.ts'

/** Rows of records by their numbers, in any order. */
export type ReadRecords = (seqs: readonly number[]) => RecordRow[]

/** How many records are read at once while candidates are looked through. */
const batch = 100

/** The hits of `query` among the records of `kind` that satisfy `where`, over an index that is caught up. */
export function searchText(
  { rank, records, zone }: { rank: TextRank; records: ReadRecords; zone: Zone },
  kind: Kind | undefined,
  where: readonly Fragment[],
  { text, fields, filters, limit = 20, offset = 0, match, prefix }: TextQuery,
): TextHit[] {
  const scope = fields && scopeOf(fields, fieldKind(kind), zone)
  const { words, how } = askedOf({ text, match, prefix })
  const isNarrow = filters !== undefined
  const question = { ...how, words, columns: scope?.columns, where, isNarrow, ties: 'stored' as const }
  const textsOf = scope?.textsOf
  if (!textsOf) return [...hits(records, rank({ ...question, limit, offset }))].map(({ hit }) => hit)
  const found: TextHit[] = []
  for (const { hit, at } of hits(records, rank({ ...question, limit: undefined }))) {
    if (holdsWords(textsOf(hit.record, formatTime(at)), words, how)) found.push(hit)
    if (found.length === offset + limit) break
  }
  return found.slice(offset)
}

/**
 * The condition under which `searchText` finds a record by its words; none when nothing is searched for. `rank` finds them
 * for a guest: FTS5 walks over what is out of reach too.
 */
export function textSql(search: CountQuery['search'], rank?: TextRank): Fragment[] {
  if (!search) return []
  const { words, how } = askedOf(search)
  if (rank) {
    const all = {
      ...how,
      words,
      where: [{ sql: '1', params: [] }],
      isNarrow: true,
      ties: 'stored',
      limit: undefined,
    } as const
    const seqs = rank(all).map(({ seq }) => seq)
    return [{ sql: 'f.seq IN (SELECT value FROM json_each(?))', params: [JSON.stringify(seqs)] }]
  }
  const expression = matchExpression(words, how)
  if (expression === undefined) return [{ sql: '0', params: [] }]
  return [{ sql: 'f.seq IN (SELECT rowid FROM text_index WHERE text_index MATCH ?)', params: [expression] }]
}

/** A word in quotes is whole, also the last one. */
function askedOf({ text, match, prefix }: Pick<TextQuery, 'text' | 'match' | 'prefix'>) {
  const { words, isOpen } = askedWordsOf(text)
  return { words, how: { match, prefix: prefix && isOpen } }
}

function fieldKind(kind: Kind | undefined): Kind {
  if (kind) return kind
  throw new DaybookError('invalid-input', 'Fields belong to a kind, and none is named.', {
    details: { path: 'kind' },
  })
}

/** The records of a ranking, in its order. */
function* hits(records: ReadRecords, ranked: readonly RankedText[]): Generator<{ hit: TextHit; at: number }> {
  for (let from = 0; from < ranked.length; from += batch) {
    const some = ranked.slice(from, from + batch)
    const bySeq = new Map(records(some.map(({ seq }) => seq)).map((row) => [row.seq, row]))
    for (const { seq, score, at } of some) {
      const row = bySeq.get(seq)
      if (row) yield { hit: { record: toRecord(row), score }, at }
    }
  }
}
