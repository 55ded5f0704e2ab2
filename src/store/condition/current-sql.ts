// The condition of current records: begun, not expired, not superseded by a live record that has begun, not outdated.
// Invariant: the condition is part of the query, so that no page, ranking or count includes other records. A hidden
// record never hides a visible one.
// Displaced: of several records that supersede the same one, all but the preferred one, and their successors.
// `links.supersedes`: with 1 the earliest is preferred, with 2 the latest; a link with 0 supersedes nothing.
import type { Include } from '../../core/capability/port/record-port.ts'
import type { Kind } from '../../core/kind.ts'
import type { Fragment } from '../schema/column.ts'
import { isPreferredSql, presentStartSql, startSql } from '../schema/succession.ts'

export interface CurrentOptions extends Include {
  /**
   * Canonical time: current at this instant of the world, not now. A record without a begin takes effect when it
   * happened; in a query of the present, at once, because the clock of another device may be ahead.
   */
  readonly asOf?: string | undefined
  /** Canonical time: among the records that the book had at this instant. Without `asOf`, also current then, not now. */
  readonly knownAt?: string | undefined
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
  { expired = false, superseded = false, outdated = false, asOf, knownAt, bounds = [] }: CurrentOptions = {},
): Fragment[] {
  const time = asOf ?? knownAt ?? now
  const learnedBefore = knownAt === undefined ? [] : [{ sql: 'f.created_at <= ?', params: [knownAt] }]
  const where: Fragment[] = [...learnedBefore]
  if ((!kind || kind.begins !== undefined) && !expired)
    where.push({ sql: '(f.begins_at IS NULL OR f.begins_at <= ?)', params: [time] })
  if ((!kind || kind.expires !== undefined) && !expired)
    where.push({ sql: '(f.expires_at IS NULL OR f.expires_at > ?)', params: [time] })
  if ((!kind || kind.madeFrom) && !outdated) where.push({ sql: 'f.outdated = 0', params: [] })
  const mayBeSuperseded = !kind || kind.cites?.some((link) => link.supersedes) === true
  if (!mayBeSuperseded || superseded) return where
  const [start, end] =
    asOf === undefined ? [presentStartSql, 'f.replaced_from'] : [startSql, 'f.superseded_at']
  const superseders = [...bounds, ...learnedBefore]
  if (superseders.length === 0) {
    where.push({ sql: `(${end} IS NULL OR ${end} > ?)`, params: [time] })
    return where
  }
  // A short cut: if no displaced record supersedes it, a record that is current among all records is current
  // among the visible ones. Otherwise the records within `superseders` decide.
  const notSuperseded = notSupersededSql(superseders, time, start)
  // The other short cut, for the owner: most superseded records have a known successor that nothing displaces.
  const noValidHeir =
    knownAt === undefined || bounds.length > 0 ? undefined : noValidHeirSql(knownAt, time, start)
  where.push({
    sql: `(f.superseded_at IS NULL AND NOT ${isSupersederDisplaced}
      OR ${noValidHeir ? `${noValidHeir.sql} AND ` : ''}${notSuperseded.sql})`,
    params: [...(noValidHeir?.params ?? []), ...notSuperseded.params],
  })
  return where
}

/** SQL: a record that supersedes `r` is displaced, maybe by a hidden one. Then `notSupersededSql` decides. */
const isSupersederDisplaced = `EXISTS (SELECT 1 FROM links l JOIN facets e ON e.seq = l.seq
  WHERE l.target = r.id AND l.supersedes > 0 AND e.displaced_at IS NOT NULL)`

/** The condition that no direct successor of `f` and `r` that was known at `knownAt` has started without being displaced. */
const noValidHeirSql = (knownAt: string, time: string, start: (alias: string) => string): Fragment => ({
  sql: `NOT EXISTS (SELECT 1 FROM links l JOIN facets e ON e.seq = l.seq
    WHERE l.target = r.id AND l.supersedes > 0 AND e.kind = f.kind AND e.displaced_at IS NULL
      AND e.created_at <= ? AND ${start('e')} <= ?)`,
  params: [knownAt, time],
})

/**
 * The condition that no record within `bounds` takes the place of the outer `f` and `r` by `time`: among visible
 * records, the record is not displaced, and no successor, direct or not, has started. `start`: the SQL of the start of a
 * row. A record whose direct successors are all displaced is not superseded.
 */
function notSupersededSql(
  bounds: readonly Fragment[],
  time: string,
  start: (alias: string) => string,
): Fragment {
  // `near` selects the candidates first, so that `bounds` run once. A record that is not displaced among all records
  // is not displaced among the visible ones: then the query walks no chain.
  // The tables: `below` has the direct successors, and those of each that has not started; `above` the record and
  // `below`, and the records that displaced ones supersede; `near` also their rivals; `seen` those within `bounds`;
  // `up` the visible chain of each displaced record; `displaced` those with a preferred rival in this chain; `line` the
  // visible successors of the record, and of each with a visible successor that is not displaced.
  return {
    sql: `NOT EXISTS (
      WITH RECURSIVE below(seq, id, kind, displaced, started) AS (
        SELECT e.seq, t.id, e.kind, e.displaced_at IS NOT NULL, ${start('e')} <= ?
          FROM links l JOIN facets e ON e.seq = l.seq JOIN records t ON t.seq = l.seq
          WHERE l.target = r.id AND l.supersedes > 0 AND e.kind = f.kind
        UNION SELECT e.seq, t.id, e.kind, e.displaced_at IS NOT NULL, ${start('e')} <= ? FROM below o
          JOIN links l ON l.target = o.id AND l.supersedes > 0
          JOIN facets e ON e.seq = l.seq AND e.kind = o.kind JOIN records t ON t.seq = l.seq WHERE NOT o.started),
      above(root, seq, id, kind, displaced) AS (
        SELECT r.seq, r.seq, r.id, f.kind, f.displaced_at IS NOT NULL
        UNION SELECT seq, seq, id, kind, displaced FROM below
        UNION SELECT o.root, e.seq, t.id, e.kind, e.displaced_at IS NOT NULL FROM above o
          JOIN links l ON l.seq = o.seq AND l.supersedes > 0
          JOIN records t ON t.id = l.target JOIN facets e ON e.seq = t.seq AND e.kind = o.kind WHERE o.displaced),
      near(seq) AS (
        SELECT seq FROM above
        UNION SELECT m.seq FROM above o JOIN links l ON l.seq = o.seq AND l.supersedes > 0
          JOIN links m ON m.target = l.target AND m.supersedes > 0 WHERE o.displaced),
      seen(seq, id, kind, created_at, start) AS MATERIALIZED (
        SELECT f.seq, r.id, f.kind, f.created_at, ${start('f')}
        FROM near JOIN facets f ON f.seq = near.seq JOIN records r ON r.seq = near.seq
        WHERE ${bounds.map(({ sql }) => sql).join(' AND ')}),
      up(root, seq, id, kind, created_at) AS (
        SELECT a.root, s.seq, s.id, s.kind, s.created_at FROM above a JOIN seen s ON s.seq = a.seq
          WHERE a.seq = a.root AND a.displaced
        UNION SELECT o.root, t.seq, t.id, t.kind, t.created_at FROM up o
          JOIN links l ON l.seq = o.seq AND l.supersedes > 0 JOIN seen t ON t.id = l.target AND t.kind = o.kind),
      displaced(seq, start) AS MATERIALIZED (
        SELECT o.root, s.start FROM up o JOIN links l ON l.seq = o.seq AND l.supersedes > 0
          JOIN links m ON m.target = l.target AND m.supersedes > 0 AND m.seq <> l.seq
          JOIN seen s ON s.seq = m.seq AND s.kind = o.kind
          WHERE ${isPreferredSql('(s.created_at, s.id)', '(o.created_at, o.id)')}),
      heirs(target, seq, id, kind, start) AS MATERIALIZED (
        SELECT l.target, s.seq, s.id, s.kind, s.start FROM seen s
          JOIN links l ON l.seq = s.seq AND l.supersedes > 0),
      line(id, kind, start) AS (
        SELECT r.id, f.kind, NULL
        UNION SELECT h.id, h.kind, h.start FROM line o JOIN heirs h ON h.target = o.id AND h.kind = o.kind
          WHERE (h.target, h.kind) IN (SELECT target, kind FROM heirs WHERE seq NOT IN (SELECT seq FROM displaced)))
      SELECT 1 FROM displaced s WHERE s.seq = r.seq AND s.start <= ?
      UNION ALL SELECT 1 FROM line s WHERE s.start <= ?)`,
    params: [time, time, ...bounds.flatMap(({ params }) => params), time, time],
  }
}
