// How many records of a kind were made since when, and by whom: told by their heads, so that sealed ones count.
import type { SqlDatabase } from '../../core/ports.ts'
import { sameOrDelegate } from '../../core/access/delegate-name.ts'
import type { Projection } from '../record/projection.ts'

export interface MadeCount {
  readonly kind: string
  /** Made by this agent or by a delegate of it. */
  readonly agent?: string | undefined
  /** Canonical time. */
  readonly since?: string | undefined
}

/** Inside a transaction. What is derived is found by its index; of what is sealed and not derived here, all is looked at. */
export function countMade(
  db: SqlDatabase,
  projection: Pick<Projection, 'catchUpWithin'>,
  { kind, agent, since = '' }: MadeCount,
): number {
  projection.catchUpWithin()
  const whose = agent === undefined ? { sql: '1 = 1', params: [] } : sameOrDelegate('r.agent', agent)
  const made = `r.kind = ? AND r.deleted = 0 AND r.created_at >= ? AND ${whose.sql}`
  const own = [kind, since, ...whose.params]
  const row = db.get<{ n: number }>(
    `SELECT (SELECT count(*) FROM facets f JOIN records r ON r.seq = f.seq
         WHERE f.kind = ? AND f.updated_at >= ? AND ${made})
       + (SELECT count(*) FROM records r WHERE r.kid IS NOT NULL AND ${made}
         AND NOT EXISTS (SELECT 1 FROM facets f WHERE f.seq = r.seq)) AS n`,
    [kind, since, ...own, ...own],
  )
  return row?.n ?? 0
}
