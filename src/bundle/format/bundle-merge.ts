// Puts an upload that was found whole into the book: one decision for each record, all in one transaction.
// Invariant: an edit that loses is kept in the conflict log; what the user forgot stays forgotten in a merge.
import type { RecordWriter } from '../../core/capability/record-port.ts'
import type { StagedRecord, Staging } from '../../core/capability/transfer.ts'
import { type ConflictPolicy, type Kinds, settled } from '../../core/kind.ts'
import { type Json, type JsonObject, readPath } from '../../core/json/path.ts'
import type { Stored } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import { type SealedBody, sealedText } from '../../core/sealed.ts'
import { within } from './bundle-fault.ts'
import { recordText } from './bundle-shape.ts'
import { isSealedRecord, sealedName } from './sealed-record.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'

export interface MergePlan {
  readonly upload: string
  readonly mode: 'merge' | 'replace'
  /** Replaced are records of these kinds: those that the bundle has a list of. */
  readonly kinds: readonly string[]
  readonly dryRun: boolean
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
  /** Sealed records of the bundle that can't be read here; absent: none. */
  unreadable?: number
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
  const brought = openRecord(JSON.parse(staged.text) as Stored<JsonObject>, kind, world)
  if (isSealedRecord(brought)) {
    report.unreadable = (report.unreadable ?? 0) + 1
    return mergeSealed(plan, world, { kind, incoming: brought }, report)
  }
  // As it would stand in the book: else the same bundle would bring a change each time.
  const incoming = { ...brought, ...settled(world.kinds.get(kind), partsOf(brought).body) } as typeof brought
  const present = records.get(id)
  const put = () => {
    if (plan.dryRun) return
    const { head, body } = partsOf(incoming)
    records.put({
      kind,
      id,
      body,
      checked: true,
      scope: head,
      times: {
        created_at: incoming.created_at,
        updated_at: incoming.updated_at,
      },
    })
  }
  const policy = world.kinds.get(kind)?.policy ?? 'last_write_wins'
  const conflict = (kept: MergeConflict['kept'], more: { forgotten?: true } = {}) => {
    report.conflict_count += 1
    if (report.conflicts.length < conflictLimit) report.conflicts.push({ id, kind, policy, kept, ...more })
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
    // In a merge the bundle is one voice among two, and forgetting is final; replacing takes its word for everything.
    const path = world.kinds.get(kind)?.marks
    const marked = path === undefined ? undefined : readPath(incoming, path)
    const isGone = [id, marked].some((one) => typeof one === 'string' && records.wasForgotten(one))
    if (plan.mode === 'merge' && isGone) return conflict('book', { forgotten: true })
    report.imported += 1
    return put()
  }
  const isFinal = world.kinds.get(kind)?.isFinal
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

/** A record that came sealed as what it says, where its key is here; else as it is. */
function openRecord(
  record: Stored<JsonObject>,
  kind: string,
  { records, kinds }: MergeWorld,
): Stored<JsonObject> {
  const { [sealedName]: sealed, ...head } = record as Stored<JsonObject> & { sealed?: SealedBody }
  const body =
    sealed && isSealedRecord(record) ? records.sealed.open({ kind, id: record.id }, sealed) : undefined
  const schema = kinds.get(kind)?.schema
  if (!body || !schema) return record
  const checked = within(record.id, () => parseWith(schema, body, 'invalid-file')) as JsonObject
  return { ...checked, ...head } as Stored<JsonObject>
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
    if (isReplacing || !records.wasForgotten(id)) {
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
