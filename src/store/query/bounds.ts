// The bounds of a guest's queries, and queries by id within them. A record made from one out of reach is out of
// reach too: a "closed" record. One query lists the closed records after each change, and every other query binds
// this list, because some hosts refuse a query with all conditions.
// Invariant: the list is bound when a query runs, so it matches the state that the query reads.
import type { Reach } from '../../core/access/reach.ts'
import type { Citing, ReachedRecord, ReachQuery } from '../../core/capability/port/record-port.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { joinConditions, type ReadRows } from '../condition/condition.ts'
import { sourcesInReachSql } from '../condition/source-reach-sql.ts'
import { reachSql } from '../condition/reach-sql.ts'
import type { Fragment } from '../schema/column.ts'
import { createOwnerFieldRemover } from '../schema/record-row.ts'

/** Most parameters of a query: Durable Objects bind at most 100. */
const maxParameters = 100
/** Stands for the list of closed records until `bind` replaces it. An object, which no caller can send. */
const closedListPlaceholder = new Uint8Array()

export interface Bounds {
  /** The conditions that a record is in reach, up to date and not closed. Empty: the caller is the owner. */
  readonly bounds: readonly Fragment[]
  /** `bounds` with the conditions themselves in place of the list, for queries that don't use `bind`. */
  readonly inlinedBounds: readonly Fragment[]
  /** `bounds` for records of `kind`, simpler when the kind has no sources. */
  boundsOf(kind: Kind | undefined): readonly Fragment[]
  /** `where` with the list in its parameters. Call it when the projection has caught up. */
  bindFragments(where: readonly Fragment[]): readonly Fragment[]
  /** `params` with the list in them. Call it when the projection has caught up. */
  bind(params: readonly SqlValue[]): readonly SqlValue[]
}

/**
 * `reaches`: a record must be in each; empty for the owner. `generation`: a number that grows whenever derived rows may
 * have changed.
 */
export function createBounds(
  db: SqlDatabase,
  kinds: Kinds,
  reaches: readonly Reach[],
  generation: () => number,
): Bounds {
  const sourceConditions = reaches.flatMap((reach) => sourcesInReachSql(reach, kinds) ?? [])
  const derivedKindNames = [...kinds.values()].filter(({ madeFrom }) => madeFrom).map(({ name }) => name)
  let cached: { readonly closedList: string; readonly generation: number } | undefined
  const closedList = (): string => {
    if (cached?.generation === generation()) return cached.closedList
    const seqs = sourceConditions.flatMap(({ sql, params }) =>
      db.all<{ seq: number }>(
        `SELECT f.seq FROM facets f JOIN records r ON r.seq = f.seq
         WHERE f.kind IN (SELECT value FROM json_each(?)) AND NOT ${sql}`,
        [JSON.stringify(derivedKindNames), ...params],
      ),
    )
    cached = {
      closedList: JSON.stringify([...new Set(seqs.map(({ seq }) => seq))]),
      generation: generation(),
    }
    return cached.closedList
  }
  /** An outdated record may quote a forgotten one, so no guest reads it before it is rebuilt. */
  const notOutdated: Fragment = { sql: 'f.outdated = 0', params: [] }
  const notClosed: Fragment = {
    sql: 'f.seq NOT IN (SELECT value FROM json_each(?))',
    params: [closedListPlaceholder],
  }
  const bind = (params: readonly SqlValue[]) =>
    params.includes(closedListPlaceholder)
      ? params.map((value) => (value === closedListPlaceholder ? closedList() : value))
      : params
  const inReach = reaches.map((reach) => reachSql(reach, kinds))
  const inReachAndCurrent = reaches.length === 0 ? [] : [...inReach, notOutdated]
  const bounds = [...inReachAndCurrent, ...(sourceConditions.length === 0 ? [] : [notClosed])]
  return {
    bounds,
    inlinedBounds: [...inReachAndCurrent, ...sourceConditions],
    boundsOf: (kind) =>
      kind && !kind.madeFrom ? reaches.map((reach) => reachSql(reach, kinds, kind)) : bounds,
    bind,
    bindFragments: (where) => where.map(({ sql, params }) => ({ sql, params: bind(params) })),
  }
}

/**
 * Runs queries. Every query of a guest passes here, so that it can't select, filter or order by owner-only fields.
 * Throws `invalid-filter` for more than 100 parameters, the limit of some hosts.
 */
export function createReadRows(
  db: SqlDatabase,
  kinds: Kinds,
  { isBound, bind }: { readonly isBound: boolean; readonly bind: Bounds['bind'] },
) {
  const guardedSql = createOwnerFieldRemover(kinds)
  return <Row extends SqlRow>(sql: string, params: readonly SqlValue[]): Row[] => {
    if (params.length > maxParameters) {
      throw new DaybookError('invalid-filter', 'The filters have too many conditions.', {
        details: { path: 'filters' },
      })
    }
    return db.all<Row>(isBound ? guardedSql(sql) : sql, bind(params))
  }
}

/** Invariant: every query answers for an id out of bounds like for an unused id. */
export interface IdQueries {
  /** The ids in `ids` of live records within the bounds. */
  findVisibleIds(ids: readonly string[]): Set<string>
  /** The live records within the bounds that cite `id`, in the order of storage. Outdated ones are left out. */
  citing(id: string): Citing[]
  /** The live records within the bounds, by id. Call it when the projection has caught up. */
  listVisible(query: ReachQuery): ReachedRecord[]
  /**
   * False when the hot columns show that no record `id` is within the bounds. True otherwise, also when they can't
   * tell.
   */
  mayBeVisible(id: string): boolean
  /**
   * True when another record took the place of `id`, or of a record that `id` supersedes. Only for the owner: no
   * bounds apply.
   */
  isDisplaced(id: string): boolean
}

const alwaysTrue: Fragment = { sql: '1', params: [] }

export function createIdQueries(db: SqlDatabase, read: ReadRows, bounds: readonly Fragment[]): IdQueries {
  return {
    findVisibleIds(ids) {
      if (ids.length === 0) return new Set()
      const { condition, params } = joinConditions([...bounds, alwaysTrue])
      const rows = read<SqlRow & { id: string }>(
        `SELECT r.id FROM json_each(?) j CROSS JOIN records r ON r.id = j.value JOIN facets f ON f.seq = r.seq
         WHERE ${condition}`,
        [JSON.stringify(ids), ...params],
      )
      return new Set(rows.map(({ id }) => id))
    },
    citing(id) {
      // An outdated record may quote a forgotten one.
      const current = { sql: 'r.deleted = 0 AND f.outdated = 0', params: [] }
      const { condition, params } = joinConditions([...bounds, current])
      return read<Citing & SqlRow>(
        `SELECT r.id, r.kind, l.path FROM links l JOIN records r ON r.seq = l.seq
         JOIN facets f ON f.seq = r.seq WHERE l.target = ? AND ${condition} ORDER BY r.seq, l.path`,
        [id, ...params],
      )
    },
    listVisible({ ids, after = '', limit }) {
      const { condition, params } = joinConditions([...bounds, alwaysTrue])
      const amongIds = ids === undefined ? '' : 'AND r.id IN (SELECT value FROM json_each(?))'
      return read<ReachedRecord & SqlRow>(
        `SELECT r.id, r.kind FROM records r CROSS JOIN facets f ON f.seq = r.seq
         WHERE r.id > ? ${amongIds} AND ${condition} ORDER BY r.id LIMIT ?`,
        [after, ...(ids === undefined ? [] : [JSON.stringify(ids)]), ...params, limit],
      )
    },
    mayBeVisible(id) {
      const { condition, params } = joinConditions([...bounds, alwaysTrue])
      // `stale`: the records whose derived rows are out of date.
      const rows = read(
        `SELECT 1 FROM records r LEFT JOIN facets f ON f.seq = r.seq WHERE r.id = ?
         AND (f.seq IS NULL OR r.seq IN (SELECT seq FROM stale) OR (${condition}))`,
        [id, ...params],
      )
      return rows.length > 0
    },
    isDisplaced: (id) =>
      db.get(
        'SELECT 1 FROM records r JOIN facets f ON f.seq = r.seq WHERE r.id = ? AND f.displaced_at IS NOT NULL',
        [id],
      ) !== undefined,
  }
}
