// Tests a condition on given records, and reads the weights by which recall ranks them.
import type { SqlRow, SqlValue } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import type { Fragment } from '../schema/column.ts'

/** Runs a query for one caller: see `createReadRows` in query/bounds.ts. */
export type ReadRows = <Row extends SqlRow>(sql: string, params: readonly SqlValue[]) => Row[]

export interface MatchingRecord {
  readonly seq: number
  readonly kind: string
  /** Canonical time. */
  readonly happenedAt: string
}

/** The weights that rank a hit besides its text. Undefined when the kind or the record has none. */
export interface RankWeights {
  /** When the record happened, in milliseconds since 1970 UTC. */
  readonly happenedAtMs: number
  /** From 0 to 1. */
  readonly importance: number | undefined
  /** From 0 to 1. */
  readonly confidence: number | undefined
  readonly pinned: boolean
  /** How often the record was used on this device. */
  readonly uses: number
}

interface MatchingRow extends SqlRow {
  readonly seq: number
  readonly kind: string
  readonly happened_at: string
}
interface RankWeightsRow extends SqlRow {
  readonly seq: number
  readonly happened_at: string
  readonly importance: number | null
  readonly confidence: number | null
  readonly pinned: number | null
  readonly uses: number | null
}

/** The records in `seqs` that satisfy `where`, by number. */
export function readMatchingRecords(
  read: ReadRows,
  seqs: readonly number[],
  where: readonly Fragment[],
): Map<number, MatchingRecord> {
  const { condition, params, recordsJoin } = joinConditions(where)
  const rows = read<MatchingRow>(
    `SELECT f.seq, f.kind, f.happened_at FROM json_each(?) j CROSS JOIN facets f ON f.seq = j.value ${recordsJoin}
     WHERE ${condition}`,
    [JSON.stringify(seqs), ...params],
  )
  return new Map(rows.map(({ seq, kind, happened_at: happenedAt }) => [seq, { seq, kind, happenedAt }]))
}

/** The weights of the records in `seqs` that satisfy `where`, by number. */
export function readRankWeights(
  read: ReadRows,
  seqs: readonly number[],
  where: readonly Fragment[],
): Map<number, RankWeights> {
  const { condition, params, recordsJoin } = joinConditions(where)
  const rows = read<RankWeightsRow>(
    `SELECT f.seq, f.happened_at, f.importance, f.confidence, f.pinned, u.count AS uses
     FROM json_each(?) j CROSS JOIN facets f ON f.seq = j.value ${recordsJoin} LEFT JOIN uses u ON u.seq = f.seq
     WHERE ${condition}`,
    [JSON.stringify(seqs), ...params],
  )
  return new Map(
    rows.map((row) => [
      row.seq,
      {
        happenedAtMs: parseTime(row.happened_at) ?? 0,
        importance: row.importance ?? undefined,
        confidence: row.confidence ?? undefined,
        pinned: row.pinned === 1,
        uses: row.uses ?? 0,
      },
    ]),
  )
}

/**
 * Joins conditions, at least one, with AND. `recordsJoin`: the join with `records r`, empty when no condition
 * needs it.
 */
export function joinConditions(where: readonly Fragment[]) {
  const condition = where.map((part) => part.sql).join(' AND ')
  const params = where.flatMap((part) => part.params)
  // Every live record has a row in `facets`, so only a condition on `r` needs the join.
  return { condition, params, recordsJoin: /\br\./.test(condition) ? 'JOIN records r ON r.seq = f.seq' : '' }
}
