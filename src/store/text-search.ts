// Full-text search among the records that satisfy a condition, best match first.
// Invariant: what is searched for in a field is found in exactly that field, also where the index holds more in one column.
import type { TextHit, TextQuery } from '../core/capability.ts'
import { DaybookError } from '../core/errors.ts'
import type { Kind } from '../core/kind.ts'
import type { SqlRow, SqlValue } from '../core/ports.ts'
import type { Fragment } from './expression.ts'
import { scopeOf } from './field-scope.ts'
import { type RecordRow, recordColumns, toRecord } from './record-row.ts'
import { holdsWords, matchExpression, wordsOf } from './text-query.ts'

type Read = <Row extends SqlRow>(sql: string, params: readonly SqlValue[]) => Row[]
type Ranked = { readonly seq: number; readonly score: number }

/** How many records are read at once while candidates are looked through. */
const batch = 100

/** The hits of `query` among the records of `kind` that satisfy `where`, over an index that is caught up. */
export function searchText(
  read: Read,
  kind: Kind | undefined,
  where: readonly Fragment[],
  { text, fields, limit = 20, offset = 0, ...how }: TextQuery,
): TextHit[] {
  const scope = fields && scopeOf(fields, fieldKind(kind))
  const words = wordsOf(text)
  const expression = matchExpression(words, { ...how, columns: scope?.columns })
  if (expression === undefined) return []
  const textsOf = scope?.textsOf
  if (!textsOf) return [...hits(read, rank(read, expression, where, limit, offset))].map(({ hit }) => hit)
  const found: TextHit[] = []
  for (const { hit, happenedAt } of hits(read, rank(read, expression, where, -1, 0))) {
    if (holdsWords(textsOf(hit.record, happenedAt), words, how)) found.push(hit)
    if (found.length === offset + limit) break
  }
  return found.slice(offset)
}

function fieldKind(kind: Kind | undefined): Kind {
  if (kind) return kind
  throw new DaybookError('invalid-input', 'Fields belong to a kind, and none is named.', {
    details: { path: 'kind' },
  })
}

/** Ranks without reading a body: sorting would carry every one of them along. A limit of -1 is none. */
function rank(
  read: Read,
  expression: string,
  where: readonly Fragment[],
  limit: number,
  offset: number,
): Ranked[] {
  const condition = where.map((part) => part.sql).join(' AND ')
  // Only some conditions look at the record itself, and every live record has its facets.
  const records = /\br\./.test(condition) ? 'JOIN records r ON r.seq = f.seq' : ''
  return read<SqlRow & Ranked>(
    `SELECT f.seq, -bm25(text_index) AS score FROM text_index JOIN facets f ON f.seq = text_index.rowid ${records}
     WHERE text_index MATCH ? AND ${condition} ORDER BY score DESC, f.seq DESC LIMIT ? OFFSET ?`,
    [expression, ...where.flatMap((part) => part.params), limit, offset],
  )
}

/** The records of a ranking, in its order. */
function* hits(read: Read, ranked: readonly Ranked[]): Generator<{ hit: TextHit; happenedAt: string }> {
  for (let from = 0; from < ranked.length; from += batch) {
    const some = ranked.slice(from, from + batch)
    const rows = read<RecordRow & { happened_at: string }>(
      `SELECT ${recordColumns}, f.happened_at FROM records r JOIN facets f ON f.seq = r.seq
       WHERE r.seq IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(some.map(({ seq }) => seq))],
    )
    const bySeq = new Map(rows.map((row) => [row.seq, row]))
    for (const { seq, score } of some) {
      const row = bySeq.get(seq)
      if (row) yield { hit: { record: toRecord(row), score }, happenedAt: row.happened_at }
    }
  }
}
