// What a device does when its change met another one at the mirror, by the policy of the kind.
// Invariant: the record ends as the mirror has it, or with an op on top of that; what lost is in the conflict log.
import { type ConflictPolicy, settled } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'
import { isSealing, sealedText, sensitivities, type Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { LoggedSide } from '../../store/record/conflict-log.ts'
import type { SentOp } from '../../store/record/op-log.ts'
import { fitsKind } from './fits-kind.ts'
import { decide, isLater, isMixed, saysSame } from './conflict-policy.ts'
import { mergeBodies } from './merge.ts'
import type { WireChange, WireOp } from '../wire/protocol.ts'
import { sideOf } from '../wire/wire-op.ts'

type WirePut<Wire> = Extract<Wire, { op: 'put' }>

/** A merged record that meets a conflict this often in a row is left to a person. */
export const mergeRounds = 5

/** The sent `op` that met `current`, the mirror's record, and who acts on what is decided. */
export interface Conflict {
  readonly store: BookStore
  readonly op: SentOp
  readonly policy: ConflictPolicy
  readonly current: WireChange
  /** The instant in its canonical form. */
  readonly now: string
  /** Takes over what the mirror has. */
  readonly accept: (change: WireChange) => void
  /** Counts what is written into the conflict log. */
  readonly onLogged: () => void
}

/** Settles a conflict by its policy. Inside a transaction. */
export function settleConflict({ store, op, policy, current, now, accept, onLogged }: Conflict): void {
  const sent = JSON.parse(op.wire) as WireOp
  const mine = inClear(store, sent)
  const theirs = inClear(store, current)
  const same = saysSame(mine, theirs)
  const base = op.base_rev === null ? undefined : store.records.bodyAt(op.seq, op.base_rev)
  store.ops.settle(op, same ? current.ver : undefined)
  const isResealed = sent.op === 'put' && sent.reseal === true
  const isSuperseded = store.records.row(current.id)?.op !== null
  const log = (
    lost: LoggedSide,
    kept: LoggedSide,
    more: { open?: boolean; paths?: readonly string[] } = {},
  ) => {
    store.conflicts.add({
      record: current.id,
      kind: current.kind,
      policy,
      at: now,
      state: more.open ? 'open' : 'settled',
      lost,
      kept,
      ...(base ? { base } : {}),
      ...(more.paths ? { paths: more.paths } : {}),
    })
    onLogged()
  }
  // Logged as they came: what is sealed stays so.
  const our = sideOf(sent, store.device)
  const their = sideOf(current, current.by)

  const putOnTop = (said: Clear<WireOp> | Clear<WireChange>, body: JsonObject) => {
    const { session, resource } = said
    const sensitivity = sensitivityOf(mine, theirs)
    store.records.put({
      op: 'put',
      kind: current.kind,
      id: current.id,
      at: now,
      stamp: store.stamps.next(),
      created_at: (theirs.op === 'put' ? theirs : said).created_at,
      agent: sent.agent,
      body,
      ...(session === undefined ? {} : { session }),
      ...(resource === undefined ? {} : { resource }),
      ...(sensitivity === undefined ? {} : { sensitivity }),
    })
    store.ops.noteRounds(op.seq, op.rounds + 1)
  }

  const merge = (mineBody: Clear<WireOp>, theirsBody: Clear<WireChange>) => {
    const kind = store.kinds.get(current.kind)
    const mineIsLater = isLater({ ...mineBody, device: store.device }, { ...theirsBody, device: current.by })
    const { body, clashes } = mergeBodies({
      base: settled(kind, base ?? {}),
      mine: settled(kind, mineBody.body),
      theirs: settled(kind, theirsBody.body),
      mineIsLater,
      rules: kind?.merge,
    })
    const merged = { body: settled(kind, body), clashes }
    const fits = op.rounds < mergeRounds && fitsKind(kind, merged.body)
    accept(current)
    if (!fits) return log(our, their, { open: true })
    if (merged.clashes.length > 0) {
      const kept: LoggedSide = { by: (mineIsLater ? our : their).by, op: 'put', body: merged.body }
      log(mineIsLater ? their : our, kept, { paths: merged.clashes })
    }
    const isSealedHere = current.op === 'put' && current.enc !== undefined
    if (sameJson(merged.body, theirsBody.body) && isSealedHere === isSealing(sensitivityOf(mine, theirs)))
      return
    putOnTop(mineIsLater ? mineBody : theirsBody, merged.body)
  }

  /** One side is sealed and the other is not: the policy says whose content stays, and it stays sealed. */
  const seal = (mineBody: Clear<WireOp>, theirsBody: Clear<WireChange>) => {
    const arriving = { ...mineBody, device: store.device }
    const isMine = decide(policy, arriving, { ...theirsBody, device: current.by }) === 'arriving'
    accept(current)
    if (isMine || sent.op === 'forget' || sent.enc !== undefined)
      putOnTop(isMine ? mineBody : theirsBody, (isMine ? mineBody : theirsBody).body)
    log(isMine ? their : our, isMine ? our : their, { open: policy === 'manual' })
  }

  // A later edit of the record is on its way, has all that this one said, and meets `current` in its turn.
  if (isSuperseded) {
    if (!same && !isResealed && policy !== 'merge' && policy !== 'manual') log(our, their)
    return
  }
  if (same || isResealed) return accept(current)
  const canWrite =
    store.bodies.sealer.current() !== undefined || (!isSealedPut(sent) && !isSealedPut(current))
  if (canWrite && isClear(mine) && isClear(theirs)) {
    if (policy === 'merge') return merge(mine, theirs)
    if (isMixed(sent, current)) return seal(mine, theirs)
  }
  // What can't be read can't be merged either: somebody has to look when the key is here.
  const isOpen = policy === 'manual' || (policy === 'merge' && !(isClear(mine) && isClear(theirs)))
  accept(current)
  log(our, their, { open: isOpen && mine.op === current.op })
}

/** A put whose body can be read. */
type Clear<Wire extends WireOp | WireChange> = WirePut<Wire> & { readonly body: JsonObject }

function isClear<Wire extends WireOp | WireChange>(wire: Wire): wire is Wire & Clear<Wire> {
  return wire.op === 'put' && wire.body !== undefined
}

const isSealedPut = (wire: WireOp | WireChange) => wire.op === 'put' && wire.enc !== undefined

/** The same with its body, where it can be opened here. */
function inClear<Wire extends WireOp | WireChange>({ bodies }: BookStore, wire: Wire): Wire {
  if (wire.op === 'forget' || !wire.enc) return wire
  const body = bodies.read(wire, sealedText(wire.enc))
  return body ? { ...wire, body, enc: undefined } : wire
}

/** Of two sides the more sensitive one says how sensitive the record is. */
function sensitivityOf(one: WireOp | WireChange, other: WireOp | WireChange): Sensitivity | undefined {
  const said = new Set([one, other].map((wire) => (wire.op === 'put' ? wire.sensitivity : undefined)))
  return sensitivities.toReversed().find((each) => said.has(each))
}
