// Admits one op at the mirror. An op on the current version is applied. Otherwise the kind's policy decides between
// two edits, and the rules of removal decide between an edit and a forget.
// Invariant: the conflict log has the whole losing side, unless both sides are equal. For an edit that lost to a
// purge, it has only the fact of the edit.
import { DaybookError, type ErrorShape, toDaybookError, invalidInput } from '../../core/errors.ts'
import { type ConflictPolicy, holdsId, type Kind } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { headFields } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import { isSealing } from '../../core/sealed.ts'
import { clampStamp, stampMs } from '../../core/stamp.ts'
import { formatTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { BookStore } from '../../store/book-store.ts'
import { lastForgetVersion, isPurged, type RecordRow } from '../../store/schema/record-row.ts'
import {
  decideWinner,
  defaultPolicy,
  finalWinner,
  isLater,
  isOneSealed,
  survivesRemoval,
  hasSameContent,
} from '../conflict/conflict-policy.ts'
import { forgetParts, possibleOrphans } from '../conflict/dependents.ts'
import { logRivals } from '../conflict/rival.ts'
import { mirrorLimits, type WireOp } from '../wire/protocol.ts'
import { isPurge, toConflictSide, toWireChange, toOp } from '../wire/wire-op.ts'

/** The stored answer to an op. A conflict is sent with the record that is current at the time of sending. */
export type OpAnswer =
  | {
      readonly s: 'ok'
      readonly ver: number
      readonly seq: number
      /** Set if another change had come first and lost: the policy that decided. */
      readonly policy?: ConflictPolicy
      /** True: the edit restored a forgotten record. */
      readonly revived?: true
      /** Version in which the record was purged, if the author did not know the purge. */
      readonly purged?: number
      /** True: the op replaced a withdrawn op and took effect itself. Added when sent, not stored. */
      readonly instead?: true
    }
  /** `met`: version that the op conflicted with. `logged`: the mirror decided, and logged the losing side. */
  | {
      readonly s: 'conflict'
      readonly policy: ConflictPolicy
      readonly met?: number
      readonly logged?: boolean
    }
  | { readonly s: 'rejected'; readonly error: ErrorShape }

export interface Sender {
  readonly device: string
  /** True if the device knows kinds or versions that this mirror doesn't. Their bodies are not checked. */
  readonly newer: boolean
}

/** Maximum lead of a stamp over the mirror's clock, so that a fast clock doesn't win every conflict. */
export const maxStampLeadMs = 60_000

/** The admission of one op. */
interface Admission {
  readonly store: BookStore
  /**
   * `base`: the mirror's version that it changes, 0 for none. `anew`: the author forgot or purged the record between
   * `base` and this put. `instead`: in place of withdrawn bytes with its `mid`, the device's number of the op.
   */
  readonly wire: WireOp
  readonly sender: Sender
  readonly nowMs: number
  /** The op's stamp, set back if it exceeds `maxStampLeadMs`. */
  readonly stamp: string
  readonly kind: Kind | undefined
  /** The mirror's record with the id of the op; undefined: no such record. */
  readonly row: RecordRow | undefined
}

/** Applies an op, or returns why not. Call it in the transaction of its request. */
export function admitOp(store: BookStore, wire: WireOp, sender: Sender, nowMs: number): OpAnswer {
  const row = store.records.row(wire.id)
  const answer = admitToRow(row, store, wire, { sender, nowMs })
  // The author still has the purged content, and doesn't fetch its own change: include the purge in the answer.
  return answer.s === 'ok' && row && row.purged > wire.base ? { ...answer, purged: row.purged } : answer
}

function admitToRow(
  row: RecordRow | undefined,
  store: BookStore,
  wire: WireOp,
  { sender, nowMs }: Pick<Admission, 'sender' | 'nowMs'>,
): OpAnswer {
  const stamp = clampStamp(wire.stamp, nowMs + maxStampLeadMs)
  const admission = { store, wire, sender, nowMs, stamp, kind: store.kinds.get(wire.kind), row }
  // An edit that loses in any case is not checked.
  if (wire.op === 'put' && isLostToRemoval(admission, wire)) {
    // The author purged the record before this edit. The purge still applies.
    if (wire.anew === 'purge') admitForget(admission, toRemoval(wire, wire.anew))
    return logLostToRemoval(admission, wire)
  }
  const fault = findOpError(store, wire, row, sender)
  if (fault) return { s: 'rejected', error: fault.toJSON() }
  if (wire.op === 'forget') return admitForget(admission, wire)
  if (wire.anew === undefined) return admitPut(admission, wire)
  // The author forgot the record before this edit: forget it here too, and base the edit on that forget.
  const { id, base } = wire
  const forgotten = admitForget(admission, toRemoval(wire, wire.anew))
  const now = store.records.row(id)
  const answer = admitPut({ ...admission, row: now }, { ...wire, base: now?.deleted ? now.ver : base })
  const policy = forgotten.s === 'ok' ? forgotten.policy : undefined
  return answer.s === 'ok' && policy !== undefined ? { ...answer, policy } : answer
}

/** Returns the removal that the author made before a put with `anew`. */
function toRemoval(put: WirePut, removal: 'forget' | 'purge'): WireForget {
  const { mid, kind, id, base, stamp, at, agent } = put
  return {
    mid,
    kind,
    id,
    base,
    stamp,
    at,
    agent,
    op: 'forget',
    ...(removal === 'purge' ? { purge: true } : {}),
  }
}

type WirePut = Extract<WireOp, { op: 'put' }>
type WireForget = Extract<WireOp, { op: 'forget' }>

/** True for an edit that its author made without knowledge of a removal, unless the edit survives the removal. */
function isLostToRemoval({ store, sender, stamp, kind, row, nowMs }: Admission, wire: WirePut): boolean {
  const { base, created_at, anew } = wire
  // The tombstone was collected. A version number is used once, so `base` proves that there was one.
  if (!row) return base > 0 && base <= store.settings.getNumber('collected_ver') && anew === undefined
  if (
    row.kind !== wire.kind ||
    base >= lastForgetVersion(row) ||
    hasSameContent(wire, toWireChange(row, store.device))
  )
    return false
  const removal = { stamp: row.stamp, device: row.device ?? store.device }
  const edit = { stamp, device: sender.device }
  const isLaterThanRemoval = isLater(edit, removal)
  // A record that was created after the removal is a new record with the same id.
  const createdMs = Date.parse(created_at)
  const isCreatedLater = base === 0 && createdMs > stampMs(row.stamp) && createdMs <= nowMs + maxStampLeadMs
  if ((isCreatedLater || anew !== undefined) && isLaterThanRemoval) return false
  return row.deleted === 0 || !survivesRemoval(kind, edit, { ...removal, isPurge: base < row.purged })
}

function logLostToRemoval({ store, wire, sender, nowMs, row }: Admission, put: WirePut): OpAnswer {
  const answer: OpAnswer = {
    s: 'conflict',
    policy: 'remote_wins',
    ...(row ? { met: store.records.row(row.id)?.ver ?? row.ver } : {}),
    logged: true,
  }
  // A reseal is no edit.
  if (put.reseal) return answer
  const isPurged = row !== undefined && put.base < row.purged
  const present = row && toWireChange(row, store.device)
  // Beside a sealed side, the log contains no clear text; the device still has it.
  const mustOmitContent = isPurged || (present !== undefined && isOneSealed(put, present))
  const winner =
    present?.op === 'put'
      ? toConflictSide(present, present.by)
      : { by: present?.by ?? '', op: 'forget' as const }
  store.conflicts.add({
    record: wire.id,
    kind: wire.kind,
    policy: 'remote_wins',
    at: formatTime(nowMs),
    state: 'settled',
    loser: mustOmitContent ? { by: sender.device, op: 'put' } : toConflictSide(put, sender.device),
    winner: isPurged && winner.op === 'forget' ? { ...winner, purged: true } : winner,
  })
  return answer
}

function applyOp(admission: Admission, more: { readonly revives?: boolean } = {}): AppliedAnswer {
  const { store, wire, sender, nowMs, stamp, row } = admission
  store.stamps.see(stamp)
  const { ver, place: seq } = store.records.applyFromDevice(
    { ...toOp(wire), stamp },
    sender.device,
    row,
    more,
  )
  if (isPurge(wire)) store.purge.purgeRemote(wire.id)
  logRivals(store, [wire], formatTime(nowMs))
  return { s: 'ok', ver, seq }
}

type AppliedAnswer = Extract<OpAnswer, { s: 'ok' }>

/** A forget wins over every edit that its author did not know, except an edit that survives it. */
function admitForget(outer: Admission, wire: WireForget): OpAnswer {
  const admission = { ...outer, wire }
  const { store, sender, stamp, kind, row, nowMs } = admission
  if (!row || (row.deleted === 0 && row.ver === wire.base)) return applyOp(admission)
  const isPurging = wire.purge === true
  if (row.deleted === 1) {
    const isNewPurge = isPurging && !isPurged(row)
    return isNewPurge || row.ver === wire.base
      ? applyOp(admission)
      : { s: 'conflict', policy: 'remote_wins', met: row.ver, logged: false }
  }
  const present = toWireChange(row, store.device)
  const removal = { stamp, device: sender.device, isPurge: isPurging }
  const editSurvives = survivesRemoval(kind, { stamp: row.stamp, device: present.by }, removal)
  const orphans = editSurvives ? [] : possibleOrphans(store, row, isPurging)
  const presentSide = isPurging ? { by: present.by, op: 'put' as const } : toConflictSide(present, present.by)
  const policy = kind?.policy ?? defaultPolicy
  const answer: OpAnswer = editSurvives
    ? { s: 'conflict', policy: 'remote_wins', met: row.ver, logged: true }
    : { ...applyOp(admission), policy }
  store.conflicts.add({
    record: row.id,
    kind: row.kind,
    policy,
    at: formatTime(nowMs),
    state: 'settled',
    loser: editSurvives ? toConflictSide(wire, sender.device) : presentSide,
    winner: editSurvives ? presentSide : toConflictSide(wire, sender.device),
  })
  // The author did not know these parts.
  forgetParts(store, orphans, formatTime(nowMs))
  return answer
}

function admitPut(outer: Admission, wire: WirePut): OpAnswer {
  const admission = { ...outer, wire }
  const { store, sender, stamp, kind, row, nowMs } = admission
  // Without a record there is no conflict: the base is a version of another epoch.
  if (!row) return applyOp(admission)
  const present = toWireChange(row, store.device)
  const final = finalWinner(kind, wire, present)
  if (row.ver === wire.base && final !== 'present') return applyOp(admission)
  const isResealed = wire.reseal === true
  const policy =
    final === 'present' || isResealed ? 'remote_wins' : (wire.policy ?? kind?.policy ?? defaultPolicy)
  // A reseal yields to any change. If only one side is sealed, the device decides, because it can read both and seal
  // the result; the mirror stores no clear text beside a sealed side.
  const undecided = { s: 'conflict', policy, met: row.ver, logged: false } as const
  if (hasSameContent(wire, present) || isResealed || isOneSealed(wire, present)) return undecided
  const edit = { stamp, device: sender.device }
  const presentEdit = { stamp: row.stamp, device: present.by }
  const isRevived =
    present.op === 'forget' && survivesRemoval(kind, edit, { ...presentEdit, isPurge: isPurged(row) })
  // A record that was created after the removal is a new record with the same id.
  if (present.op === 'forget' && !isRevived) return applyOp(admission)
  const winner = isRevived ? 'arriving' : (final ?? decideWinner(policy, edit, presentEdit))
  // With `manual`, the mirror's record stays; the device logs the conflict as open.
  if (winner === 'device' && policy === 'merge') return undecided
  const arrivingSide = toConflictSide(wire, sender.device)
  const presentSide = toConflictSide(present, present.by)
  store.conflicts.add({
    record: row.id,
    kind: row.kind,
    policy,
    at: formatTime(nowMs),
    state: 'settled',
    ...(winner === 'arriving'
      ? { loser: presentSide, winner: arrivingSide }
      : { loser: arrivingSide, winner: presentSide }),
  })
  if (winner !== 'arriving') return { ...undecided, logged: true }
  return { ...applyOp(admission, { revives: isRevived }), policy, ...(isRevived ? { revived: true } : {}) }
}

/** Returns the error of an op that can never be applied; undefined without one. */
function findOpError(
  store: BookStore,
  wire: WireOp,
  row: RecordRow | undefined,
  from: Sender,
): DaybookError | undefined {
  if (row && row.kind !== wire.kind && holdsId(row, store.kinds)) {
    return new DaybookError('conflict', `\`${wire.id}\` is a ${row.kind}, not a ${wire.kind}.`, {
      details: { path: 'kind' },
    })
  }
  if (wire.op === 'forget') return undefined
  if (utf8Length(JSON.stringify(wire)) > mirrorLimits.opBytes) {
    return new DaybookError('too-large', `The change is larger than ${mirrorLimits.opBytes} bytes.`, {
      details: { limitBytes: mirrorLimits.opBytes },
    })
  }
  if (wire.enc) return undefined
  const own = headFields.find((name) => Object.hasOwn(wire.body ?? {}, name))
  if (own !== undefined) {
    const message = `\`body.${own}\`: The name belongs to the head of a record; a body can't have it.`
    return new DaybookError('invalid-input', message, { details: { path: `body.${own}` } })
  }
  if (isSealing(wire.sensitivity)) {
    return invalidInput('enc', 'A sensitive record travels sealed')
  }
  const kind = store.kinds.get(wire.kind)
  if (!kind || isUncheckable(kind, wire.v, from)) return undefined
  const fault = errorOfCheck(wire.body ?? {}, (body) => parseWith(kind.schema, body))
  if (!fault || wire.v === undefined || wire.v >= kind.version) return fault
  return new DaybookError('client-too-old', `${fault.message} The device knows an older \`${kind.name}\`.`, {
    details: { ...fault.details, kind: kind.name, spoken: wire.v, known: [kind.version] },
  })
}

/** True for a body that this mirror can't check: of a newer version, or sent unchecked. */
function isUncheckable(kind: Kind, v: number | undefined, { newer }: Sender): boolean {
  return v === undefined ? newer : v === 0 || v > kind.version
}

/** Returns the error that `check` throws for a body; undefined without one. */
export function errorOfCheck(body: JsonObject, check: (body: JsonObject) => void): DaybookError | undefined {
  try {
    check(body)
    return undefined
  } catch (error) {
    return toDaybookError(error)
  }
}
