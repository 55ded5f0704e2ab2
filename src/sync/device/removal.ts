// Decides on the device between a removal (forget or purge) and a concurrent change.
// Invariant: the device decides as the mirror does, and no purged content stays on the device.
// Fields of a row and of a change (`ver`, `place`, `gone`, `purged`): store/schema/record-row.ts; of an op
// (`instead`): wire/protocol.ts; of a sent op (`erased_rev`): store/record/op-log.ts.
import type { Kind } from '../../core/kind.ts'
import { type Json, sameJson } from '../../core/json/path.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { NewConflictSide } from '../../store/record/conflict-log.ts'
import type { SentOp } from '../../store/record/op-log.ts'
import { isPurged, type RecordRow } from '../../store/schema/record-row.ts'
import { defaultPolicy, finalWinner, survivesRemoval, hasSameContent } from '../conflict/conflict-policy.ts'
import type { WireChange, WireOp, WireResult } from '../wire/protocol.ts'
import { isPurge, toConflictSide, toWireChange, toOp } from '../wire/wire-op.ts'

/** Stores the mirror's version of a record, without an op. `isNew`: this device has no such record. */
export function storeMirrorVersion(store: BookStore, change: WireChange, isNew: boolean): void {
  const { id, ver, seq: place, by: device, purged = 0 } = change
  const before = isNew ? undefined : store.records.row(id)
  const gone = change.op === 'put' ? (change.gone ?? 0) : ver
  const copy = { ver, place, device, gone, purged }
  const op = toOp(change)
  // The record was forgotten between the local version and this one, so the local version must not stay in the
  // history.
  if (op.op === 'put' && before?.deleted === 0 && gone > before.ver) {
    const { kind, at, stamp, agent } = op
    store.records.applyFromMirror({ op: 'forget', kind, id, at, stamp, agent }, copy)
  }
  store.records.applyFromMirror(op, copy, { isNew })
  if (purged > (before?.ver ?? 0) && !(before && isPurged(before))) store.purge.purgeRemote(id)
}

interface AppliedOp {
  readonly op: SentOp
  /** The op in the bytes of the request. */
  readonly sent: WireOp | undefined
  readonly result: Extract<WireResult, { s: 'ok' }>
}

/**
 * Returns the local version (`rev`) of the record that the mirror took with `op`; null if unknown. While the bytes of
 * the op were erased (`erased_rev`), the mirror may have taken the erased bytes.
 */
export function appliedRev({ op, sent, result }: AppliedOp): number | null {
  const isErased = op.erased_rev !== null && !(result.instead === true && isUnchanged(op, sent))
  // 0: bytes were erased more than once, so the version is unknown.
  return isErased ? op.erased_rev || null : op.rev
}

/** True if `sent` has the current bytes of `op`. */
const isUnchanged = ({ wire }: SentOp, sent: WireOp | undefined) =>
  sent !== undefined && sameJson(sent as Json, JSON.parse(wire) as Json)

/**
 * Stores the version that the mirror gave to `op`. Drops the pending op if `op` was the record's last forget, or the
 * sealed record in place of withdrawn bytes: sent again, the pending op would override later changes of others.
 */
export function confirmApplied(store: BookStore, { op, sent, result }: AppliedOp): void {
  const copy = { ver: result.ver, place: result.seq, device: store.device }
  const isInstead = sent?.instead === true
  const isLast =
    sent !== undefined &&
    (isInstead ? result.instead === true : sent.op === 'forget') &&
    isUnchanged(op, sent)
  const row = isLast && isInstead ? store.records.row(sent.id) : undefined
  if (row && row.stamp === sent?.stamp && hasSameContent(toWireChange(row, store.device), sent))
    store.ops.dropUnsent(row.seq)
  store.records.confirmVersion(op.seq, copy, isLast && sent.op === 'forget')
  if (result.purged !== undefined) applyRemotePurge(store, JSON.parse(op.wire) as WireOp, result.purged)
}

/** Applies a purge by another device that came before our own change. Our change is now based on the purge. */
function applyRemotePurge(store: BookStore, { id }: WireOp, purged: number): void {
  store.records.storePurgeVersion(id, purged)
  store.purge.purgeRemote(id)
  const row = store.records.row(id)
  if (row?.deleted === 0) store.records.markOutdated(row)
}

/**
 * Returns the log side of `row`, which lost to `change`; without content if `change` purged it and `row` didn't know.
 */
export function toLosingSide(row: RecordRow, change: WireChange, device: string): NewConflictSide {
  const isPurgedSince = (change.purged ?? 0) > row.ver && row.purged <= row.ver
  const by = row.device ?? device
  return isPurgedSince
    ? { by, op: row.deleted ? 'forget' : 'put' }
    : toConflictSide(toWireChange(row, device), by)
}

/** True if the forget in `change` ends the pending edit of `row`: the edit didn't know it and doesn't survive it. */
export function endsPendingEdit(store: BookStore, row: RecordRow, change: WireChange): boolean {
  if (change.op !== 'forget' || row.deleted === 1 || row.kind !== change.kind) return false
  // Created here, or created again after a forget here: it may be a new record, so the mirror decides.
  if (row.ver === 0 || row.gone > row.ver) return false
  const edit = { stamp: row.stamp, device: store.device }
  return !survivesRemoval(store.kinds.get(row.kind), edit, {
    stamp: change.stamp,
    device: change.by,
    isPurge: isPurge(change),
  })
}

/** Logs that an edit restored a forgotten record. Each copy that had the forget gets this entry. */
export function logRevived(
  store: BookStore,
  edit: WireOp | WireChange,
  { by, now: at }: { readonly by: string; readonly now: string },
): void {
  const { id: record, kind } = edit
  store.conflicts.add({
    record,
    kind,
    policy: store.kinds.get(kind)?.policy ?? defaultPolicy,
    at,
    state: 'settled',
    loser: { by: '', op: 'forget' },
    winner: toConflictSide(edit, by),
  })
}

/**
 * While starting over: decides between our version of a record and the mirror's. A forget wins, unless the other
 * version is later and knew a forget. Of two edits, the one that alone knew a forget wins, otherwise the later one.
 */
export function winnerOfUnknown(store: BookStore, row: RecordRow, change: WireChange): 'ours' | 'theirs' {
  const kind: Kind | undefined = store.kinds.get(row.kind)
  const final = finalWinner(kind, change, toWireChange(row, store.device))
  if (final !== undefined) return final === 'arriving' ? 'theirs' : 'ours'
  const isTheirsLater = change.stamp >= row.stamp
  const later = isTheirsLater ? 'theirs' : 'ours'
  const isOursLive = row.deleted === 0
  const isTheirsLive = change.op === 'put'
  const oursKnewForget = row.gone !== 0
  const theirsKnewForget = isTheirsLive && (change.gone ?? 0) > 0
  if (isOursLive && isTheirsLive)
    return oursKnewForget === theirsKnewForget ? later : oursKnewForget ? 'ours' : 'theirs'
  if (kind?.laterEditRevives && !isPurged(row) && !isPurge(change)) return later
  if (isOursLive) {
    const knew = oursKnewForget && (!isPurge(change) || row.purged !== 0)
    return knew && !isTheirsLater ? 'ours' : 'theirs'
  }
  const knew = theirsKnewForget && (!isPurged(row) || (change.purged ?? 0) > 0)
  return knew && isTheirsLater ? 'theirs' : 'ours'
}
