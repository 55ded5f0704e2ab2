// Checks an op of a guest, then admits it like any other op.
// Invariant: the answer depends on the op and on records that the guest may know: records of kinds that it may fetch,
// and its own records of the op's kind. Another record with the id neither stops the op nor changes.
import { DaybookError } from '../../core/errors.ts'
import {
  type ConflictPolicy,
  foreignWord,
  isForeignId,
  isOwnersToDecide,
  type Kind,
  sameButCounts,
} from '../../core/kind.ts'
import { namedLength, spellNames } from '../../core/text/name-id.ts'
import { holderId } from '../../core/record.ts'
import { isLowered, isSealing, type Sensitivity } from '../../core/sealed.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { type JsonObject, readPath, sameJson } from '../../core/json/path.ts'
import { parseWith } from '../../core/schema.ts'
import { lowestTrust, type Trust } from '../../core/trusted.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { admitOp, type OpAnswer, errorOfCheck, type Sender } from './admit.ts'
import { withStoredHiddenLinks, type SyncReach } from './sync-reach.ts'
import { defaultPolicy } from '../conflict/conflict-policy.ts'
import type { WireOp } from '../wire/protocol.ts'
import { toConflictSide, toWireChange } from '../wire/wire-op.ts'

type Put = Extract<WireOp, { op: 'put' }>

/** Returns the record id of the op for this guest: the op's id, or a derived id if an unknown record has that id. */
export function recordIdForGuest({ records }: BookStore, { id, kind }: WireOp, reach: SyncReach): string {
  const row = records.row(id)
  const isOwn = row?.kind === kind && row.agent === reach.agent
  const isKnown = !row || isOwn || records.isFetchable(row, reach.fetchableKinds)
  return isKnown ? id : holderId(id, [reach.agent, kind])
}

/** Applies an op of a guest, or returns why not. Call it in the transaction of its request. */
export function admitGuestOp(
  store: BookStore,
  sent: WireOp,
  from: Sender & { readonly reach: SyncReach },
  nowMs: number,
): OpAnswer {
  const { reach } = from
  const kind = store.kinds.get(sent.kind)
  const wrong = opError(store, sent, reach)
  if (wrong) return { s: 'rejected', error: wrong.toJSON() }
  const id = recordIdForGuest(store, sent, reach)
  const row = store.records.row(id)
  // A record keeps its owner. A new record belongs to the guest, whatever agent the op names.
  const agent = row?.deleted === 0 && sent.op === 'put' ? row.agent : reach.agent
  const op: WireOp = {
    ...withoutPurge(withStoredHiddenLinks(store, sent, row, reach), reach),
    id,
    agent,
    ...trustOfGuest(store, sent, row),
    ...(lowersSensitivity(sent, row, kind) || changedOwnerField(store, sent, row, kind)
      ? { policy: cautiousPolicy(kind) }
      : {}),
  }
  const fault = op.op === 'forget' ? forgetError(store, row, reach) : putError(store, op, row, reach)
  if (fault) return { s: 'rejected', error: fault.toJSON() }
  const overQuota = op.op === 'put' ? quotaError(store, op, row, reach) : undefined
  if (overQuota) return { s: 'rejected', error: overQuota.toJSON() }
  const isOtherEdit = row?.deleted === 0 && (row.agent !== reach.agent || row.device !== from.device)
  // The conflict log may exceed its limit by one entry, because only applying the edit shows whether it loses.
  const conflictLogFull =
    row && (isOtherEdit || op.base !== row.ver) ? store.guests.quotaErrorForConflict() : undefined
  if (conflictLogFull) return { s: 'rejected', error: conflictLogFull.toJSON() }
  const before = isOtherEdit ? toWireChange(row, store.device) : undefined
  const answer = admitOp(store, op, from, nowMs)
  // The guest named another agent in a new record, whose id is the one that it sent.
  const hasOtherAgent = row?.deleted !== 0 && agent !== sent.agent && id === sent.id
  // If a policy decided, both sides are already logged.
  if (before && answer.s === 'ok' && answer.policy === undefined) {
    store.conflicts.add({
      record: id,
      kind: sent.kind,
      policy: kind?.policy ?? defaultPolicy,
      at: formatTime(nowMs),
      state: 'settled',
      loser: toConflictSide(before, before.by),
      winner: toConflictSide(op, from.device),
    })
  }
  // A guest that may fetch the record gets it with its new agent. Any other guest only gets the acknowledgement.
  const storedRow = hasOtherAgent && answer.s === 'ok' ? store.records.row(id) : undefined
  const isShown = storedRow !== undefined && store.records.isFetchable(storedRow, reach.fetchableKinds)
  return isShown ? { s: 'conflict', policy: 'remote_wins' } : answer
}

/** The trust after a guest's op, whatever the op says: it never rises, and only counts of uses keep it. */
function trustOfGuest({ bodies, kinds }: BookStore, op: WireOp, row: RecordRow | undefined) {
  if (op.op === 'forget') return {}
  const live = row?.deleted === 0 ? row : undefined
  const stored = live?.trust as Trust | null | undefined
  const before = live && op.body ? bodies.read(live, live.body) : undefined
  const isUse =
    before !== undefined && op.body !== undefined && sameButCounts(kinds.get(op.kind) ?? {}, before, op.body)
  return { trust: lowestTrust(stored, op.trust, isUse ? undefined : 'agent') }
}

/** Makes a forget of a guest's purge, because only the owner purges. */
function withoutPurge(sent: WireOp, { mayForget }: SyncReach): WireOp {
  if (sent.op === 'forget') return { ...sent, purge: undefined }
  return { ...sent, anew: sent.anew !== undefined && mayForget ? 'forget' : undefined }
}

function forbidden(path: string, message: string, more: object = {}): DaybookError {
  return new DaybookError('forbidden', message, { details: { path, ...more } })
}

/** Returns faults of an op that don't depend on the records. */
function opError({ kinds }: BookStore, op: WireOp, reach: SyncReach): DaybookError | undefined {
  const { kind: name, id } = op
  if (!reach.mayPush(name)) return forbidden('kind', `The key may not send \`${name}\`.`, { kind: name })
  if (op.op === 'forget')
    return reach.mayForget ? undefined : forbidden('op', 'The key may not forget: it needs `forget`.')
  if (isForeignId(id, name, kinds))
    return forbidden('id', `\`${id}\` is an id of another kind than \`${name}\`.`)
  return op.body && bodyError(kinds.get(name), op, op.body)
}

/** Only the owner's devices may send bodies that this mirror can't check. A guest could fill the book with them. */
function bodyError(kind: Kind | undefined, { kind: name, v }: Put, body: JsonObject) {
  if (kind && (v === undefined || (v > 0 && v <= kind.version)))
    return errorOfCheck(body, (one) => parseWith(kind.schema, one))
  return new DaybookError('server-too-old', `\`v\`: This mirror can't check such a \`${name}\` yet.`, {
    details: { path: 'v', kind: name, known: kind ? [kind.version] : [] },
  })
}

/** Checks the guest's quota. A guest pays for the records it sends, even if a record keeps another owner. */
function quotaError(
  { guests }: BookStore,
  { kind, body, enc }: Put,
  row: RecordRow | undefined,
  { payer }: SyncReach,
) {
  return guests.quotaErrorForPut(payer, kind, utf8Length(JSON.stringify(body ?? enc ?? {})), row)
}

function forgetError(
  store: BookStore,
  row: RecordRow | undefined,
  reach: SyncReach,
): DaybookError | undefined {
  // Create no tombstone for a record that never existed: it would block the id.
  const absent = () => new DaybookError('not-found', undefined, { details: { path: 'id' } })
  if (!row) return absent()
  const kind = store.kinds.get(row.kind)
  if (row.deleted || kind?.marks === undefined) return undefined
  const body = store.bodies.read(row, row.body)
  const id = body && readPath(body, kind.marks)
  // Marks are removed with their record, whatever their content.
  if (typeof id === 'string' && store.records.row(id)?.deleted !== 0) return undefined
  if (typeof id !== 'string' || !mayMark(store, id, reach)) return absent()
  const field = kind.ownerFields?.find((name) => body?.[name] !== undefined)
  return field === undefined ? undefined : ownerFieldError(`body.${field}`, field)
}

const ownerFieldError = (path: string, field: string) =>
  forbidden(path, `Only the owner of the book says what is \`${field}\`.`)

function putError(
  store: BookStore,
  op: Put,
  row: RecordRow | undefined,
  reach: SyncReach,
): DaybookError | undefined {
  const present = row?.deleted === 0 ? toWireChange(row, store.device) : undefined
  const before = present?.op === 'put' && row?.kind === op.kind ? present : undefined
  const kind = store.kinds.get(op.kind)
  if (isOwnersToDecide(kind, op.body, before)) {
    return forbidden('body', `Only the owner of the book decides about a ${op.kind}.`, {
      reason: 'owner-only',
    })
  }
  if (before && !before.enc && (op.enc || isSealing(op.sensitivity)) && !reach.mayForget) {
    return forbidden(
      'sensitivity',
      'The key may not seal what others read: that takes away as forgetting does.',
    )
  }
  if (op.base === row?.ver && lowersSensitivity(op, row, kind))
    return forbidden('sensitivity', 'Only the owner of the book makes a record less sensitive.')
  const field = op.base === row?.ver || !before ? changedOwnerField(store, op, row, kind) : undefined
  if (field !== undefined) return ownerFieldError(`body.${field}`, field)
  const marked = kind?.marks === undefined ? undefined : op.body && readPath(op.body, kind.marks)
  if (kind?.marks !== undefined && !(typeof marked === 'string' && mayMark(store, marked, reach)))
    return new DaybookError('not-found', 'There is no such record to mark.', {
      details: { path: `body.${kind.marks}` },
    })
  if (!before && kind?.speaker && isIdOfOtherSpeaker(op.id, kind, reach.agent))
    return forbidden('id', `\`${op.id}\` is a name that another gives.`)
  return kind?.speaker ? speakerError(kind, op, before, reach.agent) : undefined
}

/** True if `op` lowers the sensitivity of the stored record. */
function lowersSensitivity(op: WireOp, row: RecordRow | undefined, kind: Kind | undefined): boolean {
  if (op.op !== 'put' || row?.deleted !== 0) return false
  const stored = (row.sensitivity ?? kind?.sensitivity) as Sensitivity | undefined
  return isLowered(op.sensitivity ?? kind?.sensitivity, stored)
}

/** Returns the first owner-only field that `op` changes; if a body is sealed, the first owner-only field. */
function changedOwnerField(
  store: BookStore,
  op: WireOp,
  row: RecordRow | undefined,
  kind: Kind | undefined,
): string | undefined {
  if (op.op !== 'put') return undefined
  const stored = row?.deleted === 0 ? store.bodies.read(row, row.body) : {}
  return kind?.ownerFields?.find(
    (name) => !op.body || !stored || !sameJson(op.body[name] ?? null, stored[name] ?? null),
  )
}

/** True if the guest may mark the record with this id: it may fetch that kind, or owns the record. */
function mayMark({ records, kinds }: BookStore, id: string, { mayPull, agent }: SyncReach): boolean {
  const record = records.row(id)
  if (!record || record.deleted || kinds.get(record.kind)?.guests !== undefined) return false
  return mayPull(record.kind) || record.agent === agent
}

/** Policy for a change that would lower the protection of a record, so that the change doesn't simply win. */
const cautiousPolicy = (kind: Kind | undefined): ConflictPolicy =>
  kind?.policy === 'merge' ? 'merge' : 'remote_wins'

/** True for an id that is derived from the name of another speaker. */
function isIdOfOtherSpeaker(id: string, { idPrefix }: Kind, agent: string): boolean {
  if (idPrefix === undefined || !id.startsWith(idPrefix)) return false
  // A long id ends in a hash: compare the part before the hash.
  return !id.startsWith(`${idPrefix}${spellNames(agent, '')}`.slice(0, namedLength))
}

/** Checks the speaker. The mirror can't read the speaker of a sealed body, so it refuses one. */
function speakerError(
  kind: Kind,
  op: Put,
  before: Pick<Put, 'body' | 'enc'> | undefined,
  agent: string,
): DaybookError | undefined {
  const path = op.body ? foreignWord(kind, agent, op.body, before && (before.body ?? {})) : 'enc'
  if (path === undefined) return undefined
  return forbidden(
    path === 'enc' ? path : `body.${path}`,
    `The key speaks in no other name than \`${agent}\`.`,
  )
}
