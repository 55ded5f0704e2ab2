// What a device does with an answer: its own ops first, then the changes of others, and the cursor with them.
// Invariant: a record with an op that waits is never overwritten; its push finds the conflict by compare-and-set.
import { DaybookError } from '../../core/errors.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { OpRefusal, SentOp } from '../../store/record/op-log.ts'
import { rewriteWithdrawn, type SyncSelection } from './outbox.ts'
import { goneIn, isPurged, type RecordRow } from '../../store/schema/record-row.ts'
import { defaultPolicy, finalWinner, saysSame } from '../conflict/conflict-policy.ts'
import { dropMark, holdMark } from '../wire/mark.ts'
import type {
  SyncRequest,
  SyncResponse,
  WireChange,
  WireError,
  WireOp,
  WireResult,
} from '../wire/protocol.ts'
import {
  beginReread,
  checkDigest,
  endReread,
  findAgain,
  formerEpoch,
  isRereading,
  resyncing,
} from './reread.ts'
import { answerSealed, judgeSealed } from './rollback.ts'
import { tendGuarded } from './tend-guarded.ts'
import { tendMarks } from './tend-marks.ts'
import { forgetLimits, noteLimits } from '../wire/request-limit.ts'
import { forgetParts, type LeftPart, partsLeft } from '../conflict/left-part.ts'
import { logRivals } from '../conflict/rival.ts'
import { settleConflict } from '../conflict/settle-conflict.ts'
import { dropWords } from '../conflict/drop-words.ts'
import { forgetEnded } from '../conflict/forget-ended.ts'
import {
  confirmApplied,
  isForgotten,
  logRevived,
  lostTo,
  strangerWinner,
  takenRev,
  takeOver,
} from './removal.ts'
import { isPurge, sideOf, toChange } from '../wire/wire-op.ts'

/** How it is written down that a record was forgotten because another one has ended it. */
const endedByRecord = { capability: 'daybook:sync', outcome: 'conflict' } as const

/** What one answer brought. */
export interface Intake {
  readonly pulled: number
  readonly pushed: number
  readonly conflicts: number
  /** The mirror has something else than this device, which looks for it or reads everything anew. */
  readonly differs: boolean
  /** Records that are different now. */
  readonly changed: readonly { readonly id: string; readonly kind: string }[]
}

/** An answer, what it answers, and when it came, in canonical time. */
export interface Answered {
  readonly request: SyncRequest
  readonly response: SyncResponse
  readonly now: string
  /** What this device wishes for, also in bytes that go in place of withdrawn ones. */
  readonly selection?: SyncSelection | undefined
}

/** Takes an answer over. Inside one transaction. */
export function takeIn(store: BookStore, answered: Answered): Intake {
  return store.purge.together(() => take(store, answered))
}

/** Takes over what became of the device's own ops and nothing else: the changes of others are fetched another time. */
export function takeResults(store: BookStore, answered: Answered): Intake {
  return store.purge.together(() => take(store, answered, true))
}

function take(store: BookStore, answered: Answered, resultsOnly = false): Intake {
  const { request, response, now, selection } = answered
  checkAnswer(request, response)
  const { settings, ops } = store
  const tally = { pulled: 0, pushed: 0, conflicts: 0, changed: [] as { id: string; kind: string }[] }
  const leftParts: LeftPart[] = []
  const accept = (change: WireChange, fresh = false) => {
    store.stamps.see(change.stamp)
    const before = change.op === 'forget' ? store.records.row(change.id) : undefined
    if (before) leftParts.push(...partsLeft(store, before, isPurge(change)))
    takeOver(store, change, fresh)
    tally.changed.push({ id: change.id, kind: change.kind })
    if (change.op === 'forget' && change.seq <= response.floor) isCollected = true
  }
  /** A tombstone came that the mirror no longer has. */
  let isCollected = false
  const isReread = isRereading(store)
  let overtakenAt: number | undefined
  /** The answer comes late: while the device waited, a change after this op, or its end as a collected tombstone, went by. */
  const noteOvertaken = (op: SentOp, place: number) => {
    const met = store.records.placeOf(op.seq)
    const mayBeCollected = met < place && place <= response.floor
    const from = Math.max(met, place)
    if (met > place || mayBeCollected) overtakenAt = Math.min(from, overtakenAt ?? from)
  }
  const onLogged = () => void (tally.conflicts += 1)
  const settle = (op: SentOp, result: WireResult, asked: WireOp | undefined) => {
    switch (result.s) {
      case 'ok':
        noteOvertaken(op, result.seq)
        ops.settle({ ...op, rev: takenRev({ op, asked, result }) }, result.ver)
        confirmApplied(store, { op, asked, result })
        tally.pushed += 1
        if (result.policy) tally.conflicts += 1
        if (result.revived) logRevived(store, JSON.parse(op.wire) as WireOp, { by: store.device, now })
        return
      case 'rejected':
        // There is nothing to forget where the mirror has nothing.
        if (result.error.code === 'not-found' && (JSON.parse(op.wire) as WireOp).op === 'forget') {
          return ops.settle(op)
        }
        return ops.refuse(op, refusalOf(result.error, now))
      case 'conflict': {
        const row = store.records.row(result.current.id)
        if (row && judgeSealed(store, row, result.current) === 'refused') {
          ops.settle(op)
          // A later edit waits, and meets it in its turn.
          if (store.records.row(row.id)?.op === null) acceptJudged(result.current, row)
          return
        }
        return settleConflict({
          store,
          op,
          policy: result.policy,
          current: result.current,
          met: result.met,
          now,
          accept: (current) => accept(current),
          onLogged,
        })
      }
    }
  }

  const pull = (change: WireChange) => {
    const row = store.records.row(change.id)
    if (isReread && row && row.ver > 0 && row.place === 0 && findAgain(store, row, change)) return
    if (row?.op != null) {
      if (endsEdit(row, change)) return
      const { seq: place, by: device } = change
      return store.records.confirm(row.seq, { ver: row.ver, place, device })
    }
    if (row?.ver === 0) {
      if (meetStranger(store, { row, change, now }, accept)) onLogged()
      return
    }
    if (row && row.ver >= change.ver && !isReread) return
    if (row?.deleted === 1 && change.op === 'put' && (change.gone ?? 0) < goneIn(row)) {
      logRevived(store, change, { by: change.by, now })
      onLogged()
    }
    acceptJudged(change, row)
    tally.pulled += 1
  }

  /** Takes `change` over, unless a mirror repeats or spoils what is sealed: see rollback.ts. */
  const acceptJudged = (change: WireChange, row: RecordRow | undefined) => {
    const verdict = row && judgeSealed(store, row, change)
    accept(change, row === undefined)
    if (!verdict) return
    answerSealed(store, { row, change, verdict, now })
    onLogged()
  }

  /**
   * A state that nothing undoes, and a forget, wait neither for the device to send an edit nor for anybody to mend it: it ends,
   * in the log.
   */
  const endsEdit = (row: RecordRow, change: WireChange) => {
    const kind = store.kinds.get(row.kind)
    const ours = toChange(row, store.device)
    const isGone = isForgotten(store, row, change)
    const dropped =
      isGone || finalWinner(kind, change, ours) === 'arriving' ? ops.dropUnsent(row.seq) : undefined
    if (!dropped) return false
    accept(change)
    tally.pulled += 1
    // What only changed its key is no edit.
    if (isGone && dropped.isReseal) return true
    const at = { record: row.id, kind: row.kind, policy: 'remote_wins', at: now, state: 'settled' } as const
    store.conflicts.add({
      ...at,
      lost: lostTo({ ...row, device: store.device }, change, store.device),
      kept: sideOf(change, change.by),
    })
    onLogged()
    return true
  }

  /** What follows for other records from what came. */
  const tend = () => {
    tally.changed.push(...forgetParts(store, leftParts, now))
    tally.changed.push(...endRecords(store, tally.changed, now))
    tally.changed.push(...tendGuarded(store, tally.changed, now))
    tally.changed.push(...tendMarks(store, tally.changed, now))
    tally.conflicts += logRivals(store, tally.changed, now)
  }

  // A record may have been forgotten while the request was on its way: its op says so from here on.
  rewriteWithdrawn(store, selection)
  const byMid = new Map(ops.sent().map((op) => [op.mid, op]))
  settings.holding(() => {
    for (const [i, result] of response.results.entries()) {
      const op = byMid.get(result.mid)
      if (op) settle(op, result, request.ops[i])
    }
  })
  settings.set('epoch', response.epoch)
  settings.remove(formerEpoch)
  noteLimits(settings, response)
  /** Not beyond what was read: the answer's page may end before the op's place. */
  const readAgain = () => {
    if (overtakenAt === undefined) return
    beginReread(store, Math.min(overtakenAt - 1, settings.getNumber('cursor')), request.pull.kinds)
  }
  if (!resultsOnly) for (const change of response.changes) pull(change)
  tend()
  if (resultsOnly) {
    readAgain()
    return { ...tally, differs: false }
  }
  holdMark(settings, response)
  settings.set('cursor', response.cursor)
  if (isCollected || response.floor > settings.getNumber('floor')) {
    settings.set('floor', response.floor)
    store.records.collect(response.floor)
  }
  if (!response.more && settings.get(resyncing) !== undefined)
    tally.changed.push(...endReading(store, { request, response, now }, isReread))
  readAgain()
  return { ...tally, differs: checkDigest(store, response, request.pull.kinds) }
}

/**
 * After starting over: a record of ours that this mirror may have in an older or a newer form. True where it logged which of
 * both has lost.
 */
function meetStranger(
  store: BookStore,
  { row, change, now }: { readonly row: RecordRow; readonly change: WireChange; readonly now: string },
  accept: (change: WireChange) => void,
): boolean {
  const { ops } = store
  const ours = toChange(row, store.device)
  if (saysSame(ours, change)) {
    // The mirror does not know yet that it was purged.
    if (isPurged(row) && !isPurge(change)) ops.relog(row.seq, change.ver)
    else accept(change)
    return false
  }
  const isTheirs = strangerWinner(store, row, change) === 'theirs'
  const [lost, kept] = isTheirs
    ? [sideOf(ours, store.device), sideOf(change, change.by)]
    : [sideOf(change, change.by), sideOf(ours, store.device)]
  const knewPurge = isTheirs ? row.purged !== 0 : (change.purged ?? 0) > 0
  const isPurgeKept = (isTheirs ? (change.purged ?? 0) : row.purged) > 0 && !knewPurge
  if (isTheirs) accept(change)
  else ops.relog(row.seq, change.ver)
  const policy = store.kinds.get(row.kind)?.policy ?? defaultPolicy
  const at = { record: row.id, kind: row.kind, policy, at: now, state: 'settled' } as const
  // Nothing of what was purged stays, here neither.
  store.conflicts.add({ ...at, lost: isPurgeKept ? { by: lost.by, op: lost.op } : lost, kept })
  return true
}

/** After the last page of what was read anew; answers what changed here. */
function endReading(
  store: BookStore,
  { request, response, now }: Pick<Answered, 'request' | 'response' | 'now'>,
  isReread: boolean,
): Intake['changed'] {
  const { settings, ops } = store
  settings.remove(resyncing)
  if (isReread) {
    const gone = endReread(store, { lastMid: response.lastMid, now, kinds: request.pull.kinds })
    return [...gone, ...dropWords(store, gone, now)]
  }
  // This mirror does not have what it did not name.
  ops.relogWithoutPlace()
  return []
}

function refusalOf({ code, message, details }: WireError, at: string): OpRefusal {
  const { path } = details
  return { code, message, at, ...(typeof path === 'string' ? { path } : {}) }
}

/** Forgets what of `changed`, or by it, is at its end, and drops words of what is gone; answers what changed with that. */
function endRecords(store: BookStore, changed: Intake['changed'], now: string): Intake['changed'] {
  const ended = forgetEnded(store, changed, now)
  // Nobody called for it: the log of access says that the sync has done it.
  for (const { kind, agent: caller } of ended)
    store.access?.note({ at: now, caller, by: 'owner', ...endedByRecord, kinds: [kind], count: 1 })
  return [...ended, ...dropWords(store, changed, now)]
}

/** Refuses an answer that can't be one to this request, so that the device does not take it for progress. */
function checkAnswer({ epoch, ops, pull }: SyncRequest, response: SyncResponse): void {
  const fits =
    (epoch === null || response.epoch === epoch) &&
    response.cursor >= pull.cursor &&
    (ops.length === 0 || response.results.length > 0) &&
    response.results.every(({ mid }, i) => mid === ops[i]?.mid) &&
    (!response.more || response.cursor > pull.cursor)
  if (!fits) throw new DaybookError('protocol-error', 'The mirror answered something else than was asked.')
}

/**
 * Begins anew with a mirror that is not the one this device knew. Nothing here is lost: the device sends again what that
 * mirror lacks. Until it answers, the device says which one it knew: a book that was erased meanwhile must not come back.
 */
export function startOver(store: BookStore): void {
  const epoch = store.settings.get('epoch')
  if (epoch !== undefined) store.settings.set(formerEpoch, epoch)
  rename(store, 0)
  store.records.clearMirrorVersions()
  store.settings.remove('epoch')
  store.settings.set('cursor', 0)
  store.settings.set(resyncing, 1)
  store.settings.remove('floor')
  forgetLimits(store.settings)
  dropMark(store.settings)
}

/** Gives this copy a name of its own, after the mirror met another copy with the same one. */
export function rename(store: BookStore, base?: number): void {
  store.renameDevice()
  store.ops.renumber(base)
}
