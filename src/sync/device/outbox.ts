// The next request of a device: unanswered ops with unchanged bytes, or else the oldest unsent ops.
// Invariant: the device sends no new op while an answer is missing, so the mirror gets ops in order.
import type { SyncDirection } from '../../core/capability/status.ts'
import { defined } from '../../core/defined.ts'
import type { ConflictPolicy, Kind } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { PendingOp, SentOp } from '../../store/record/op-log.ts'
import { fitsKind } from '../conflict/conflict-policy.ts'
import { heldMark } from '../wire/agreement.ts'
import {
  type RequestLimits,
  schemaNumber,
  type SyncRequest,
  type WireOp,
  wireLimits,
  wireVersion,
} from '../wire/protocol.ts'
import { formerEpoch, resyncing } from './resync.ts'
import { requestLimits } from './request-limit.ts'
import { encodeOp, type OpNote } from '../wire/wire-op.ts'

/** Size of one page of changes. A page is applied in one transaction. */
const usualPage = { limit: wireLimits.pullRecords, maxBytes: wireLimits.pullBytes } as const
const leastPage = { limit: 1, maxBytes: 1 } as const
/** Ops per read. Small, because bodies are large. */
const chunk = 25
/** Bytes reserved for the digits of `mid` and the comma after the op. */
const numberBytes = 17

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
  const page = direction === 'push' ? leastPage : (selection.page ?? usualPage)
  const mark = heldMark(settings)
  const resync = settings.get(resyncing) !== undefined
  const epoch = settings.get('epoch') ?? null
  const former = epoch === null ? settings.get(formerEpoch) : undefined
  const sent = resync || direction === 'pull' ? [] : takeOps(store, selection)
  return {
    p: wireVersion,
    device: store.device,
    epoch,
    ...defined({ formerEpoch: former }),
    ackedMid: ops.acknowledged(),
    schema: schemaNumber(store.kinds),
    ops: sent.map(({ wire }) => JSON.parse(wire) as WireOp),
    pull: {
      cursor: settings.getNumber('cursor'),
      ...page,
      ...(resync ? { resync } : {}),
      ...(pull ? { kinds: [...pull] } : {}),
    },
    ...(settings.get('differs') === undefined ? {} : { check: true }),
    ...(mark ? { mark } : {}),
  }
}

/**
 * Gives each withdrawn op the bytes of its current record. Call it in a transaction. The pending op of the record is
 * still sent, because the device can't know which bytes the mirror took.
 */
export function rewriteWithdrawn(store: BookStore, selection: SyncSelection | undefined = {}): void {
  const withdrawn = store.ops.withdrawn()
  if (withdrawn.length === 0) return
  const noteOf = createNote(store, selection)
  for (const op of withdrawn) store.ops.rewrite(op, encodeOp(op, op.mid, { ...noteOf(op), instead: true }))
}

function createNote({ kinds }: BookStore, { policies }: SyncSelection): (op: PendingOp) => OpNote {
  // A bundle or the history may contain bodies of a newer Daybook, which don't fit the kind.
  const isOwn = (kind: Kind, { row }: PendingOp) =>
    row.deleted === 1 || fitsKind(kind, JSON.parse(row.body) as JsonObject)
  return (op) => {
    const { kind: name } = op.row
    const kind = kinds.get(name)
    return {
      policy: policies?.get(name),
      v: kind && isOwn(kind, op) ? kind.version : 0,
    }
  }
}

function takeOps(store: BookStore, selection: SyncSelection): SentOp[] {
  const limits = requestLimits(store.settings)
  rewriteWithdrawn(store, selection)
  const [unanswered] = splitOps(store.ops.sent(), limits)
  if (unanswered) return unanswered
  if (!store.ops.hasUnsent(selection.push)) return []
  return store.settings.holding(() => freezeOps(store, selection, limits))
}

/** Splits `ops` into requests within `limits`. */
export function splitOps(ops: readonly SentOp[], limits: RequestLimits): SentOp[][] {
  const parts: SentOp[][] = []
  let bytes = 0
  for (const op of ops) {
    const size = utf8Length(op.wire) + 1
    const part = parts.at(-1)
    if (part && part.length < limits.ops && bytes + size <= limits.requestBytes) {
      part.push(op)
      bytes += size
    } else {
      parts.push([op])
      bytes = size
    }
  }
  return parts
}

/**
 * Numbers the oldest unsent ops for one request and fixes their bytes. Skips the records with a `seq` in `except`.
 */
export function freezeOps(
  store: BookStore,
  selection: SyncSelection,
  limits: RequestLimits,
  except: ReadonlySet<number> = new Set(),
): SentOp[] {
  const { ops } = store
  const { push } = selection
  const noteOf = createNote(store, selection)
  const taken: SentOp[] = []
  let bytes = 0
  let skipped = 0
  for (;;) {
    const most = Math.min(chunk, limits.ops - taken.length)
    if (most === 0) return taken
    const found = ops.unsent(most + skipped, push)
    const next = found.filter(({ row }) => !except.has(row.seq)).slice(0, most)
    if (next.length === 0 && found.length < most + skipped) return taken
    skipped = found.filter(({ row }) => except.has(row.seq)).length
    for (const op of next) {
      const note = noteOf(op)
      const size = utf8Length(encodeOp(op, 0, note)) + numberBytes
      if (size > wireLimits.opBytes) {
        ops.refuse(op, {
          code: 'too-large',
          at: op.row.updated_at,
          message: `A change of ${size} bytes is too large for the mirror.`,
        })
        continue
      }
      bytes += size
      if (bytes > limits.requestBytes) return taken
      taken.push(ops.freeze(op, (mid) => encodeOp(op, mid, note)))
    }
  }
}
