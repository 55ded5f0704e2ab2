// What a device sends next: ops whose answer is missing with the bytes they had, or else the oldest unsent ones.
// Invariant: nothing new is sent while an answer is missing, so that the mirror sees ops in order.
import type { ConflictPolicy } from '../core/kind.ts'
import { utf8Length } from '../core/utf8.ts'
import type { BookStore } from '../store/book-store.ts'
import type { SentOp } from '../store/op-log.ts'
import { schemaNumber, type SyncRequest, type WireOp, wireLimits, wireVersion } from './protocol.ts'
import { resyncing } from './reread.ts'
import { encodeOp } from './wire-op.ts'

/** Records and bytes that a device asks for at once: one page is one transaction. */
const page = { limit: 500, maxBytes: 700_000 } as const
/** Ops read at once: bodies are large. */
const chunk = 25
/** Room for the digits of an op's number, and the comma after it. */
const numberBytes = 17

/** Kinds that are sent and fetched, all by default, and who wins conflicts in them, by default as the kind says. */
export interface SyncSelection {
  readonly push?: readonly string[] | undefined
  readonly pull?: readonly string[] | undefined
  readonly policies?: ReadonlyMap<string, ConflictPolicy> | undefined
}

/** The next request of this device. Inside a transaction: it numbers the ops it takes. */
export function nextRequest(store: BookStore, selection: SyncSelection = {}): SyncRequest {
  const { settings, ops } = store
  const { pull } = selection
  const resync = settings.get(resyncing) !== undefined
  const sent = resync ? [] : takeOps(store, selection)
  return {
    p: wireVersion,
    device: store.device,
    epoch: settings.get('epoch') ?? null,
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
  }
}

function takeOps({ ops }: BookStore, { push, policies }: SyncSelection): SentOp[] {
  const unanswered = ops.sent()
  if (unanswered.length > 0 || !ops.hasUnsent(push)) return unanswered
  const taken: SentOp[] = []
  let bytes = 0
  for (;;) {
    const next = ops.unsent(Math.min(chunk, wireLimits.ops - taken.length), push)
    if (next.length === 0) return taken
    for (const op of next) {
      const size = utf8Length(encodeOp(op, 0, policies?.get(op.row.kind))) + numberBytes
      if (size > wireLimits.opBytes) {
        ops.refuse(op, {
          code: 'too-large',
          message: `A change of ${size} bytes is too large for the mirror.`,
        })
        continue
      }
      bytes += size
      if (bytes > wireLimits.requestBytes) return taken
      taken.push(ops.freeze(op, (mid) => encodeOp(op, mid, policies?.get(op.row.kind))))
    }
  }
}
