// Questions about records: by filter and order, by text, by links. Deleted records have no facets, so none of these sees one.
// Invariant: every question first lets the projection catch up, so it sees all acknowledged writes.
import type {
  Count,
  CountQuery,
  RecordPage,
  RecordQuery,
  TextHit,
  TextQuery,
} from '../../core/capability/port/record-port.ts'
import type { RecordSnapshot, SnapshotQuery } from '../../core/capability/transfer.ts'
import { utcZone, type Zone } from '../../core/calendar/zone.ts'
import { parseFilters } from '../../core/filter/filter.ts'
import type { Moment } from '../../core/filter/filter-time.ts'
import { type Kind, type Kinds, unknownKind } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { type Reach, reachText } from '../../core/access/reach.ts'
import type { Stored } from '../../core/record.ts'
import { formatTime } from '../../core/time.ts'
import { afterSql, keyName, orderSql, parseOrder, type PlaceById } from './cursor.ts'
import { currentSql, type Currency } from '../condition/current-sql.ts'
import type { Fragment } from '../schema/column.ts'
import { filterSql } from '../condition/filter-sql.ts'
import { kindSql } from '../condition/kind-sql.ts'
import { selectionSql } from '../condition/json-path-sql.ts'
import type { Projection } from '../record/projection.ts'
import { countRecords } from './period-count.ts'
import { type OrderedRows, toPage } from './query-page.ts'
import type { Beside } from './known-rank.ts'
import { createReachRank } from './reach-rank.ts'
import { createBounds, createRead } from './closed-record.ts'
import { type RecordRow, recordColumns, toRecord } from '../schema/record-row.ts'
import type { ReachIndexes, WordIndex } from './reach-index.ts'
import { kindNamed, type RecallScope, type ScopeQuery } from '../condition/recall-scope.ts'
import { conditionOf } from '../condition/condition.ts'
import { listRecords, type SnapshotEntry, takeSnapshot } from '../record/snapshot.ts'
import { createIdQuestions, type IdQuestions } from './id-questions.ts'
import { createRecallQuestions, type RecallQuestions } from './recall-questions.ts'
import { createShownLinks } from '../condition/shown-link.ts'
import { type BodyLooks, checkAsked } from '../condition/read-budget.ts'
import { createTally, type Tally } from './tally.ts'
import { createTextRank, type TextRank } from './text-rank.ts'
import { searchText, textSql } from './text-search.ts'

/**
 * What is expired or superseded when a question is asked is left out, but for what `include` names.
 * Invariant: one that was narrowed to a reach answers as if there were no record outside it.
 */
export interface QueryStore extends RecallQuestions, Tally, IdQuestions {
  /** The same questions over those of its records that are in `reach`. */
  within(reach: Reach): QueryStore
  query(query: RecordQuery): RecordPage
  search(query: TextQuery): TextHit[]
  count(query: CountQuery): Count
  /** Records by their numbers. */
  read(seqs: readonly number[]): Map<number, Stored<JsonObject>>
  snapshot(query: SnapshotQuery): RecordSnapshot
}

/** One store's own part of an answer, for whoever makes one answer of two: see joint-query.ts. */
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

export interface QueryStoreParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly clock: Clock
  /** Whose days are meant. Default UTC. */
  readonly zone?: Zone | undefined
  /** Words in memory, where they are kept: of all records for whoever sees all, of those in reach for a guest. */
  readonly textIndex?: WordIndex | undefined
  readonly reachIndexes?: ReachIndexes | undefined
  /** Only what is in all of these may be seen. */
  readonly reaches?: readonly Reach[]
  /** Another database, whose records count in how common a word is. */
  readonly beside?: Beside | undefined
}

type Conditions = (
  kind: Kind | undefined,
  filters: unknown,
  include?: Currency,
  more?: BodyLooks,
) => Fragment[]

const always: Fragment = { sql: '1', params: [] }
const never: Fragment = { sql: '0', params: [] }
const narrowedLimit = 16
/** Marks are shown with what they mark, and listed by themselves only where they are asked for. */
const withoutMarks = (kinds: readonly Kind[]): Fragment => ({
  sql: 'f.kind NOT IN (SELECT value FROM json_each(?))',
  params: [JSON.stringify(kinds.filter((kind) => kind.marks !== undefined).map(({ name }) => name))],
})

export function createQueryStore(parts: QueryStoreParts): QueryParts {
  const { db, kinds, projection, clock, reaches = [], reachIndexes, beside, zone = utcZone } = parts
  const moment = (): Moment => ({ nowMs: clock.now(), zone })
  const allKinds = [...kinds.values()]
  /** Stands in every condition below. */
  const { bounds, standing, boundsOf, bind, bound } = createBounds(db, kinds, reaches, projection.generation)
  /** A kind of the book, or one of a later Daybook that it has records of. */
  const kindIn = (name: string, path?: string): Kind => {
    const known = kinds.get(name)
    if (known || reaches.length > 0) return known ?? kindNamed(kinds, name, path)
    projection.catchUp()
    const isHere = db.get('SELECT 1 AS one FROM facets WHERE kind = ? LIMIT 1', [name]) !== undefined
    return isHere ? unknownKind(name) : kindNamed(kinds, name, path)
  }
  const isBound = bounds.length > 0
  const textIndex = isBound ? reachIndexes?.within(standing) : parts.textIndex
  const notMarks = withoutMarks(allKinds)
  const kindOf = (name: string | undefined): Kind | undefined =>
    name === undefined ? undefined : kindIn(name)

  const read = createRead(db, kinds, { isBound, bind })
  const byId = createIdQuestions(db, read, bounds)
  const shown = isBound ? createShownLinks(allKinds, projection, byId) : undefined

  const narrow =
    isBound || beside
      ? createReachRank({
          read,
          kinds,
          zone,
          bounds: isBound ? bounds : [always],
          projection,
          index: textIndex,
          beside,
        })
      : undefined
  // Two stores are ranked as one, so there every match is weighed by how common its words are in both.
  const quick = beside ? undefined : createTextRank(read, textIndex, projection.catchUp, narrow?.rank)
  const rank = quick ?? narrow?.rank ?? createTextRank(read, textIndex, projection.catchUp)
  const recall = createRecallQuestions({
    db,
    kinds,
    projection,
    textIndex,
    read,
    rank,
    narrow,
    bounds,
    held: shown?.held,
    moment,
  })

  /** What a question about `kind` may find: what its filters let through and is current, or asked for all the same. */
  const conditions: Conditions = (kind, filters, include, more) => {
    const said = parseFilters(filters)
    const asked = shown?.predicate(said, kind) ?? said
    const at = { moment: moment(), kinds: allKinds }
    const cheap = [
      kind ? kindSql(kind, asked) : notMarks,
      ...boundsOf(kind),
      ...currentSql(kind, formatTime(clock.now()), { ...include, bounds: boundsOf(kind) }),
    ]
    if (isBound) checkAsked(read, { asked, kind, more, at, catchUp: projection.catchUp }, cheap)
    return [...cheap, filterSql(asked, kind, at)]
  }

  const placeById = (id: string): number | undefined => {
    const { condition, params } = conditionOf(bounds)
    projection.catchUp()
    return read<{ seq: number }>(
      `SELECT f.seq FROM records r JOIN facets f ON f.seq = r.seq WHERE r.id = ? AND ${condition}`,
      [id, ...params],
    )[0]?.seq
  }

  const page: QueryParts['page'] = (asked, place = placeById) => {
    const { kind: name, filters, selection, include, notIn, orderBy, limit = 100, offset = 0, cursor } = asked
    const kind = kindOf(name)
    const keys = parseOrder(shown ? shown.order(orderBy, kind) : orderBy, kind)
    const where = conditions(kind, filters, include, { selection, keys })
    if (selection) where.push(shown?.isHidden(selection, kind) ? never : selectionSql(selection))
    if (notIn !== undefined) where.push(notInSql(notIn, bounds))
    if (cursor !== undefined) where.push(afterSql(cursor, keys, isBound ? place : undefined))
    const selected = keys.map(({ sql }, i) => `, ${sql} AS ${keyName(i)}`).join('')
    projection.catchUp()
    const rows = read<RecordRow>(
      `SELECT ${recordColumns}, f.marks${selected} FROM facets f JOIN records r ON r.seq = f.seq
       WHERE ${where.map((part) => part.sql).join(' AND ')} ORDER BY ${orderSql(keys)} LIMIT ? OFFSET ?`,
      [...keys.flatMap((key) => key.params), ...where.flatMap((part) => part.params), limit + 1, offset],
    )
    return { rows, keys }
  }

  const rows = (seqs: readonly number[]): RecordRow[] => {
    const { condition, params } = conditionOf([...bounds, always])
    // The list comes first: else SQLite may walk over all that one of the bounds has an index of.
    return read<RecordRow>(
      `SELECT ${recordColumns}, f.marks FROM json_each(?) j CROSS JOIN records r ON r.seq = j.value
       LEFT JOIN facets f ON f.seq = r.seq WHERE ${condition}`,
      [JSON.stringify(seqs), ...params],
    )
  }

  /** What ranks without FTS5, where the words in reach are in memory. */
  const known = (): TextRank | undefined => (isBound && textIndex?.warm() ? rank : undefined)

  const searchWhere: QueryParts['searchWhere'] = ({ kind, filters }) => conditions(kindOf(kind), filters)

  const listed = (query: SnapshotQuery): Iterable<SnapshotEntry> => {
    const where = [...bounds, ...snapshotSql(kindIn, query)]
    projection.catchUp()
    return listRecords(db, bound(where))
  }

  /** By their reaches, because they keep what they have counted. */
  const narrowed = new Map<string, QueryParts>()
  const within = (reach: Reach): QueryParts => {
    const text = reachText(reach)
    const known = narrowed.get(text)
    if (known) return known
    const made = createQueryStore({
      db,
      kinds,
      projection,
      clock,
      zone,
      reaches: [...reaches, reach],
      reachIndexes,
      beside: beside?.within(reach),
    })
    if (narrowed.size >= narrowedLimit) narrowed.delete(narrowed.keys().next().value ?? '')
    narrowed.set(text, made)
    return made
  }

  return {
    ...recall,
    ...createTally({ db, projection, textIndex, read, narrow, bounds }),
    within,
    query: (asked) => toPage(page(asked), asked.limit, isBound),
    search(query) {
      const where = searchWhere(query)
      projection.catchUp()
      return searchText({ rank, records: rows, zone }, kindOf(query.kind), where, query)
    },
    page,
    placeById,
    rank(question) {
      projection.catchUp()
      return rank(question)
    },
    rows,
    searchWhere,
    count({ kind: name, search, filters, include, by }) {
      projection.catchUp()
      const where = [...conditions(kindOf(name), filters, include), ...textSql(search, known())]
      return countRecords(read, zone, by, where)
    },
    read: (seqs) => new Map(rows(seqs).map((row) => [row.seq, toRecord(row)])),
    ...byId,
    reached(query) {
      projection.catchUp()
      return byId.reached(query)
    },
    listed,
    snapshot: (query) => takeSnapshot(db, listed(query)),
  }
}

/** What no record of `kind` within `bounds` was made from; a sealed one has no hot columns here to be bound by. */
function notInSql(kind: string, bounds: readonly Fragment[]): Fragment {
  const { condition, params } = conditionOf([...bounds, always])
  // The inner `f` and `r` hide the outer ones.
  return {
    sql: `NOT EXISTS (SELECT 1 FROM (SELECT r.id AS source) o JOIN sources s ON s.source = o.source
      JOIN records r ON r.seq = s.seq LEFT JOIN facets f ON f.seq = s.seq
      WHERE s.kind = ? AND (f.seq IS NULL OR (${condition})))`,
    params: [kind, ...params],
  }
}

/** Records of the asked kinds that happened in the asked span; the kinds that know no time are there whenever they happened. */
function snapshotSql(
  kindIn: (name: string, path: string) => Kind,
  { kinds: names, from, before }: SnapshotQuery,
): Fragment[] {
  const wanted = names.map((name) => kindIn(name, 'kinds'))
  const timeless = JSON.stringify(wanted.filter((kind) => kind.timeless).map((kind) => kind.name))
  const exempt = 'f.kind IN (SELECT value FROM json_each(?)) OR f.happened_at'
  const marks = wanted.filter((kind) => kind.marks !== undefined).map((kind) => kind.name)
  const own: Fragment[] = [
    { sql: 'f.kind IN (SELECT value FROM json_each(?))', params: [JSON.stringify(names)] },
    // What may quote what was forgotten leaves no book.
    { sql: 'f.outdated = 0', params: [] },
    ...(from === undefined ? [] : [{ sql: `(${exempt} >= ?)`, params: [timeless, from] }]),
    ...(before === undefined ? [] : [{ sql: `(${exempt} < ?)`, params: [timeless, before] }]),
  ]
  return marks.length === 0 ? own : [withMarks(own, names, marks)]
}

/** What satisfies `own`, and beside it the marks of that. Marks that wait for their record are in no snapshot. */
function withMarks(own: readonly Fragment[], names: readonly string[], marks: readonly string[]): Fragment {
  const condition = own.map(({ sql }) => sql).join(' AND ')
  const params = own.flatMap((part) => part.params)
  const others = JSON.stringify(names.filter((name) => !marks.includes(name)))
  const list = 'IN (SELECT value FROM json_each(?))'
  // The inner `f` hides the outer one: it is the marked record's.
  return {
    sql: `CASE WHEN f.kind ${list} THEN EXISTS (SELECT 1 FROM (SELECT f.name AS marked) o
        JOIN records r ON r.id = o.marked JOIN facets f ON f.seq = r.seq WHERE f.kind ${list} AND ${condition})
      ELSE ${condition} END`,
    params: [JSON.stringify(marks), others, ...params, ...params],
  }
}
