// The condition of current records: not expired, not superseded by a live record, not outdated.
// Invariant: the condition is part of the query, so that no page, ranking or count includes other records. A hidden
// record never hides a visible one.
// Displaced: of several records that supersede the same one, all but the preferred one, and their successors.
// `links.supersedes`: with 1 the earliest is preferred, with 2 the latest; a link with 0 supersedes nothing.
import type { Include } from '../../core/capability/port/record-port.ts'
import type { Kind } from '../../core/kind.ts'
import type { Fragment } from '../schema/column.ts'
import { isPreferredSql } from '../schema/succession.ts'

export interface CurrentOptions extends Include {
  /** Canonical time: current at this instant, not now. A record that was superseded only later is current. */
  readonly asOf?: string | undefined
  /**
   * Conditions over `facets f` and `records r`: only a record that satisfies them can supersede another. Default:
   * any can.
   */
  readonly bounds?: readonly Fragment[] | undefined
}

/** The conditions over `facets f` that a record is current at `now` (canonical time), or included by an option. */
export function currentSql(
  kind: Kind | undefined,
  now: string,
  { expired = false, superseded = false, outdated = false, asOf, bounds = [] }: CurrentOptions = {},
): Fragment[] {
  const mayExpire = !kind || kind.expires !== undefined
  const mayBeSuperseded = !kind || kind.cites?.some((link) => link.supersedes) === true
  const where: Fragment[] = []
  if (mayExpire && !expired)
    where.push({ sql: '(f.expires_at IS NULL OR f.expires_at > ?)', params: [asOf ?? now] })
  if ((!kind || kind.madeFrom) && !outdated) where.push({ sql: 'f.outdated = 0', params: [] })
  if (!mayBeSuperseded || superseded) return where
  const supersededLater =
    asOf === undefined ? { sql: '', params: [] } : { sql: ' OR f.superseded_at > ?', params: [asOf] }
  const isLatest = `(f.superseded_at IS NULL${supersededLater.sql})`
  if (bounds.length === 0) return [...where, { sql: isLatest, params: supersededLater.params }]
  // A short cut: if no displaced record supersedes it, a record that is current among all records is current
  // among the visible ones. Otherwise the records within `bounds` decide.
  const notSuperseded = notSupersededInBoundsSql(bounds, asOf)
  where.push({
    sql: `(${isLatest} AND NOT ${isSupersederDisplaced} OR ${notSuperseded.sql})`,
    params: [...supersededLater.params, ...notSuperseded.params],
  })
  return where
}

/** SQL: a record that supersedes `r` is displaced, maybe by a hidden one. Then `notSupersededInBoundsSql` decides. */
const isSupersederDisplaced = `EXISTS (SELECT 1 FROM links l JOIN facets e ON e.seq = l.seq
  WHERE l.target = r.id AND l.supersedes > 0 AND e.displaced_at IS NOT NULL)`

/**
 * The condition that no record within `bounds` takes the place of the outer `f` and `r`: among visible records, the
 * record is not displaced, and every record that supersedes it is displaced.
 */
function notSupersededInBoundsSql(bounds: readonly Fragment[], asOf: string | undefined): Fragment {
  // `near` selects the candidates first, so that `bounds` run once. A record that is not displaced among all records
  // is not displaced among the visible ones: then the query walks no chain.
  // The tables: `above` has the record, its successors, and the records that displaced ones supersede;
  // `near` also their rivals; `seen` those within `bounds`; `up` the visible chain of each displaced record;
  // `displaced` those with a preferred rival in this chain; `heirs` the visible successors.
  // A record is superseded if it is displaced, or if one of its heirs is not. The time is then that of its
  // earliest heir, displaced or not, as in `superseded_at`.
  const until = asOf === undefined ? '' : ' AND s.happened_at <= ?'
  const times = asOf === undefined ? [] : [asOf]
  return {
    sql: `NOT EXISTS (
      WITH RECURSIVE above(root, seq, id, kind, displaced) AS (
        SELECT r.seq, r.seq, r.id, f.kind, f.displaced_at IS NOT NULL
        UNION SELECT e.seq, e.seq, t.id, e.kind, e.displaced_at IS NOT NULL
          FROM links l JOIN facets e ON e.seq = l.seq JOIN records t ON t.seq = l.seq
          WHERE l.target = r.id AND l.supersedes > 0 AND e.kind = f.kind
        UNION SELECT o.root, e.seq, t.id, e.kind, e.displaced_at IS NOT NULL FROM above o
          JOIN links l ON l.seq = o.seq AND l.supersedes > 0
          JOIN records t ON t.id = l.target JOIN facets e ON e.seq = t.seq AND e.kind = o.kind WHERE o.displaced),
      near(seq) AS (
        SELECT seq FROM above
        UNION SELECT m.seq FROM above o JOIN links l ON l.seq = o.seq AND l.supersedes > 0
          JOIN links m ON m.target = l.target AND m.supersedes > 0 WHERE o.displaced),
      seen(seq, id, kind, created_at, happened_at) AS MATERIALIZED (
        SELECT f.seq, r.id, f.kind, f.created_at, f.happened_at
        FROM near JOIN facets f ON f.seq = near.seq JOIN records r ON r.seq = near.seq
        WHERE ${bounds.map(({ sql }) => sql).join(' AND ')}),
      up(root, seq, id, kind, created_at) AS (
        SELECT a.root, s.seq, s.id, s.kind, s.created_at FROM above a JOIN seen s ON s.seq = a.seq
          WHERE a.seq = a.root AND a.displaced
        UNION SELECT o.root, t.seq, t.id, t.kind, t.created_at FROM up o
          JOIN links l ON l.seq = o.seq AND l.supersedes > 0 JOIN seen t ON t.id = l.target AND t.kind = o.kind),
      displaced(seq, happened_at) AS (
        SELECT o.root, s.happened_at FROM up o JOIN links l ON l.seq = o.seq AND l.supersedes > 0
          JOIN links m ON m.target = l.target AND m.supersedes > 0 AND m.seq <> l.seq
          JOIN seen s ON s.seq = m.seq AND s.kind = o.kind
          WHERE ${isPreferredSql('(s.created_at, s.id)', '(o.created_at, o.id)')}),
      heirs(seq, happened_at) AS (
        SELECT s.seq, s.happened_at FROM links l JOIN seen s ON s.seq = l.seq
          WHERE l.target = r.id AND l.supersedes > 0 AND s.kind = f.kind)
      SELECT 1 FROM displaced s WHERE s.seq = r.seq${until}
      UNION ALL SELECT 1 FROM heirs s WHERE EXISTS (
        SELECT 1 FROM heirs WHERE seq NOT IN (SELECT seq FROM displaced))${until})`,
    params: [...bounds.flatMap(({ params }) => params), ...times, ...times],
  }
}
