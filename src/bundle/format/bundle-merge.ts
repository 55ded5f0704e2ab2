// Merges a verified upload into the book: one decision per record, all in one transaction.
// Invariant: with `merge`, the losing edit is in the conflict log, and a record that the user forgot stays forgotten.
import type { LoggedSide } from '../../core/op.ts'
import type { RecordWriter } from '../../core/capability/port/record-port.ts'
import type { StagedRecord, Staging, TransferWriter } from '../../core/capability/transfer.ts'
import { isUnderstood, settledIfUnderstood } from '../../core/capability/understood.ts'
import { defined } from '../../core/defined.ts'
import { type ConflictPolicy, type Kind, type Kinds, settled } from '../../core/kind.ts'
import { type Json, type JsonObject, readPath, sameJson } from '../../core/json/path.ts'
import type { Stored } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import { isLowered, mostGuarded, type SealedBody, sealedText } from '../../core/sealed.ts'
import { recordText, isSealedRecord, sealedBodyField } from './bundle-shape.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import { lowestTrust } from '../../core/trusted.ts'

export interface MergePlan {
  readonly upload: string
  readonly mode: 'merge' | 'replace'
  /** The kinds that the bundle has a list of. `replace` replaces their records. */
  readonly kinds: readonly string[]
  readonly dryRun: boolean
  /** True: keeps the decisions in the bundle. False: stores a decided record without its decision (`Kind.undecided`). */
  readonly keepsDecisions: boolean
  /** False: the records of the bundle are `external`, because it is the file of another owner. */
  readonly keepsTrust: boolean
  /** The writer of the bundle, for the conflict log. */
  readonly from: string
}

export interface MergeConflict {
  readonly id: string
  readonly kind: string
  readonly policy: ConflictPolicy
  /** The side whose record is in the book now. */
  readonly winner: 'book' | 'bundle'
  /** Set if the book had forgotten the record. */
  readonly forgotten?: true
}

export interface MergeReport {
  /** Records that are new in the book. */
  imported: number
  /** Records that changed to the bundle's content. */
  updated: number
  /** Records that the book already had with the same content. */
  unchanged: number
  /** With `replace`: records that the book forgot because the bundle does not have them. */
  forgotten: number
  conflictCount: number
  /** Records that arrived undecided, because another book's owner had decided them. Absent: 0. */
  lowered?: number
  /** Records that can't be read here: sealed, or withheld. Absent: 0. */
  unreadable?: number
  /**
   * Records left out because they may contain a decision that can't be checked. `unreadable` counts them too.
   * Absent: 0.
   */
  withheld?: number
  /** The first thousand records that are new in the book. */
  readonly added: { readonly id: string; readonly kind: string }[]
  /** The first thousand conflicts. */
  readonly conflicts: MergeConflict[]
}

/** Most conflicts, and most new records, that a report lists. */
const maxListed = 1000
const forgetBatchSize = 500

export interface MergePorts {
  readonly records: RecordWriter
  readonly transfer: TransferWriter
  readonly staging: Staging
  readonly kinds: Kinds
  /** Called after each record, for progress. */
  onRecord(): void
}

/** Applies an upload; with `dryRun` it only reports. Call it inside a transaction. */
export function mergeUpload(plan: MergePlan, ports: MergePorts): MergeReport {
  return new BundleMerge(plan, ports).run()
}

/** A readable record of the bundle, and the book's record with the same id. */
interface MergePair {
  readonly id: string
  readonly kind: string
  readonly incoming: Stored<JsonObject>
  readonly existing: Stored<JsonObject> | undefined
  /** True if `incoming` lost its decision. */
  readonly isLowered: boolean
}

class BundleMerge {
  readonly #plan: MergePlan
  readonly #ports: MergePorts
  readonly #report: MergeReport = {
    imported: 0,
    updated: 0,
    unchanged: 0,
    forgotten: 0,
    conflictCount: 0,
    added: [],
    conflicts: [],
  }

  constructor(plan: MergePlan, ports: MergePorts) {
    this.#plan = plan
    this.#ports = ports
  }

  run(): MergeReport {
    const { staging, onRecord } = this.#ports
    for (let after = 0; ;) {
      const page = staging.read(this.#plan.upload, after)
      for (const { n: position, record } of page) {
        this.#merge(record)
        onRecord()
        after = position
      }
      if (page.length === 0) break
    }
    if (this.#plan.mode === 'replace') this.#forgetUnstaged()
    return this.#report
  }

  #merge({ id, kind, text }: StagedRecord): void {
    const { records, transfer, kinds } = this.#ports
    // The record was purged before it was staged (its text is empty) or since.
    if (text === '' || transfer.wasPurged(id))
      return this.#reportConflict(id, kind, 'book', { forgotten: true })
    const record = this.#unseal(JSON.parse(text) as Stored<JsonObject>, kind)
    if (isSealedRecord(record)) {
      if (this.#mayHideDecision(kind, record)) return this.#withhold()
      this.#report.unreadable = (this.#report.unreadable ?? 0) + 1
      return this.#mergeSealed(kind, record)
    }
    // The book's record is sealed, and its key is not here: it wins. The conflict log would store the other one in clear.
    if (records.sealed.find(id)) return this.#reportConflict(id, kind, 'book')
    const ownKind = kinds.get(kind)
    const existing = records.get(id)
    // Derive fields and sensitivity as this book does. Else importing the same bundle twice would change records twice.
    const derived = {
      ...record,
      ...settledIfUnderstood(ownKind, splitHead(record).body),
      ...(existing ? higherSensitivity(existing, record) : {}),
    } as typeof record
    const isSame = existing?.kind === kind && hasSameContent(existing, derived)
    const normalized = this.#withTrust(derived, isSame ? existing : undefined)
    const mustUndecide = !this.#plan.keepsDecisions && !isSame && ownKind?.undecided !== undefined
    // A record that this version can't read may contain a decision.
    if (mustUndecide && !isUnderstood(ownKind, normalized)) return this.#withhold()
    const undecidedRecord = mustUndecide ? withoutDecision(normalized, ownKind) : undefined
    const candidate = undecidedRecord ?? normalized
    const mayStore = !existing || this.#plan.mode === 'replace'
    const incoming = mustUndecide && mayStore ? raiseUndecided(candidate, ownKind) : candidate
    this.#decide({ id, kind, incoming, existing, isLowered: undecidedRecord !== undefined })
  }

  /** The trust of the same record in the book, else that of the bundle. */
  #withTrust({ trust: own, ...record }: Stored<JsonObject>, same: Stored<JsonObject> | undefined) {
    const bound = this.#plan.keepsTrust ? undefined : 'external'
    const trust = same ? same.trust : lowestTrust(own, bound)
    return { ...record, ...defined({ trust }) } as Stored<JsonObject>
  }

  #decide(pair: MergePair): void {
    const { id, kind, incoming, existing } = pair
    if (!existing) return this.#add(pair)
    const isFinal = this.#ports.kinds.get(kind)?.isFinal
    const inBook = splitHead(existing).body
    const inBundle = splitHead(incoming).body
    const isFinalInBook = isFinal?.(inBook, inBundle) === true
    const isFinalInBundle = isFinal?.(inBundle, inBook) === true
    // A put never changes the kind of a record.
    const isSameKind = existing.kind === kind
    if (this.#plan.mode === 'replace') {
      // An old bundle does not undo a final state, such as a revocation.
      if (!isSameKind || (isFinalInBook && !isFinalInBundle)) return this.#reportConflict(id, kind, 'book')
      if (recordText(existing) === recordText(incoming)) this.#report.unchanged += 1
      else this.#update(pair)
      return
    }
    if (isSameKind && hasSameContent(existing, incoming)) {
      this.#report.unchanged += 1
      return
    }
    const policyWinner = isSameKind ? winnerByPolicy(this.#policyOf(kind), existing, incoming) : 'book'
    const finalSide = isFinalInBook ? 'book' : 'bundle'
    const winner = !isSameKind || isFinalInBook === isFinalInBundle ? policyWinner : finalSide
    this.#reportConflict(id, kind, winner)
    const sides = {
      book: { by: existing.agent, record: existing },
      bundle: { by: this.#plan.from, record: incoming },
    }
    const loser = winner === 'book' ? 'bundle' : 'book'
    this.#logLosingEdit(id, kind, sides[loser], sides[winner])
    if (winner === 'bundle') this.#update(pair)
  }

  /**
   * Adds a record that the book does not have. `merge` skips a record that the book forgot; `replace` skips only a
   * record that it purged.
   */
  #add(pair: MergePair): void {
    const { id, kind, incoming } = pair
    const { records, transfer, kinds } = this.#ports
    // A mark of a forgotten record stays out with its record.
    const path = kinds.get(kind)?.marks
    const markedId = path === undefined ? undefined : readPath(incoming, path)
    const isForgotten = this.#plan.mode === 'merge' ? records.wasForgotten : transfer.wasPurged
    if ([id, markedId].some((recordId) => typeof recordId === 'string' && isForgotten(recordId)))
      return this.#reportConflict(id, kind, 'book', { forgotten: true })
    this.#countNew(id, kind)
    this.#put(pair)
  }

  #countNew(id: string, kind: string): void {
    this.#report.imported += 1
    if (this.#report.added.length < maxListed) this.#report.added.push({ id, kind })
  }

  #update(pair: MergePair): void {
    this.#report.updated += 1
    this.#put(pair)
  }

  #put({ id, kind, incoming, isLowered }: MergePair): void {
    if (isLowered) this.#report.lowered = (this.#report.lowered ?? 0) + 1
    if (this.#plan.dryRun) return
    const { head, body } = splitHead(incoming)
    this.#ports.records.put({
      kind,
      id,
      body,
      // The intake or `#unseal` parsed it by its kind. Other bodies are of a newer Daybook: they stay
      // unchanged.
      checked: true,
      // Without its decision the record decides nothing, so the rights of decisions don't apply.
      ...(isLowered ? { upkeep: true } : {}),
      scope: head,
      times: { created_at: incoming.created_at, updated_at: incoming.updated_at },
    })
  }

  #logLosingEdit(id: string, kind: string, loser: MergeEdit, winner: MergeEdit): void {
    if (this.#plan.dryRun) return
    const policy = this.#policyOf(kind)
    this.#ports.transfer.lose({
      record: id,
      kind,
      policy,
      state: isOpenConflict(policy) ? 'open' : 'settled',
      loser: toSide(loser),
      winner: toSide(winner),
    })
  }

  #policyOf(kind: string): ConflictPolicy {
    return this.#ports.kinds.get(kind)?.policy ?? 'last_write_wins'
  }

  #reportConflict(
    id: string,
    kind: string,
    winner: MergeConflict['winner'],
    extra: { forgotten?: true } = {},
  ): void {
    const { conflicts } = this.#report
    this.#report.conflictCount += 1
    if (conflicts.length < maxListed)
      conflicts.push({ id, kind, policy: this.#policyOf(kind), winner, ...extra })
  }

  #withhold(): void {
    this.#report.unreadable = (this.#report.unreadable ?? 0) + 1
    this.#report.withheld = (this.#report.withheld ?? 0) + 1
  }

  /** Opens a sealed record if its key is here. Else returns the record unchanged. */
  #unseal(record: Stored<JsonObject>, kind: string): Stored<JsonObject> {
    const { transfer, kinds } = this.#ports
    const { [sealedBodyField]: sealed, ...head } = record as Stored<JsonObject> & { sealed?: SealedBody }
    const body = sealed && isSealedRecord(record) ? transfer.open({ kind, id: record.id }, sealed) : undefined
    const ownKind = kinds.get(kind)
    if (!body || !ownKind) return record
    // A key of this book sealed it: a body that does not fit is from a newer Daybook.
    const checked = isUnderstood(ownKind, body) ? (parseWith(ownKind.schema, body) as JsonObject) : body
    return { ...checked, ...head } as Stored<JsonObject>
  }

  /**
   * True for a sealed record that may contain a decision: the import could not remove the decision when the key
   * arrives later. False for the sealed body that the book already has.
   */
  #mayHideDecision(kind: string, record: Stored<JsonObject>): boolean {
    const { records, kinds } = this.#ports
    if (this.#plan.keepsDecisions || !kinds.get(kind)?.undecided) return false
    const sealedRecord = records.sealed.find(record.id)
    const sealedBody = splitHead(record).body[sealedBodyField] as unknown as SealedBody
    return sealedRecord === undefined || sealedText(sealedRecord.sealed) !== sealedText(sealedBody)
  }

  /**
   * Merges a sealed record that can't be read here. With `merge`, the later of two sealed records wins; a readable
   * record of the book always wins. The conflict log keeps the losing record, still sealed. With `replace`, the bundle
   * wins. Kinds with a final state are never sealed, so `isFinal` is not checked.
   */
  #mergeSealed(kind: string, incoming: Stored<JsonObject>): void {
    const { records, transfer } = this.#ports
    const { id, created_at, updated_at } = incoming
    const { head, body } = splitHead(this.#withTrust(incoming, undefined))
    const enc = body[sealedBodyField] as unknown as SealedBody
    const putSealed = () => {
      const times = { created_at, updated_at }
      if (!this.#plan.dryRun) transfer.putSealed({ kind, id, enc, scope: head, times })
    }
    const isReplacing = this.#plan.mode === 'replace'
    const existingSealed = records.sealed.find(id)
    const existingReadable = existingSealed ? undefined : records.get(id)
    const existing = existingSealed ?? existingReadable
    if (!existing) {
      if (!(isReplacing ? transfer.wasPurged(id) : records.wasForgotten(id))) {
        this.#countNew(id, kind)
        return putSealed()
      }
    } else if (existingSealed && sealedText(existingSealed.sealed) === sealedText(enc)) {
      this.#report.unchanged += 1
      return
    } else if (isReplacing) {
      if (existing.kind !== kind) return this.#reportConflict(id, kind, 'book')
      this.#report.updated += 1
      return putSealed()
    }
    const isLater = existingSealed?.kind === kind && updated_at > existingSealed.updated_at
    this.#reportConflict(id, kind, isLater ? 'bundle' : 'book', existing ? {} : { forgotten: true })
    if (existing && !this.#plan.dryRun) {
      const bundle = { by: this.#plan.from, op: 'put' as const, enc }
      const conflict = { record: id, kind, policy: this.#policyOf(kind) }
      if (existingSealed) {
        const book = { by: existingSealed.agent, op: 'put' as const, enc: existingSealed.sealed }
        const [loser, winner] = isLater ? [book, bundle] : [bundle, book]
        transfer.loseSealed({ ...conflict, loser, winner })
      } else if (existingReadable) {
        const { body } = splitHead(existingReadable)
        const winner = { by: existingReadable.agent, op: 'put' as const, body }
        transfer.loseSealed({ ...conflict, loser: bundle, winner })
      }
    }
    if (!isLater) return
    this.#report.updated += 1
    putSealed()
  }

  #forgetUnstaged(): void {
    const { upload, kinds, dryRun } = this.#plan
    const { records, transfer } = this.#ports
    for (let after = ''; ;) {
      const ids = transfer.unstaged(upload, kinds, after, forgetBatchSize)
      for (const id of ids) if (dryRun || records.forget(id)) this.#report.forgotten += 1
      after = ids.at(-1) ?? after
      if (ids.length < forgetBatchSize) return
    }
  }
}

interface MergeEdit {
  readonly by: string
  readonly record: Stored<JsonObject>
}

/** The higher sensitivity of both: the bundle may have been written before somebody raised it. */
function higherSensitivity(existing: Stored<JsonObject>, incoming: Stored<JsonObject>) {
  const sensitivity = mostGuarded(incoming.sensitivity, existing.sensitivity)
  return defined({ sensitivity })
}

/** `record` with at least the sensitivity that its kind requires of an undecided one. */
function raiseUndecided(record: Stored<JsonObject>, kind: Kind): Stored<JsonObject> {
  const sensitivity = kind.undecidedSensitivity?.(splitHead(record).body)
  return isLowered(record.sensitivity, sensitivity) ? { ...record, ...defined({ sensitivity }) } : record
}

/** `record` as it was before any decision; undefined if it has no decision. */
function withoutDecision(record: Stored<JsonObject>, kind: Kind | undefined): Stored<JsonObject> | undefined {
  const { head, body } = splitHead(record)
  if (!kind?.undecided || kind.ownerOnly?.(body) !== true) return undefined
  const settledBody = settled(kind, kind.undecided(body))
  if (sameJson(settledBody, body)) return undefined
  const { id, created_at, updated_at, ver } = record
  return { ...settledBody, ...head, id, kind: record.kind, created_at, updated_at, ver } as Stored<JsonObject>
}

/** True if a person must decide. Policy `merge` too: without a common origin, no rule can merge two versions. */
function isOpenConflict(policy: ConflictPolicy): boolean {
  return policy === 'manual' || policy === 'merge'
}

/** The winner by the kind's policy; the bundle is the remote side. Until a person decides, the book wins. */
function winnerByPolicy(
  policy: ConflictPolicy,
  existing: Stored<JsonObject>,
  incoming: Stored<JsonObject>,
): MergeConflict['winner'] {
  if (policy === 'remote_wins') return 'bundle'
  return policy === 'last_write_wins' && incoming.updated_at > existing.updated_at ? 'bundle' : 'book'
}

/**
 * The scope and sensitivity of a record as `put` takes them, and its body. Drops marks, which are records of
 * their own.
 */
function splitHead(record: Stored<JsonObject>) {
  const { id: _id, kind: _kind, ver: _ver, created_at: _made, updated_at: _changed, ...rest } = record
  const { agent, session, resource, sensitivity, trust, marks: _marks, ...body } = rest
  return {
    head: {
      agent,
      ...defined({ session, resource, sensitivity, trust }),
    },
    body: body as JsonObject,
  }
}

function toSide({ by, record }: MergeEdit): LoggedSide {
  const { head, body } = splitHead(record)
  const { agent: _agent, ...rest } = head
  return { by, op: 'put', body, head: { ...rest, created_at: record.created_at } }
}

/** True if body, session, resource and sensitivity are equal. Agent and times don't count. */
function hasSameContent(a: Stored<JsonObject>, b: Stored<JsonObject>): boolean {
  return contentText(a) === contentText(b)
}

function contentText(record: Stored<JsonObject>): string {
  const { head, body } = splitHead(record)
  return canonicalText([head.session ?? null, head.resource ?? null, head.sensitivity ?? null, body] as Json)
}
