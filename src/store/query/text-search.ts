// Full-text search among the records that satisfy a condition, best match first.
// Invariant: a search in a field finds matches in exactly that field, also when its column of the index has more
// text.
import type { Zone } from '../../core/zone.ts'
import type { CountQuery, TextHit, TextQuery } from '../../core/capability/port/record-port.ts'
import { DaybookError } from '../../core/errors.ts'
import { isPathWithin, readPath } from '../../core/json/path.ts'
import { collectText, type Kind, whenField } from '../../core/kind.ts'
import { formatTime } from '../../core/time.ts'
import type { Fragment } from '../schema/column.ts'
import { type RecordRow, toRecord } from '../schema/record-row.ts'
import { holdsWords, matchExpression, parseSearch } from '../word/text-query.ts'
import { indexText, textsOfRecord } from '../word/text.ts'
import type { RankedText, TextRank } from './text-rank.ts'

/** Rows of records by their numbers, unordered. */
export type ReadRecords = (seqs: readonly number[]) => RecordRow[]

/** Most records read at once. */
const batch = 100

/**
 * The hits of a query among the records of `kind` that satisfy `where`. Call it when the projection has caught up.
 * Throws `invalid-input` for a field without `kind`, and for one that is not searchable.
 */
export function searchText(
  { rank, records, zone }: { rank: TextRank; records: ReadRecords; zone: Zone },
  kind: Kind | undefined,
  where: readonly Fragment[],
  { text, fields, filters, limit = 20, offset = 0, match, prefix }: TextQuery,
): TextHit[] {
  const scope = fields && scopeOf(fields, fieldKind(kind), zone)
  const { words, options } = parse({ text, match, prefix })
  const isNarrow = filters !== undefined
  const question = { ...options, words, columns: scope?.columns, where, isNarrow, ties: 'stored' as const }
  const textsOf = scope?.textsOf
  if (!textsOf) return [...hits(records, rank({ ...question, limit, offset }))].map(({ hit }) => hit)
  const found: TextHit[] = []
  for (const { hit, at } of hits(records, rank({ ...question, limit: undefined }))) {
    if (holdsWords(textsOf(hit.record, formatTime(at)), words, options)) found.push(hit)
    if (found.length === offset + limit) break
  }
  return found.slice(offset)
}

/** The condition that a record matches `search`; empty without one. `rank`: finds the matches in place of FTS5. */
export function textSql(search: CountQuery['search'], rank?: TextRank): Fragment[] {
  if (!search) return []
  const { words, options } = parse(search)
  if (rank) {
    const all = {
      ...options,
      words,
      where: [{ sql: '1', params: [] }],
      isNarrow: true,
      ties: 'stored',
      limit: undefined,
    } as const
    const seqs = rank(all).map(({ seq }) => seq)
    return [{ sql: 'f.seq IN (SELECT value FROM json_each(?))', params: [JSON.stringify(seqs)] }]
  }
  const expression = matchExpression(words, options)
  if (expression === undefined) return [{ sql: '0', params: [] }]
  return [{ sql: 'f.seq IN (SELECT rowid FROM text_index WHERE text_index MATCH ?)', params: [expression] }]
}

/** Parses a search. The last word is a prefix only when it is not quoted. */
function parse({ text, match, prefix }: Pick<TextQuery, 'text' | 'match' | 'prefix'>) {
  const { words, isOpen } = parseSearch(text)
  return { words, options: { match, prefix: prefix && isOpen } }
}

function fieldKind(kind: Kind | undefined): Kind {
  if (kind) return kind
  throw new DaybookError('invalid-input', 'Fields belong to a kind. Name it as `kind`.', {
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

/**
 * The place of fields in the index, which has a column for each declared text field of a kind. A path above declared
 * fields means several columns; a path below one means a part of its column.
 */
interface FieldScope {
  /** The columns that contain the fields. They may contain other text too. */
  readonly columns: readonly number[]
  /** The texts of exactly the fields. Absent when the columns contain nothing else. */
  readonly textsOf?: (record: object, happenedAt: string) => string[]
}

/** Finds the columns of `fields`. Throws `invalid-input` when a field is not searchable. */
function scopeOf(fields: readonly string[], kind: Kind, zone?: Zone): FieldScope {
  const whole = new Set<number>()
  const below = new Map<string, number>()
  fields.forEach((field, i) => {
    const columns = [...kind.text.keys()].filter((column) => isPathWithin(kind.text[column] ?? '', field))
    for (const column of columns) whole.add(column)
    if (columns.length > 0) return
    const column = columnAbove(field, kind)
    if (column === undefined) throw notSearchable(field, `fields.${i}`, kind)
    below.set(field, column)
  })
  const parts = [...below].filter(([, column]) => !whole.has(column))
  const columns = [...new Set([...whole, ...parts.map(([, column]) => column)])]
  if (parts.length === 0) return { columns }
  return {
    columns,
    textsOf(record, happenedAt) {
      const texts =
        whole.size === 0
          ? []
          : textsOfRecord(kind, record, happenedAt, zone).filter((_, column) => whole.has(column))
      return [...texts, ...parts.map(([path]) => indexText(collectText(readPath(record, path)).join(' ')))]
    },
  }
}

/** The column of the nearest declared field above `path`. */
function columnAbove(path: string, kind: Kind): number | undefined {
  if (path.split('.').includes('')) return undefined
  let found: number | undefined
  kind.text.forEach((declared, column) => {
    if (declared === whenField || !isPathWithin(path, declared)) return
    if (found === undefined || declared.length > (kind.text[found] ?? '').length) found = column
  })
  return found
}

function notSearchable(field: string, path: string, kind: Kind): DaybookError {
  const searchable = kind.text.filter((declared) => declared !== whenField)
  const message = `\`${field.slice(0, 80)}\` is not searchable. The text of a ${kind.name} is in ${searchable.join(', ')}, and below.`
  return new DaybookError('invalid-input', message, { details: { path, searchable } })
}
