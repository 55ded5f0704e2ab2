// What is still current: not expired at the instant of the call, not superseded by a record that lives, not made from
// one that is gone.
// Invariant: compared inside the query, so that no page, ranking or count is made of what is then left out; and what
// somebody does not see takes nothing out of what he sees.
import type { Include } from '../../core/capability/record-port.ts'
import type { Kind } from '../../core/kind.ts'
import type { Fragment } from '../schema/column.ts'

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

/** Or nothing within `bounds` stands in the place of the record of the outer `f` and `r`, which the inner ones hide. */
function unseenSql(bounds: readonly Fragment[], asOf: string | undefined): Fragment {
  const conditions = asOf === undefined ? bounds : [...bounds, { sql: 'f.happened_at <= ?', params: [asOf] }]
  return {
    sql: ` OR NOT EXISTS (SELECT 1 FROM (SELECT r.id AS cited, f.kind AS of_kind) o
      JOIN links l ON l.target = o.cited AND l.supersedes = 1
      JOIN facets f ON f.seq = l.seq AND f.kind = o.of_kind JOIN records r ON r.seq = l.seq
      WHERE ${conditions.map(({ sql }) => sql).join(' AND ')})`,
    params: conditions.flatMap(({ params }) => params),
  }
}
