// The audit of the pool: the outcome of every envelope, with its reason. Equal outcomes, such as those of presence,
// share a row that counts them.
// Invariant: `poolKeep` limits its rows and its days.
import {
  type NewPoolAudit,
  type PoolAuditEntry,
  type PoolAuditQuery,
  type PoolWriter,
  type TakenResult,
  poolKeep,
} from '../../core/pool.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'

/**
 * `at`: the last of `count` equal outcomes. `instance`: the sender's run. `key`: its idempotency key. `trace`: connects
 * the envelopes about one proposal.
 */
type AuditRow = SqlRow & {
  readonly n: number
  readonly at: string
  readonly type: string
  readonly claw: string
  readonly instance: string
  readonly key: string
  readonly trace: string
  readonly result: string
  readonly reason: string
  /** The carrier that delivered the envelope; null for an envelope of this book. */
  readonly source: string | null
  readonly count: number
}

/** Types of envelopes that share one row for a claw and an outcome. */
const sharedRowTypes = new Set(['presence', 'capabilities'])
/** True for an outcome that shares a row: of these types, and every refusal, because there may be thousands. */
const sharesRow = ({ type, result, reason }: NewPoolAudit) =>
  sharedRowTypes.has(type) || result === 'rejected' || reason === 'not_admitted'

export interface PoolAudit extends Pick<PoolWriter, 'note' | 'audit'> {
  /** Removes entries beyond `poolKeep.auditRows`, and those before the canonical time `before`. */
  pruneAudit(before: string): void
}

export function createPoolAudit(db: SqlDatabase): PoolAudit {
  return {
    note(entry) {
      const { at, type, claw, instance, key, trace, result, reason, from = null } = entry
      const sharedRow = sharesRow(entry)
        ? db.get<{ n: number }>(
            `SELECT n FROM pool_audit WHERE claw = ? AND type = ? AND result = ? AND reason = ?
             AND source IS ? ORDER BY n DESC LIMIT 1`,
            [claw, type, result, reason, from],
          )
        : undefined
      if (sharedRow) {
        db.run(
          'UPDATE pool_audit SET at = ?, instance = ?, key = ?, trace = ?, count = count + 1 WHERE n = ?',
          [at, instance, key, trace, sharedRow.n],
        )
        return
      }
      db.run(
        `INSERT INTO pool_audit (at, type, claw, instance, key, trace, result, reason, source, count)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
        [at, type, claw, instance, key, trace, result, reason, from],
      )
    },
    audit(query) {
      const { sql, params } = conditionOf(query)
      return db
        .all<AuditRow>(`SELECT * FROM pool_audit WHERE ${sql} ORDER BY n DESC LIMIT ?`, [
          ...params,
          query.limit,
        ])
        .map(toEntry)
    },
    pruneAudit(before) {
      db.run('DELETE FROM pool_audit WHERE n <= (SELECT max(n) FROM pool_audit) - ?', [poolKeep.auditRows])
      db.run('DELETE FROM pool_audit WHERE at < ?', [before])
    },
  }
}

const conditions = [
  ['before', 'n < ?'],
  ['claw', 'claw = ?'],
  ['type', 'type = ?'],
] as const

function conditionOf(query: PoolAuditQuery): { sql: string; params: SqlValue[] } {
  const usedConditions = conditions.filter(([name]) => query[name] !== undefined)
  const { results = [] } = query
  const ofResults = results.length === 0 ? [] : [`result IN (${results.map(() => '?').join(', ')})`]
  return {
    sql: ['1 = 1', ...usedConditions.map(([, sql]) => sql), ...ofResults].join(' AND '),
    params: [...usedConditions.map(([name]) => query[name] ?? null), ...results],
  }
}

function toEntry({ source, result, ...row }: AuditRow): PoolAuditEntry {
  return { ...row, result: result as TakenResult, ...(source === null ? {} : { from: source }) }
}
