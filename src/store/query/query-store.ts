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
} from '../../core/capability/capability.ts'
import type { RecordSnapshot, SnapshotQuery } from '../../core/capability/transfer.ts'
import { DaybookError } from '../../core/errors.ts'
import { parseFilters } from '../../core/filter/filter.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Clock, SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import type { Reach } from '../../core/access/reach.ts'
import type { Stored } from '../../core/record.ts'
import { formatTime } from '../../core/time.ts'
import { afterSql, keyName, orderSql, parseOrder, type PlaceById } from './cursor.ts'
import { currentSql } from '../condition/current-sql.ts'
import type { Fragment } from '../schema/column.ts'
import { filterSql } from '../condition/filter-sql.ts'
import { selectionSql } from '../condition/json-path-sql.ts'
import type { Projection } from '../record/projection.ts'
import { type OrderedRows, toPage } from './query-page.ts'
import { type Beside, createReachRank } from './reach-rank.ts'
import { reachSql } from '../condition/reach-sql.ts'
import { type RecordRow, recordColumns, toRecord } from '../schema/record-row.ts'
import type { TextLeg } from '../posting/text-index.ts'
import { kindNamed, type RecallScope, scopeSql, type ScopeQuery } from '../condition/recall-scope.ts'
import { countTerms, type Place, placesOf, type TermCounts } from './evidence.ts'
import { type IndexTotals, readTotals } from '../posting/index-totals.ts'
import { conditionOf, type Sifted, siftRows, type Weighed, weighRows } from '../condition/condition.ts'
import { listRecords, type SnapshotEntry, takeSnapshot } from '../record/snapshot.ts'
import { createTextRank, type RankedText, type TextRank } from './text-rank.ts'
import { readBegun, readFrequencies } from '../posting/term-table.ts'
import { searchText } from './text-search.ts'

export interface CandidateQuery extends ScopeQuery {
  readonly words: readonly string[]
  readonly match: 'any' | 'all'
  readonly limit: number
}

export interface Candidate extends RankedText {
  readonly rank: number
}

/**
 * What is expired or superseded when a question is asked is left out, but for what `include` names.
 * Invariant: one that was narrowed to a reach answers as if there were no record outside it.
 */
export interface QueryStore {
  /** The same questions over those of its records that are in `reach`. */
  within(reach: Reach): QueryStore
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
  /** The indexed word that the most records have of those that begin with `beginning`. */
  begun(beginning: string): string | undefined
  /** Live records of each kind. */
  counts(): Record<string, number>
  /** Bytes of the live records' bodies, and how many of them have changes that no mirror has. */
  usage(): { readonly bytes: number; readonly pending: number }
  /** Live records that are indexed. */
  size(): number
  /** The live records of each kind that are derived: how many, and when the first and the last happened. */
  extents(): Record<string, Extent>
  /** The live records that cite `id`, in the order in which they were stored. */
  citing(id: string): Citing[]
  snapshot(query: SnapshotQuery): RecordSnapshot
}

/** One store's own part of an answer, for whoever makes one answer of two: see shelved-query.ts. */
export interface QueryParts extends QueryStore {
  within(reach: Reach): QueryParts
  /** The rows of a page and one more if there are more, with the values of its order keys. */
  page(query: RecordQuery, placeById?: PlaceById): OrderedRows
  placeById: PlaceById
  rank: TextRank
  rows(seqs: readonly number[]): RecordRow[]
  /** The conditions of a text search, and of a recall. */
  searchWhere(query: Pick<TextQuery, 'kind' | 'filters'>): readonly Fragment[]
  scope(query: ScopeQuery): RecallScope
  /** The live records of a snapshot, by id. */
  listed(query: SnapshotQuery): Iterable<SnapshotEntry>
}

const always: Fragment = { sql: '1', params: [] }
const parameterLimit = 100
const narrowedLimit = 16
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
  { reaches = [], beside }: { readonly reaches?: readonly Reach[]; readonly beside?: Beside } = {},
): QueryParts {
  const now = () => formatTime(clock.now())
  /** Stands in every condition below. */
  const bounds: readonly Fragment[] = reaches.map((reach) => reachSql(reach, kinds))
  const isBound = bounds.length > 0
  const kindOf = (name: string | undefined): Kind | undefined =>
    name === undefined ? undefined : kindNamed(kinds, name)

  /** By their scopes, because they keep what they have counted. */
  const narrowed = new Map<string, QueryParts>()
  let counted: { readonly n: number; readonly generation: number } | undefined

  const all = <Row extends SqlRow>(sql: string, params: readonly SqlValue[]): Row[] => {
    if (params.length > parameterLimit) {
      throw new DaybookError('invalid-filter', 'The filters have too many conditions.', {
        details: { path: 'filters' },
      })
    }
    return db.all<Row>(sql, params)
  }

  const narrow =
    isBound || beside
      ? createReachRank(all, isBound ? bounds : [always], projection.generation, beside)
      : undefined
  const rank = narrow?.rank ?? createTextRank(all, leg)

  const conditions = (kind: Kind | undefined, filters: unknown): Fragment[] => [
    ...(kind ? [{ sql: 'f.kind = ?', params: [kind.name] }] : []),
    ...bounds,
    filterSql(parseFilters(filters), kind),
  ]

  const placeById = (id: string): number | undefined => {
    const { condition, params } = conditionOf(bounds)
    projection.catchUp()
    return all<{ seq: number }>(
      `SELECT f.seq FROM records r JOIN facets f ON f.seq = r.seq WHERE r.id = ? AND ${condition}`,
      [id, ...params],
    )[0]?.seq
  }

  const page: QueryParts['page'] = (asked, place = placeById) => {
    const { kind: name, filters, selection, include, orderBy, limit = 100, offset = 0, cursor } = asked
    const kind = kindOf(name)
    const keys = parseOrder(orderBy, kind)
    const where = [...conditions(kind, filters), ...currentSql(kind, now(), { ...include, bounds })]
    if (selection) where.push(selectionSql(selection))
    if (cursor !== undefined) where.push(afterSql(cursor, keys, isBound ? place : undefined))
    const selected = keys.map(({ sql }, i) => `, ${sql} AS ${keyName(i)}`).join('')
    projection.catchUp()
    const rows = all<RecordRow>(
      `SELECT ${recordColumns}${selected} FROM facets f JOIN records r ON r.seq = f.seq
       WHERE ${where.map((part) => part.sql).join(' AND ')} ORDER BY ${orderSql(keys)} LIMIT ? OFFSET ?`,
      [...keys.flatMap((key) => key.params), ...where.flatMap((part) => part.params), limit + 1, offset],
    )
    return { rows, keys }
  }

  const count = ({ kind: name, filters, include, by }: CountQuery): Count => {
    const kind = kindOf(name)
    const where = [...conditions(kind, filters), ...currentSql(kind, now(), { ...include, bounds })]
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

  const records = (seqs: readonly number[]): RecordRow[] => {
    const { condition, params } = conditionOf([...bounds, always])
    const facets = isBound ? 'JOIN facets f ON f.seq = r.seq' : ''
    return all<RecordRow>(
      `SELECT ${recordColumns} FROM records r ${facets} WHERE r.seq IN (SELECT value FROM json_each(?)) AND ${condition}`,
      [JSON.stringify(seqs), ...params],
    )
  }

  const searchWhere: QueryParts['searchWhere'] = ({ kind: name, filters }) => {
    const kind = kindOf(name)
    return [...conditions(kind, filters), ...currentSql(kind, now(), { bounds })]
  }

  const search = (query: TextQuery): TextHit[] => {
    const where = searchWhere(query)
    projection.catchUp()
    return searchText({ rank, records }, kindOf(query.kind), where, query)
  }

  const bounded = (scope: ScopeQuery): RecallScope => {
    const asked = scopeSql(kinds, scope, now(), bounds)
    return isBound ? { where: [...bounds, ...asked.where], isNarrow: true, isPlain: false } : asked
  }

  const candidates = ({ words, match, limit, ...scope }: CandidateQuery): Candidate[] => {
    projection.catchUp()
    return rank({ words, match, ...bounded(scope), ties: 'happened', limit }).map((one, i) => ({
      ...one,
      rank: i + 1,
    }))
  }

  const sift = (seqs: readonly number[], scope: ScopeQuery): Map<number, Sifted> => {
    const { where } = bounded(scope)
    projection.catchUp()
    return siftRows(all, seqs, where)
  }

  const weigh = (seqs: readonly number[], scope: ScopeQuery): Map<number, Weighed> => {
    const { where, isPlain } = bounded(scope)
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
    const compiled = bounded(scope)
    projection.catchUp()
    return placesOf(all, leg?.warm(), seqs, compiled, bounds)
  }

  const countsWithin = (): Record<string, number> => {
    const { condition, params, records: joined } = conditionOf(bounds)
    projection.catchUp()
    const rows = all<{ kind: string; n: number }>(
      `SELECT f.kind, count(*) AS n FROM facets f ${joined} WHERE ${condition} GROUP BY f.kind`,
      params,
    )
    return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]))
  }

  const reach = (scope: ScopeQuery): number[] => {
    const { condition, params, records: joined } = conditionOf(scopeSql(kinds, scope, now(), bounds).where)
    projection.catchUp()
    return all<{ seq: number }>(`SELECT f.seq FROM facets f ${joined} WHERE ${condition}`, params).map(
      ({ seq }) => seq,
    )
  }

  const listed = ({ kinds: names, from, before }: SnapshotQuery): Iterable<SnapshotEntry> => {
    const wanted = names.map((name) => kindNamed(kinds, name, 'kinds'))
    const timeless = JSON.stringify(wanted.filter((kind) => kind.timeless).map((kind) => kind.name))
    const exempt = 'f.kind IN (SELECT value FROM json_each(?)) OR f.happened_at'
    const where: Fragment[] = [
      ...bounds,
      { sql: 'f.kind IN (SELECT value FROM json_each(?))', params: [JSON.stringify(names)] },
      ...(from === undefined ? [] : [{ sql: `(${exempt} >= ?)`, params: [timeless, from] }]),
      ...(before === undefined ? [] : [{ sql: `(${exempt} < ?)`, params: [timeless, before] }]),
    ]
    projection.catchUp()
    return listRecords(db, where)
  }

  return {
    within(reach) {
      const { text } = reach.scope
      const known = narrowed.get(text)
      if (known) return known
      const bound = { reaches: [...reaches, reach], ...(beside ? { beside: beside.within(reach) } : {}) }
      const made = createQueryStore(db, kinds, projection, undefined, clock, bound)
      if (narrowed.size >= narrowedLimit) narrowed.delete(narrowed.keys().next().value ?? '')
      narrowed.set(text, made)
      return made
    },
    query: (asked) => toPage(page(asked), asked.limit, isBound),
    search,
    page,
    placeById,
    rank(question) {
      projection.catchUp()
      return rank(question)
    },
    rows: records,
    searchWhere,
    scope: bounded,
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
      return narrow ? narrow.totals() : readTotals(db)
    },
    read: (seqs) => new Map(records(seqs).map((row) => [row.seq, toRecord(row)])),
    frequencies(words) {
      projection.catchUp()
      if (narrow) return narrow.frequencies(words)
      const known = leg?.frequencies(words)
      if (known) return known
      return readFrequencies(db, words)
    },
    begun(beginning) {
      projection.catchUp()
      if (narrow) return narrow.begun(beginning)
      return readBegun(db, beginning)
    },
    counts() {
      if (isBound) return countsWithin()
      // What is derived is counted on an index; only what is behind is read from the records themselves.
      const rows = db.all<{ kind: string; n: number }>(
        `SELECT kind, sum(n) AS n FROM (
           SELECT kind, count(*) AS n FROM facets GROUP BY kind
           UNION ALL SELECT kind, -count(*) FROM facets WHERE seq IN (SELECT seq FROM stale) GROUP BY kind
           UNION ALL SELECT kind, count(*) FROM records
             WHERE (seq > ? OR seq IN (SELECT seq FROM stale)) AND deleted = 0 AND kid IS NULL GROUP BY kind)
         GROUP BY kind HAVING sum(n) > 0`,
        [projection.derivedSeq()],
      )
      return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]))
    },
    usage() {
      const { condition, params } = conditionOf([...bounds, always])
      projection.catchUp()
      const [row] = all<{ bytes: number; pending: number }>(
        `SELECT total(octet_length(r.body)) AS bytes, count(r.op) AS pending
         FROM facets f JOIN records r ON r.seq = f.seq WHERE ${condition}`,
        params,
      )
      return row ?? { bytes: 0, pending: 0 }
    },
    size() {
      projection.catchUp()
      if (narrow) return narrow.totals().rows
      const known = leg?.warm()?.records()
      if (known !== undefined) return known
      if (counted?.generation !== projection.generation()) {
        const n = db.get<{ n: number }>('SELECT count(*) AS n FROM facets')?.n ?? 0
        counted = { n, generation: projection.generation() }
      }
      return counted.n
    },
    extents() {
      const { condition, params, records: joined } = conditionOf([...bounds, always])
      projection.catchUp()
      const rows = all<Extent & SqlRow & { kind: string }>(
        `SELECT f.kind, count(*) AS count, min(f.happened_at) AS earliest, max(f.happened_at) AS latest
         FROM facets f ${joined} WHERE ${condition} GROUP BY f.kind`,
        params,
      )
      return Object.fromEntries(rows.map(({ kind, ...extent }) => [kind, extent]))
    },
    citing(id) {
      const { condition, params } = conditionOf([...bounds, { sql: 'r.deleted = 0', params: [] }])
      return all<Citing & SqlRow>(
        `SELECT r.id, r.kind, l.path FROM links l JOIN records r ON r.seq = l.seq
         ${isBound ? 'JOIN facets f ON f.seq = r.seq' : ''} WHERE l.target = ? AND ${condition} ORDER BY r.seq, l.path`,
        [id, ...params],
      )
    },
    listed,
    snapshot: (query) => takeSnapshot(db, listed(query)),
  }
}
