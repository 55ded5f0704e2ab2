// Writes the columns `superseded_at` and `displaced_at` of the derived rows: since when a successor replaces the record,
// and since when it is displaced by a rival (another record that supersedes the same one).
// Invariant: of several records of one kind that supersede the same record, exactly one is valid, the same on every
// copy. The other ones and their successors are displaced. A record whose successors are all displaced is current
// again.
import type { Citation, Kind } from '../../core/kind.ts'
import { prefersFirst } from '../../core/succession.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'

/**
 * The values of `links.supersedes`: none, or the rule that selects the valid one of several records with one target.
 */
const precedences = { none: 0, earliest: 1, latest: 2 } as const

/** The value of `links.supersedes` for a citation: the same rule as `currentRival` in core/succession. */
export function precedenceOf({ policy }: Pick<Kind, 'policy'>, { supersedes }: Citation): number {
  if (!supersedes) return precedences.none
  return prefersFirst(policy) ? precedences.earliest : precedences.latest
}

/**
 * SQL: of two records with the target of the link `l`, `candidate` is preferred to `rival`. Each is the SQL of a pair
 * (time, id).
 */
export function isPreferredSql(candidate: string, rival: string): string {
  return `CASE l.supersedes WHEN ${precedences.earliest} THEN ${candidate} < ${rival} ELSE ${candidate} > ${rival} END`
}

/**
 * The earliest time of a preferred rival of the record, or of a record that it supersedes directly or indirectly.
 * Parameters: number and kind of the record.
 */
const displacedAtSql = `WITH RECURSIVE up(seq) AS (
    VALUES (?)
    UNION SELECT t.seq FROM up JOIN links l ON l.seq = up.seq AND l.supersedes > 0
      JOIN records t ON t.id = l.target AND t.kind = ? JOIN facets e ON e.seq = t.seq)
  SELECT min(g.happened_at) AS at FROM up JOIN facets o ON o.seq = up.seq JOIN records r ON r.seq = up.seq
    JOIN links l ON l.seq = up.seq AND l.supersedes > 0
    JOIN links m ON m.target = l.target AND m.supersedes > 0 AND m.seq <> l.seq
    JOIN facets g ON g.seq = m.seq AND g.kind = o.kind JOIN records s ON s.seq = m.seq
    WHERE ${isPreferredSql('(g.created_at, s.id)', '(o.created_at, r.id)')}`

/** Finds a row when a record can be displaced. Most records have no rival, and then need no walk of the chain. */
const mayBeDisplacedSql = `SELECT 1 FROM links l WHERE l.seq = ? AND l.supersedes > 0 AND (
    EXISTS (SELECT 1 FROM links m WHERE m.target = l.target AND m.supersedes > 0 AND m.seq <> l.seq)
    OR EXISTS (SELECT 1 FROM records t JOIN facets e ON e.seq = t.seq
      WHERE t.id = l.target AND e.displaced_at IS NOT NULL)) LIMIT 1`

interface ChainRow extends SqlRow {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly displaced_at: string | null
}

/** Updates the columns `superseded_at` and `displaced_at` from the links. */
export class SuccessionWriter {
  readonly #db: SqlDatabase
  /** Runs for each record whose columns are written. */
  readonly #onChange: (seq: number) => void

  constructor(db: SqlDatabase, onChange: (seq: number) => void) {
    this.#db = db
    this.#onChange = onChange
  }

  /** Updates `target` and its successors. Call it after these, or the derived rows of `target`, changed. */
  updateTarget(target: string): void {
    const row = this.#rowOf(target)
    this.#updateChain([...(row ? [row] : []), ...this.#successorsOf(target)])
  }

  /** Updates `rows`. When the `displaced_at` of a row changes, updates its successors and targets too, and so on. */
  #updateChain(rows: readonly ChainRow[]): void {
    const queue = [...rows]
    for (let row = queue.shift(); row; row = queue.shift()) {
      if (this.#updateRow(row)) queue.push(...this.#successorsOf(row.id), ...this.#targetsOf(row.seq))
    }
  }

  /**
   * Updates the columns of one record; true when its `displaced_at` changed. `superseded_at` is the earliest
   * time of a successor, if any successor is not displaced, or the time of displacement, whichever is
   * earlier.
   */
  #updateRow({ seq, id, kind, displaced_at: before }: ChainRow): boolean {
    const displaced = this.#db.get(mayBeDisplacedSql, [seq])
      ? (this.#db.get<{ at: string | null }>(displacedAtSql, [seq, kind])?.at ?? null)
      : null
    this.#db.run(
      `UPDATE facets SET displaced_at = ?, superseded_at = (
         SELECT min(at) FROM (
           SELECT ? AS at UNION ALL
           SELECT g.happened_at FROM links l JOIN facets g ON g.seq = l.seq
             WHERE l.target = ? AND l.supersedes > 0 AND g.kind = facets.kind AND EXISTS (
               SELECT 1 FROM links o JOIN facets h ON h.seq = o.seq
                 WHERE o.target = ? AND o.supersedes > 0 AND h.kind = facets.kind AND h.displaced_at IS NULL))
         WHERE at IS NOT NULL)
       WHERE seq = ?`,
      [displaced, displaced, id, id, seq],
    )
    this.#onChange(seq)
    return displaced !== before
  }

  #rowOf(id: string): ChainRow | undefined {
    return this.#db.get<ChainRow>(
      'SELECT r.seq, r.id, r.kind, f.displaced_at FROM records r JOIN facets f ON f.seq = r.seq WHERE r.id = ?',
      [id],
    )
  }

  #targetsOf(seq: number): ChainRow[] {
    return this.#db.all<ChainRow>(
      `SELECT r.seq, r.id, r.kind, f.displaced_at FROM links l JOIN records r ON r.id = l.target
       JOIN facets f ON f.seq = r.seq WHERE l.seq = ? AND l.supersedes > 0`,
      [seq],
    )
  }

  #successorsOf(target: string): ChainRow[] {
    return this.#db.all<ChainRow>(
      `SELECT r.seq, r.id, r.kind, f.displaced_at FROM links l JOIN records r ON r.seq = l.seq
       JOIN facets f ON f.seq = l.seq WHERE l.target = ? AND l.supersedes > 0`,
      [target],
    )
  }
}
