// What is handed over when this engine goes: the final bytes of the requests that would bring the mirror everything. And
// what is done with the answers that somebody else has fetched for them.
// Invariant: the bytes are those that this device sends itself, so it makes no difference who sends them, and how often. Bytes
// that were withdrawn meanwhile count no more, and neither does their answer.
import type { BookStore } from '../../store/book-store.ts'
import type { SentOp } from '../../store/record/op-log.ts'
import { type Answered, type Intake, takeIn } from './intake.ts'
import { freezeOps, nextRequest, rewriteWithdrawn, splitOps, type SyncSelection } from './outbox.ts'
import { type SyncRequest, type WireOp, wireLimits } from '../wire/protocol.ts'
import { resyncing } from './reread.ts'

/** A book hands over so many requests at once: 1,000 ops or 7 MB. The rest goes when it is next open. */
export const spillLimit = 10

/** Sends and fetches next to nothing: the changes of others wait for the book. */
const noPage = { limit: 1, maxBytes: 1 } as const

/**
 * The requests that would bring the mirror what it has not acknowledged, in the order in which they must be sent; none
 * while everything is being read anew. Inside a transaction: ops that are in them count as sent from now on. With
 * `more: false` only those that were sent before are in them.
 */
export function spillRequests(store: BookStore, selection: SyncSelection, more: boolean): SyncRequest[] {
  const { ops, settings } = store
  if (settings.get(resyncing) !== undefined) return []
  rewriteWithdrawn(store, selection)
  if (more) freezeMore(store, selection)
  const sent = splitOps(ops.sent(), wireLimits).slice(0, spillLimit)
  if (sent.length === 0) return []
  const { pull, ...head } = nextRequest(store, selection)
  return sent.map((some) => ({
    ...head,
    ops: some.map(({ wire }) => JSON.parse(wire) as WireOp),
    pull: { cursor: pull.cursor, ...noPage, ...(pull.kinds ? { kinds: pull.kinds } : {}) },
  }))
}

/** A later change of a record rests on an answer that is still missing: it can't be final yet, so it stays in the book. */
function freezeMore(store: BookStore, selection: SyncSelection): void {
  const frozen = new Map<number, SentOp>(store.ops.sent().map((op) => [op.seq, op]))
  while (splitOps([...frozen.values()], wireLimits).length < spillLimit) {
    const taken = freezeOps(store, selection, wireLimits, new Set(frozen.keys()))
    if (taken.length === 0) return
    for (const op of taken) frozen.set(op.seq, op)
  }
}

/**
 * Applies the results of an answer that was left for this device, as if they had just come, to those ops that still
 * wait for one. Undefined when there is no such op: somebody was faster. Inside a transaction.
 */
export function takeLate(store: BookStore, answered: Answered): Intake | undefined {
  const { request, response, selection } = answered
  const { settings, ops } = store
  const epoch = settings.get('epoch') ?? null
  const isOfThisMirror = epoch === null ? request.epoch === null : epoch === response.epoch
  if (request.device !== store.device || !isOfThisMirror || settings.get(resyncing) !== undefined)
    return undefined
  rewriteWithdrawn(store, selection)
  const waiting = new Map(ops.sent().map(({ mid, wire }) => [mid, JSON.stringify(JSON.parse(wire))]))
  const asked = request.ops.filter((op) => waiting.get(op.mid) === JSON.stringify(op))
  const known = new Set(asked.map(({ mid }) => mid))
  const results = response.results.filter(({ mid }) => known.has(mid))
  if (results.length === 0) return undefined
  // What others changed comes with the next request of its own: the cursor may have moved since.
  const { digest: _digest, ranges: _ranges, mark: _mark, ...rest } = response
  const cursor = settings.getNumber('cursor')
  return takeIn(store, {
    ...answered,
    request: { ...request, ops: asked, pull: { ...request.pull, cursor } },
    response: { ...rest, results, changes: [], cursor, more: false, floor: 0 },
  })
}
