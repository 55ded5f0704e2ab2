// A row of `records` and the record it stands for.
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlRow, SqlValue } from '../../core/ports.ts'
import type { Stored } from '../../core/record.ts'
import type { Sensitivity } from '../../core/sealed.ts'

export interface RecordRow extends SqlRow {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly agent: string
  readonly session: string | null
  readonly resource: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly stamp: string
  readonly ver: number
  readonly place: number
  readonly device: string | null
  /** The number of its newest unacknowledged op, on a device. */
  readonly op: number | null
  readonly rev: number
  readonly deleted: number
  /** As said when it was stored; null: `standard`. */
  readonly sensitivity: string | null
  /** The key that seals the body; null for a plain one. */
  readonly kid: string | null
  /** A JSON object, or the text of a sealed body. */
  readonly body: string
}

/** Columns of a `RecordRow`, for queries that name the table `r`. */
export const recordColumns =
  'r.seq, r.id, r.kind, r.agent, r.session, r.resource, r.created_at, r.updated_at, r.stamp, r.ver, r.place, r.device, r.op, r.rev, r.deleted, r.sensitivity, r.kid, r.body'

/**
 * The record as users see it; `body` is what a sealed one opens as. The head is written last: a body can't pass itself off
 * as another record.
 */
export function toRecord(
  row: RecordRow,
  body: JsonObject = JSON.parse(row.body) as JsonObject,
): Stored<JsonObject> {
  return {
    ...body,
    id: row.id,
    kind: row.kind,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ver: row.ver,
    agent: row.agent,
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.resource === null ? {} : { resource: row.resource }),
    ...(row.sensitivity === null ? {} : { sensitivity: row.sensitivity as Sensitivity }),
  }
}

/** Broken pages show in what SQLite says; broken bytes inside a body only here. */
export function isWholeBody(body: SqlValue | undefined): boolean {
  try {
    // A forgotten record has none.
    return body === '' || typeof JSON.parse(String(body)) === 'object'
  } catch {
    return false
  }
}
