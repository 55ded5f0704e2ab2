// Counts of live records: by kind, size and time, by session, and of records made since a time.
// Invariant: all numbers of a guest are of visible records only.
import { sameOrDelegate } from '../../core/access/grant.ts'
import type { Extent, RunQuery, RunSpan } from '../../core/capability/port/record-port.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { joinConditions, type ReadRows } from '../condition/condition.ts'
import type { Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'
import type { WordIndex } from './reach-index.ts'
import type { ReachRank } from './text-rank.ts'

export interface RecordCounts {
  /** How many live records of each kind. Sealed records are not counted here. */
  countsByKind(): Record<string, number>
  /** Bytes of the live records' bodies, and how many of them have unsent changes. */
  usage(): { readonly bytes: number; readonly pending: number }
  /** Live records that are indexed. */
  indexedCount(): number
  /** For each kind: how many live records, and the times of the earliest and the latest. */
  timeExtents(): Record<string, Extent>
  /** For each session: how many traces (`steps`) and messages, and from when to when. */
  runs(query: RunQuery): RunSpan[]
}

export interface RecordCountsDeps {
  readonly db: SqlDatabase
  readonly projection: Projection
  /** The text index in memory, if there is one. */
  readonly textIndex: WordIndex | undefined
  readonly read: ReadRows
  /** Counts within a reach; undefined for all records of one database. */
  readonly reachRank: ReachRank | undefined
  /** Conditions of every visible record. */
  readonly bounds: readonly Fragment[]
}

/** Counts derived records by an index on `facets`, and the others in `records`. */
const countsSql = `SELECT kind, sum(n) AS n FROM (
    SELECT kind, count(*) AS n FROM facets GROUP BY kind
    UNION ALL SELECT kind, -count(*) FROM facets WHERE seq IN (SELECT seq FROM stale) GROUP BY kind
    UNION ALL SELECT kind, count(*) FROM records
      WHERE (seq > ? OR seq IN (SELECT seq FROM stale)) AND deleted = 0 AND kid IS NULL GROUP BY kind)
  GROUP BY kind HAVING sum(n) > 0`

type KindCount = SqlRow & { readonly kind: string; readonly n: number }

export function createRecordCounts({
  db,
  projection,
  textIndex,
  read,
  reachRank,
  bounds,
}: RecordCountsDeps): RecordCounts {
  const { condition, params, recordsJoin } = joinConditions(
    bounds.length > 0 ? bounds : [{ sql: '1', params: [] }],
  )
  let cachedCount: { readonly n: number; readonly generation: number } | undefined

  const countKinds = (): KindCount[] => {
    if (bounds.length === 0) return db.all<KindCount>(countsSql, [projection.derivedSeq()])
    projection.catchUp()
    return read<KindCount>(
      `SELECT f.kind, count(*) AS n FROM facets f ${recordsJoin} WHERE ${condition} GROUP BY f.kind`,
      params,
    )
  }

  return {
    countsByKind: () => Object.fromEntries(countKinds().map(({ kind, n }) => [kind, n])),
    usage() {
      projection.catchUp()
      const [row] = read<{ bytes: number; pending: number }>(
        `SELECT total(octet_length(r.body)) AS bytes, count(r.op) AS pending
         FROM facets f JOIN records r ON r.seq = f.seq WHERE ${condition}`,
        params,
      )
      return row ?? { bytes: 0, pending: 0 }
    },
    indexedCount() {
      if (!textIndex?.isUpToDate()) projection.catchUp()
      if (reachRank) return reachRank.totals().rows
      const inMemory = textIndex?.completePostings()?.recordCount()
      if (inMemory !== undefined) return inMemory
      if (cachedCount?.generation !== projection.generation()) {
        const n = db.get<{ n: number }>('SELECT count(*) AS n FROM facets')?.n ?? 0
        cachedCount = { n, generation: projection.generation() }
      }
      return cachedCount.n
    },
    timeExtents() {
      projection.catchUp()
      const rows = read<Extent & SqlRow & { kind: string }>(
        `SELECT f.kind, count(*) AS count, min(f.happened_at) AS earliest, max(f.happened_at) AS latest
         FROM facets f ${recordsJoin} WHERE ${condition} GROUP BY f.kind`,
        params,
      )
      return Object.fromEntries(rows.map(({ kind, ...extent }) => [kind, extent]))
    },
    runs(query) {
      projection.catchUp()
      return readRunSpans(read, bounds, query)
    },
  }
}

/** Traces and messages of each session, unordered. Call it when the projection has caught up. */
function readRunSpans(read: ReadRows, bounds: readonly Fragment[], query: RunQuery): RunSpan[] {
  const { agent, session } = query
  const where: Fragment[] = [
    session === undefined
      ? { sql: 'f.session IS NOT NULL', params: [] }
      : { sql: 'f.session = ?', params: [session] },
    { sql: "f.kind IN ('trace', 'message')", params: [] },
    ...(agent === undefined ? [] : [{ sql: 'r.agent = ?', params: [agent] }]),
    ...bounds,
  ]
  const { condition, params, recordsJoin } = joinConditions(where)
  return read<RunSpan & SqlRow>(
    `SELECT f.session, count(CASE WHEN f.kind = 'trace' THEN 1 END) AS steps,
       count(CASE WHEN f.kind = 'message' THEN 1 END) AS messages,
       count(CASE WHEN f.success = 0 THEN 1 END) AS failed,
       min(f.happened_at) AS startedAt, max(f.happened_at) AS endedAt
     FROM facets f ${recordsJoin} WHERE ${condition} GROUP BY f.session`,
    params,
  )
}

/** Adds the runs of two stores of one book, by session. */
export function joinRunSpans(first: readonly RunSpan[], second: readonly RunSpan[]): RunSpan[] {
  const joined = new Map(first.map((span) => [span.session, span]))
  for (const span of second) {
    const before = joined.get(span.session)
    joined.set(span.session, before ? addSpans(before, span) : span)
  }
  return [...joined.values()]
}

function addSpans(a: RunSpan, b: RunSpan): RunSpan {
  return {
    session: a.session,
    steps: a.steps + b.steps,
    messages: a.messages + b.messages,
    failed: a.failed + b.failed,
    startedAt: a.startedAt < b.startedAt ? a.startedAt : b.startedAt,
    endedAt: a.endedAt > b.endedAt ? a.endedAt : b.endedAt,
  }
}

export interface RecordCountQuery {
  readonly kind: string
  /** Only records of this agent or a delegate of it. */
  readonly agent?: string | undefined
  /** Only records created at this time or later. Canonical time. */
  readonly since?: string | undefined
}

/** Counts the live records of a kind by their heads, so that sealed ones count too. Call it inside a transaction. */
export function countRecordHeads(
  db: SqlDatabase,
  projection: Pick<Projection, 'catchUpInTransaction'>,
  { kind, agent, since = '' }: RecordCountQuery,
): number {
  projection.catchUpInTransaction()
  const agentCondition = agent === undefined ? { sql: '1 = 1', params: [] } : sameOrDelegate('r.agent', agent)
  // No record is updated before it is created, so `f.updated_at` below only lets SQLite use an index.
  const recordCondition = `r.kind = ? AND r.deleted = 0 AND r.created_at >= ? AND ${agentCondition.sql}`
  const recordParams = [kind, since, ...agentCondition.params]
  const row = db.get<{ n: number }>(
    `SELECT (SELECT count(*) FROM facets f JOIN records r ON r.seq = f.seq
         WHERE f.kind = ? AND f.updated_at >= ? AND ${recordCondition})
       + (SELECT count(*) FROM records r WHERE r.kid IS NOT NULL AND ${recordCondition}
         AND NOT EXISTS (SELECT 1 FROM facets f WHERE f.seq = r.seq)) AS n`,
    [kind, since, ...recordParams, ...recordParams],
  )
  return row?.n ?? 0
}
