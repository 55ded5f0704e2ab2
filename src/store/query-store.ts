// Questions about records: by filter and order, by text, by links. Deleted records have no facets, so none of these sees one.
// Invariant: every question first lets the projection catch up, so it sees all acknowledged writes.
import type { Count, CountQuery, RecordPage, RecordQuery, TextHit, TextQuery } from '../core/capability.ts'
import { DaybookError } from '../core/errors.ts'
import { parseFilters } from '../core/filter.ts'
import type { Kind, Kinds } from '../core/kind.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../core/ports.ts'
import { afterSql, encodeCursor, keyName, orderSql, parseOrder } from './cursor.ts'
import type { Fragment } from './expression.ts'
import { filterSql } from './filter-sql.ts'
import type { Projection } from './projection.ts'
import { type RecordRow, recordColumns, toRecord } from './record-row.ts'
import { searchText } from './text-search.ts'

/** What narrows the candidates of a recall, inside the query itself. */
export interface CandidateQuery {
  readonly expression: string
  readonly kinds?: readonly string[] | undefined
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly filters?: unknown
  readonly limit: number
}

export interface Candidate extends TextHit {
  readonly seq: number
  readonly kind: string
  readonly happenedAt: string
  readonly rank: number
}

export interface QueryStore {
  query(query: RecordQuery): RecordPage
  search(query: TextQuery): TextHit[]
  count(query: CountQuery): Count
  candidates(query: CandidateQuery): Candidate[]
  /** In how many records each indexed word stands; words are given as the index spells them. */
  frequencies(words: readonly string[]): Map<string, number>
  /** Live records of each kind. */
  counts(): Record<string, number>
  /** Live records that are indexed. */
  size(): number
  citing(id: string): string[]
}

type RankedRow = RecordRow & { readonly happened_at: string; readonly bm25: number }

const parameterLimit = 100
/** How much of a canonical instant names its period, and what completes it to an instant. */
const periods = {
  hour: [13, ':00:00.000Z'],
  day: [10, 'T00:00:00.000Z'],
  month: [7, '-01T00:00:00.000Z'],
} as const

export function createQueryStore(db: SqlDatabase, kinds: Kinds, projection: Projection): QueryStore {
  const kindOf = (name: string | undefined, path = 'kind'): Kind | undefined => {
    if (name === undefined) return undefined
    const kind = kinds.get(name)
    if (kind) return kind
    throw new DaybookError('invalid-input', `There is no kind \`${name.slice(0, 80)}\`.`, {
      details: { path, known: [...kinds.keys()] },
    })
  }

  let counted: { readonly n: number; readonly generation: number } | undefined

  const all = <Row extends SqlRow>(sql: string, params: readonly SqlValue[]): Row[] => {
    if (params.length > parameterLimit) {
      throw new DaybookError('invalid-filter', 'The filters have too many conditions.', {
        details: { path: 'filters' },
      })
    }
    return db.all<Row>(sql, params)
  }

  const conditions = (kind: Kind | undefined, filters: unknown): Fragment[] => [
    ...(kind ? [{ sql: 'f.kind = ?', params: [kind.name] }] : []),
    filterSql(parseFilters(filters), kind),
  ]

  const query = ({
    kind: name,
    filters,
    orderBy,
    limit = 100,
    offset = 0,
    cursor,
  }: RecordQuery): RecordPage => {
    const kind = kindOf(name)
    const keys = parseOrder(orderBy, kind)
    const where = conditions(kind, filters)
    if (cursor !== undefined) where.push(afterSql(cursor, keys))
    const selected = keys.map(({ sql }, i) => `, ${sql} AS ${keyName(i)}`).join('')
    projection.catchUp()
    const rows = all<RecordRow>(
      `SELECT ${recordColumns}${selected} FROM facets f JOIN records r ON r.seq = f.seq
       WHERE ${where.map((part) => part.sql).join(' AND ')} ORDER BY ${orderSql(keys)} LIMIT ? OFFSET ?`,
      [...keys.flatMap((key) => key.params), ...where.flatMap((part) => part.params), limit + 1, offset],
    )
    const page = rows.slice(0, limit)
    const records = page.map(toRecord)
    const last = page.at(-1)
    if (rows.length <= limit || !last) return { records }
    return { records, cursor: encodeCursor(last, keys.length) }
  }

  const count = ({ kind: name, filters, by }: CountQuery): Count => {
    const where = conditions(kindOf(name), filters)
    projection.catchUp()
    const [length, rest] = periods[by]
    const buckets = all<{ at: string; count: number; failed: number }>(
      `SELECT substr(f.happened_at, 1, ?) || ? AS at, count(*) AS count, total(f.success = 0) AS failed
       FROM facets f JOIN records r ON r.seq = f.seq
       WHERE ${where.map((part) => part.sql).join(' AND ')} GROUP BY 1 ORDER BY 1`,
      [length, rest, ...where.flatMap((part) => part.params)],
    )
    return { total: buckets.reduce((sum, bucket) => sum + bucket.count, 0), buckets }
  }

  /**
   * The best `limit` matches that satisfy `where`. Joining every match to its record costs more than ranking it, so
   * where few are likely to be sorted out the best are taken from the index first, and the join is the second way.
   */
  const ranked = (
    expression: string,
    where: readonly Fragment[],
    { limit, filtered }: { limit: number; filtered: boolean },
  ): RankedRow[] => {
    const condition = where.map((part) => part.sql).join(' AND ')
    const params = where.flatMap((part) => part.params)
    if (!filtered) {
      const taken = limit + Math.max(20, limit)
      const best = all<{ seq: number; bm25: number }>(
        'SELECT rowid AS seq, -rank AS bm25 FROM text_index WHERE text_index MATCH ? ORDER BY rank LIMIT ?',
        [expression, taken],
      )
      const scores = new Map(best.map(({ seq, bm25 }) => [seq, bm25]))
      const rows = all<RecordRow & { happened_at: string }>(
        `SELECT ${recordColumns}, f.happened_at FROM facets f JOIN records r ON r.seq = f.seq
         WHERE f.seq IN (SELECT value FROM json_each(?)) AND ${condition}`,
        [JSON.stringify(best.map(({ seq }) => seq)), ...params],
      )
      const sorted = rows
        .map((row): RankedRow => ({ ...row, bm25: scores.get(row.seq) ?? 0 }))
        .sort((a, b) => b.bm25 - a.bm25 || (b.happened_at > a.happened_at ? 1 : b.happened_at < a.happened_at ? -1 : b.seq - a.seq))
        .slice(0, limit)
      // Whole when the index had no more, or when what it held back scores less than everything taken here.
      const whole = best.length < taken || (sorted.length === limit && (sorted.at(-1)?.bm25 ?? 0) > (best.at(-1)?.bm25 ?? 0))
      if (whole) return sorted
    }
    return all<RankedRow>(
      `SELECT ${recordColumns}, f.happened_at, -text_index.rank AS bm25 FROM text_index
       JOIN facets f ON f.seq = text_index.rowid JOIN records r ON r.seq = f.seq
       WHERE text_index MATCH ? AND ${condition}
       ORDER BY bm25 DESC, f.happened_at DESC, f.seq DESC LIMIT ?`,
      [expression, ...params, limit],
    )
  }

  const search = (query: TextQuery): TextHit[] => {
    const kind = kindOf(query.kind)
    const where = conditions(kind, query.filters)
    projection.catchUp()
    return searchText(all, kind, where, query)
  }

  const candidates = (question: CandidateQuery): Candidate[] => {
    const where: Fragment[] = [{ sql: 'f.recallable = 1', params: [] }]
    const asked = question.kinds?.map((name, i) => kindOf(name, `kinds.${i}`))
    if (question.kinds)
      where.push({
        sql: 'f.kind IN (SELECT value FROM json_each(?))',
        params: [JSON.stringify(question.kinds)],
      })
    for (const name of ['agent', 'session', 'resource'] as const) {
      const wanted = question[name]
      if (wanted !== undefined) where.push({ sql: `r.${name} = ?`, params: [wanted] })
    }
    const only = asked?.length === 1 ? asked[0] : undefined
    where.push(filterSql(parseFilters(question.filters), only))
    projection.catchUp()
    const { agent, session, resource, filters } = question
    const filtered = [agent, session, resource, filters].some((one) => one !== undefined)
    const rows = ranked(question.expression, where, { limit: question.limit, filtered })
    return rows.map((row, i) => {
      const { seq, kind, happened_at: happenedAt, bm25: score } = row
      return { record: toRecord(row), seq, kind, happenedAt, score, rank: i + 1 }
    })
  }

  return {
    query,
    search,
    count,
    candidates,
    frequencies(words) {
      projection.catchUp()
      const rows = db.all<{ term: string; doc: number }>(
        'SELECT term, doc FROM text_words WHERE term IN (SELECT value FROM json_each(?))',
        [JSON.stringify(words)],
      )
      return new Map(rows.map(({ term, doc }) => [term, doc]))
    },
    counts() {
      // What is derived is counted on an index; only what is behind is read from the records themselves.
      const rows = db.all<{ kind: string; n: number }>(
        `SELECT kind, sum(n) AS n FROM (
           SELECT kind, count(*) AS n FROM facets GROUP BY kind
           UNION ALL SELECT kind, -count(*) FROM facets WHERE seq IN (SELECT seq FROM stale) GROUP BY kind
           UNION ALL SELECT kind, count(*) FROM records
             WHERE (seq > ? OR seq IN (SELECT seq FROM stale)) AND deleted = 0 GROUP BY kind)
         GROUP BY kind HAVING sum(n) > 0`,
        [projection.derivedSeq()],
      )
      return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]))
    },
    size() {
      projection.catchUp()
      if (counted?.generation !== projection.generation()) {
        const n = db.get<{ n: number }>('SELECT count(*) AS n FROM facets')?.n ?? 0
        counted = { n, generation: projection.generation() }
      }
      return counted.n
    },
    citing(id) {
      const rows = db.all<{ id: string }>(
        'SELECT r.id FROM links l JOIN records r ON r.seq = l.seq WHERE l.target = ? AND r.deleted = 0 ORDER BY r.seq',
        [id],
      )
      return rows.map((row) => row.id)
    },
  }
}
