// A row of `records` and the record it stands for.
import type { JsonObject } from '../core/path.ts'
import type { SqlRow } from '../core/ports.ts'
import type { Stored } from '../core/record.ts'

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
  readonly body: string
}

/** Columns of a `RecordRow`, for queries that name the table `r`. */
export const recordColumns =
  'r.seq, r.id, r.kind, r.agent, r.session, r.resource, r.created_at, r.updated_at, r.stamp, r.ver, r.place, r.device, r.op, r.rev, r.deleted, r.body'

/** The record as users see it. The head is written last: a body can't pass itself off as another record. */
export function toRecord(row: RecordRow): Stored<JsonObject> {
  return {
    ...(JSON.parse(row.body) as JsonObject),
    id: row.id,
    kind: row.kind,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ver: row.ver,
    agent: row.agent,
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.resource === null ? {} : { resource: row.resource }),
  }
}
