// Detects replayed, altered and unsealed versions of a sealed record. A mirror has no key, so it can't forge a sealed
// body.
// Invariant: a replayed or altered version never replaces a version that this device can read. If the device accepts
// an older edit or another clear text, the conflict log gets the local version.
import { type Json, sameJson } from '../../core/json/path.ts'
import type { PutOp } from '../../core/op.ts'
import { sealedOf } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { defaultPolicy, type EditContent } from '../conflict/conflict-policy.ts'
import type { WireChange } from '../wire/protocol.ts'
import { toConflictSide, toWireChange, toOp } from '../wire/wire-op.ts'
import { toLosingSide } from './removal.ts'

/**
 * `refused`: the local version stays. `logged`: the change is accepted and the conflict log gets the local version,
 * because a policy or the owner may want the change.
 */
type SealedVerdict = 'refused' | 'logged'

/** Returns the verdict about `change` of `row`; undefined if the change is acceptable. */
export function checkSealed(store: BookStore, row: RecordRow, change: WireChange): SealedVerdict | undefined {
  const local = row.deleted === 0 ? sealedOf(row.body) : undefined
  if (!local || change.op !== 'put') return undefined
  const { enc: incoming } = change
  // Only the owner may lower a sensitivity, but a mirror can pretend that the owner did. So compare the texts.
  if (!incoming || row.kind !== change.kind) return hasSameText(store, row, change) ? undefined : 'logged'
  const isSameEdit = incoming.head !== undefined && incoming.head.stamp === local.head?.stamp
  const isEarlier = local.head !== undefined && (incoming.head?.stamp ?? '') < local.head.stamp
  if (!store.bodies.read(row, row.body)) return isEarlier ? 'logged' : undefined
  const isAltered =
    !store.bodies.readSealed(change, incoming) && store.bodies.sealer.reason(incoming.kid) === 'altered'
  if (isAltered) return 'refused'
  // The same edit, sealed with another key.
  if (isSameEdit) return undefined
  if (isReplay(store, row, [incoming.n, incoming.head?.stamp])) return 'refused'
  return isEarlier ? 'logged' : undefined
}

function hasSameText(
  store: BookStore,
  row: RecordRow,
  { kind, body }: EditContent & { kind: string },
): boolean {
  const local = store.bodies.read(row, row.body)
  return kind === row.kind && sameJson(local as Json, body as Json)
}

/** True if an earlier version of the record contains one of `parts`: a nonce, or the stamp of a sealed edit. */
function isReplay({ db }: BookStore, { seq }: RecordRow, parts: readonly (string | undefined)[]): boolean {
  return parts.some(
    (part) =>
      part !== undefined &&
      db.get(
        `SELECT 1 FROM history WHERE seq = ? AND substr(body, 1, 1) = '[' AND instr(body, ?) > 0 LIMIT 1`,
        [seq, JSON.stringify(part)],
      ) !== undefined,
  )
}

interface CheckedChange {
  readonly row: RecordRow
  readonly change: WireChange
  readonly verdict: SealedVerdict
  readonly now: string
}

/** Call it after `change` was stored. `refused`: stores the version of `row` again. Logs the losing side. */
export function handleSealed(store: BookStore, { row, change, verdict, now }: CheckedChange): void {
  const ours = toConflictSide(toWireChange(row, store.device), row.device ?? store.device)
  const theirs = toConflictSide(change, change.by)
  const isRefused = verdict === 'refused'
  if (isRefused) restoreRow(store, row, now)
  store.conflicts.add({
    record: row.id,
    kind: row.kind,
    policy: store.kinds.get(row.kind)?.policy ?? defaultPolicy,
    at: now,
    state: 'settled',
    loser: isRefused ? theirs : toLosingSide(row, change, store.device),
    winner: isRefused ? ours : theirs,
  })
  store.access?.addToTransaction({
    at: now,
    caller: row.agent,
    by: 'owner',
    capability: 'daybook:sync',
    outcome: 'conflict',
    kinds: [row.kind],
    count: 1,
  })
}

/** Writes the version of `row` again as a new edit, so that all devices get it. */
function restoreRow(store: BookStore, row: RecordRow, at: string): void {
  const op = toOp(toWireChange(row, store.device)) as PutOp
  const body = store.bodies.readOrThrow(row, row.body)
  store.records.put({ ...op, enc: undefined, body, at, stamp: store.stamps.next() })
}
