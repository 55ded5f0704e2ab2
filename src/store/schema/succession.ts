// Writes three columns of the derived rows: `superseded_at`, since when another record takes the place of this one as of
// a time; `replaced_from`, the same in the present; `displaced_at`, since when a rival (another record that supersedes the
// same one) displaces it.
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

/** SQL: when a record takes effect, of the row `alias` of `facets`: its begin, else the time of its event. */
export const startSql = (alias: string): string => `coalesce(${alias}.begins_at, ${alias}.happened_at)`

/**
 * SQL: the same in a query of the present. A record without a begin takes effect at once (`''`, before all times),
 * because the clock of the device that wrote it may be ahead.
 */
export const presentStartSql = (alias: string): string => `coalesce(${alias}.begins_at, '')`

/**
 * The earliest starts of a preferred rival of the record, or of a record that it supersedes directly or indirectly.
 * Parameters: number and kind of the record.
 */
const displacedAtSql = `WITH RECURSIVE up(seq) AS (
    VALUES (?)
    UNION SELECT t.seq FROM up JOIN links l ON l.seq = up.seq AND l.supersedes > 0
      JOIN records t ON t.id = l.target AND t.kind = ? JOIN facets e ON e.seq = t.seq)
  SELECT min(${startSql('g')}) AS at, min(${presentStartSql('g')}) AS present
    FROM up JOIN facets o ON o.seq = up.seq JOIN records r ON r.seq = up.seq
    JOIN links l ON l.seq = up.seq AND l.supersedes > 0
    JOIN links m ON m.target = l.target AND m.supersedes > 0 AND m.seq <> l.seq
    JOIN facets g ON g.seq = m.seq AND g.kind = o.kind JOIN records s ON s.seq = m.seq
    WHERE ${isPreferredSql('(g.created_at, s.id)', '(o.created_at, r.id)')}`

/** SQL: a successor of the record with this id and kind is not displaced. */
const hasValidHeirSql = (id: string, kind: string): string => `EXISTS (
  SELECT 1 FROM links o JOIN facets h ON h.seq = o.seq
    WHERE o.target = ${id} AND o.supersedes > 0 AND h.kind = ${kind} AND h.displaced_at IS NULL)`

/**
 * The earliest starts of the record's successors, direct or not: a later one may start earlier, as when it corrects the
 * begin. Follows only successors after which something starts earlier than they do. A record whose direct successors are
 * all displaced has none. Parameters: its id and kind, twice.
 */
const successorsAtSql = `WITH RECURSIVE line(id, kind, at, present, until, replaced) AS (
    SELECT t.id, g.kind, ${startSql('g')}, ${presentStartSql('g')}, g.superseded_at, g.replaced_from
      FROM links l JOIN facets g ON g.seq = l.seq JOIN records t ON t.seq = l.seq
      WHERE l.target = ? AND l.supersedes > 0 AND g.kind = ? AND ${hasValidHeirSql('?', '?')}
    UNION SELECT t.id, g.kind, ${startSql('g')}, ${presentStartSql('g')}, g.superseded_at, g.replaced_from
      FROM line JOIN links l ON l.target = line.id AND l.supersedes > 0
      JOIN facets g ON g.seq = l.seq AND g.kind = line.kind JOIN records t ON t.seq = l.seq
      WHERE (line.until < line.at OR line.replaced < line.present) AND ${hasValidHeirSql('line.id', 'line.kind')})
  SELECT min(at) AS at, min(present) AS present FROM line`

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
  readonly superseded_at: string | null
  readonly replaced_from: string | null
}

const chainColumns = 'r.seq, r.id, r.kind, f.displaced_at, f.superseded_at, f.replaced_from'

/** Starts of other records, as of a time and in the present; null: none. */
interface Starts extends SqlRow {
  readonly at: string | null
  readonly present: string | null
}

const noStarts: Starts = { at: null, present: null }

const earlier = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other < one) ? other : one

/** Updates the columns `superseded_at`, `replaced_from` and `displaced_at` from the links. */
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

  /**
   * Updates `rows`. When the `displaced_at` of a row changes, updates its successors and targets too; when only its end
   * changes, its targets; and so on.
   */
  #updateChain(rows: readonly ChainRow[]): void {
    const queue = [...rows]
    for (let row = queue.shift(); row; row = queue.shift()) {
      const changed = this.#updateRow(row)
      if (changed.isDisplaced) queue.push(...this.#successorsOf(row.id))
      if (changed.isDisplaced || changed.isEnd) queue.push(...this.#targetsOf(row.seq))
    }
  }

  /**
   * Updates the columns of one record, and tells which of them changed. The end is the earliest start of a successor or
   * of a record that displaces it.
   */
  #updateRow({ seq, id, kind }: ChainRow): { readonly isDisplaced: boolean; readonly isEnd: boolean } {
    // Read again: the queue may have the row twice.
    const before = this.#rowOf(id)
    const displaced = this.#db.get(mayBeDisplacedSql, [seq])
      ? (this.#db.get<Starts>(displacedAtSql, [seq, kind]) ?? noStarts)
      : noStarts
    const successors = this.#db.get<Starts>(successorsAtSql, [id, kind, id, kind]) ?? noStarts
    const superseded = earlier(displaced.at, successors.at)
    const replaced = earlier(displaced.present, successors.present)
    this.#db.run('UPDATE facets SET displaced_at = ?, superseded_at = ?, replaced_from = ? WHERE seq = ?', [
      displaced.at,
      superseded,
      replaced,
      seq,
    ])
    this.#onChange(seq)
    return {
      isDisplaced: displaced.at !== before?.displaced_at,
      isEnd: superseded !== before?.superseded_at || replaced !== before.replaced_from,
    }
  }

  #rowOf(id: string): ChainRow | undefined {
    return this.#db.get<ChainRow>(
      `SELECT ${chainColumns} FROM records r JOIN facets f ON f.seq = r.seq WHERE r.id = ?`,
      [id],
    )
  }

  #targetsOf(seq: number): ChainRow[] {
    return this.#db.all<ChainRow>(
      `SELECT ${chainColumns} FROM links l JOIN records r ON r.id = l.target
       JOIN facets f ON f.seq = r.seq WHERE l.seq = ? AND l.supersedes > 0`,
      [seq],
    )
  }

  #successorsOf(target: string): ChainRow[] {
    return this.#db.all<ChainRow>(
      `SELECT ${chainColumns} FROM links l JOIN records r ON r.seq = l.seq
       JOIN facets f ON f.seq = l.seq WHERE l.target = ? AND l.supersedes > 0`,
      [target],
    )
  }
}
