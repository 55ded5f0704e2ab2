// What a device does where a mirror says of a sealed record what it said before, or what does not open with its key: a
// mirror can't seal, so it can only repeat or spoil. Invariant: neither takes the place of what can be read here, and
// what was replaced by an earlier edit is in the conflict log.
import type { PutOp } from '../../core/op.ts'
import { sealedOf } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { defaultPolicy } from '../conflict/conflict-policy.ts'
import type { WireChange } from '../wire/protocol.ts'
import { sideOf, toChange, toOp } from '../wire/wire-op.ts'
import { lostTo } from './removal.ts'

/** `refused`: what stands here stays. `earlier`: the edit is older than what stands, which a policy may want. */
type Verdict = 'refused' | 'earlier'

/** What is wrong with `change` over `row`; undefined where nothing is. */
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
  // What was sealed anew under another key is the same edit.
  if (isSameEdit) return undefined
  if (wasHere(store, row, [comes.n, comes.head?.stamp])) return 'refused'
  return isEarlier ? 'earlier' : undefined
}

/** True when an earlier version of the record has one of these: a nonce, or the stamp of a sealed edit. */
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

/** After `change` was taken over: puts what stood in `row` on top of it, where it was refused, and logs what lost. */
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
    lost: isRefused ? theirs : lostTo(row, change, store.device),
    kept: isRefused ? ours : theirs,
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

/** Says again what stood there, as an edit of now: so all other devices have it too. */
function putBack(store: BookStore, row: RecordRow, at: string): void {
  const said = toOp(toChange(row, store.device)) as PutOp
  const body = store.bodies.need(row, row.body)
  store.records.put({ ...said, enc: undefined, body, at, stamp: store.stamps.next() })
}
