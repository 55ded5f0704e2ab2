// What is asked about records by their ids, within the bounds of a reach. Invariant: an id of what is out of the bounds is
// answered as one of nothing.
import type { Citing, ReachedRecord, ReachQuery } from '../../core/capability/port/record-port.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { conditionOf, type Read } from '../condition/condition.ts'
import type { Fragment } from '../schema/column.ts'

export interface IdQuestions {
  /** Those of `ids` that are ids of live records within the bounds. */
  held(ids: readonly string[]): Set<string>
  /** The live records that cite `id`, in the order in which they were stored. */
  citing(id: string): Citing[]
  /** The live records within the bounds, in the order of their ids. The projection is caught up. */
  reached(query: ReachQuery): ReachedRecord[]
  /** False when no record of this id is within the bounds, which the hot columns alone say; true where they can't tell. */
  mayHold(id: string): boolean
  /** True when another record stands where `id`, or what it supersedes, would; for whoever sees everything. */
  isDisplaced(id: string): boolean
}

const always: Fragment = { sql: '1', params: [] }

export function createIdQuestions(db: SqlDatabase, read: Read, bounds: readonly Fragment[]): IdQuestions {
  return {
    held(ids) {
      if (ids.length === 0) return new Set()
      const { condition, params } = conditionOf([...bounds, always])
      const rows = read<SqlRow & { id: string }>(
        `SELECT r.id FROM json_each(?) j CROSS JOIN records r ON r.id = j.value JOIN facets f ON f.seq = r.seq
         WHERE ${condition}`,
        [JSON.stringify(ids), ...params],
      )
      return new Set(rows.map(({ id }) => id))
    },
    citing(id) {
      // What is outdated may quote what was forgotten.
      const stands = { sql: 'r.deleted = 0 AND f.outdated = 0', params: [] }
      const { condition, params } = conditionOf([...bounds, stands])
      return read<Citing & SqlRow>(
        `SELECT r.id, r.kind, l.path FROM links l JOIN records r ON r.seq = l.seq
         JOIN facets f ON f.seq = r.seq WHERE l.target = ? AND ${condition} ORDER BY r.seq, l.path`,
        [id, ...params],
      )
    },
    reached({ ids, after = '', limit }) {
      const { condition, params } = conditionOf([...bounds, always])
      const named = ids === undefined ? '' : 'AND r.id IN (SELECT value FROM json_each(?))'
      return read<ReachedRecord & SqlRow>(
        `SELECT r.id, r.kind FROM records r CROSS JOIN facets f ON f.seq = r.seq
         WHERE r.id > ? ${named} AND ${condition} ORDER BY r.id LIMIT ?`,
        [after, ...(ids === undefined ? [] : [JSON.stringify(ids)]), ...params, limit],
      )
    },
    mayHold(id) {
      const { condition, params } = conditionOf([...bounds, always])
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
