// Questions about records: by filter and order, by text, by links. Deleted records have no facets, so none of these sees one.
// Invariant: every question first lets the projection catch up, so it sees all acknowledged writes.
import type {
  Citing,
  Count,
  CountQuery,
  Extent,
  RecordPage,
  RecordQuery,
  TextHit,
  TextQuery,
} from '../core/capability.ts'
import type { RecordSnapshot, SnapshotQuery } from '../core/transfer.ts'
import { DaybookError } from '../core/errors.ts'
import { parseFilters } from '../core/filter.ts'
import type { Kind, Kinds } from '../core/kind.ts'
import type { JsonObject } from '../core/path.ts'
import type { Clock, SqlDatabase, SqlRow, SqlValue } from '../core/ports.ts'
import type { Stored } from '../core/record.ts'
import { formatTime } from '../core/time.ts'
import { afterSql, encodeCursor, keyName, orderSql, parseOrder } from './cursor.ts'
import { currentSql } from './current-sql.ts'
import type { Fragment } from './expression.ts'
import { filterSql } from './filter-sql.ts'
import { selectionSql } from './json-path-sql.ts'
import type { Projection } from './projection.ts'
import { type RecordRow, recordColumns, toRecord } from './record-row.ts'
import type { TextLeg } from './text-leg.ts'
import { kindNamed, scopeSql, type ScopeQuery } from './recall-scope.ts'
import { countTerms, type Place, placesOf, type TermCounts } from './evidence.ts'
import { type IndexTotals, readTotals } from './index-totals.ts'
import { conditionOf, type Sifted, siftRows, type Weighed, weighRows } from './sift.ts'
import { takeSnapshot } from './snapshot.ts'
import { createTextRank, type RankedText } from './text-rank.ts'
import { searchText } from './text-search.ts'

export interface CandidateQuery extends ScopeQuery {
  readonly words: readonly string[]
  readonly match: 'any' | 'all'
  readonly limit: number
}

export interface Candidate extends RankedText {
  readonly rank: number
}

/** What is expired or superseded when a question is asked is left out, but for what `include` names. */
export interface QueryStore {
  query(query: RecordQuery): RecordPage
  search(query: TextQuery): TextHit[]
  count(query: CountQuery): Count
  candidates(query: CandidateQuery): Candidate[]
  /** Those of `seqs` that `scope` lets a recall see. For legs that have an index of their own. */
  sift(seqs: readonly number[], scope: ScopeQuery): Map<number, Sifted>
  /** The same, with what weighs a hit beside its text. */
  weigh(seqs: readonly number[], scope: ScopeQuery): Map<number, Weighed>
  /** Where records stand in their sessions; neighbours outside `scope` are left out. */
  places(seqs: readonly number[], scope: ScopeQuery): Map<number, Place>
  /** How often each of the records has each of the terms, which are spelled as the index spells them. */
  termCounts(seqs: readonly number[], terms: readonly string[]): TermCounts
  /** What the text index counts over all its rows. */
  totals(): IndexTotals
  /** The numbers of all records that `scope` lets a recall see. */
  reach(scope: ScopeQuery): number[]
  /** Records by their numbers. */
  read(seqs: readonly number[]): Map<number, Stored<JsonObject>>
  /** In how many records each indexed word stands; words are given as the index spells them. */
  frequencies(words: readonly string[]): Map<string, number>
  /** Live records of each kind. */
  counts(): Record<string, number>
  /** Live records that are indexed. */
  size(): number
  /** The live records of each kind that are derived: how many, and when the first and the last happened. */
  extents(): Record<string, Extent>
  /** The live records that cite `id`, in the order in which they were stored. */
  citing(id: string): Citing[]
  snapshot(query: SnapshotQuery): RecordSnapshot
}

const parameterLimit = 100
/** What a record weighs that says nothing of itself. */
const weightless = { importance: undefined, confidence: undefined, pinned: false, uses: 0 } as const
/** How much of a canonical instant names its period, and what completes it to an instant. */
const periods = {
  hour: [13, ':00:00.000Z'],
  day: [10, 'T00:00:00.000Z'],
  month: [7, '-01T00:00:00.000Z'],
} as const

export function createQueryStore(
  db: SqlDatabase,
  kinds: Kinds,
  projection: Projection,
  leg: TextLeg | undefined,
  clock: Clock,
): QueryStore {
  const now = () => formatTime(clock.now())
  const kindOf = (name: string | undefined): Kind | undefined =>
    name === undefined ? undefined : kindNamed(kinds, name)

  let counted: { readonly n: number; readonly generation: number } | undefined

  const all = <Row extends SqlRow>(sql: string, params: readonly SqlValue[]): Row[] => {
    if (params.length > parameterLimit) {
      throw new DaybookError('invalid-filter', 'The filters have too many conditions.', {
        details: { path: 'filters' },
      })
    }
    return db.all<Row>(sql, params)
  }

  const rank = createTextRank(all, leg)

  const conditions = (kind: Kind | undefined, filters: unknown): Fragment[] => [
    ...(kind ? [{ sql: 'f.kind = ?', params: [kind.name] }] : []),
    filterSql(parseFilters(filters), kind),
  ]

  const query = (asked: RecordQuery): RecordPage => {
    const { kind: name, filters, selection, include, orderBy, limit = 100, offset = 0, cursor } = asked
    const kind = kindOf(name)
    const keys = parseOrder(orderBy, kind)
    const where = [...conditions(kind, filters), ...currentSql(kind, now(), include)]
    if (selection) where.push(selectionSql(selection))
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

  const count = ({ kind: name, filters, include, by }: CountQuery): Count => {
    const kind = kindOf(name)
    const where = [...conditions(kind, filters), ...currentSql(kind, now(), include)]
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

  const records = (seqs: readonly number[]): RecordRow[] =>
    db.all<RecordRow>(
      `SELECT ${recordColumns} FROM records r WHERE r.seq IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(seqs)],
    )

  const search = (query: TextQuery): TextHit[] => {
    const kind = kindOf(query.kind)
    const where = [...conditions(kind, query.filters), ...currentSql(kind, now())]
    projection.catchUp()
    return searchText({ rank, records }, kind, where, query)
  }

  const candidates = ({ words, match, limit, ...scope }: CandidateQuery): Candidate[] => {
    projection.catchUp()
    return rank({ words, match, ...scopeSql(kinds, scope, now()), ties: 'happened', limit }).map(
      (one, i) => ({
        ...one,
        rank: i + 1,
      }),
    )
  }

  const sift = (seqs: readonly number[], scope: ScopeQuery): Map<number, Sifted> => {
    const { where } = scopeSql(kinds, scope, now())
    projection.catchUp()
    return siftRows(all, seqs, where)
  }

  const weigh = (seqs: readonly number[], scope: ScopeQuery): Map<number, Weighed> => {
    const { where, isPlain } = scopeSql(kinds, scope, now())
    projection.catchUp()
    const known = isPlain ? leg?.warm() : undefined
    if (!known) return weighRows(all, seqs, where)
    const light: [number, Weighed][] = []
    const asked: number[] = []
    for (const seq of seqs) {
      const document = known.documentOf(seq)
      if (document < 0 || !known.isPlain(document) || !known.isLight(document)) asked.push(seq)
      else light.push([seq, { ...weightless, at: known.threads.atOf(document) }])
    }
    return new Map([...light, ...(asked.length > 0 ? weighRows(all, asked, where) : [])])
  }

  const places = (seqs: readonly number[], scope: ScopeQuery): Map<number, Place> => {
    const compiled = scopeSql(kinds, scope, now())
    projection.catchUp()
    return placesOf(all, leg?.warm(), seqs, compiled)
  }

  const reach = (scope: ScopeQuery): number[] => {
    const { condition, params, records: joined } = conditionOf(scopeSql(kinds, scope, now()).where)
    projection.catchUp()
    return all<{ seq: number }>(`SELECT f.seq FROM facets f ${joined} WHERE ${condition}`, params).map(
      ({ seq }) => seq,
    )
  }

  return {
    query,
    search,
    count,
    candidates,
    sift,
    reach,
    weigh,
    places,
    termCounts(seqs, terms) {
      projection.catchUp()
      return countTerms(all, kinds, leg?.warm(), seqs, terms)
    },
    totals() {
      projection.catchUp()
      return readTotals(db)
    },
    read: (seqs) => new Map(records(seqs).map((row) => [row.seq, toRecord(row)])),
    frequencies(words) {
      projection.catchUp()
      const known = leg?.frequencies(words)
      if (known) return known
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
    extents() {
      projection.catchUp()
      const rows = db.all<Extent & SqlRow & { kind: string }>(
        `SELECT kind, count(*) AS count, min(happened_at) AS earliest, max(happened_at) AS latest
         FROM facets GROUP BY kind`,
      )
      return Object.fromEntries(rows.map(({ kind, ...extent }) => [kind, extent]))
    },
    citing: (id) =>
      db.all<Citing & SqlRow>(
        `SELECT r.id, r.kind, l.path FROM links l JOIN records r ON r.seq = l.seq
         WHERE l.target = ? AND r.deleted = 0 ORDER BY r.seq, l.path`,
        [id],
      ),
    snapshot({ kinds: names, from, before }) {
      const wanted = names.map((name) => kindNamed(kinds, name, 'kinds'))
      const timeless = JSON.stringify(wanted.filter((kind) => kind.timeless).map((kind) => kind.name))
      const exempt = 'f.kind IN (SELECT value FROM json_each(?)) OR f.happened_at'
      const where: Fragment[] = [
        { sql: 'f.kind IN (SELECT value FROM json_each(?))', params: [JSON.stringify(names)] },
        ...(from === undefined ? [] : [{ sql: `(${exempt} >= ?)`, params: [timeless, from] }]),
        ...(before === undefined ? [] : [{ sql: `(${exempt} < ?)`, params: [timeless, before] }]),
      ]
      projection.catchUp()
      return takeSnapshot(db, where)
    },
  }
}
