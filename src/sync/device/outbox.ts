// The next request of a device: unanswered ops with unchanged bytes, or else the oldest unsent ops.
// Invariant: the device sends no new op while an answer is missing, so the mirror gets ops in order.
import type { SyncDirection } from '../../core/capability/status.ts'
import { defined } from '../../core/defined.ts'
import type { ConflictPolicy, Kind } from '../../core/kind.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import { checkJson, jsonLimits } from '../../core/json/json.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { OpRefusal, PendingOp, SentOp } from '../../store/record/op-log.ts'
import { fitsKind } from '../conflict/conflict-policy.ts'
import { readWaymark } from '../wire/agreement.ts'
import {
  type RequestLimits,
  schemaNumber,
  type SyncRequest,
  type WireError,
  type WireOp,
  wireLimits,
  wireVersion,
} from '../wire/protocol.ts'
import { formerEpochKey, resyncingKey } from './resync.ts'
import { requestLimits, slowBytes } from './request-limit.ts'
import { encodeOp, type OpFields } from '../wire/wire-op.ts'

/** Size of one page of changes. A page is applied in one transaction. */
const defaultPage = { limit: wireLimits.pullRecords, maxBytes: wireLimits.pullBytes } as const
/** For requests whose changes nobody reads. */
export const smallestPage = { limit: 1, maxBytes: 1 } as const
/** Ops per read. Small, because bodies are large. */
const readBatch = 25
/** Bytes reserved for the digits of `mid` and the comma after the op. */
const midBytes = 17

/** Kinds that a device sends and fetches (default: all), and conflict policies (default: the kind's). */
export interface SyncSelection {
  readonly push?: readonly string[] | undefined
  readonly pull?: readonly string[] | undefined
  readonly policies?: ReadonlyMap<string, ConflictPolicy> | undefined
  /** Size of one page of changes. */
  readonly page?: { readonly limit: number; readonly maxBytes: number } | undefined
}

/** Builds the next request. Call it in a transaction: the ops get their numbers. `pull`: no ops. */
export function nextRequest(
  store: BookStore,
  selection: SyncSelection = {},
  direction: SyncDirection = 'both',
): SyncRequest {
  const { settings, ops } = store
  const { pull } = selection
  // A push ignores changes, so it requests the smallest page.
  const { limit, maxBytes } = direction === 'push' ? smallestPage : (selection.page ?? defaultPage)
  const mark = readWaymark(settings)
  const resync = settings.get(resyncingKey) !== undefined
  const epoch = settings.get('epoch') ?? null
  const former = epoch === null ? settings.get(formerEpochKey) : undefined
  const sent = resync || direction === 'pull' ? [] : nextOps(store, selection)
  return {
    p: wireVersion,
    device: store.device,
    epoch,
    ...defined({ formerEpoch: former }),
    ackedMid: ops.lastAcknowledgedMid(),
    schema: schemaNumber(store.kinds),
    ops: sent.map(({ wire }) => JSON.parse(wire) as WireOp),
    pull: {
      cursor: settings.getNumber('cursor'),
      limit,
      maxBytes: Math.min(maxBytes, slowBytes(settings)),
      ...(resync ? { resync } : {}),
      ...(pull ? { kinds: [...pull] } : {}),
    },
    // `differs`: the sums of device and mirror differed, so this request asks for sums by range.
    ...(settings.get('differs') === undefined ? {} : { check: true }),
    ...(mark ? { mark } : {}),
  }
}

/**
 * Gives each withdrawn op the bytes of its current record. Call it in a transaction. The pending op of the record is
 * still sent, because the device can't know which bytes the mirror took.
 */
export function rewriteWithdrawn(store: BookStore, selection: SyncSelection | undefined = {}): void {
  const withdrawn = store.ops.withdrawnOps()
  if (withdrawn.length === 0) return
  const fieldsOf = createOpFields(store, selection)
  for (const op of withdrawn) store.ops.setWire(op, encodeOp(op, op.mid, { ...fieldsOf(op), instead: true }))
}

function createOpFields({ kinds }: BookStore, { policies }: SyncSelection): (op: PendingOp) => OpFields {
  // A bundle or the history may contain bodies of a newer Daybook, which don't fit the kind of this version.
  const fitsOwnKind = (kind: Kind, { row }: PendingOp) =>
    row.deleted === 1 || fitsKind(kind, JSON.parse(row.body) as JsonObject)
  return (op) => {
    const { kind: name } = op.row
    const kind = kinds.get(name)
    // 0: the mirror must not check the body.
    return { policy: policies?.get(name), v: kind && fitsOwnKind(kind, op) ? kind.version : 0 }
  }
}

function nextOps(store: BookStore, selection: SyncSelection): SentOp[] {
  const limits = requestLimits(store.settings)
  rewriteWithdrawn(store, selection)
  const [unanswered] = splitOps(store.ops.sentOps(), limits)
  if (unanswered) return unanswered
  if (!store.ops.hasUnsent(selection.push)) return []
  return store.settings.batchWrites(() => assignMids(store, selection, limits))
}

/** Splits `ops` into requests within `limits`. */
export function splitOps(ops: readonly SentOp[], limits: RequestLimits): SentOp[][] {
  const batches: SentOp[][] = []
  let bytes = 0
  for (const op of ops) {
    const size = utf8Length(op.wire) + 1
    const batch = batches.at(-1)
    if (batch && batch.length < limits.ops && bytes + size <= limits.requestBytes) {
      batch.push(op)
      bytes += size
    } else {
      batches.push([op])
      bytes = size
    }
  }
  return batches
}

/**
 * Numbers the oldest unsent ops for one request and fixes their bytes. Skips the records with a `seq` in
 * `excludedSeqs`.
 */
export function assignMids(
  store: BookStore,
  selection: SyncSelection,
  limits: RequestLimits,
  excludedSeqs: ReadonlySet<number> = new Set(),
): SentOp[] {
  const { ops } = store
  const { push } = selection
  const fieldsOf = createOpFields(store, selection)
  const numberedOps: SentOp[] = []
  let bytes = 0
  let skipped = 0
  for (;;) {
    const count = Math.min(readBatch, limits.ops - numberedOps.length)
    if (count === 0) return numberedOps
    const found = ops.unsentOps(count + skipped, push)
    const next = found.filter(({ row }) => !excludedSeqs.has(row.seq)).slice(0, count)
    if (next.length === 0 && found.length < count + skipped) return numberedOps
    skipped = found.filter(({ row }) => excludedSeqs.has(row.seq)).length
    for (const op of next) {
      const fields = fieldsOf(op)
      const wire = encodeOp(op, 0, fields)
      const size = utf8Length(wire) + midBytes
      try {
        // In a request, an op that the mirror does not take would stop all others.
        if (size > limits.opBytes) throw new DaybookError('too-large')
        checkJson(JSON.parse(wire), jsonLimits.depth + 2)
      } catch (error) {
        ops.refuse(op, toRefusal(toDaybookError(error), op.row.updated_at))
        continue
      }
      bytes += size
      if (bytes > limits.requestBytes && numberedOps.length > 0) return numberedOps
      numberedOps.push(ops.assignMid(op, (mid) => encodeOp(op, mid, fields)))
    }
  }
}

export function toRefusal({ code, message, details }: WireError, at: string): OpRefusal {
  const { path } = details
  return { code, message, at, ...(typeof path === 'string' ? { path } : {}) }
}
