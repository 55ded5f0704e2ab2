// The conflict log: every edit that lost, kept whole. Nothing is ever removed from it by a sync.
import type { ConflictEntry } from '../core/capability.ts'
import type { ConflictPolicy } from '../core/kind.ts'
import type { JsonObject } from '../core/path.ts'
import type { SqlDatabase } from '../core/ports.ts'

export interface ConflictLog {
  add(entry: Omit<ConflictEntry, 'id'>): void
  /** Newest first. */
  list(limit: number): ConflictEntry[]
  count(): number
}

export function createConflictLog(db: SqlDatabase): ConflictLog {
  return {
    add({ record, kind, policy, at, lost }) {
      const body = lost.body === undefined ? null : JSON.stringify(lost.body)
      db.run(
        'INSERT INTO conflicts (record, kind, policy, at, lost_by, lost_op, lost_body) VALUES (?, ?, ?, ?, ?, ?, ?)',
        [record, kind, policy, at, lost.by, lost.op, body],
      )
    },
    list(limit) {
      const rows = db.all<{
        id: number
        record: string
        kind: string
        policy: string
        at: string
        lost_by: string
        lost_op: string
        lost_body: string | null
      }>(
        'SELECT id, record, kind, policy, at, lost_by, lost_op, lost_body FROM conflicts ORDER BY id DESC LIMIT ?',
        [limit],
      )
      return rows.map(({ lost_by, lost_op, lost_body, policy, ...entry }) => ({
        ...entry,
        policy: policy as ConflictPolicy,
        lost: {
          by: lost_by,
          op: lost_op === 'put' ? 'put' : 'forget',
          ...(lost_body === null ? {} : { body: JSON.parse(lost_body) as JsonObject }),
        },
      }))
    },
    count: () => db.get<{ n: number }>('SELECT count(*) AS n FROM conflicts')?.n ?? 0,
  }
}
