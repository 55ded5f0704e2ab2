// One op at the mirror: applied when it was made on the present version, else decided by the policy of its kind.
// Invariant: whichever side loses is kept whole in the conflict log, unless both say the same.
import { DaybookError, type ErrorShape, toDaybookError } from '../../core/errors.ts'
import { type ConflictPolicy, holdsId, type Kind } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { headFields } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import { isSealing } from '../../core/sealed.ts'
import { clampStamp } from '../../core/stamp.ts'
import { formatTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { decide, defaultPolicy, finalWinner, isMixed, saysSame } from '../conflict/conflict-policy.ts'
import { logRivals } from '../conflict/rival.ts'
import { type WireOp, wireLimits } from '../wire/protocol.ts'
import { sideOf, toChange, toOp } from '../wire/wire-op.ts'

/** What became of an op, as it is stored; a conflict is answered with the record as it stands when asked. */
export type Answer =
  | { readonly s: 'ok'; readonly ver: number; readonly seq: number; readonly policy?: ConflictPolicy }
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

/** Applies `op`, or says why not. Inside the transaction of its request. */
export function admitOp(store: BookStore, wire: WireOp, from: Sender, nowMs: number): Answer {
  const row = store.records.row(wire.id)
  const fault = findFault(store, wire, row, from)
  if (fault) return { s: 'rejected', error: fault.toJSON() }
  const op = { ...toOp(wire), stamp: clampStamp(wire.stamp, nowMs + stampLeadMs) }
  const apply = () => {
    store.stamps.see(op.stamp)
    const { ver, place: seq } = store.records.admit(op, from.device, row)
    logRivals(store, [wire], formatTime(nowMs))
    return { s: 'ok', ver, seq } as const
  }
  // A record that is not here can't be in conflict: the op was made on a version of another epoch.
  if (!row) return apply()
  const present = toChange(row, store.device)
  const kind = store.kinds.get(wire.kind)
  const final = finalWinner(kind, wire, present)
  if (row.ver === wire.base && final !== 'present') return apply()
  const isResealed = wire.op === 'put' && wire.reseal === true
  const policy =
    final === 'present' || isResealed ? 'remote_wins' : (wire.policy ?? kind?.policy ?? defaultPolicy)
  // What only changed its key yields. Where one side is sealed and the other is not, the device decides, which can read
  // both, and seals what comes of it: nothing in clear is kept here beside what is sealed.
  const undecided = { s: 'conflict', policy, met: row.ver, logged: false } as const
  if (saysSame(wire, present) || isResealed || isMixed(wire, present)) return undecided
  const winner =
    final ??
    decide(
      policy,
      { op: wire.op, stamp: op.stamp, device: from.device },
      { op: present.op, stamp: row.stamp, device: present.by },
      wire.forgetWins ?? kind?.forgetWins,
    )
  if (winner === 'device' && policy === 'merge') return undecided
  const arrived = sideOf(wire, from.device)
  const stood = sideOf(present, present.by)
  store.conflicts.add({
    record: row.id,
    kind: row.kind,
    policy,
    at: formatTime(nowMs),
    state: 'settled',
    ...(winner === 'arriving'
      ? {
          lost: stood,
          kept: arrived,
        }
      : {
          lost: arrived,
          kept: stood,
        }),
  })
  return winner === 'arriving' ? { ...apply(), policy } : { ...undecided, logged: true }
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

function faultOf(body: JsonObject, check: (body: JsonObject) => void): DaybookError | undefined {
  try {
    check(body)
    return undefined
  } catch (error) {
    return toDaybookError(error)
  }
}
