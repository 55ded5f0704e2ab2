// Detects a mirror that repeats or spoils a sealed record: it has no key, so it can do nothing else.
// Invariant: neither replaces a body that this device can read, and a version that an earlier edit replaced is in the conflict
// log.
import type { PutOp } from '../../core/op.ts'
import { sealedOf } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { defaultPolicy } from '../conflict/conflict-policy.ts'
import type { WireChange } from '../wire/protocol.ts'
import { sideOf, toChange, toOp } from '../wire/wire-op.ts'
import { lostTo } from './removal.ts'

/** `refused`: the local version stays. `earlier`: the edit is older than the local version, which a policy may want. */
type Verdict = 'refused' | 'earlier'

/** The verdict about `change` over `row`; undefined if it is fine. */
export function judgeSealed(store: BookStore, row: RecordRow, change: WireChange): Verdict | undefined {
  const stands = row.deleted === 0 && row.kind === change.kind ? sealedOf(row.body) : undefined
  const comes = change.op === 'put' ? change.enc : undefined
  if (!stands || !comes) return undefined
  const isSameEdit = comes.head !== undefined && comes.head.stamp === stands.head?.stamp
  const isEarlier = stands.head !== undefined && (comes.head?.stamp ?? '') < stands.head.stamp
  if (!store.bodies.read(row, row.body)) return isEarlier ? 'earlier' : undefined
  const isSpoilt =
    !store.bodies.readSealed(change, comes) && store.bodies.sealer.reason(comes.kid) === 'altered'
  if (isSpoilt) return 'refused'
  // Resealed under another key: the same edit.
  if (isSameEdit) return undefined
  if (wasHere(store, row, [comes.n, comes.head?.stamp])) return 'refused'
  return isEarlier ? 'earlier' : undefined
}

/** True if an earlier version of the record has one of `marks`: a nonce, or the stamp of a sealed edit. */
function wasHere({ db }: BookStore, { seq }: RecordRow, marks: readonly (string | undefined)[]): boolean {
  return marks.some(
    (mark) =>
      mark !== undefined &&
      db.get(
        `SELECT 1 FROM history WHERE seq = ? AND substr(body, 1, 1) = '[' AND instr(body, ?) > 0 LIMIT 1`,
        [seq, JSON.stringify(mark)],
      ) !== undefined,
  )
}

interface Judged {
  readonly row: RecordRow
  readonly change: WireChange
  readonly verdict: Verdict
  readonly now: string
}

/** After `change` was stored: if refused, puts the version in `row` on top of it. Logs the losing side. */
export function answerSealed(store: BookStore, { row, change, verdict, now }: Judged): void {
  const ours = sideOf(toChange(row, store.device), row.device ?? store.device)
  const theirs = sideOf(change, change.by)
  const isRefused = verdict === 'refused'
  if (isRefused) putBack(store, row, now)
  store.conflicts.add({
    record: row.id,
    kind: row.kind,
    policy: store.kinds.get(row.kind)?.policy ?? defaultPolicy,
    at: now,
    state: 'settled',
    loser: isRefused ? theirs : lostTo(row, change, store.device),
    winner: isRefused ? ours : theirs,
  })
  store.access?.note({
    at: now,
    caller: row.agent,
    by: 'owner',
    capability: 'daybook:sync',
    outcome: 'conflict',
    kinds: [row.kind],
    count: 1,
  })
}

/** Puts the version in `row` again as a new edit, so that all devices get it. */
function putBack(store: BookStore, row: RecordRow, at: string): void {
  const op = toOp(toChange(row, store.device)) as PutOp
  const body = store.bodies.need(row, row.body)
  store.records.put({ ...op, enc: undefined, body, at, stamp: store.stamps.next() })
}
