// What a device does where a record was forgotten or purged, here or elsewhere, and one side of a change did not know of it.
// Invariant: what it decides is what the mirror would decide of the same two; of what was purged no text stays here.
import type { Kind } from '../../core/kind.ts'
import type { Json } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { LoggedSide } from '../../store/record/conflict-log.ts'
import type { SentOp } from '../../store/record/op-log.ts'
import { isPurged, type RecordRow } from '../../store/schema/record-row.ts'
import { defaultPolicy, finalWinner, outlives, saysSame } from '../conflict/conflict-policy.ts'
import type { WireChange, WireOp, WireResult } from '../wire/protocol.ts'
import { isPurge, sideOf, toChange, toOp } from '../wire/wire-op.ts'

/** Makes the record what the mirror says it is, without an op. `fresh`: no such record is here. */
export function takeOver(store: BookStore, change: WireChange, fresh: boolean): void {
  const { id, ver, seq: place, by: device, purged = 0 } = change
  const before = fresh ? undefined : store.records.row(id)
  const gone = change.op === 'put' ? (change.gone ?? 0) : ver
  const copy = { ver, place, device, gone, purged }
  const op = toOp(change)
  // It was forgotten between what stands here and what comes: nothing of the former stays as an earlier version.
  if (op.op === 'put' && before?.deleted === 0 && gone > before.ver) {
    const { kind, at, stamp, agent } = op
    store.records.accept({ op: 'forget', kind, id, at, stamp, agent }, copy)
  }
  store.records.accept(op, copy, { fresh })
  if (purged > (before?.ver ?? 0) && !(before && isPurged(before))) store.purge.purgeRemote(id)
}

interface Applied {
  readonly op: SentOp
  /** The op as it was in the request that was answered. */
  readonly asked: WireOp | undefined
  readonly result: Extract<WireResult, { s: 'ok' }>
}

/** The version of the record here that the mirror took with `op`; null where nobody can say. */
export function takenRev({ op, asked, result }: Applied): number | null {
  const isErased = op.erased_rev !== null && !(result.instead === true && isAsItStands(op, asked))
  return isErased ? op.erased_rev || null : op.rev
}

/** True where `asked` has the bytes that `op` has now. */
const isAsItStands = ({ wire }: SentOp, asked: WireOp | undefined) =>
  asked !== undefined && sameJson(asked as Json, JSON.parse(wire) as Json)

/**
 * Notes the version that the mirror gave to `op`. Where that is the last forget of its record, or the sealed record that goes
 * in place of what was withdrawn, the mirror has it: said once more it would take what others have made on it meanwhile.
 */
export function confirmApplied(store: BookStore, { op, asked, result }: Applied): void {
  const copy = { ver: result.ver, place: result.seq, device: store.device }
  const isInstead = asked?.instead === true
  const isLast =
    asked !== undefined &&
    (isInstead ? result.instead === true : asked.op === 'forget') &&
    isAsItStands(op, asked)
  const row = isLast && isInstead ? store.records.row(asked.id) : undefined
  if (row && row.stamp === asked?.stamp && saysSame(toChange(row, store.device), asked))
    store.ops.dropUnsent(row.seq)
  store.records.confirm(op.seq, copy, isLast && asked.op === 'forget')
  if (result.purged !== undefined) learnPurge(store, JSON.parse(op.wire) as WireOp, result.purged)
}

/** Others had purged what the record said before our own change, which stands on that now. */
function learnPurge(store: BookStore, { id }: WireOp, purged: number): void {
  store.records.notePurged(id, purged)
  store.purge.purgeRemote(id)
  const row = store.records.row(id)
  if (row?.deleted === 0) store.records.outdated(row)
}

/** What `row`, which lost to `change`, is in the log: nothing of what was purged without its knowing stays, here neither. */
export function lostTo(row: RecordRow, change: WireChange, device: string): LoggedSide {
  const isPurgedSince = (change.purged ?? 0) > row.ver && row.purged <= row.ver
  const by = row.device ?? device
  return isPurgedSince ? { by, op: row.deleted ? 'forget' : 'put' } : sideOf(toChange(row, device), by)
}

/** True where `change` ends an edit of `row` that waits here: it knew nothing of the forget, and does not outlive it. */
export function isForgotten(store: BookStore, row: RecordRow, change: WireChange): boolean {
  if (change.op !== 'forget' || row.deleted === 1 || row.kind !== change.kind) return false
  // What was begun here, or anew after it was forgotten here, may be a record of its own: the mirror decides.
  if (row.ver === 0 || row.gone > row.ver) return false
  const edit = { stamp: row.stamp, device: store.device }
  return !outlives(store.kinds.get(row.kind), edit, {
    stamp: change.stamp,
    device: change.by,
    isPurge: isPurge(change),
  })
}

/** An edit has a record live again that was forgotten: it says so in the conflict log of each copy that had the forget. */
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
    lost: { by: '', op: 'forget' },
    kept: sideOf(edit, by),
  })
}

/**
 * While starting over: which of a record of ours and the mirror's stays. A forget does, but where the other side was made
 * knowing of one and later; of two edits the one that stands on a forget of which the other knew nothing, else the later.
 */
export function strangerWinner(store: BookStore, row: RecordRow, change: WireChange): 'ours' | 'theirs' {
  const kind: Kind | undefined = store.kinds.get(row.kind)
  const final = finalWinner(kind, change, toChange(row, store.device))
  if (final !== undefined) return final === 'arriving' ? 'theirs' : 'ours'
  const isLaterThere = change.stamp >= row.stamp
  const later = isLaterThere ? 'theirs' : 'ours'
  const isOursLive = row.deleted === 0
  const isTheirsLive = change.op === 'put'
  const oursKnew = row.gone !== 0
  const theirsKnew = isTheirsLive && (change.gone ?? 0) > 0
  if (isOursLive && isTheirsLive) return oursKnew === theirsKnew ? later : oursKnew ? 'ours' : 'theirs'
  if (kind?.laterEditRevives && !isPurged(row) && !isPurge(change)) return later
  if (isOursLive) {
    const knew = oursKnew && (!isPurge(change) || row.purged !== 0)
    return knew && !isLaterThere ? 'ours' : 'theirs'
  }
  const knew = theirsKnew && (!isPurged(row) || (change.purged ?? 0) > 0)
  return knew && isLaterThere ? 'theirs' : 'ours'
}
