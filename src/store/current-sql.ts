// What is still current: not expired at the instant of the call, not superseded by a record that lives.
// Invariant: compared inside the query, so that no page, ranking or count is made of what is then left out.
import type { Include } from '../core/capability.ts'
import type { Kind } from '../core/kind.ts'
import type { Fragment } from './expression.ts'

export interface Currency extends Include {
  /** What was current at this instant instead of now: what was superseded only later still was. */
  readonly asOf?: string | undefined
}

/** Conditions over `facets f` that keep what is current at `now` (canonical text), or `include` asks for all the same. */
export function currentSql(
  kind: Kind | undefined,
  now: string,
  { expired = false, superseded = false, asOf }: Currency = {},
): Fragment[] {
  const mayExpire = !kind || kind.expires !== undefined
  const mayBeSuperseded = !kind || kind.cites?.some((one) => one.supersedes) === true
  const where: Fragment[] = []
  if (mayExpire && !expired)
    where.push({ sql: '(f.expires_at IS NULL OR f.expires_at > ?)', params: [asOf ?? now] })
  if (!mayBeSuperseded || superseded) return where
  if (asOf === undefined) where.push({ sql: 'f.superseded_at IS NULL', params: [] })
  else where.push({ sql: '(f.superseded_at IS NULL OR f.superseded_at > ?)', params: [asOf] })
  return where
}
