// Applies a mirror's answer on the device: results of its own ops first, then changes of others, then the cursor.
// Invariant: an answer never overwrites a record with a pending op; the mirror detects the conflict when it gets the
// op.
import { DaybookError } from '../../core/errors.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { OpRefusal, SentOp } from '../../store/record/op-log.ts'
import { rewriteWithdrawn, type SyncSelection } from './outbox.ts'
import { noteLimits } from './request-limit.ts'
import { goneIn, isPurged, type RecordRow } from '../../store/schema/record-row.ts'
import { defaultPolicy, finalWinner, saysSame } from '../conflict/conflict-policy.ts'
import { holdMark } from '../wire/agreement.ts'
import type {
  SyncRequest,
  SyncResponse,
  WireChange,
  WireError,
  WireOp,
  WireResult,
} from '../wire/protocol.ts'
import {
  beginResync,
  checkDigest,
  endResync,
  findAgain,
  formerEpoch,
  isRereading,
  resyncing,
} from './resync.ts'
import { answerSealed, judgeSealed } from './rollback.ts'
import {
  raiseGuarded,
  updateMarks,
  forgetParts,
  type OrphanPart,
  possibleOrphans,
  dropWords,
  forgetEnded,
} from '../conflict/dependents.ts'
import { logRivals } from '../conflict/rival.ts'
import { settleConflict } from '../conflict/settle-conflict.ts'
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

/** Entry of the access log for a record that was forgotten because another record ended it. */
const endedByRecord = { capability: 'daybook:sync', outcome: 'conflict' } as const

/** The effects of one answer. */
export interface Intake {
  readonly pulled: number
  readonly pushed: number
  readonly conflicts: number
  /** True if mirror and device differ. Then the device searches for the difference, or resyncs. */
  readonly differs: boolean
  /** The changed records. */
  readonly changed: readonly { readonly id: string; readonly kind: string }[]
}

/** An answer, its request, and the canonical time of its arrival. */
export interface Answered {
  readonly request: SyncRequest
  readonly response: SyncResponse
  readonly now: string
  /** The device's selection. Rewritten ops need it. */
  readonly selection?: SyncSelection | undefined
}

/** Applies an answer. Call it in a transaction. */
export function takeIn(store: BookStore, answered: Answered): Intake {
  return store.purge.purgeTogether(() => new AnswerIntake(store, answered).take())
}

/** Applies only the results of the device's own ops. A later sync fetches changes of others. */
export function takeResults(store: BookStore, answered: Answered): Intake {
  return store.purge.purgeTogether(() => new AnswerIntake(store, answered).takeResults())
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** The intake of one answer. */
class AnswerIntake {
  readonly #store: BookStore
  readonly #answered: Answered
  readonly #isReread: boolean
  readonly #tally: Mutable<Omit<Intake, 'differs' | 'changed'>> = { pulled: 0, pushed: 0, conflicts: 0 }
  readonly #changed: { id: string; kind: string }[] = []
  readonly #orphans: OrphanPart[] = []
  /** True if a tombstone arrived that the mirror has already collected. */
  #isCollected = false
  /** The lowest place whose change this device may have skipped. */
  #overtakenAt: number | undefined

  constructor(store: BookStore, answered: Answered) {
    checkAnswer(answered.request, answered.response)
    this.#store = store
    this.#answered = answered
    this.#isReread = isRereading(store)
  }

  takeResults(): Intake {
    this.#settleOps()
    this.#updateDependents()
    this.#fetchOvertaken()
    return { ...this.#tally, changed: this.#changed, differs: false }
  }

  take(): Intake {
    const store = this.#store
    const { settings } = store
    const { request, response } = this.#answered
    this.#settleOps()
    for (const change of response.changes) this.#pull(change)
    this.#updateDependents()
    holdMark(settings, response)
    settings.set('cursor', response.cursor)
    if (this.#isCollected || response.floor > settings.getNumber('floor')) {
      settings.set('floor', response.floor)
      store.records.collect(response.floor)
    }
    if (!response.more && settings.get(resyncing) !== undefined)
      this.#changed.push(...endReading(store, this.#answered, this.#isReread))
    this.#fetchOvertaken()
    return {
      ...this.#tally,
      changed: this.#changed,
      differs: checkDigest(store, response, request.pull.kinds),
    }
  }

  #settleOps(): void {
    const store = this.#store
    const { settings, ops } = store
    const { request, response, selection } = this.#answered
    // The record may have been forgotten while the request was in flight: rewrite its op first.
    rewriteWithdrawn(store, selection)
    const byMid = new Map(ops.sent().map((op) => [op.mid, op]))
    settings.holding(() => {
      for (const [i, result] of response.results.entries()) {
        const op = byMid.get(result.mid)
        if (op) this.#settle(op, result, request.ops[i])
      }
    })
    settings.set('epoch', response.epoch)
    settings.remove(formerEpoch)
    noteLimits(settings, response)
  }

  #settle(op: SentOp, result: WireResult, sent: WireOp | undefined): void {
    const store = this.#store
    const { ops } = store
    const { now } = this.#answered
    switch (result.s) {
      case 'ok':
        this.#noteOvertaken(op, result.seq)
        ops.settle({ ...op, rev: takenRev({ op, sent, result }) }, result.ver)
        confirmApplied(store, { op, sent, result })
        this.#tally.pushed += 1
        if (result.policy) this.#tally.conflicts += 1
        if (result.revived) logRevived(store, JSON.parse(op.wire) as WireOp, { by: store.device, now })
        return
      case 'rejected':
        // The mirror has no such record, so the forget is complete.
        if (result.error.code === 'not-found' && (JSON.parse(op.wire) as WireOp).op === 'forget') {
          return ops.settle(op)
        }
        return ops.refuse(op, refusalOf(result.error, now))
      case 'conflict':
        return this.#meet(op, result)
    }
  }

  #meet(op: SentOp, { policy, current, met }: Extract<WireResult, { s: 'conflict' }>): void {
    const store = this.#store
    const row = store.records.row(current.id)
    if (row && judgeSealed(store, row, current) === 'refused') {
      store.ops.settle(op)
      // A pending later edit gets its own conflict with `current`.
      if (store.records.row(row.id)?.op === null) this.#acceptJudged(current, row)
      return
    }
    settleConflict({
      store,
      op,
      policy,
      current,
      met,
      now: this.#answered.now,
      accept: (change) => this.#accept(change),
      onLogged: this.#onLogged,
    })
  }

  /** For a late answer: notes the place if this device may have passed a later change of the record meanwhile. */
  #noteOvertaken(op: SentOp, place: number): void {
    const met = this.#store.records.placeOf(op.seq)
    const mayBeCollected = met < place && place <= this.#answered.response.floor
    const from = Math.max(met, place)
    if (met > place || mayBeCollected) this.#overtakenAt = Math.min(from, this.#overtakenAt ?? from)
  }

  /** Resyncs from the overtaken place, or from the cursor if it is lower: a page may end before that place. */
  #fetchOvertaken(): void {
    const store = this.#store
    if (this.#overtakenAt === undefined) return
    const from = Math.min(this.#overtakenAt - 1, store.settings.getNumber('cursor'))
    beginResync(store, from, this.#answered.request.pull.kinds)
  }

  readonly #onLogged = (): void => {
    this.#tally.conflicts += 1
  }

  #accept(change: WireChange, fresh = false): void {
    const store = this.#store
    store.stamps.see(change.stamp)
    const before = change.op === 'forget' ? store.records.row(change.id) : undefined
    if (before) this.#orphans.push(...possibleOrphans(store, before, isPurge(change)))
    takeOver(store, change, fresh)
    this.#changed.push({ id: change.id, kind: change.kind })
    if (change.op === 'forget' && change.seq <= this.#answered.response.floor) this.#isCollected = true
  }

  #pull(change: WireChange): void {
    const store = this.#store
    const { now } = this.#answered
    const row = store.records.row(change.id)
    if (this.#isReread && row && row.ver > 0 && row.place === 0 && findAgain(store, row, change)) return
    if (row?.op != null) {
      if (this.#endsEdit(row, change)) return
      const { seq: place, by: device } = change
      return store.records.confirm(row.seq, { ver: row.ver, place, device })
    }
    if (row?.ver === 0) {
      if (meetStranger(store, { row, change, now }, (one) => this.#accept(one))) this.#onLogged()
      return
    }
    if (row && row.ver >= change.ver && !this.#isReread) return
    if (row?.deleted === 1 && change.op === 'put' && (change.gone ?? 0) < goneIn(row)) {
      logRevived(store, change, { by: change.by, now })
      this.#onLogged()
    }
    this.#acceptJudged(change, row)
    this.#tally.pulled += 1
  }

  /** Accepts `change`, then responds if it repeats or alters a sealed body: see rollback.ts. */
  #acceptJudged(change: WireChange, row: RecordRow | undefined): void {
    const verdict = row && judgeSealed(this.#store, row, change)
    this.#accept(change, row === undefined)
    if (!verdict) return
    answerSealed(this.#store, { row, change, verdict, now: this.#answered.now })
    this.#onLogged()
  }

  /** Drops and logs a pending edit of `row` if `change` is final, or is a forget that the edit does not survive. */
  #endsEdit(row: RecordRow, change: WireChange): boolean {
    const store = this.#store
    const kind = store.kinds.get(row.kind)
    const isGone = isForgotten(store, row, change)
    const ours = toChange(row, store.device)
    const dropped =
      isGone || finalWinner(kind, change, ours) === 'arriving' ? store.ops.dropUnsent(row.seq) : undefined
    if (!dropped) return false
    this.#accept(change)
    this.#tally.pulled += 1
    // A reseal is no edit.
    if (isGone && dropped.isReseal) return true
    store.conflicts.add({
      record: row.id,
      kind: row.kind,
      policy: 'remote_wins',
      at: this.#answered.now,
      state: 'settled',
      loser: lostTo({ ...row, device: store.device }, change, store.device),
      winner: sideOf(change, change.by),
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
    changed.push(...raiseGuarded(store, changed, now))
    changed.push(...updateMarks(store, changed, now))
    this.#tally.conflicts += logRivals(store, changed, now)
  }
}

/**
 * After starting over: compares the mirror's version of a local record, which may be older or newer, and keeps the
 * winner. True: it logged a loser.
 */
function meetStranger(
  store: BookStore,
  { row, change, now }: { readonly row: RecordRow; readonly change: WireChange; readonly now: string },
  accept: (change: WireChange) => void,
): boolean {
  const { ops } = store
  const ours = toChange(row, store.device)
  if (saysSame(ours, change)) {
    // The mirror does not have the purge yet.
    if (isPurged(row) && !isPurge(change)) ops.relog(row.seq, change.ver)
    else accept(change)
    return false
  }
  const isTheirs = strangerWinner(store, row, change) === 'theirs'
  const [lost, winner] = isTheirs
    ? [sideOf(ours, store.device), sideOf(change, change.by)]
    : [sideOf(change, change.by), sideOf(ours, store.device)]
  const knewPurge = isTheirs ? row.purged !== 0 : (change.purged ?? 0) > 0
  const isPurgeHidden = (isTheirs ? (change.purged ?? 0) : row.purged) > 0 && !knewPurge
  if (isTheirs) accept(change)
  else ops.relog(row.seq, change.ver)
  const policy = store.kinds.get(row.kind)?.policy ?? defaultPolicy
  const at = { record: row.id, kind: row.kind, policy, at: now, state: 'settled' } as const
  // The log must not contain purged content.
  store.conflicts.add({ ...at, loser: isPurgeHidden ? { by: lost.by, op: lost.op } : lost, winner })
  return true
}

/** Ends a resync after its last page. Returns the changed records. */
function endReading(
  store: BookStore,
  { request, response, now }: Answered,
  isReread: boolean,
): Intake['changed'] {
  const { settings, ops } = store
  settings.remove(resyncing)
  if (isReread) {
    const gone = endResync(store, { lastMid: response.lastMid, now, kinds: request.pull.kinds })
    return [...gone, ...dropWords(store, gone, now)]
  }
  // The mirror did not send these records, so it doesn't have them: send them.
  ops.relogWithoutPlace()
  return []
}

function refusalOf({ code, message, details }: WireError, at: string): OpRefusal {
  const { path } = details
  return { code, message, at, ...(typeof path === 'string' ? { path } : {}) }
}

/** Forgets ended records and removes words of removed records. Returns the changed records. */
function endRecords(store: BookStore, changed: Intake['changed'], now: string): Intake['changed'] {
  const ended = forgetEnded(store, changed, now)
  // The sync has no caller: the access log names the agent of the ending record.
  for (const { kind, agent: caller } of ended)
    store.access?.addToTransaction({
      at: now,
      caller,
      by: 'owner',
      ...endedByRecord,
      kinds: [kind],
      count: 1,
    })
  return [...ended, ...dropWords(store, changed, now)]
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
