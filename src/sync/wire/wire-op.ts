// Converts between rows, ops and the wire. Each direction sends whole records, so that all devices become equal.
// Two meanings of `seq`: on the wire, the place of a change at the mirror (`place` of a row); in a row, the number of the
// record in this copy.
import { defined } from '../../core/defined.ts'
import type { ForgetOp, PutOp } from '../../core/op.ts'
import type { ConflictPolicy } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { sealedOf, type Sensitivity } from '../../core/sealed.ts'
import type { Trust } from '../../core/trusted.ts'
import type { NewConflictSide } from '../../store/record/conflict-log.ts'
import type { PendingOp } from '../../store/record/op-log.ts'
import { isPurged, isOrWasSealed, type RecordRow } from '../../store/schema/record-row.ts'
import type { WireChange, WireMet, WireOp } from './protocol.ts'

type WireContent = Extract<NonNullable<WireMet['said']>, { op: 'put' }>

/** Fields that a device adds to the record. */
export interface OpFields {
  /** Conflict policy in place of the kind's. */
  readonly policy?: ConflictPolicy | undefined
  /** True: the op replaces withdrawn bytes under this `mid`. */
  readonly instead?: boolean
  /** Version of the kind that checked the body; 0: unchecked. */
  readonly v: number
}

/** Encodes an op. Every retry must send the same bytes. */
export function encodeOp({ base, row, reseal }: PendingOp, mid: number, fields: OpFields): string {
  const { kind, id, stamp, updated_at: at, agent } = row
  const wanted = {
    ...defined({ policy: fields.policy }),
    ...(fields.instead ? { instead: true } : {}),
  }
  if (row.deleted) {
    const more = {
      ...(isPurged(row) ? { purge: true } : {}),
      ...(isOrWasSealed(row) ? { sealed: true } : {}),
    }
    return JSON.stringify({ mid, kind, id, op: 'forget', base, stamp, at, agent, ...wanted, ...more })
  }
  const removal = row.purged > base ? 'purge' : row.gone > base ? 'forget' : undefined
  const enc = sealedOf(row.body)
  const more = {
    ...wanted,
    // A sealed body contains its own version.
    ...(enc ? {} : { v: fields.v }),
    ...(reseal === 1 ? { reseal: true } : {}),
    ...defined({ anew: removal }),
    ...scopeOf(row),
    created_at: row.created_at,
  }
  const head = JSON.stringify({ mid, kind, id, op: 'put', base, stamp, at, agent, ...more })
  // A sealed body is sent as sealed, a clear body as the stored JSON.
  if (enc) return `${head.slice(0, -1)},"enc":${JSON.stringify(enc)}}`
  return `${head.slice(0, -1)},"body":${row.body}}`
}

/** Returns the op in a wire op or a change. */
export function toOp(wire: WireOp | WireChange): PutOp | ForgetOp {
  const { kind, id, stamp, at, agent } = wire
  if (wire.op === 'forget') {
    const more = {
      ...(isPurge(wire) ? { purge: true as const } : {}),
      ...(wire.sealed ? { sealed: true as const } : {}),
    }
    return { op: 'forget', kind, id, stamp, at, agent, ...more }
  }
  const { created_at, session, resource, sensitivity, trust, body, enc } = wire
  return {
    op: 'put' as const,
    kind,
    id,
    stamp,
    at,
    agent,
    created_at,
    ...defined({ session, resource, sensitivity, trust }),
    ...(enc ? { enc } : { body: body ?? {} }),
  }
}

/** True for a forget that is a purge. */
export function isPurge(wire: WireOp | WireChange): boolean {
  if (wire.op === 'put') return false
  return 'ver' in wire ? wire.purged === wire.ver : wire.purge === true
}

/**
 * Returns a row of the mirror as a change. `mirrorDevice`: the mirror's device name, for changes made at the mirror.
 */
export function toWireChange(row: RecordRow, mirrorDevice: string): WireChange {
  if (row.deleted)
    return { ...changeHead(row, mirrorDevice), op: 'forget', ...(isOrWasSealed(row) ? { sealed: true } : {}) }
  const enc = sealedOf(row.body)
  const head = putHead(row, mirrorDevice)
  return enc ? { ...head, enc } : { ...head, body: JSON.parse(row.body) as JsonObject }
}

function changeHead(row: RecordRow, own: string) {
  const { kind, id, ver, stamp, updated_at: at, agent, purged } = row
  const names = { seq: row.place, kind, id, ver, by: row.device ?? own, stamp, at, agent }
  return purged > 0 ? { ...names, purged } : names
}

function putHead(row: RecordRow, own: string) {
  const gone = row.gone > 0 ? { gone: row.gone } : {}
  return { ...changeHead(row, own), op: 'put' as const, ...gone, created_at: row.created_at, ...scopeOf(row) }
}

/** Returns the encoded change. A stored clear body is copied without parsing. */
export function encodeChange(row: RecordRow, own: string): string {
  if (row.deleted || sealedOf(row.body)) return JSON.stringify(toWireChange(row, own))
  const head = JSON.stringify(putHead(row, own))
  return `${head.slice(0, -1)},"body":${row.body}}`
}

/** Returns a change as one side of a conflict. */
export function toConflictSide(wire: WireOp | WireChange, by: string): NewConflictSide {
  if (wire.op === 'forget') return { by, op: 'forget', ...(isPurge(wire) ? { purged: true } : {}) }
  return { by, ...toPutSide(wire) }
}

/** Returns a put as a side. Without `created_at`, the content of an earlier version. */
export function toPutSide(put: WireContent & { created_at?: string }): Omit<NewConflictSide, 'by'> {
  const { session, resource, sensitivity, trust, created_at, enc, body } = put
  const head = defined({ session, resource, sensitivity, trust, created_at })
  return { op: 'put', head, ...(enc ? { enc } : defined({ body })) }
}

function scopeOf({ session, resource, sensitivity, trust }: RecordRow): {
  session?: string
  resource?: string
  sensitivity?: Sensitivity
  trust?: Trust
} {
  return {
    ...(session === null ? {} : { session }),
    ...(resource === null ? {} : { resource }),
    ...(sensitivity === null ? {} : { sensitivity: sensitivity as Sensitivity }),
    ...(trust === null ? {} : { trust: trust as Trust }),
  }
}
