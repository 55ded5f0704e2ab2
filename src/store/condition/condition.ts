// Tests a condition on some records, and reads the facts by which recall ranks them.
import type { SqlRow, SqlValue } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import type { Fragment } from '../schema/column.ts'

export type Read = <Row extends SqlRow>(sql: string, params: readonly SqlValue[]) => Row[]

export interface MatchingRecord {
  readonly seq: number
  readonly kind: string
  readonly happenedAt: string
}

/** The weights of a hit beside its text. Undefined where the kind or the record has none. */
export interface Weighed {
  /** When it happened, milliseconds since 1970 UTC. */
  readonly at: number
  /** 0 to 1. */
  readonly importance: number | undefined
  /** 0 to 1. */
  readonly confidence: number | undefined
  readonly pinned: boolean
  /** Uses on this device. */
  readonly uses: number
}

interface MatchingRow extends SqlRow {
  readonly seq: number
  readonly kind: string
  readonly happened_at: string
}
interface WeighRow extends SqlRow {
  readonly seq: number
  readonly happened_at: string
  readonly importance: number | null
  readonly confidence: number | null
  readonly pinned: number | null
  readonly uses: number | null
}

/** Those of `seqs` that satisfy `where`. */
export function matchingRows(
  read: Read,
  seqs: readonly number[],
  where: readonly Fragment[],
): Map<number, MatchingRecord> {
  const { condition, params, records } = conditionOf(where)
  const rows = read<MatchingRow>(
    `SELECT f.seq, f.kind, f.happened_at FROM json_each(?) j CROSS JOIN facets f ON f.seq = j.value ${records}
     WHERE ${condition}`,
    [JSON.stringify(seqs), ...params],
  )
  return new Map(rows.map(({ seq, kind, happened_at: happenedAt }) => [seq, { seq, kind, happenedAt }]))
}

/** The same, with their weights. */
export function weighRows(
  read: Read,
  seqs: readonly number[],
  where: readonly Fragment[],
): Map<number, Weighed> {
  const { condition, params, records } = conditionOf(where)
  const rows = read<WeighRow>(
    `SELECT f.seq, f.happened_at, f.importance, f.confidence, f.pinned, u.count AS uses
     FROM json_each(?) j CROSS JOIN facets f ON f.seq = j.value ${records} LEFT JOIN uses u ON u.seq = f.seq
     WHERE ${condition}`,
    [JSON.stringify(seqs), ...params],
  )
  return new Map(
    rows.map((row) => [
      row.seq,
      {
        at: parseTime(row.happened_at) ?? 0,
        importance: row.importance ?? undefined,
        confidence: row.confidence ?? undefined,
        pinned: row.pinned === 1,
        uses: row.uses ?? 0,
      },
    ]),
  )
}

export function conditionOf(where: readonly Fragment[]) {
  const condition = where.map((part) => part.sql).join(' AND ')
  const params = where.flatMap((part) => part.params)
  // Only some conditions read the record itself, and every live record has facets.
  return { condition, params, records: /\br\./.test(condition) ? 'JOIN records r ON r.seq = f.seq' : '' }
}
