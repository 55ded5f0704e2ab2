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
import { matchesWords, matchExpression, parseSearch } from '../word/text-query.ts'
import { indexText, textsOfRecord } from '../word/text.ts'
import type { RankedRecord, TextRank } from './text-rank.ts'

/** Rows of records by their numbers, unordered. */
export type ReadRecords = (seqs: readonly number[]) => RecordRow[]

/** Most records read at once. */
const readBatch = 100

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
  const scope = fields && findFieldScope(fields, requireFieldKind(kind), zone)
  const { words, options } = parseTextQuery({ text, match, prefix })
  // Few of the matches are likely to satisfy a filter.
  const isNarrow = filters !== undefined
  const question = { ...options, words, columns: scope?.columns, where, isNarrow, ties: 'stored' as const }
  const textsOf = scope?.textsOf
  if (!textsOf) return [...readHits(records, rank({ ...question, limit, offset }))].map(({ hit }) => hit)
  // The columns may have other text too, so each match is tested again in the texts of the fields.
  const found: TextHit[] = []
  for (const { hit, at } of readHits(records, rank({ ...question, limit: undefined }))) {
    if (matchesWords(textsOf(hit.record, formatTime(at)), words, options)) found.push(hit)
    if (found.length === offset + limit) break
  }
  return found.slice(offset)
}

/** The condition that a record matches `search`; empty without one. `rank`: finds the matches in place of FTS5. */
export function textMatchSql(search: CountQuery['search'], rank?: TextRank): Fragment[] {
  if (!search) return []
  const { words, options } = parseTextQuery(search)
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
function parseTextQuery({ text, match, prefix }: Pick<TextQuery, 'text' | 'match' | 'prefix'>) {
  const { words, isOpen } = parseSearch(text)
  return { words, options: { match, prefix: prefix && isOpen } }
}

function requireFieldKind(kind: Kind | undefined): Kind {
  if (kind) return kind
  throw new DaybookError('invalid-input', 'Fields belong to a kind. Name it as `kind`.', {
    details: { path: 'kind' },
  })
}

/** The records of a ranking, in its order. */
function* readHits(
  records: ReadRecords,
  ranked: readonly RankedRecord[],
): Generator<{ hit: TextHit; at: number }> {
  for (let from = 0; from < ranked.length; from += readBatch) {
    const rankedBatch = ranked.slice(from, from + readBatch)
    const bySeq = new Map(records(rankedBatch.map(({ seq }) => seq)).map((row) => [row.seq, row]))
    for (const { seq, score, happenedAtMs } of rankedBatch) {
      const row = bySeq.get(seq)
      if (row) yield { hit: { record: toRecord(row), score }, at: happenedAtMs }
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
function findFieldScope(fields: readonly string[], kind: Kind, zone?: Zone): FieldScope {
  const wholeColumns = new Set<number>()
  const columnByPath = new Map<string, number>()
  fields.forEach((field, i) => {
    const columns = [...kind.text.keys()].filter((column) => isPathWithin(kind.text[column] ?? '', field))
    for (const column of columns) wholeColumns.add(column)
    if (columns.length > 0) return
    const column = columnAbove(field, kind)
    if (column === undefined) throw notSearchable(field, `fields.${i}`, kind)
    columnByPath.set(field, column)
  })
  const partialPaths = [...columnByPath].filter(([, column]) => !wholeColumns.has(column))
  const columns = [...new Set([...wholeColumns, ...partialPaths.map(([, column]) => column)])]
  if (partialPaths.length === 0) return { columns }
  return {
    columns,
    textsOf(record, happenedAt) {
      const texts =
        wholeColumns.size === 0
          ? []
          : textsOfRecord(kind, record, happenedAt, zone).filter((_, column) => wholeColumns.has(column))
      return [
        ...texts,
        ...partialPaths.map(([path]) => indexText(collectText(readPath(record, path)).join(' '))),
      ]
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
