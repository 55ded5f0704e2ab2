// Applies a mirror's answer on the device: results of its own ops first, then changes of others, then the cursor.
// A place is a position in the mirror's sequence of changes (`seq` on the wire); 0: unknown, or cleared by a resync.
// Fields of a row (`op`: the pending op or null; `ver`, `place`, `gone`, `purged`):
// store/schema/record-row.ts.
// Invariant: an answer never overwrites a record with a pending op; the mirror detects the conflict when it
// gets the op.
import { DaybookError } from '../../core/errors.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { SentOp } from '../../store/record/op-log.ts'
import { rewriteWithdrawn, type SyncSelection, toRefusal } from './outbox.ts'
import { storeLimits } from './request-limit.ts'
import { lastForgetVersion, isPurged, type RecordRow } from '../../store/schema/record-row.ts'
import { defaultPolicy, finalWinner, hasSameContent } from '../conflict/conflict-policy.ts'
import { storeWaymark } from '../wire/agreement.ts'
import type { SyncRequest, SyncResponse, WireChange, WireOp, WireResult } from '../wire/protocol.ts'
import {
  beginResync,
  compareDigest,
  removeUnread,
  confirmReread,
  formerEpochKey,
  isRereading,
  resyncingKey,
} from './resync.ts'
import { handleSealed, checkSealed } from './rollback.ts'
import {
  sealGuarded,
  updateMarks,
  forgetParts,
  type OrphanPart,
  possibleOrphans,
  removeForgottenWords,
  forgetEnded,
} from '../conflict/dependents.ts'
import { logRivals } from '../conflict/rival.ts'
import { settleConflict } from '../conflict/settle-conflict.ts'
import {
  confirmApplied,
  endsPendingEdit,
  logRevived,
  toLosingSide,
  winnerOfUnknown,
  appliedRev,
  storeMirrorVersion,
} from './removal.ts'
import { isPurge, toConflictSide, toWireChange } from '../wire/wire-op.ts'

/** Entry of the access log for a record that was forgotten because another record ended it. */
const endedAccessEntry = { capability: 'daybook:sync', outcome: 'conflict' } as const

/** The effects of one answer. */
export interface AnswerEffects {
  readonly pulled: number
  readonly pushed: number
  readonly conflicts: number
  /** True if mirror and device differ. Then the device searches for the difference, or resyncs. */
  readonly differs: boolean
  /** The changed records. */
  readonly changed: readonly { readonly id: string; readonly kind: string }[]
}

/** An answer, its request, and the canonical time of its arrival. */
export interface ReceivedAnswer {
  readonly request: SyncRequest
  readonly response: SyncResponse
  readonly now: string
  /** The device's selection. Rewritten ops need it. */
  readonly selection?: SyncSelection | undefined
}

/** Applies an answer. Call it in a transaction. */
export function applyAnswer(store: BookStore, answered: ReceivedAnswer): AnswerEffects {
  return store.purge.purgeTogether(() => new AnswerApplier(store, answered).applyAll())
}

/** Applies only the results of the device's own ops. A later sync fetches changes of others. */
export function applyResults(store: BookStore, answered: ReceivedAnswer): AnswerEffects {
  return store.purge.purgeTogether(() => new AnswerApplier(store, answered).applyResults())
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** The intake of one answer. */
class AnswerApplier {
  readonly #store: BookStore
  readonly #answered: ReceivedAnswer
  readonly #isRereading: boolean
  readonly #counts: Mutable<Omit<AnswerEffects, 'differs' | 'changed'>> = {
    pulled: 0,
    pushed: 0,
    conflicts: 0,
  }
  readonly #changed: { id: string; kind: string }[] = []
  readonly #orphans: OrphanPart[] = []
  /** True if a tombstone arrived that the mirror has already collected. */
  #hasCollectedTombstone = false
  /** The lowest place whose change this device may have skipped. */
  #overtakenAt: number | undefined

  constructor(store: BookStore, answered: ReceivedAnswer) {
    checkAnswer(answered.request, answered.response)
    this.#store = store
    this.#answered = answered
    this.#isRereading = isRereading(store)
  }

  applyResults(): AnswerEffects {
    this.#applyOpResults()
    this.#updateDependents()
    this.#resyncOvertaken()
    return { ...this.#counts, changed: this.#changed, differs: false }
  }

  applyAll(): AnswerEffects {
    const store = this.#store
    const { settings } = store
    const { response } = this.#answered
    this.#applyOpResults()
    for (const change of response.changes) this.#applyChange(change)
    this.#updateDependents()
    storeWaymark(settings, response)
    settings.set('cursor', response.cursor)
    if (this.#hasCollectedTombstone || response.floor > settings.getNumber('floor')) {
      settings.set('floor', response.floor)
      store.records.collectTombstones(response.floor)
    }
    if (!response.more && settings.get(resyncingKey) !== undefined)
      this.#changed.push(...finishResync(store, this.#answered, this.#isRereading))
    this.#resyncOvertaken()
    return {
      ...this.#counts,
      changed: this.#changed,
      differs: compareDigest(store, response, coveredKinds(this.#answered)),
    }
  }

  #applyOpResults(): void {
    const store = this.#store
    const { settings, ops } = store
    const { request, response, selection } = this.#answered
    // Before the results: what this answer refuses stays refused.
    if (storeLimits(settings, response)) ops.retry()
    // The record may have been forgotten while the request was in flight: rewrite its op first.
    rewriteWithdrawn(store, selection)
    const byMid = new Map(ops.sentOps().map((op) => [op.mid, op]))
    settings.batchWrites(() => {
      for (const [i, result] of response.results.entries()) {
        const op = byMid.get(result.mid)
        if (op) this.#applyOpResult(op, result, request.ops[i])
      }
    })
    settings.set('epoch', response.epoch)
    settings.remove(formerEpochKey)
  }

  #applyOpResult(op: SentOp, result: WireResult, sent: WireOp | undefined): void {
    const store = this.#store
    const { ops } = store
    const { now } = this.#answered
    switch (result.s) {
      case 'ok':
        this.#recordOvertaken(op, result.seq)
        // A later op of the record builds on the mirror's version `ver`, which is the local version `rev`.
        ops.removeAnswered({ ...op, rev: appliedRev({ op, sent, result }) }, result.ver)
        confirmApplied(store, { op, sent, result })
        this.#counts.pushed += 1
        if (result.policy) this.#counts.conflicts += 1
        if (result.revived) logRevived(store, JSON.parse(op.wire) as WireOp, { by: store.device, now })
        return
      case 'rejected':
        // The mirror has no such record, so the forget is complete.
        if (result.error.code === 'not-found' && (JSON.parse(op.wire) as WireOp).op === 'forget') {
          return ops.removeAnswered(op)
        }
        return ops.refuse(op, toRefusal(result.error, now))
      case 'conflict':
        return this.#handleConflict(op, result)
    }
  }

  #handleConflict(op: SentOp, { policy, current, met }: Extract<WireResult, { s: 'conflict' }>): void {
    const store = this.#store
    const row = store.records.row(current.id)
    // `refused`: a replayed or altered sealed body, see rollback.ts.
    if (row && checkSealed(store, row, current) === 'refused') {
      store.ops.removeAnswered(op)
      // A pending later edit gets its own conflict with `current`.
      if (store.records.row(row.id)?.op === null) this.#acceptChecked(current, row)
      return
    }
    settleConflict({
      store,
      op,
      policy,
      current,
      met,
      now: this.#answered.now,
      acceptChange: (change) => this.#acceptChange(change),
      onLogged: this.#onLogged,
    })
  }

  /** For a late answer: notes the place if this device may have passed a later change of the record meanwhile. */
  #recordOvertaken(op: SentOp, place: number): void {
    const met = this.#store.records.placeOf(op.seq)
    const mayBeCollected = met < place && place <= this.#answered.response.floor
    const from = Math.max(met, place)
    if (met > place || mayBeCollected) this.#overtakenAt = Math.min(from, this.#overtakenAt ?? from)
  }

  /** Resyncs from the overtaken place, or from the cursor if it is lower: a page may end before that place. */
  #resyncOvertaken(): void {
    const store = this.#store
    if (this.#overtakenAt === undefined) return
    const from = Math.min(this.#overtakenAt - 1, store.settings.getNumber('cursor'))
    beginResync(store, from, this.#answered.request.pull.kinds)
  }

  readonly #onLogged = (): void => {
    this.#counts.conflicts += 1
  }

  #acceptChange(change: WireChange, isNew = false): void {
    const store = this.#store
    store.stamps.see(change.stamp)
    const before = change.op === 'forget' ? store.records.row(change.id) : undefined
    if (before) this.#orphans.push(...possibleOrphans(store, before, isPurge(change)))
    storeMirrorVersion(store, change, isNew)
    this.#changed.push({ id: change.id, kind: change.kind })
    if (change.op === 'forget' && change.seq <= this.#answered.response.floor)
      this.#hasCollectedTombstone = true
  }

  #applyChange(change: WireChange): void {
    const store = this.#store
    const { now } = this.#answered
    const row = store.records.row(change.id)
    if (this.#isRereading && row && row.ver > 0 && row.place === 0 && confirmReread(store, row, change))
      return
    if (row?.op != null) {
      if (this.#dropsPendingEdit(row, change)) return
      const { seq: place, by: device } = change
      return store.records.confirmVersion(row.seq, { ver: row.ver, place, device })
    }
    // Not from this mirror: the device starts over.
    if (row?.ver === 0) {
      if (reconcileUnknown(store, { row, change, now }, (one) => this.#acceptChange(one))) this.#onLogged()
      return
    }
    if (row && row.ver >= change.ver && !this.#isRereading) return
    if (row?.deleted === 1 && change.op === 'put' && (change.gone ?? 0) < lastForgetVersion(row)) {
      logRevived(store, change, { by: change.by, now })
      this.#onLogged()
    }
    this.#acceptChecked(change, row)
    this.#counts.pulled += 1
  }

  /** Accepts `change`, then responds if it repeats or alters a sealed body: see rollback.ts. */
  #acceptChecked(change: WireChange, row: RecordRow | undefined): void {
    const verdict = row && checkSealed(this.#store, row, change)
    this.#acceptChange(change, row === undefined)
    if (!verdict) return
    handleSealed(this.#store, { row, change, verdict, now: this.#answered.now })
    this.#onLogged()
  }

  /**
   * True: dropped and logged the pending edit of `row`, because `change` has a final state or is a forget
   * that it does not survive.
   */
  #dropsPendingEdit(row: RecordRow, change: WireChange): boolean {
    const store = this.#store
    const kind = store.kinds.get(row.kind)
    const isGone = endsPendingEdit(store, row, change)
    const ours = toWireChange(row, store.device)
    const dropped =
      isGone || finalWinner(kind, change, ours) === 'arriving' ? store.ops.dropUnsent(row.seq) : undefined
    if (!dropped) return false
    this.#acceptChange(change)
    this.#counts.pulled += 1
    // A reseal is no edit.
    if (isGone && dropped.isReseal) return true
    store.conflicts.add({
      record: row.id,
      kind: row.kind,
      policy: 'remote_wins',
      at: this.#answered.now,
      state: 'settled',
      loser: toLosingSide({ ...row, device: store.device }, change, store.device),
      winner: toConflictSide(change, change.by),
    })
    this.#onLogged()
    return true
  }

  #updateDependents(): void {
    const store = this.#store
    const changed = this.#changed
    const { now } = this.#answered
    changed.push(...forgetParts(store, this.#orphans, now))
    changed.push(...endRecords(store, changed, now))
    changed.push(...sealGuarded(store, changed, now))
    changed.push(...updateMarks(store, changed, now))
    this.#counts.conflicts += logRivals(store, changed, now)
  }
}

/**
 * After starting over: compares the mirror's version of a local record, which may be older or newer, and keeps the
 * winner. True: it logged a loser.
 */
function reconcileUnknown(
  store: BookStore,
  { row, change, now }: { readonly row: RecordRow; readonly change: WireChange; readonly now: string },
  accept: (change: WireChange) => void,
): boolean {
  const { ops } = store
  const ours = toWireChange(row, store.device)
  if (hasSameContent(ours, change)) {
    // The mirror does not have the purge yet.
    if (isPurged(row) && !isPurge(change)) ops.logAgain(row.seq, change.ver)
    else accept(change)
    return false
  }
  const isTheirs = winnerOfUnknown(store, row, change) === 'theirs'
  const [lost, winner] = isTheirs
    ? [toConflictSide(ours, store.device), toConflictSide(change, change.by)]
    : [toConflictSide(change, change.by), toConflictSide(ours, store.device)]
  const knewPurge = isTheirs ? row.purged !== 0 : (change.purged ?? 0) > 0
  const isPurgeHidden = (isTheirs ? (change.purged ?? 0) : row.purged) > 0 && !knewPurge
  if (isTheirs) accept(change)
  else ops.logAgain(row.seq, change.ver)
  const policy = store.kinds.get(row.kind)?.policy ?? defaultPolicy
  const entryHead = { record: row.id, kind: row.kind, policy, at: now, state: 'settled' } as const
  // The log must not contain purged content.
  store.conflicts.add({ ...entryHead, loser: isPurgeHidden ? { by: lost.by, op: lost.op } : lost, winner })
  return true
}

/**
 * The kinds whose records the answer counts and sends; undefined: all. A guest's key may fetch fewer than the device
 * requests: then the answer says nothing about records of the other kinds.
 */
const coveredKinds = ({ request, response }: ReceivedAnswer): readonly string[] | undefined =>
  response.kinds ?? request.pull.kinds

/** Ends a resync after its last page. Returns the changed records. */
function finishResync(
  store: BookStore,
  answered: ReceivedAnswer,
  isReread: boolean,
): AnswerEffects['changed'] {
  const { settings, ops } = store
  settings.remove(resyncingKey)
  if (isReread) {
    const { response, now } = answered
    const removed = removeUnread(store, { lastMid: response.lastMid, now, kinds: coveredKinds(answered) })
    return [...removed, ...removeForgottenWords(store, removed, now)]
  }
  // The mirror did not send these records, so it doesn't have them: send them.
  ops.relogWithoutPlace()
  return []
}

/** Forgets ended records and removes words of removed records. Returns the changed records. */
function endRecords(
  store: BookStore,
  changed: AnswerEffects['changed'],
  now: string,
): AnswerEffects['changed'] {
  const ended = forgetEnded(store, changed, now)
  // The sync has no caller: the access log names the agent of the ending record.
  for (const { kind, agent: caller } of ended)
    store.access?.addToTransaction({
      at: now,
      caller,
      by: 'owner',
      ...endedAccessEntry,
      kinds: [kind],
      count: 1,
    })
  return [...ended, ...removeForgottenWords(store, changed, now)]
}

/** Throws `protocol-error` if an answer doesn't fit its request, so that it doesn't count as progress. */
function checkAnswer({ epoch, ops, pull }: SyncRequest, response: SyncResponse): void {
  const fits =
    (epoch === null || response.epoch === epoch) &&
    response.cursor >= pull.cursor &&
    (ops.length === 0 || response.results.length > 0) &&
    response.results.every(({ mid }, i) => mid === ops[i]?.mid) &&
    (!response.more || response.cursor > pull.cursor)
  if (!fits) throw new DaybookError('protocol-error', 'The answer of the mirror does not fit the request.')
}
