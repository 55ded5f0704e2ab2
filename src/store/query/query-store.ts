// Queries of records: by filter and order, by text, by links. No query returns a deleted record, because it has no
// facets.
// Invariant: every query first lets the projection catch up, so it includes all acknowledged writes.
import { type Reach, reachText } from '../../core/access/reach.ts'
import { utcZone, type Zone } from '../../core/zone.ts'
import type {
  PeriodCount,
  CountQuery,
  RecordPage,
  RecordQuery,
  TextHit,
  TextQuery,
} from '../../core/capability/port/record-port.ts'
import type { RecordSnapshot, SnapshotQuery } from '../../core/capability/transfer.ts'
import type { Moment } from '../../core/filter/filter-time.ts'
import { parseFilters } from '../../core/filter/filter.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { type Kind, type Kinds, unknownKind } from '../../core/kind.ts'
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import type { Stored } from '../../core/record.ts'
import { formatTime } from '../../core/time.ts'
import { joinConditions, type ReadRows } from '../condition/condition.ts'
import { type CurrentOptions, currentSql } from '../condition/current-sql.ts'
import { filterSql, kindSql, selectionSql } from '../condition/filter-sql.ts'
import { type ExtraBodyReads, assertQueryWithinBudget } from '../condition/read-budget.ts'
import { requireKind, type ScopeConditions, type ScopeQuery } from '../condition/recall-scope.ts'
import { createVisibleLinks } from '../condition/visible-link.ts'
import type { Projection } from '../record/projection.ts'
import { listRecords, type SnapshotEntry, takeSnapshot } from '../record/snapshot.ts'
import type { Fragment } from '../schema/column.ts'
import { type RecordRow, recordColumns, toRecord } from '../schema/record-row.ts'
import { type Bounds, createBounds, createIdQueries, createReadRows, type IdQueries } from './bounds.ts'
import { countRecords } from './period-count.ts'
import {
  afterSql,
  orderColumn,
  type OrderedRows,
  orderSql,
  parseOrder,
  type FindSeqById,
  toPage,
} from './query-page.ts'
import type { ReachIndexes, WordIndex } from './reach-index.ts'
import { createRecallQueries, type RecallQueries } from './recall-questions.ts'
import { createRanking } from './store-rank.ts'
import { createRecordCounts, type RecordCounts } from './tally.ts'
import type { OtherStats, TextRank } from './text-rank.ts'
import { searchText, textMatchSql } from './text-search.ts'

/**
 * Leaves out expired, superseded and outdated records, unless `include` names them.
 * Invariant: a store within a reach answers as if no record outside the reach existed.
 */
export interface QueryStore extends RecallQueries, RecordCounts, IdQueries {
  /** The same queries over only those of its records that are in `reach`. */
  within(reach: Reach): QueryStore
  /** A page of records by filter and order. */
  query(query: RecordQuery): RecordPage
  /** Full-text search, best match first. */
  search(query: TextQuery): TextHit[]
  count(query: CountQuery): PeriodCount
  /** Records by their numbers; missing or hidden ones are left out. */
  read(seqs: readonly number[]): Map<number, Stored<JsonObject>>
  snapshot(query: SnapshotQuery): RecordSnapshot
}

/** A query store whose parts of an answer joint-query.ts joins with those of a second store. */
export interface ComposableQueryStore extends QueryStore {
  within(reach: Reach): ComposableQueryStore
  /** The rows of a page with the values of its order keys, and one row more when another page follows. */
  page(query: RecordQuery, findSeqById?: FindSeqById): OrderedRows
  findSeqById: FindSeqById
  rank: TextRank
  /** The rows of records by their numbers, unordered. The numbers must come from a query in the same turn. */
  rows(seqs: readonly number[]): RecordRow[]
  /** The conditions of a text search, and of a recall. */
  searchWhere(query: Pick<TextQuery, 'kind' | 'filters'>): readonly Fragment[]
  scope(query: ScopeQuery): ScopeConditions
  /** The live records of a snapshot, by id. */
  listSnapshot(query: SnapshotQuery): Iterable<SnapshotEntry>
}

export interface QueryStoreDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly clock: Clock
  /** The time zone of days in filters. Default UTC. */
  readonly zone?: Zone | undefined
  /** The text index of all records, in memory. Default: FTS5 answers. */
  readonly textIndex?: WordIndex | undefined
  /** The text indexes of guests, in memory. Default: FTS5 answers. */
  readonly reachIndexes?: ReachIndexes | undefined
  /** Only records in all of these reaches are visible. Default: all records. */
  readonly reaches?: readonly Reach[]
  /** Another database: word frequencies count its records too. */
  readonly otherStats?: OtherStats | undefined
}

const alwaysTrue: Fragment = { sql: '1', params: [] }
const alwaysFalse: Fragment = { sql: '0', params: [] }
/** Most stores within a reach that are cached. */
const maxCachedStores = 16

export function createQueryStore(deps: QueryStoreDeps): ComposableQueryStore {
  const { db, kinds, projection, clock, reaches = [], zone = utcZone } = deps
  const callerBounds = createBounds(db, kinds, reaches, projection.generation)
  // A guest's bounds have a placeholder for the records that are closed to it. `read` fills it in; SQL that runs without
  // `read` takes `bindFragments` or `inlinedBounds`.
  const { bounds, bind } = callerBounds
  /** True for a guest: its queries have bounds. */
  const isBound = bounds.length > 0
  const textIndex = isBound ? deps.reachIndexes?.forBounds(callerBounds.inlinedBounds) : deps.textIndex
  const read = createReadRows(db, kinds, { isBound, bind })
  const idQueries = createIdQueries(db, read, bounds)
  const visibleLinks = isBound ? createVisibleLinks([...kinds.values()], projection, idQueries) : undefined
  const ranking = createRanking({
    db,
    read,
    kinds,
    zone,
    bounds: isBound ? bounds : undefined,
    projection,
    textIndex,
    otherStats: deps.otherStats,
  })
  const { rank, reachRank } = ranking
  const recall = createRecallQueries({
    kinds,
    projection,
    textIndex,
    read,
    ranking,
    bounds,
    findVisibleIds: visibleLinks?.findVisibleIds,
    moment: () => ({ nowMs: clock.now(), zone }),
  })
  const context: QueryContext = { deps, zone, callerBounds, isBound, read, visibleLinks }
  const conditions = createConditions(context)
  const pages = createPages(context, conditions)
  const { kindIn, findOptionalKind, conditionsOf } = conditions
  const searchWhere: ComposableQueryStore['searchWhere'] = ({ kind, filters }) =>
    conditionsOf(findOptionalKind(kind), filters)

  const listSnapshot = (query: SnapshotQuery): Iterable<SnapshotEntry> => {
    const where = [...bounds, ...snapshotSql(kindIn, query)]
    projection.catchUp()
    return listRecords(db, callerBounds.bindFragments(where))
  }

  return {
    ...recall,
    ...createRecordCounts({ db, projection, textIndex, read, reachRank, bounds }),
    ...pages,
    within: createStoreCache(deps),
    query: (query) => toPage(pages.page(query), query.limit, isBound),
    search(query) {
      const where = searchWhere(query)
      projection.catchUp()
      return searchText({ rank, records: pages.rows, zone }, findOptionalKind(query.kind), where, query)
    },
    rank(question) {
      projection.catchUp()
      return rank(question)
    },
    searchWhere,
    count({ kind: name, search, filters, include, by }) {
      projection.catchUp()
      // For a guest whose words are in memory, avoid FTS5: it walks over records out of reach too.
      const guestRank = isBound && textIndex?.completePostings() ? rank : undefined
      const where = [
        ...conditionsOf(findOptionalKind(name), filters, include),
        ...textMatchSql(search, guestRank),
      ]
      return countRecords(read, zone, by, where)
    },
    read: (seqs) => new Map(pages.rows(seqs).map((row) => [row.seq, toRecord(row)])),
    ...idQueries,
    listVisible(query) {
      projection.catchUp()
      return idQueries.listVisible(query)
    },
    listSnapshot,
    snapshot: (query) => takeSnapshot(db, listSnapshot(query)),
  }
}

interface QueryContext {
  readonly deps: QueryStoreDeps
  readonly zone: Zone
  readonly callerBounds: Bounds
  /** True for a guest: its queries have bounds. */
  readonly isBound: boolean
  readonly read: ReadRows
  /** Undefined for the owner, who sees all ids. */
  readonly visibleLinks: ReturnType<typeof createVisibleLinks> | undefined
}

/** Builds the conditions of queries: kind, filters, reach, and whether a record is current. */
function createConditions({ deps, zone, callerBounds, isBound, read, visibleLinks }: QueryContext) {
  const { db, kinds, projection, clock, reaches = [] } = deps
  const allKinds = [...kinds.values()]
  const notMarks = withoutMarks(allKinds)
  /**
   * A declared kind, or for the owner an unknown kind with records in the book. Throws `invalid-input` for any
   * other.
   */
  const findKind = (name: string, path?: string): Kind => {
    const kind = kinds.get(name)
    if (kind || reaches.length > 0) return kind ?? requireKind(kinds, name, path)
    projection.catchUp()
    const hasRecords = db.get('SELECT 1 AS one FROM facets WHERE kind = ? LIMIT 1', [name]) !== undefined
    return hasRecords ? unknownKind(name) : requireKind(kinds, name, path)
  }
  return {
    kindIn: findKind,
    findOptionalKind: (name: string | undefined): Kind | undefined =>
      name === undefined ? undefined : findKind(name),
    /**
     * The conditions of records of `kind` that match `filters` and are current or in `include`. Throws `too-broad`
     * when a guest's query would read too many bytes of bodies.
     */
    conditionsOf(
      kind: Kind | undefined,
      filters: unknown,
      include?: CurrentOptions,
      extraReads?: ExtraBodyReads,
    ): Fragment[] {
      const parsed = parseFilters(filters)
      const predicate = visibleLinks?.predicate(parsed, kind) ?? parsed
      const moment: Moment = { nowMs: clock.now(), zone }
      const context = { moment, kinds: allKinds }
      const bounds = callerBounds.boundsOf(kind)
      const columnConditions = [
        kind ? kindSql(kind, predicate) : notMarks,
        ...bounds,
        ...currentSql(kind, formatTime(clock.now()), { ...include, bounds }),
      ]
      if (isBound)
        assertQueryWithinBudget(
          read,
          { predicate, kind, extraReads, context, catchUp: projection.catchUp },
          columnConditions,
        )
      return [...columnConditions, filterSql(predicate, kind, context)]
    },
  }
}

/** Leaves out marks: they come with the marked record, and by themselves only in a query of their kind. */
const withoutMarks = (kinds: readonly Kind[]): Fragment => ({
  sql: 'f.kind NOT IN (SELECT value FROM json_each(?))',
  params: [JSON.stringify(kinds.filter((kind) => kind.marks !== undefined).map(({ name }) => name))],
})

/** Reads the rows of records, by number and in pages. */
function createPages(
  { deps: { projection }, callerBounds: { bounds }, isBound, read, visibleLinks }: QueryContext,
  { findOptionalKind, conditionsOf }: ReturnType<typeof createConditions>,
): Pick<ComposableQueryStore, 'page' | 'findSeqById' | 'rows'> {
  const findSeqById: FindSeqById = (id) => {
    const { condition, params } = joinConditions([...bounds, alwaysTrue])
    projection.catchUp()
    return read<{ seq: number }>(
      `SELECT f.seq FROM records r JOIN facets f ON f.seq = r.seq WHERE r.id = ? AND ${condition}`,
      [id, ...params],
    )[0]?.seq
  }
  return {
    findSeqById,
    page(query, findSeq = findSeqById) {
      const {
        filters,
        selection,
        include,
        notIn,
        sensitive,
        orderBy,
        limit = 100,
        offset = 0,
        cursor,
      } = query
      // `selection`: a JSONPath that must be in the body. `include`: sorts of records that are hidden by default, such
      // as superseded ones. `notIn`: leaves out sources of records of this kind. `sensitive`: only sensitive records.
      const kind = findOptionalKind(query.kind)
      const keys = parseOrder(visibleLinks ? visibleLinks.order(orderBy, kind) : orderBy, kind)
      const where = conditionsOf(kind, filters, include, { selection, keys })
      if (selection)
        where.push(visibleLinks?.isHidden(selection, kind) ? alwaysFalse : selectionSql(selection))
      if (notIn !== undefined) where.push(hasNoDerivedSql(notIn, bounds))
      if (sensitive) where.push({ sql: "r.sensitivity IN ('sensitive', 'restricted')", params: [] })
      if (cursor !== undefined) where.push(afterSql(cursor, keys, isBound ? findSeq : undefined))
      const selected = keys.map(({ sql }, i) => `, ${sql} AS ${orderColumn(i)}`).join('')
      projection.catchUp()
      const columns = keys.map((_, i) => `, p.${orderColumn(i)}`).join('')
      const { condition, params, recordsJoin } = joinConditions(where)
      const needsRecords = recordsJoin !== '' || keys.some(({ sql }) => sql.includes('r.'))
      // Sort the keys alone, then read the rows of the page: else SQLite sorts the bodies of all matching records.
      const rows = read<RecordRow>(
        `SELECT ${recordColumns}, f.marks${columns} FROM (
           SELECT f.seq${selected} FROM facets f ${needsRecords ? 'JOIN records r ON r.seq = f.seq' : ''}
           WHERE ${condition} ORDER BY ${orderSql(keys)} LIMIT ? OFFSET ?) p
         CROSS JOIN records r ON r.seq = p.seq JOIN facets f ON f.seq = p.seq ORDER BY ${orderSql(keys)}`,
        [...keys.flatMap((key) => key.params), ...params, limit + 1, offset],
      )
      return { rows, keys }
    },
    rows(seqs) {
      const { condition, params } = joinConditions([...bounds, alwaysTrue])
      // CROSS JOIN makes SQLite begin with the list. Else it may walk an index that serves one of the bounds.
      return read<RecordRow>(
        `SELECT ${recordColumns}, f.marks FROM json_each(?) j CROSS JOIN records r ON r.seq = j.value
         LEFT JOIN facets f ON f.seq = r.seq WHERE ${condition}`,
        [JSON.stringify(seqs), ...params],
      )
    },
  }
}

/** Caches the stores within a reach, because they cache counts. The oldest is dropped first. */
function createStoreCache(deps: QueryStoreDeps): (reach: Reach) => ComposableQueryStore {
  const stores = new Map<string, ComposableQueryStore>()
  return (reach) => {
    const text = reachText(reach)
    let store = stores.get(text)
    if (!store) {
      store = createQueryStore({
        ...deps,
        textIndex: undefined,
        reaches: [...(deps.reaches ?? []), reach],
        otherStats: deps.otherStats?.within(reach),
      })
      if (stores.size >= maxCachedStores) stores.delete(stores.keys().next().value ?? '')
      stores.set(text, store)
    }
    return store
  }
}

/**
 * True for records that no record of `kind` within `bounds` was made from. A sealed one, which has no facets, counts too.
 */
function hasNoDerivedSql(kind: string, bounds: readonly Fragment[]): Fragment {
  const { condition, params } = joinConditions([...bounds, alwaysTrue])
  // The inner `f` and `r` hide the outer ones.
  return {
    sql: `NOT EXISTS (SELECT 1 FROM (SELECT r.id AS source) o JOIN sources s ON s.source = o.source
      JOIN records r ON r.seq = s.seq LEFT JOIN facets f ON f.seq = s.seq
      WHERE s.kind = ? AND (f.seq IS NULL OR (${condition})))`,
    params: [kind, ...params],
  }
}

/**
 * Records of the kinds `names` that happened at `from` or later and before `before`; records of timeless kinds
 * always.
 */
function snapshotSql(
  kindIn: (name: string, path: string) => Kind,
  { kinds: names, from, before }: SnapshotQuery,
): Fragment[] {
  const wantedKinds = names.map((name) => kindIn(name, 'kinds'))
  const timeless = JSON.stringify(wantedKinds.filter((kind) => kind.timeless).map((kind) => kind.name))
  const timelessOrTime = 'f.kind IN (SELECT value FROM json_each(?)) OR f.happened_at'
  const marks = wantedKinds.filter((kind) => kind.marks !== undefined).map((kind) => kind.name)
  const conditions: Fragment[] = [
    { sql: 'f.kind IN (SELECT value FROM json_each(?))', params: [JSON.stringify(names)] },
    // An outdated record may quote a forgotten one, so it is never exported.
    { sql: 'f.outdated = 0', params: [] },
    ...(from === undefined ? [] : [{ sql: `(${timelessOrTime} >= ?)`, params: [timeless, from] }]),
    ...(before === undefined ? [] : [{ sql: `(${timelessOrTime} < ?)`, params: [timeless, before] }]),
  ]
  return marks.length === 0 ? conditions : [withMarks(conditions, names, marks)]
}

/** Records that satisfy `conditions`, and marks of such records. A mark without its record is left out. */
function withMarks(
  conditions: readonly Fragment[],
  names: readonly string[],
  marks: readonly string[],
): Fragment {
  const condition = conditions.map(({ sql }) => sql).join(' AND ')
  const params = conditions.flatMap((part) => part.params)
  const otherNames = JSON.stringify(names.filter((name) => !marks.includes(name)))
  const list = 'IN (SELECT value FROM json_each(?))'
  // The inner `f`, the row of the marked record, hides the outer `f`.
  return {
    sql: `CASE WHEN f.kind ${list} THEN EXISTS (SELECT 1 FROM (SELECT f.name AS marked) o
        JOIN records r ON r.id = o.marked JOIN facets f ON f.seq = r.seq WHERE f.kind ${list} AND ${condition})
      ELSE ${condition} END`,
    params: [JSON.stringify(marks), otherNames, ...params, ...params],
  }
}
