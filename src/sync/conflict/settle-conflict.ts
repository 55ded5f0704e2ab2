// What a device does when its change met another one at the mirror, by the policy of the kind.
// Invariant: the record ends as the mirror has it, or with an op on top of that; what lost is in the conflict log.
import { type ConflictPolicy, settled } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { PutOp } from '../../core/op.ts'
import { sameJson } from '../../core/json/same-json.ts'
import { isSealing, sealedText, sensitivities, type Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { LoggedSide } from '../../store/record/conflict-log.ts'
import type { SentOp } from '../../store/record/op-log.ts'
import { fitsKind } from './fits-kind.ts'
import { decide, isLater, isMixed, isSameEdit, outlives, type Said, saysSame } from './conflict-policy.ts'
import { mergeBodies, type Merged } from './merge.ts'
import type { WireChange, WireMet, WireOp } from '../wire/protocol.ts'
import { isPurge, sideOf, toOp } from '../wire/wire-op.ts'

type WirePut<Wire> = Extract<Wire, { op: 'put' }>

/** A merged record that meets a conflict this often in a row is left to a person. */
export const mergeRounds = 5

/** The sent `op` that met `current`, the mirror's record, and who acts on what is decided. */
export interface Conflict {
  readonly store: BookStore
  readonly op: SentOp
  readonly policy: ConflictPolicy
  readonly current: WireChange
  /** What the op met, where that is no longer `current`. */
  readonly met?: WireMet | undefined
  /** The instant in its canonical form. */
  readonly now: string
  /** Takes over what the mirror has. */
  readonly accept: (change: WireChange) => void
  /** Counts what is written into the conflict log. */
  readonly onLogged: () => void
}

/** Settles a conflict by its policy. Inside a transaction. */
export function settleConflict({ store, op, policy, current, met, now, accept, onLogged }: Conflict): void {
  const sent = JSON.parse(op.wire) as WireOp
  const kind = store.kinds.get(current.kind)
  const mine = inClear(store, sent)
  const theirs = inClear(store, current)
  const base = op.base_rev === null ? undefined : store.records.bodyAt(op.seq, op.base_rev)
  const mineIsLater = isLater({ ...sent, device: store.device }, { ...current, device: current.by })
  const mergeWith = (ours: JsonObject, others: JsonObject): Merged => {
    const { body, clashes } = mergeBodies({
      base: settled(kind, base ?? {}),
      mine: settled(kind, ours),
      theirs: settled(kind, others),
      mineIsLater,
      rules: kind?.merge,
    })
    return { body: settled(kind, body), clashes }
  }
  /** They say the same because they counted the same, each for itself: nothing is lost only if both are counted. */
  const countsMore = () =>
    policy === 'merge' &&
    base !== undefined &&
    !isSameEdit(sent.stamp, current.stamp) &&
    isClear(mine) &&
    isClear(theirs) &&
    !sameJson(mergeWith(mine.body, theirs.body).body, theirs.body)

  const before = met?.said && inClearSaid(store, current, met.said)
  const sameAsMet = before !== undefined && saysSame(mine, before)
  const same = saysSame(mine, theirs) && !countsMore()
  // The mirror has forgotten and not purged. The op behind this one tells it of the purge, unless its base becomes that forget.
  const lacksPurge = isPurge(sent) && current.op === 'forget' && !isPurge(current)
  store.ops.settle(op, lacksPurge ? undefined : same ? current.ver : sameAsMet ? met?.ver : undefined)
  const isPurgedSince = (current.purged ?? 0) > sent.base
  const isResealed = sent.op === 'put' && sent.reseal === true
  const row = store.records.row(current.id)
  const isSuperseded = row?.op !== null
  /** A purge of this device waits to be sent: it takes the other side along. */
  const isPurging = row !== undefined && row.purged > row.ver
  const log = (
    lost: LoggedSide,
    kept: LoggedSide | undefined,
    more: { open?: boolean; paths?: readonly string[] } = {},
  ) => {
    // Nothing of what was purged stays, here neither; what stands at the mirror came after that.
    const isBare = (side: LoggedSide) => side.op === 'put' && (side === our ? isPurgedSince : isPurging)
    const shown = (side: LoggedSide): LoggedSide => (isBare(side) ? { by: side.by, op: 'put' } : side)
    store.conflicts.add({
      record: current.id,
      kind: current.kind,
      policy,
      at: now,
      state: more.open ? 'open' : 'settled',
      lost: shown(lost),
      ...(base && !isPurgedSince && !isPurging ? { base } : {}),
      ...(kept ? { kept: shown(kept) } : {}),
      ...(more.paths ? { paths: more.paths } : {}),
    })
    onLogged()
  }
  // Logged as they came: what is sealed stays so.
  const our = sideOf(sent, store.device)
  const their = sideOf(current, current.by)
  /** What it lost to, if the mirror has decided that: what stands there now may have come later. */
  const winner = met?.logged ? met.said && { by: '', ...sideOfSaid(met.said) } : their

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
    const merged = mergeWith(mineBody.body, theirsBody.body)
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

  /** The record was forgotten by somebody who did not know of the edit, which nobody has decided or logged. */
  const meetRemoval = (put: WirePut<WireOp>) => {
    accept(current)
    const removal = { ...current, device: current.by, isPurge: isPurgedSince }
    if (current.op === 'put' || !outlives(kind, { ...put, device: store.device }, removal))
      return log(our, their)
    // The mirror decides, and tells all others: what goes out again builds on what the edit was made on.
    store.records.put({ ...(toOp(put) as PutOp), at: put.at, stamp: put.stamp })
    store.ops.rebase(op.seq, put.base)
    store.ops.noteRounds(op.seq, op.rounds + 1)
  }

  const isRemovedSince = current.op === 'forget' || (sent.op === 'put' && (current.gone ?? 0) > sent.base)
  const isUndecided = met ? !met.logged : policy === 'merge'
  // A later edit of the record is on its way, has all that this one said, and meets `current` in its turn.
  if (isSuperseded) {
    // A forget of what was purged says nothing more, and in its place this device would not learn of the purge.
    if (row?.deleted === 1 && current.op === 'forget' && isPurge(current)) {
      store.ops.dropUnsent(row.seq)
      return accept(current)
    }
    const isLost = !same && !sameAsMet && !isResealed
    if (isLost && policy !== 'merge' && policy !== 'manual') log(our, winner)
    return
  }
  if (same || sameAsMet || isResealed) return accept(current)
  if (isUndecided && sent.op === 'put' && isRemovedSince) return meetRemoval(sent)
  if (met?.logged) {
    accept(current)
    return log(our, winner, { open: policy === 'manual' && sent.op === met.said?.op })
  }
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

type MetSaid = NonNullable<WireMet['said']>

/** What an earlier version said, with its body where it can be opened here. */
function inClearSaid({ bodies }: BookStore, owner: { kind: string; id: string }, said: MetSaid): Said {
  if (said.op === 'forget' || !said.enc) return said
  const body = bodies.read(owner, sealedText(said.enc))
  return body ? { ...said, body, enc: undefined } : said
}

function sideOfSaid(said: MetSaid): Omit<LoggedSide, 'by'> {
  if (said.op === 'forget') return { op: 'forget' }
  return { op: 'put', ...(said.enc ? { enc: said.enc } : said.body ? { body: said.body } : {}) }
}

/** Of two sides the more sensitive one says how sensitive the record is. */
function sensitivityOf(one: WireOp | WireChange, other: WireOp | WireChange): Sensitivity | undefined {
  const said = new Set([one, other].map((wire) => (wire.op === 'put' ? wire.sensitivity : undefined)))
  return sensitivities.toReversed().find((each) => said.has(each))
}
