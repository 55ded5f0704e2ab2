// One op at the mirror: applied when it was made on the present version, else decided: between two edits by the policy of
// their kind, between an edit and a forget by the law of removal. Invariant: whichever side loses is kept whole in the conflict
// log, unless both say the same; of an edit that a purge beat the log says only that it was there.
import { DaybookError, type ErrorShape, toDaybookError } from '../../core/errors.ts'
import { type ConflictPolicy, holdsId, type Kind } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { headFields } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import { isSealing } from '../../core/sealed.ts'
import { clampStamp, stampMs } from '../../core/stamp.ts'
import { formatTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { BookStore } from '../../store/book-store.ts'
import { goneIn, isPurged, type RecordRow } from '../../store/schema/record-row.ts'
import {
  decide,
  defaultPolicy,
  finalWinner,
  isLater,
  isMixed,
  outlives,
  saysSame,
} from '../conflict/conflict-policy.ts'
import { forgetParts, partsLeft } from '../conflict/left-part.ts'
import { logRivals } from '../conflict/rival.ts'
import { type WireOp, wireLimits } from '../wire/protocol.ts'
import { isPurge, sideOf, toChange, toOp } from '../wire/wire-op.ts'

/** What became of an op, as it is stored; a conflict is answered with the record as it stands when asked. */
export type Answer =
  | {
      readonly s: 'ok'
      readonly ver: number
      readonly seq: number
      readonly policy?: ConflictPolicy
      /** The edit has its record live again, which another had forgotten. */
      readonly revived?: true
      /** The version in which the record was purged, where the author did not know of that. */
      readonly purged?: number
      /** The op went in place of a withdrawn one, and it is this one that took effect. Said with each answer, and not stored. */
      readonly instead?: true
    }
  /** `met`: the version that the op met. `logged`: it was decided here, and what lost is in the log. */
  | {
      readonly s: 'conflict'
      readonly policy: ConflictPolicy
      readonly met?: number
      readonly logged?: boolean
    }
  | { readonly s: 'rejected'; readonly error: ErrorShape }

export interface Sender {
  readonly device: string
  /** The device knows kinds, or versions of them, that this mirror does not: it takes their bodies as they are. */
  readonly newer: boolean
}

/** How far ahead of the mirror's clock a stamp may be: a clock that runs ahead must not win for ever. */
export const stampLeadMs = 60_000

/** One op while it is decided. */
interface Admission {
  readonly store: BookStore
  readonly wire: WireOp
  readonly from: Sender
  readonly nowMs: number
  /** Of the op, put back where it is too far ahead. */
  readonly stamp: string
  readonly kind: Kind | undefined
  readonly row: RecordRow | undefined
}

/** Applies `op`, or says why not. Inside the transaction of its request. */
export function admitOp(store: BookStore, wire: WireOp, from: Sender, nowMs: number): Answer {
  const row = store.records.row(wire.id)
  const answer = admitTo(row, store, wire, { from, nowMs })
  // Its author has what was purged still, and does not fetch its own change.
  return answer.s === 'ok' && row && row.purged > wire.base ? { ...answer, purged: row.purged } : answer
}

function admitTo(
  row: RecordRow | undefined,
  store: BookStore,
  wire: WireOp,
  { from, nowMs }: Pick<Admission, 'from' | 'nowMs'>,
): Answer {
  const stamp = clampStamp(wire.stamp, nowMs + stampLeadMs)
  const admission = { store, wire, from, nowMs, stamp, kind: store.kinds.get(wire.kind), row }
  // What is lost in any case need not fit.
  if (wire.op === 'put' && isLostToRemoval(admission, wire)) {
    // Its author had purged what it said before. That wins all the same.
    if (wire.anew === 'purge') admitForget(admission, forgetBefore(wire, wire.anew))
    return loseToRemoval(admission, wire)
  }
  const fault = findFault(store, wire, row, from)
  if (fault) return { s: 'rejected', error: fault.toJSON() }
  if (wire.op === 'forget') return admitForget(admission, wire)
  if (wire.anew === undefined) return admitPut(admission, wire)
  // Its author had forgotten what it said before: so do all others, and what is put stands on that.
  const { id, base } = wire
  const forgotten = admitForget(admission, forgetBefore(wire, wire.anew))
  const now = store.records.row(id)
  const answer = admitPut({ ...admission, row: now }, { ...wire, base: now?.deleted ? now.ver : base })
  const policy = forgotten.s === 'ok' ? forgotten.policy : undefined
  return answer.s === 'ok' && policy !== undefined ? { ...answer, policy } : answer
}

/** What the author of a put that is said anew did before it. */
function forgetBefore(put: WirePut, anew: 'forget' | 'purge'): WireForget {
  const { mid, kind, id, base, stamp, at, agent } = put
  return { mid, kind, id, base, stamp, at, agent, op: 'forget', ...(anew === 'purge' ? { purge: true } : {}) }
}

type WirePut = Extract<WireOp, { op: 'put' }>
type WireForget = Extract<WireOp, { op: 'forget' }>

/** True for an edit of a record that was forgotten or purged, where its author knew nothing of that, unless it outlives it. */
function isLostToRemoval({ store, from, stamp, kind, row, nowMs }: Admission, wire: WirePut): boolean {
  const { base, created_at, anew } = wire
  // Its tombstone was collected: versions are given once, so it was there.
  if (!row) return base > 0 && base <= store.settings.getNumber('collected_ver') && anew === undefined
  if (row.kind !== wire.kind || base >= goneIn(row) || saysSame(wire, toChange(row, store.device)))
    return false
  const removal = { stamp: row.stamp, device: row.device ?? store.device }
  const edit = { stamp, device: from.device }
  const isLaterThanThat = isLater(edit, removal)
  // What was begun after that is no edit of what was forgotten, though it has the same name.
  const createdMs = Date.parse(created_at)
  const isBegunLater = base === 0 && createdMs > stampMs(row.stamp) && createdMs <= nowMs + stampLeadMs
  if ((isBegunLater || anew !== undefined) && isLaterThanThat) return false
  return row.deleted === 0 || !outlives(kind, edit, { ...removal, isPurge: base < row.purged })
}

function loseToRemoval({ store, wire, from, nowMs, row }: Admission, put: WirePut): Answer {
  const answer: Answer = {
    s: 'conflict',
    policy: 'remote_wins',
    ...(row ? { met: store.records.row(row.id)?.ver ?? row.ver } : {}),
    logged: true,
  }
  // What only changed its key is no edit.
  if (put.reseal) return answer
  const isPurged = row !== undefined && put.base < row.purged
  const present = row && toChange(row, store.device)
  // Beside what is sealed nothing is kept here in clear; its device has it.
  const isBare = isPurged || (present !== undefined && isMixed(put, present))
  const kept =
    present?.op === 'put' ? sideOf(present, present.by) : { by: present?.by ?? '', op: 'forget' as const }
  store.conflicts.add({
    record: wire.id,
    kind: wire.kind,
    policy: 'remote_wins',
    at: formatTime(nowMs),
    state: 'settled',
    lost: isBare ? { by: from.device, op: 'put' } : sideOf(put, from.device),
    kept: isPurged && kept.op === 'forget' ? { ...kept, purged: true } : kept,
  })
  return answer
}

function apply(admission: Admission, more: { readonly revives?: boolean } = {}): Applied {
  const { store, wire, from, nowMs, stamp, row } = admission
  store.stamps.see(stamp)
  const { ver, place: seq } = store.records.admit({ ...toOp(wire), stamp }, from.device, row, more)
  if (isPurge(wire)) store.purge.purgeRemote(wire.id)
  logRivals(store, [wire], formatTime(nowMs))
  return { s: 'ok', ver, seq }
}

type Applied = Extract<Answer, { s: 'ok' }>

/** A forget wins over every edit that its author had not seen, but for what outlives it. */
function admitForget(given: Admission, wire: WireForget): Answer {
  const admission = { ...given, wire }
  const { store, from, stamp, kind, row, nowMs } = admission
  if (!row || (row.deleted === 0 && row.ver === wire.base)) return apply(admission)
  const isPurging = wire.purge === true
  if (row.deleted === 1) {
    const saysMore = isPurging && !isPurged(row)
    return saysMore || row.ver === wire.base
      ? apply(admission)
      : { s: 'conflict', policy: 'remote_wins', met: row.ver, logged: false }
  }
  const present = toChange(row, store.device)
  const removal = { stamp, device: from.device, isPurge: isPurging }
  const isOutlived = outlives(kind, { stamp: row.stamp, device: present.by }, removal)
  const left = isOutlived ? [] : partsLeft(store, row, isPurging)
  const stood = isPurging ? { by: present.by, op: 'put' as const } : sideOf(present, present.by)
  const policy = kind?.policy ?? defaultPolicy
  const answer: Answer = isOutlived
    ? { s: 'conflict', policy: 'remote_wins', met: row.ver, logged: true }
    : { ...apply(admission), policy }
  store.conflicts.add({
    record: row.id,
    kind: row.kind,
    policy,
    at: formatTime(nowMs),
    state: 'settled',
    lost: isOutlived ? sideOf(wire, from.device) : stood,
    kept: isOutlived ? stood : sideOf(wire, from.device),
  })
  // Its author knew nothing of these.
  forgetParts(store, left, formatTime(nowMs))
  return answer
}

function admitPut(given: Admission, wire: WirePut): Answer {
  const admission = { ...given, wire }
  const { store, from, stamp, kind, row, nowMs } = admission
  // A record that is not here can't be in conflict: the op was made on a version of another epoch.
  if (!row) return apply(admission)
  const present = toChange(row, store.device)
  const final = finalWinner(kind, wire, present)
  if (row.ver === wire.base && final !== 'present') return apply(admission)
  const isResealed = wire.reseal === true
  const policy =
    final === 'present' || isResealed ? 'remote_wins' : (wire.policy ?? kind?.policy ?? defaultPolicy)
  // What only changed its key yields. Where one side is sealed and the other is not, the device decides, which can read
  // both, and seals what comes of it: nothing in clear is kept here beside what is sealed.
  const undecided = { s: 'conflict', policy, met: row.ver, logged: false } as const
  if (saysSame(wire, present) || isResealed || isMixed(wire, present)) return undecided
  const edit = { stamp, device: from.device }
  const other = { stamp: row.stamp, device: present.by }
  const isRevived = present.op === 'forget' && outlives(kind, edit, { ...other, isPurge: isPurged(row) })
  // What was begun after the end of another of its name is a record of its own.
  if (present.op === 'forget' && !isRevived) return apply(admission)
  const winner = isRevived ? 'arriving' : (final ?? decide(policy, edit, other))
  if (winner === 'device' && policy === 'merge') return undecided
  const arrived = sideOf(wire, from.device)
  const stood = sideOf(present, present.by)
  store.conflicts.add({
    record: row.id,
    kind: row.kind,
    policy,
    at: formatTime(nowMs),
    state: 'settled',
    ...(winner === 'arriving' ? { lost: stood, kept: arrived } : { lost: arrived, kept: stood }),
  })
  if (winner !== 'arriving') return { ...undecided, logged: true }
  return { ...apply(admission, { revives: isRevived }), policy, ...(isRevived ? { revived: true } : {}) }
}

/** Why this op can never be applied, whatever happens; undefined when it can. */
function findFault(
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
  if (utf8Length(JSON.stringify(wire)) > wireLimits.opBytes) {
    return new DaybookError('too-large', `The change is larger than ${wireLimits.opBytes} bytes.`, {
      details: { limitBytes: wireLimits.opBytes },
    })
  }
  if (wire.enc) return undefined
  const own = headFields.find((name) => Object.hasOwn(wire.body ?? {}, name))
  if (own !== undefined) {
    const message = `\`body.${own}\`: The name belongs to the head of a record; a body can't have it.`
    return new DaybookError('invalid-input', message, { details: { path: `body.${own}` } })
  }
  if (isSealing(wire.sensitivity)) {
    return new DaybookError('invalid-input', '`enc`: A sensitive record travels sealed.', {
      details: { path: 'enc' },
    })
  }
  const kind = store.kinds.get(wire.kind)
  if (!kind || isBeyond(kind, wire.v, from)) return undefined
  const fault = faultOf(wire.body ?? {}, (body) => parseWith(kind.schema, body))
  if (!fault || wire.v === undefined || wire.v >= kind.version) return fault
  return new DaybookError('client-too-old', `${fault.message} The device knows an older \`${kind.name}\`.`, {
    details: { ...fault.details, kind: kind.name, spoken: wire.v, known: [kind.version] },
  })
}

/** True for a body of which this mirror can't know what it must be like: of a newer version, or handed on as it came. */
function isBeyond(kind: Kind, v: number | undefined, { newer }: Sender): boolean {
  return v === undefined ? newer : v === 0 || v > kind.version
}

/** Why `check` refuses a body. */
export function faultOf(body: JsonObject, check: (body: JsonObject) => void): DaybookError | undefined {
  try {
    check(body)
    return undefined
  } catch (error) {
    return toDaybookError(error)
  }
}
