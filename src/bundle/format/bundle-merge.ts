// Puts an upload that was found whole into the book: one decision for each record, all in one transaction.
// Invariant: an edit that loses is kept in the conflict log; what the user forgot stays forgotten in a merge.
import type { RecordWriter } from '../../core/capability/port/record-port.ts'
import type { StagedRecord, Staging } from '../../core/capability/transfer.ts'
import { isUnderstood, settledIfUnderstood } from '../../core/capability/understood.ts'
import { type ConflictPolicy, type Kind, type Kinds, settled } from '../../core/kind.ts'
import { type Json, type JsonObject, readPath } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'
import type { Stored } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import { mostGuarded, type SealedBody, sealedText } from '../../core/sealed.ts'
import { recordText } from './bundle-shape.ts'
import { isSealedRecord, sealedName } from './sealed-record.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'

export interface MergePlan {
  readonly upload: string
  readonly mode: 'merge' | 'replace'
  /** Replaced are records of these kinds: those that the bundle has a list of. */
  readonly kinds: readonly string[]
  readonly dryRun: boolean
  /** What the owner alone decides stands as the bundle has it; else it comes in as it was before anybody decided. */
  readonly keepsDecisions: boolean
  /** Who wrote the bundle, as the conflict log names the side that lost. */
  readonly from: string
}

export interface MergeConflict {
  readonly id: string
  readonly kind: string
  readonly policy: ConflictPolicy
  /** Whose record is in the book now. */
  readonly kept: 'book' | 'bundle'
  /** The book had forgotten it. */
  readonly forgotten?: true
}

export interface MergeReport {
  /** New in the book. */
  imported: number
  /** Changed to what the bundle says. */
  updated: number
  /** In the book already, with the same content. */
  unchanged: number
  /** Forgotten, because a replacing bundle does not have them. */
  forgotten: number
  conflict_count: number
  /** Came in undecided: what the owner alone decides was decided in another book. Absent: none. */
  lowered?: number
  /** Records of the bundle that can't be read here: sealed, or withheld; absent: none. */
  unreadable?: number
  /** Of those, such as may say what the owner alone decides, and so were left out. Absent: none. */
  withheld?: number
  /** The first thousand. */
  readonly conflicts: MergeConflict[]
}

const conflictLimit = 1000
const forgetBatch = 500

export interface MergeWorld {
  readonly records: RecordWriter
  readonly staging: Staging
  readonly kinds: Kinds
  onRecord(): void
}

/** Applies an upload, or with `dryRun` only says what would come of it. Inside a transaction. */
export function mergeUpload(plan: MergePlan, world: MergeWorld): MergeReport {
  const report: MergeReport = {
    imported: 0,
    updated: 0,
    unchanged: 0,
    forgotten: 0,
    conflict_count: 0,
    conflicts: [],
  }
  for (let after = 0; ;) {
    const page = world.staging.read(plan.upload, after)
    for (const { n, record } of page) {
      mergeOne(plan, world, record, report)
      world.onRecord()
      after = n
    }
    if (page.length === 0) break
  }
  if (plan.mode === 'replace') forgetOthers(plan, world, report)
  return report
}

function mergeOne(plan: MergePlan, world: MergeWorld, staged: StagedRecord, report: MergeReport): void {
  const { records } = world
  const { id, kind } = staged
  const known = world.kinds.get(kind)
  const policy = known?.policy ?? 'last_write_wins'
  const conflict = (kept: MergeConflict['kept'], more: { forgotten?: true } = {}) => {
    report.conflict_count += 1
    if (report.conflicts.length < conflictLimit) report.conflicts.push({ id, kind, policy, kept, ...more })
  }
  // It was purged when it came, or since.
  if (staged.text === '' || records.wasPurged(id)) return conflict('book', { forgotten: true })
  const brought = openRecord(JSON.parse(staged.text) as Stored<JsonObject>, kind, world)
  if (isSealedRecord(brought)) {
    if (isWithheld(plan, world, kind, brought)) return withhold(report)
    report.unreadable = (report.unreadable ?? 0) + 1
    return mergeSealed(plan, world, { kind, incoming: brought }, report)
  }
  const present = records.get(id)
  // As it would stand in the book: else the same bundle would bring a change each time.
  const settledHere = {
    ...brought,
    ...settledIfUnderstood(known, partsOf(brought).body),
    ...(present ? guardOf(present, brought) : {}),
  } as typeof brought
  const isKnown = present?.kind === kind && saysSame(present, settledHere)
  const isLowered = !plan.keepsDecisions && !isKnown && known?.undecided !== undefined
  // Nobody can say what is decided in it.
  if (isLowered && !isUnderstood(known, settledHere)) return withhold(report)
  const lowered = isLowered ? undecided(settledHere, known) : undefined
  if (lowered) report.lowered = (report.lowered ?? 0) + 1
  const incoming = lowered ?? settledHere
  const put = () => {
    if (plan.dryRun) return
    const { head, body } = partsOf(incoming)
    records.put({
      kind,
      id,
      body,
      checked: true,
      ...(lowered ? { upkeep: true } : {}),
      scope: head,
      times: {
        created_at: incoming.created_at,
        updated_at: incoming.updated_at,
      },
    })
  }
  const lose = (by: string, loser: Stored<JsonObject>, keeper: string, kept: Stored<JsonObject>) => {
    if (plan.dryRun) return
    records.lose({
      record: id,
      kind,
      policy,
      state: isForPeople(policy) ? 'open' : 'settled',
      lost: {
        by,
        op: 'put',
        body: partsOf(loser).body,
      },
      kept: {
        by: keeper,
        op: 'put',
        body: partsOf(kept).body,
      },
    })
  }
  if (!present) {
    // In a merge the bundle is one voice among two, and forgetting is final; replacing takes its word, but for what was purged.
    const path = known?.marks
    const marked = path === undefined ? undefined : readPath(incoming, path)
    const isGone = plan.mode === 'merge' ? records.wasForgotten : records.wasPurged
    if ([id, marked].some((one) => typeof one === 'string' && isGone(one)))
      return conflict('book', { forgotten: true })
    report.imported += 1
    return put()
  }
  const isFinal = known?.isFinal
  const isFinalHere = isFinal?.(partsOf(present).body) === true
  const isFinalThere = isFinal?.(partsOf(incoming).body) === true
  // What nothing undoes, such as a revocation, an old bundle does not undo either.
  if (plan.mode === 'replace' && isFinalHere && !isFinalThere) return conflict('book')
  if (plan.mode === 'replace') {
    if (present.kind === kind && recordText(present) === recordText(incoming)) report.unchanged += 1
    else {
      report.updated += 1
      put()
    }
    return
  }
  if (saysSame(present, incoming)) {
    report.unchanged += 1
    return
  }
  const decided = decide(policy, present, incoming)
  const winner = isFinalHere === isFinalThere ? decided : isFinalHere ? 'book' : 'bundle'
  conflict(winner)
  if (winner === 'book') return lose(plan.from, incoming, present.agent, present)
  report.updated += 1
  lose(present.agent, present, plan.from, incoming)
  put()
}

function withhold(report: MergeReport): void {
  report.unreadable = (report.unreadable ?? 0) + 1
  report.withheld = (report.withheld ?? 0) + 1
}

/** A bundle may be older than the decision to guard a record more, so that the writer keeps the higher of the two. */
function guardOf(present: Stored<JsonObject>, brought: Stored<JsonObject>) {
  const sensitivity = mostGuarded(brought.sensitivity, present.sensitivity)
  return sensitivity === undefined ? {} : { sensitivity }
}

/** `record` as it stood before anybody decided; undefined where nothing is decided in it. */
function undecided(record: Stored<JsonObject>, kind: Kind | undefined): Stored<JsonObject> | undefined {
  const { head: _head, body } = partsOf(record)
  if (!kind?.undecided || kind.ownerOnly?.(body) !== true) return undefined
  const before = settled(kind, kind.undecided(body))
  if (sameJson(before, body)) return undefined
  const { id, created_at, updated_at, ver, agent, session, resource, sensitivity } = record
  const scope = { agent, session, resource, sensitivity }
  const said = Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined))
  return { ...before, ...said, id, kind: record.kind, created_at, updated_at, ver } as Stored<JsonObject>
}

/** A record that came sealed as what it says, where its key is here; else as it is. */
function openRecord(
  record: Stored<JsonObject>,
  kind: string,
  { records, kinds }: MergeWorld,
): Stored<JsonObject> {
  const { [sealedName]: sealed, ...head } = record as Stored<JsonObject> & { sealed?: SealedBody }
  const body =
    sealed && isSealedRecord(record) ? records.sealed.open({ kind, id: record.id }, sealed) : undefined
  const known = kinds.get(kind)
  if (!body || !known) return record
  // A key of this book has sealed it: one that does not fit is a newer Daybook's.
  const checked = isUnderstood(known, body) ? (parseWith(known.schema, body) as JsonObject) : body
  return { ...checked, ...head } as Stored<JsonObject>
}

/** True for what may say, once its key is here, that something was decided: nobody could lower it then. */
function isWithheld(
  { keepsDecisions }: MergePlan,
  { records, kinds }: MergeWorld,
  kind: string,
  record: Stored<JsonObject>,
): boolean {
  if (keepsDecisions || !kinds.get(kind)?.undecided) return false
  const present = records.sealed.find(record.id)
  const enc = partsOf(record).body[sealedName] as unknown as SealedBody
  return present === undefined || sealedText(present.sealed) !== sealedText(enc)
}

/** A record that nobody can read here: the later one stays, and the other is kept as it is sealed. */
function mergeSealed(
  plan: MergePlan,
  { records, kinds }: MergeWorld,
  { kind, incoming }: { readonly kind: string; readonly incoming: Stored<JsonObject> },
  report: MergeReport,
): void {
  const { id, created_at, updated_at } = incoming
  const { head, body } = partsOf(incoming)
  const enc = body[sealedName] as unknown as SealedBody
  const put = () => {
    const times = { created_at, updated_at }
    if (!plan.dryRun) records.sealed.put({ kind, id, enc, scope: head, times })
  }
  const isReplacing = plan.mode === 'replace'
  const present = records.sealed.find(id)
  const known = present ?? records.get(id)
  if (!known) {
    if (!(isReplacing ? records.wasPurged(id) : records.wasForgotten(id))) {
      report.imported += 1
      return put()
    }
  } else if (present && sealedText(present.sealed) === sealedText(enc)) {
    report.unchanged += 1
    return
  } else if (isReplacing) {
    report.updated += 1
    return put()
  }
  const isLater = present !== undefined && updated_at > present.updated_at
  const policy = kinds.get(kind)?.policy ?? 'last_write_wins'
  const forgotten = known ? {} : ({ forgotten: true } as const)
  report.conflict_count += 1
  if (report.conflicts.length < conflictLimit)
    report.conflicts.push({ id, kind, policy, kept: isLater ? 'bundle' : 'book', ...forgotten })
  if (present && !plan.dryRun) {
    const sides = [
      { by: plan.from, op: 'put' as const, enc },
      { by: present.agent, op: 'put' as const, enc: present.sealed },
    ] as const
    const lost = sides[isLater ? 1 : 0]
    const kept = sides[isLater ? 0 : 1]
    records.sealed.lose({ record: id, kind, policy, lost, kept })
  }
  if (!isLater) return
  report.updated += 1
  put()
}

/** Two versions without their common origin can't be merged by rule: somebody has to look. */
function isForPeople(policy: ConflictPolicy): boolean {
  return policy === 'manual' || policy === 'merge'
}

/** The policy of the kind, with the bundle as the remote side. What needs a person stays as it is, and is listed. */
function decide(
  policy: ConflictPolicy,
  present: Stored<JsonObject>,
  incoming: Stored<JsonObject>,
): MergeConflict['kept'] {
  if (policy === 'remote_wins') return 'bundle'
  return policy === 'last_write_wins' && incoming.updated_at > present.updated_at ? 'bundle' : 'book'
}

function forgetOthers(
  { upload, kinds, dryRun }: MergePlan,
  { records }: MergeWorld,
  report: MergeReport,
): void {
  for (let after = ''; ;) {
    const ids = records.unstaged(upload, kinds, after, forgetBatch)
    for (const id of ids) if (dryRun || records.forget(id)) report.forgotten += 1
    after = ids.at(-1) ?? after
    if (ids.length < forgetBatch) return
  }
}

function partsOf(record: Stored<JsonObject>) {
  const { id: _id, kind: _kind, ver: _ver, created_at: _made, updated_at: _changed, ...rest } = record
  const { agent, session, resource, sensitivity, marks: _marks, ...body } = rest
  return {
    head: {
      agent,
      ...(session === undefined ? {} : { session }),
      ...(resource === undefined ? {} : { resource }),
      ...(sensitivity === undefined ? {} : { sensitivity }),
    },
    body: body as JsonObject,
  }
}

function saysSame(one: Stored<JsonObject>, other: Stored<JsonObject>): boolean {
  return spelled(one) === spelled(other)
}

function spelled(record: Stored<JsonObject>): string {
  const { head, body } = partsOf(record)
  return canonicalText([head.session ?? null, head.resource ?? null, head.sensitivity ?? null, body] as Json)
}
