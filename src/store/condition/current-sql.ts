// What is still current: not expired at the instant of the call, not superseded by a record that lives, not made from
// one that is gone.
// Invariant: compared inside the query, so that no page, ranking or count is made of what is then left out; and what
// somebody does not see takes nothing out of what he sees.
import type { Include } from '../../core/capability/port/record-port.ts'
import type { Kind } from '../../core/kind.ts'
import type { Fragment } from '../schema/column.ts'
import { isBeforeSql } from '../succession/succession.ts'

export interface Currency extends Include {
  /** What was current at this instant instead of now: what was superseded only later still was. */
  readonly asOf?: string | undefined
  /** Conditions over `facets f` and `records r`: only a record within them stands in another's place. */
  readonly bounds?: readonly Fragment[] | undefined
}

/** Conditions over `facets f` that keep what is current at `now` (canonical text), or `include` asks for all the same. */
export function currentSql(
  kind: Kind | undefined,
  now: string,
  { expired = false, superseded = false, outdated = false, asOf, bounds = [] }: Currency = {},
): Fragment[] {
  const mayExpire = !kind || kind.expires !== undefined
  const mayBeSuperseded = !kind || kind.cites?.some((one) => one.supersedes) === true
  const where: Fragment[] = []
  if (mayExpire && !expired)
    where.push({ sql: '(f.expires_at IS NULL OR f.expires_at > ?)', params: [asOf ?? now] })
  if ((!kind || kind.madeFrom) && !outdated) where.push({ sql: 'f.outdated = 0', params: [] })
  if (!mayBeSuperseded || superseded) return where
  const later =
    asOf === undefined ? { sql: '', params: [] } : { sql: ' OR f.superseded_at > ?', params: [asOf] }
  const unseen = bounds.length === 0 ? { sql: '', params: [] } : unseenSql(bounds, asOf)
  where.push({
    sql: `(f.superseded_at IS NULL${later.sql}${unseen.sql})`,
    params: [...later.params, ...unseen.params],
  })
  return where
}

/**
 * Or nothing within `bounds` stands in the place of the record of the outer `f` and `r`, which the inner ones hide: neither
 * one that supersedes it, nor one that displaces it or what it supersedes, as far up as all of them are seen.
 */
function unseenSql(bounds: readonly Fragment[], asOf: string | undefined): Fragment {
  // `near`: what may stand in its place, seen or not, before `bounds` are asked once. Nothing displaces what is displaced by
  // nothing for whoever sees everything, so that no long chain is walked.
  return {
    sql: ` OR NOT EXISTS (
      WITH RECURSIVE above(seq, id, kind, displaced) AS (
        SELECT r.seq, r.id, f.kind, f.displaced_at IS NOT NULL
        UNION SELECT e.seq, t.id, e.kind, e.displaced_at IS NOT NULL FROM above o
          JOIN links l ON l.seq = o.seq AND l.supersedes > 0
          JOIN records t ON t.id = l.target JOIN facets e ON e.seq = t.seq AND e.kind = o.kind WHERE o.displaced),
      near(seq) AS (
        SELECT l.seq FROM links l WHERE l.target = r.id AND l.supersedes > 0
        UNION SELECT seq FROM above
        UNION SELECT m.seq FROM above o JOIN links l ON l.seq = o.seq AND l.supersedes > 0
          JOIN links m ON m.target = l.target AND m.supersedes > 0 WHERE o.displaced),
      seen(seq, id, kind, created_at, happened_at) AS MATERIALIZED (
        SELECT f.seq, r.id, f.kind, f.created_at, f.happened_at
        FROM near JOIN facets f ON f.seq = near.seq JOIN records r ON r.seq = near.seq
        WHERE ${bounds.map(({ sql }) => sql).join(' AND ')}),
      up(seq, id, kind, created_at) AS (
        SELECT r.seq, r.id, f.kind, f.created_at WHERE f.displaced_at IS NOT NULL
        UNION SELECT t.seq, t.id, t.kind, t.created_at FROM up o
          JOIN links l ON l.seq = o.seq AND l.supersedes > 0 JOIN seen t ON t.id = l.target AND t.kind = o.kind)
      SELECT 1 FROM (
        SELECT s.happened_at FROM links l JOIN seen s ON s.seq = l.seq
          WHERE l.target = r.id AND l.supersedes > 0 AND s.kind = f.kind
        UNION ALL SELECT s.happened_at FROM up o JOIN links l ON l.seq = o.seq AND l.supersedes > 0
          JOIN links m ON m.target = l.target AND m.supersedes > 0 AND m.seq <> l.seq
          JOIN seen s ON s.seq = m.seq AND s.kind = o.kind
          WHERE ${isBeforeSql('(s.created_at, s.id)', '(o.created_at, o.id)')})
      ${asOf === undefined ? '' : 'WHERE happened_at <= ?'})`,
    params: [...bounds.flatMap(({ params }) => params), ...(asOf === undefined ? [] : [asOf])],
  }
}
