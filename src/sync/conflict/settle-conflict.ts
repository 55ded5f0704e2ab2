// Settles a conflict on the device, by its policy.
// Invariant: afterwards the record is the mirror's version, or has an op on top of it; the conflict log has the
// loser.
import { defined } from '../../core/defined.ts'
import { type ConflictPolicy, type Kind, settled } from '../../core/kind.ts'
import { type JsonObject, sameJson } from '../../core/json/path.ts'
import type { PutOp } from '../../core/op.ts'
import { isSealing, sealedText, sensitivities, type Sensitivity } from '../../core/sealed.ts'
import { lowestTrust } from '../../core/trusted.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { NewConflictSide } from '../../store/record/conflict-log.ts'
import type { SentOp } from '../../store/record/op-log.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import {
  fitsKind,
  decideWinner,
  isLater,
  isOneSealed,
  isSameEdit,
  survivesRemoval,
  type EditContent,
  hasSameContent,
} from './conflict-policy.ts'
import { mergeBodies, type MergeResult } from './merge.ts'
import type { WireChange, WireMet, WireOp } from '../wire/protocol.ts'
import { isPurge, toConflictSide, toOp, toPutSide } from '../wire/wire-op.ts'

type WirePut<Wire> = Extract<Wire, { op: 'put' }>

/** After this many conflicts in a row, a person must decide about a merged record. */
export const maxMergeRounds = 5

/** A sent `op` that conflicts with `current`, the mirror's record. */
export interface Conflict {
  readonly store: BookStore
  readonly op: SentOp
  readonly policy: ConflictPolicy
  readonly current: WireChange
  /**
   * The version that the op conflicted with, if `current` is a later one. `logged`: the mirror decided, and logged the
   * loser. `said`: the content of that version, if the mirror still has it.
   */
  readonly met?: WireMet | undefined
  /** Canonical UTC time. */
  readonly now: string
  /** Stores the mirror's version on this device. */
  readonly acceptChange: (change: WireChange) => void
  /** Called once for each new entry of the conflict log. */
  readonly onLogged: () => void
}

/** Settles a conflict by its policy. Call it in a transaction. */
export function settleConflict(conflict: Conflict): void {
  new Settlement(conflict).settle()
}

/** Options of a log entry. */
interface LogOptions {
  /** True: a person must decide. Default: false, settled by the policy. */
  readonly open?: boolean
  /** Paths at which a merge dropped a value. */
  readonly paths?: readonly string[]
}

/** The settlement of one conflict. Bodies are in clear if this device has the key. */
class Settlement {
  readonly #conflict: Conflict
  readonly #sent: WireOp
  readonly #kind: Kind | undefined
  readonly #mine: WireOp
  readonly #theirs: WireChange
  readonly #base: JsonObject | undefined
  readonly #mineIsLater: boolean
  readonly #isPurgedSince: boolean
  /** The local row after the op was removed. Its `op` is a later, unsent edit. */
  #row: RecordRow | undefined
  /** Sides for the log, in the form of the wire: sealed bodies stay sealed. */
  readonly #ourSide: NewConflictSide
  readonly #theirSide: NewConflictSide

  constructor(conflict: Conflict) {
    const { store, op, current } = conflict
    this.#conflict = conflict
    this.#sent = JSON.parse(op.wire) as WireOp
    this.#kind = store.kinds.get(current.kind)
    this.#mine = decryptWire(store, this.#sent)
    this.#theirs = decryptWire(store, current)
    // `base_rev`: the local version that the op builds on; null if unknown.
    this.#base = op.base_rev === null ? undefined : store.records.earlierBody(op.seq, op.base_rev)
    this.#mineIsLater = isLater({ ...this.#sent, device: store.device }, { ...current, device: current.by })
    this.#isPurgedSince = (current.purged ?? 0) > this.#sent.base
    this.#ourSide = toConflictSide(this.#sent, store.device)
    this.#theirSide = toConflictSide(current, current.by)
  }

  settle(): void {
    const { store, op, policy, current, met, acceptChange } = this.#conflict
    const sent = this.#sent
    const metContent = met?.said && decryptContent(store, current, met.said)
    const sameAsMet = metContent !== undefined && hasSameContent(this.#mine, metContent)
    const same = hasSameContent(this.#mine, this.#theirs) && !this.#bothCounted()
    // The mirror has the forget but not the purge. The next op sends the purge only if it keeps its base.
    const lacksPurge = isPurge(sent) && current.op === 'forget' && !isPurge(current)
    // If our content equals a version of the mirror, the next unsent op of the record builds on that version.
    store.ops.removeAnswered(
      op,
      lacksPurge ? undefined : same ? current.ver : sameAsMet ? met?.ver : undefined,
    )
    this.#row = store.records.row(current.id)
    const isResealed = sent.op === 'put' && sent.reseal === true
    const isLost = !same && !sameAsMet && !isResealed
    // `op`: the number of a later, unsent op; null for none.
    if (this.#row?.op !== null) return this.#settleSuperseded(isLost)
    if (!isLost) return acceptChange(current)
    // `gone`, `purged`: the versions in which the record was last forgotten and last purged.
    const isRemovedSince = current.op === 'forget' || (sent.op === 'put' && (current.gone ?? 0) > sent.base)
    // For a removal against an edit, the mirror decides every policy but `merge`.
    const isUndecided = met ? !met.logged : policy === 'merge'
    if (isUndecided && sent.op === 'put' && isRemovedSince) return this.#settleRemoval(sent)
    if (met?.logged) {
      acceptChange(current)
      return this.#log(this.#ourSide, this.#winner(), {
        open: policy === 'manual' && sent.op === met.said?.op,
      })
    }
    this.#settleByContent()
  }

  #settleByContent(): void {
    const { store, policy, current, acceptChange } = this.#conflict
    const mine = this.#mine
    const theirs = this.#theirs
    const canWrite =
      store.bodies.sealer.current() !== undefined || (!isSealedPut(this.#sent) && !isSealedPut(current))
    if (canWrite && isClear(mine) && isClear(theirs)) {
      if (policy === 'merge') return this.#merge(mine, theirs)
      if (isOneSealed(this.#sent, current)) return this.#seal(mine, theirs)
    }
    // Without the key, nothing is merged; a person decides when the key is available.
    const isOpen = policy === 'manual' || (policy === 'merge' && !(isClear(mine) && isClear(theirs)))
    acceptChange(current)
    this.#log(this.#ourSide, this.#theirSide, { open: isOpen && mine.op === current.op })
  }

  /** A later local edit is pending. It includes this edit, and gets its own answer about `current`. */
  #settleSuperseded(isLost: boolean): void {
    const { store, policy, current, acceptChange } = this.#conflict
    const row = this.#row
    // The pending forget adds nothing to the mirror's purge. Drop it, so that this device accepts the purge.
    if (row?.deleted === 1 && current.op === 'forget' && isPurge(current)) {
      store.ops.dropUnsent(row.seq)
      return acceptChange(current)
    }
    if (isLost && policy !== 'merge' && policy !== 'manual') this.#log(this.#ourSide, this.#winner())
  }

  /** Returns the side that our edit lost to. If the mirror decided, that version may be older than `current`. */
  #winner(): NewConflictSide | undefined {
    const { met } = this.#conflict
    if (!met?.logged) return this.#theirSide
    // The answer does not name the device of that version.
    return met.said && { by: '', ...sideOfContent(met.said) }
  }

  #mergeBodies(mine: JsonObject, theirs: JsonObject): MergeResult {
    const kind = this.#kind
    const { body, clashes } = mergeBodies({
      base: settled(kind, this.#base ?? {}),
      mine: settled(kind, mine),
      theirs: settled(kind, theirs),
      mineIsLater: this.#mineIsLater,
      rules: kind?.merge,
    })
    return { body: settled(kind, body), clashes }
  }

  /** True if the sides are equal but each counted: the merge must count both. */
  #bothCounted(): boolean {
    const { policy, current } = this.#conflict
    const mine = this.#mine
    const theirs = this.#theirs
    return (
      policy === 'merge' &&
      this.#base !== undefined &&
      !isSameEdit(this.#sent.stamp, current.stamp) &&
      isClear(mine) &&
      isClear(theirs) &&
      !sameJson(this.#mergeBodies(mine.body, theirs.body).body, theirs.body)
    )
  }

  #log(loser: NewConflictSide, winner: NewConflictSide | undefined, options: LogOptions = {}): void {
    const { store, policy, current, now, onLogged } = this.#conflict
    // A pending purge of this device also removes the content of the other side.
    const isPurging = this.#row !== undefined && this.#row.purged > this.#row.ver
    // The log must not contain purged content. The mirror's current version is newer than the purge.
    const mustOmitContent = (side: NewConflictSide) =>
      side.op === 'put' && (side === this.#ourSide ? this.#isPurgedSince : isPurging)
    const withoutPurged = (side: NewConflictSide): NewConflictSide =>
      mustOmitContent(side) ? { by: side.by, op: 'put' } : side
    store.conflicts.add({
      record: current.id,
      kind: current.kind,
      policy,
      at: now,
      state: options.open ? 'open' : 'settled',
      loser: withoutPurged(loser),
      ...(this.#base && !this.#isPurgedSince && !isPurging ? { base: this.#base } : {}),
      ...(winner ? { winner: withoutPurged(winner) } : {}),
      ...(options.paths ? { paths: options.paths } : {}),
    })
    onLogged()
  }

  /** Writes an op on top of the mirror's version, with the scope of `side`. */
  #writeOnTop(side: Clear<WireOp> | Clear<WireChange>, body: JsonObject): void {
    const { store, op, current, now } = this.#conflict
    const { session, resource } = side
    const sensitivity = higherSensitivity(this.#mine, this.#theirs)
    const [mine, theirs] = [this.#mine, this.#theirs].map((wire) =>
      wire.op === 'put' ? wire.trust : undefined,
    )
    const trust = lowestTrust(mine, theirs)
    store.records.put({
      op: 'put',
      kind: current.kind,
      id: current.id,
      at: now,
      stamp: store.stamps.next(),
      created_at: (this.#theirs.op === 'put' ? this.#theirs : side).created_at,
      agent: this.#sent.agent,
      body,
      ...defined({ session, resource, sensitivity, trust }),
    })
    store.ops.storeRounds(op.seq, op.rounds + 1)
  }

  #merge(mine: Clear<WireOp>, theirs: Clear<WireChange>): void {
    const { op, current, acceptChange } = this.#conflict
    const merged = this.#mergeBodies(mine.body, theirs.body)
    const fits = op.rounds < maxMergeRounds && fitsKind(this.#kind, merged.body)
    acceptChange(current)
    const [later, earlier] = this.#mineIsLater
      ? [this.#ourSide, this.#theirSide]
      : [this.#theirSide, this.#ourSide]
    if (!fits) return this.#log(this.#ourSide, this.#theirSide, { open: true })
    if (merged.clashes.length > 0)
      this.#log(earlier, { ...later, enc: undefined, body: merged.body }, { paths: merged.clashes })
    const isSealedHere = current.op === 'put' && current.enc !== undefined
    const isSealed = isSealing(higherSensitivity(this.#mine, this.#theirs))
    if (sameJson(merged.body, theirs.body) && isSealedHere === isSealed) return
    this.#writeOnTop(this.#mineIsLater ? mine : theirs, merged.body)
  }

  /** Exactly one side is sealed. The policy selects the content, and the result is sealed. */
  #seal(mine: Clear<WireOp>, theirs: Clear<WireChange>): void {
    const { store, policy, current, acceptChange } = this.#conflict
    const arriving = { ...mine, device: store.device }
    const isMine = decideWinner(policy, arriving, { ...theirs, device: current.by }) === 'arriving'
    const sent = this.#sent
    acceptChange(current)
    if (isMine || sent.op === 'forget' || sent.enc !== undefined)
      this.#writeOnTop(isMine ? mine : theirs, (isMine ? mine : theirs).body)
    const [winner, loser] = isMine ? [this.#ourSide, this.#theirSide] : [this.#theirSide, this.#ourSide]
    this.#log(loser, winner, { open: policy === 'manual' })
  }

  /** The author of the removal did not know our edit, and the mirror has neither decided nor logged it. */
  #settleRemoval(put: WirePut<WireOp>): void {
    const { store, op, current, acceptChange } = this.#conflict
    acceptChange(current)
    const removal = { ...current, device: current.by, isPurge: this.#isPurgedSince }
    if (current.op === 'put' || !survivesRemoval(this.#kind, { ...put, device: store.device }, removal))
      return this.#log(this.#ourSide, this.#theirSide)
    // Send the edit again on its former base: the mirror then decides, and the other devices get the result.
    store.records.put({ ...(toOp(put) as PutOp), at: put.at, stamp: put.stamp })
    store.ops.rebase(op.seq, put.base)
    store.ops.storeRounds(op.seq, op.rounds + 1)
  }
}

/** A put with a readable body. */
type Clear<Wire extends WireOp | WireChange> = WirePut<Wire> & { readonly body: JsonObject }

function isClear<Wire extends WireOp | WireChange>(wire: Wire): wire is Wire & Clear<Wire> {
  return wire.op === 'put' && wire.body !== undefined
}

const isSealedPut = (wire: WireOp | WireChange) => wire.op === 'put' && wire.enc !== undefined

/** Returns `wire` with its body in clear if this device has the key; otherwise unchanged. */
function decryptWire<Wire extends WireOp | WireChange>({ bodies }: BookStore, wire: Wire): Wire {
  if (wire.op === 'forget' || !wire.enc) return wire
  const body = bodies.read(wire, sealedText(wire.enc))
  return body ? { ...wire, body, enc: undefined } : wire
}

type MetContent = NonNullable<WireMet['said']>

/** Returns the content of an earlier version, with its body in clear if this device has the key. */
function decryptContent(
  { bodies }: BookStore,
  owner: { kind: string; id: string },
  content: MetContent,
): EditContent {
  if (content.op === 'forget' || !content.enc) return content
  const body = bodies.read(owner, sealedText(content.enc))
  return body ? { ...content, body, enc: undefined } : content
}

function sideOfContent(content: MetContent): Omit<NewConflictSide, 'by'> {
  return content.op === 'forget' ? { op: 'forget' } : toPutSide(content)
}

/** Returns the higher sensitivity of both sides. */
function higherSensitivity(one: WireOp | WireChange, other: WireOp | WireChange): Sensitivity | undefined {
  const levels = new Set([one, other].map((wire) => (wire.op === 'put' ? wire.sensitivity : undefined)))
  return sensitivities.toReversed().find((each) => levels.has(each))
}
