// What a device does when its change met another one at the mirror, by the policy of the kind.
// Invariant: the record ends as the mirror has it, or with an op on top of that; what lost is in the conflict log.
import type { ConflictSide } from '../core/conflict.ts'
import { isDaybookError } from '../core/errors.ts'
import type { ConflictPolicy, Kind } from '../core/kind.ts'
import type { JsonObject } from '../core/path.ts'
import { parseWith } from '../core/schema.ts'
import type { BookStore } from '../store/book-store.ts'
import type { SentOp } from '../store/op-log.ts'
import { isLater, sameJson, saysSame } from './conflict-policy.ts'
import { mergeBodies } from './merge.ts'
import type { WireChange, WireOp } from './protocol.ts'
import { sideOf } from './wire-op.ts'

type WirePut<Wire> = Extract<Wire, { op: 'put' }>

/** A merged record that meets a conflict this often in a row is left to a person. */
export const mergeRounds = 5

export interface ConflictSettler {
  /** Takes over what the mirror has. */
  accept(change: WireChange): void
  /** Counts what is written into the conflict log. */
  onLogged(): void
}

/** Settles the conflict between the sent `op` and `current`, the mirror's record. Inside a transaction. */
export function settleConflict(
  store: BookStore,
  op: SentOp,
  { policy, current }: { readonly policy: ConflictPolicy; readonly current: WireChange },
  now: string,
  { accept, onLogged }: ConflictSettler,
): void {
  const mine = JSON.parse(op.wire) as WireOp
  const same = saysSame(mine, current)
  const base = op.base_rev === null ? undefined : store.records.bodyAt(op.seq, op.base_rev)
  store.ops.settle(op, same ? current.ver : undefined)
  const isSuperseded = store.records.row(current.id)?.op !== null
  const log = (
    lost: ConflictSide,
    kept: ConflictSide,
    more: { open?: boolean; paths?: readonly string[] } = {},
  ) => {
    store.conflicts.add({
      ...{ record: current.id, kind: current.kind, policy, at: now },
      ...{ state: more.open ? 'open' : 'settled', lost, kept },
      ...(base ? { base } : {}),
      ...(more.paths ? { paths: more.paths } : {}),
    })
    onLogged()
  }
  const [ours, theirs] = [sideOf(mine, store.device), sideOf(current, current.by)]

  const merge = (mineBody: WirePut<WireOp>, theirsBody: WirePut<WireChange>) => {
    const kind = store.kinds.get(current.kind)
    const mineIsLater = isLater({ ...mineBody, device: store.device }, { ...theirsBody, device: current.by })
    const merged = mergeBodies({
      ...{ base: base ?? {}, mine: mineBody.body, theirs: theirsBody.body, mineIsLater },
      rules: kind?.merge,
    })
    const fits = op.rounds < mergeRounds && fitsKind(kind, merged.body)
    accept(current)
    if (!fits) return log(ours, theirs, { open: true })
    if (merged.clashes.length > 0) {
      const kept: ConflictSide = { by: (mineIsLater ? ours : theirs).by, op: 'put', body: merged.body }
      log(mineIsLater ? theirs : ours, kept, { paths: merged.clashes })
    }
    if (sameJson(merged.body, theirsBody.body)) return
    const later = mineIsLater ? mineBody : theirsBody
    const { session, resource } = later
    store.records.put({
      ...{ op: 'put', kind: current.kind, id: current.id, at: now, stamp: store.stamps.next() },
      ...{ created_at: theirsBody.created_at, agent: mineBody.agent, body: merged.body },
      ...(session === undefined ? {} : { session }),
      ...(resource === undefined ? {} : { resource }),
    })
    store.ops.noteRounds(op.seq, op.rounds + 1)
  }

  // A later edit of the record is on its way, has all that this one said, and meets `current` in its turn.
  if (isSuperseded) {
    if (!same && policy !== 'merge' && policy !== 'manual') log(ours, theirs)
    return
  }
  if (same) return accept(current)
  if (policy === 'merge' && mine.op === 'put' && current.op === 'put') return merge(mine, current)
  accept(current)
  log(ours, theirs, { open: policy === 'manual' && mine.op === current.op })
}

function fitsKind(kind: Kind | undefined, body: JsonObject): boolean {
  if (!kind) return true
  try {
    parseWith(kind.schema, body)
    return true
  } catch (error) {
    if (isDaybookError(error)) return false
    throw error
  }
}
