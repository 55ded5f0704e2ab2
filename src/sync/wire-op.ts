// Between rows, ops and the wire: the whole record both ways, so that every device ends with the same one.
import type { ConflictSide } from '../core/conflict.ts'
import type { ForgetOp, PutOp } from '../core/op.ts'
import type { ConflictPolicy } from '../core/kind.ts'
import type { JsonObject } from '../core/path.ts'
import type { PendingOp } from '../store/op-log.ts'
import type { RecordRow } from '../store/record-row.ts'
import type { WireChange, WireOp } from './protocol.ts'

/** The bytes of an op as they are sent, now and however often again. */
export function encodeOp({ base, row }: PendingOp, mid: number, wish?: ConflictPolicy): string {
  const { kind, id, stamp, updated_at: at, agent } = row
  const policy = wish === undefined ? {} : { policy: wish }
  if (row.deleted) return JSON.stringify({ mid, kind, id, op: 'forget', base, stamp, at, agent, ...policy })
  const whole = { ...scopeOf(row), created_at: row.created_at }
  const head = JSON.stringify({ mid, kind, id, op: 'put', base, stamp, at, agent, ...policy, ...whole })
  // The body is JSON already: it goes in as it was stored.
  return `${head.slice(0, -1)},"body":${row.body}}`
}

/** The op that a wire op or a change stands for. */
export function toOp(wire: WireOp | WireChange): PutOp | ForgetOp {
  const { kind, id, stamp, at, agent } = wire
  if (wire.op === 'forget') return { op: 'forget', kind, id, stamp, at, agent }
  const { created_at, session, resource, body } = wire
  return {
    ...{ op: 'put', kind, id, stamp, at, agent, created_at, body },
    ...(session === undefined ? {} : { session }),
    ...(resource === undefined ? {} : { resource }),
  }
}

/** A row of the mirror as a change. `own` is the mirror's own name, for what was changed at the mirror itself. */
export function toChange(row: RecordRow, own: string): WireChange {
  const { kind, id, ver, stamp, updated_at: at, agent } = row
  const head = { seq: row.place, kind, id, ver, by: row.device ?? own, stamp, at, agent }
  if (row.deleted) return { ...head, op: 'forget' }
  const body = JSON.parse(row.body) as JsonObject
  return { ...head, op: 'put', created_at: row.created_at, ...scopeOf(row), body }
}

/** What a change says, as a side of a conflict. */
export function sideOf(wire: WireOp | WireChange, by: string): ConflictSide {
  return wire.op === 'put' ? { by, op: 'put', body: wire.body } : { by, op: 'forget' }
}

function scopeOf({ session, resource }: RecordRow): { session?: string; resource?: string } {
  return { ...(session === null ? {} : { session }), ...(resource === null ? {} : { resource }) }
}
