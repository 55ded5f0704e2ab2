// Puts one record: completes its head and body, checks the rights of the writer, logs and applies the op.
// Invariant: records that every copy must read are never sealed. A record from a bundle, backup or archive never
// makes a record of this book less guarded. A guest's put with the id of a hidden record reveals nothing to the
// guest.
import { permitsForget } from '../../core/access/permission.ts'
import type { Guest } from '../../core/capability/caller.ts'
import { settledIfUnderstood } from '../../core/capability/understood.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError, invalidInput } from '../../core/errors.ts'
import type { Ids } from '../../core/ids.ts'
import type { JsonObject } from '../../core/json/path.ts'
import {
  citedIds,
  holdsId,
  isOpenKind,
  type Kind,
  sameButCounts,
  settled,
  unknownKind,
} from '../../core/kind.ts'
import type { PutRequest, RecordHead, Scope } from '../../core/record.ts'
import { fieldsOf, parseWith } from '../../core/schema.ts'
import { isLowered, isSealing, mostGuarded, type Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { lowestTrust, type Trust } from '../../core/trusted.ts'
import { sensitivityWithGuards } from '../../store/record/guards.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import {
  checkGuestPut,
  checkNamedForget,
  checkNamedPut,
  checkUndecided,
  mayGiveId,
  outside,
  unseen,
} from './guest-write.ts'
import { checkNotProposer } from './proposer.ts'
import type { Guarded, SecretGuard } from './secret-guard.ts'
import type { SeenRecords } from './seen-records.ts'

type PutStore = Pick<BookStore, 'records' | 'bodies' | 'kinds' | 'stamps' | 'ops' | 'sources'>

export interface PutParts {
  readonly store: PutStore
  readonly ids: Ids
  readonly seen: Pick<SeenRecords, 'idFor' | 'live' | 'standing' | 'writtenOver'>
  readonly secrets: Pick<SecretGuard, 'guard' | 'checkNames'>
  readonly now: string
  /** The scope of a new record, for each part of the scope that the request leaves out. */
  readonly defaults: Scope
  /** True: the owner's side writes in the name of an agent, and decides nothing for the owner. */
  readonly namesAgent: boolean
}

export interface PutOutcome {
  readonly id: string
  /** False if the stored record is final and stays as it is; then the fields below are absent. */
  readonly isChanged: boolean
  /** True if there was no live record. */
  readonly isNew?: boolean
  /** As stored. */
  readonly sensitivity?: Sensitivity | undefined
  /** Secrets found in the body; absent: none. */
  readonly secrets?: Guarded['found']
}

/** One put in progress. `live` is the stored record that it replaces; undefined for a new record. */
interface Putting {
  readonly kind: Kind
  /**
   * `times`: from a bundle, with its whole head. `restores`: a logged edit. `checked`: the body fits the schema.
   * `exact`: stored fields that the body lacks are removed. `upkeep`: maintenance, in no person's name.
   */
  readonly request: PutRequest
  readonly guest: Guest | undefined
  readonly live: RecordRow | undefined
  /** `live`, or the tombstone of the record. */
  readonly before: RecordRow | undefined
}

/**
 * Puts one record. `guest` undefined: the caller is the owner. A request with `times` comes from a bundle, backup or
 * archive, with its whole head. Call it only inside a transaction.
 */
export function putRecord(parts: PutParts, request: PutRequest, guest: Guest | undefined): PutOutcome {
  const { store, ids, seen, secrets } = parts
  const kind = kindOfPut(store, request, guest)
  const parsed = request.checked ? request.body : (parseWith(kind.schema, request.body) as JsonObject)
  const requestedId = request.name ? seen.idFor(request.name) : request.id
  const before = requestedId === undefined ? undefined : store.records.row(requestedId)
  if (guest && requestedId !== undefined && !seen.live(requestedId))
    checkUnseen(store, guest, request, { id: requestedId, before })
  checkPlace(store, request, before)
  const live = before && !before.deleted ? before : undefined
  const putting = { kind, request, guest, live, before }
  const complete = completeBody(parts, putting, parsed)
  if (live && isUndone(store, kind, live, complete)) {
    // A record from a bundle, backup or archive does not undo the final state: the stored record stays.
    if (request.times) return { id: live.id, isChanged: false }
    throw new DaybookError('conflict', `\`${live.id}\` is in a state that nothing undoes.`, {
      details: { path: 'id' },
    })
  }
  const id = requestedId ?? ids.next()
  const ownHead = headOf(parts, putting)
  // The tombstone of a record that was never sealed has no sensitivity.
  const guarding = request.times || live || before?.sensitivity ? before : undefined
  const safeHead = request.times || request.restores ? headFromElsewhere(ownHead, guarding, kind) : ownHead
  const head = guardedHead(store, kind, { body: complete, id }, safeHead)
  const guarded = secrets.guard({ kind, body: complete, sensitivity: head.sensitivity })
  const { body, sensitivity, found } = guarded
  if (!request.times) checkNames(secrets, { id: before ? undefined : requestedId, head, live })
  const op = {
    op: 'put' as const,
    kind: request.kind,
    id,
    stamp: store.stamps.next(),
    ...head,
    ...defined({ sensitivity, trust: trustOf(parts, putting, complete, id) }),
    body,
  }
  checkRights(parts, putting, op)
  const { seq } = store.records.put(op, {
    // A generated id is certainly free, so the store looks for no row.
    isNew: requestedId === undefined,
    keepsVersion: request.keepsBefore,
  })
  if (kind.urgent) store.ops.markUrgent(seq)
  return { id, isChanged: true, isNew: !live, sensitivity, ...(found ? { secrets: found } : {}) }
}

export function kindNamed({ kinds }: Pick<PutStore, 'kinds'>, name: string): Kind {
  const kind = kinds.get(name)
  if (!kind) throw new DaybookError('internal', `There is no kind \`${name}\`.`)
  return kind
}

/**
 * The kind of the put. Only the owner puts a record of an unknown kind, and only from a bundle, backup or archive.
 */
function kindOfPut(store: PutStore, { kind, times }: PutRequest, guest: Guest | undefined): Kind {
  if (!times || store.kinds.has(kind)) return kindNamed(store, kind)
  if (guest) throw outside()
  return unknownKind(kind)
}

/** True if `row` is in a final state, and `body` is not. */
function isUndone({ bodies }: PutStore, kind: Kind, row: RecordRow, body: JsonObject): boolean {
  if (!kind.isFinal) return false
  const stored = bodies.readOrThrow(row, row.body)
  return kind.isFinal(stored, body) && !kind.isFinal(body, stored)
}

/** `parsed`, with the fields and links of the stored body that the caller does not know, and with derived fields. */
function completeBody(
  { store, seen }: PutParts,
  { kind, request, guest, live }: Putting,
  parsed: JsonObject,
): JsonObject {
  const stored = live?.kind === kind.name ? store.bodies.read(live, live.body) : undefined
  // A guest that writes a record back removes none of the links that it was not shown.
  const linked = guest && stored ? seen.writtenOver(kind.name, parsed, stored) : parsed
  const completed = stored && !request.times && !request.exact ? withUnknown(kind, stored, linked) : linked
  return request.times ? settledIfUnderstood(kind, completed) : settled(kind, completed)
}

/** `body`, with the fields of `stored` that only a later version of Daybook knows: no put loses them. */
function withUnknown(kind: Kind, stored: JsonObject, body: JsonObject): JsonObject {
  const fields = fieldsOf(kind.schema)
  const unknown =
    fields && Object.entries(stored).filter(([name]) => !fields.has(name) && !Object.hasOwn(body, name))
  return unknown && unknown.length > 0 ? { ...body, ...Object.fromEntries(unknown) } : body
}

/** Times, scope and sensitivity: each from the request, else from the stored record, else the default. */
function headOf({ now, defaults }: PutParts, { kind, request, live, before }: Putting) {
  const { kind: name, scope: own = {}, times, restores } = request
  const stored = times ? undefined : live
  const usual: Partial<Scope> = stored || times || restores ? {} : defaults
  // Without its tombstone the record is new for the mirror: it must be newer than the forget.
  const restoredAt = before ? restores?.created_at : undefined
  const session = own.session ?? stored?.session ?? usual.session
  const resource = own.resource ?? stored?.resource ?? usual.resource
  const sensitivity =
    own.sensitivity ?? ((stored?.sensitivity as Sensitivity | null | undefined) || kind.sensitivity)
  if (isSealing(sensitivity) && isOpenKind(kind)) {
    throw invalidInput('sensitivity', `Every copy must be able to read a ${name}`)
  }
  return {
    at: times?.updated_at ?? now,
    created_at: times?.created_at ?? stored?.created_at ?? restoredAt ?? now,
    agent: own.agent ?? stored?.agent ?? defaults.agent,
    ...(session == null ? {} : { session }),
    ...(resource == null ? {} : { resource }),
    ...defined({ sensitivity }),
  }
}

/** Head of a record from a file or the conflict log: at least as guarded as the record that it replaces. */
export function headFromElsewhere<Head extends { readonly sensitivity?: Sensitivity | undefined }>(
  head: Head,
  stored: { readonly sensitivity: string | null } | undefined,
  kind: Pick<Kind, 'sensitivity'> | undefined,
): Head {
  if (!stored) return head
  const here = (stored.sensitivity as Sensitivity | null) ?? kind?.sensitivity
  const sensitivity = mostGuarded(head.sensitivity, here)
  return sensitivity === head.sensitivity ? head : { ...head, sensitivity }
}

/**
 * The trust of the record after the put: the lowest of the stored record, the caller, the request, the speaker and the
 * sources. The owner raises it by `vouches`, and decides about the text by a state that only the owner sets.
 */
function trustOf(
  { store, defaults }: PutParts,
  { kind, request, live }: Putting,
  body: JsonObject,
  id: string,
): Trust | undefined {
  const { vouches, scope, times } = request
  const writer = defaults.trust
  if (vouches) return lowestTrust(vouches, writer)
  const stored = live?.trust as Trust | null | undefined
  if (live && writer !== undefined && isUse(store, kind, live, body)) return lowestTrust(stored, scope?.trust)
  const highest = lowestTrust(scope?.trust, writer, kind.trustOf?.(body))
  if (highest === undefined && !times && kind.ownerOnly?.(body)) return undefined
  return lowestTrust(stored, highest, store.sources.sourceTrust(kind, body, id))
}

/** True if `body` differs from the stored one only in counts of uses. */
function isUse({ bodies }: PutStore, kind: Kind, live: RecordRow, body: JsonObject): boolean {
  const stored = bodies.read(live, live.body)
  return stored !== undefined && sameButCounts(kind, stored, body)
}

/** `head`, at least as sensitive as each source of the record and each record that guards it. */
function guardedHead<Head extends { readonly sensitivity?: Sensitivity }>(
  { sources }: Pick<PutStore, 'sources'>,
  kind: Kind,
  { body, id }: { readonly body: JsonObject; readonly id: string },
  head: Head,
): Head {
  const level = sources.minSensitivity(kind, body, id)
  const { sensitivity: own, ...rest } = head
  const made = level !== undefined && isLowered(own, level) ? level : own
  const sensitivity = sensitivityWithGuards(made, sources.guards.requiredSensitivity(kind, body))
  if (sensitivity === own) return head
  return (sensitivity === undefined ? rest : { ...rest, sensitivity }) as Head
}

interface NewNames {
  /** The chosen id of a new record; undefined if the id is generated or the record is stored already. */
  readonly id: string | undefined
  readonly head: Partial<Pick<RecordHead, 'session' | 'resource' | 'agent'>>
  readonly live: RecordRow | undefined
}

/** Throws `invalid-input` for a secret of known form in a name that the put adds or changes. */
function checkNames(secrets: PutParts['secrets'], { id, head, live }: NewNames): void {
  const { session, resource, agent } = head
  secrets.checkNames({
    id,
    ...(session === live?.session ? {} : { session }),
    ...(resource === live?.resource ? {} : { resource }),
    ...(agent === live?.agent ? {} : { agent }),
  })
}

/** Throws `forbidden` if the guest may not choose `id`, because the answer could reveal a hidden record. */
function checkUnseen(
  { kinds }: PutStore,
  guest: Guest,
  { kind, name }: PutRequest,
  { id, before }: { readonly id: string; readonly before: RecordRow | undefined },
): void {
  const isTaken = before !== undefined && holdsId(before, kinds)
  const mayGive = name !== undefined || mayGiveId(guest, id, kind, kinds)
  if (isTaken || !mayGive) throw unseen()
}

/** Throws `conflict` if a record of another kind has the id. */
function checkPlace({ kinds }: PutStore, { kind }: PutRequest, before: RecordRow | undefined): void {
  if (before === undefined || before.kind === kind || !holdsId(before, kinds)) return
  throw new DaybookError('conflict', `\`${before.id}\` is a ${before.kind}, not a ${kind}.`, {
    details: { path: 'id' },
  })
}

type NewRecord = Parameters<typeof checkGuestPut>[2]

function checkRights(parts: PutParts, { kind, request, guest, live }: Putting, record: NewRecord): void {
  const { store, seen, defaults, namesAgent } = parts
  if (!guest && request.upkeep) return
  const standing = live && seen.standing(live)
  if (guest) {
    // A record from a file brings its own head. It counts as new, so it must be in the guest's name.
    checkGuestPut(guest, store.kinds, record, request.times ? undefined : standing)
    if (live) checkSealing(guest, kind, record, live)
    checkUndecided(kind, record.body, standing)
    return
  }
  checkNotProposer(kind, record.body, standing, defaults.agent)
  if (namesAgent) checkNamed(parts, kind, record, live)
}

/**
 * Throws `forbidden` if the guest seals a clear record of another without the right to forget: a copy without keys erases
 * the versions in clear (K7 of src/sync/SPEC.md).
 */
function checkSealing(guest: Guest, kind: Kind, { sensitivity }: NewRecord, live: RecordRow): void {
  const isSealed = isSealing((live.sensitivity as Sensitivity | null) ?? kind.sensitivity)
  if (isSealed || !isSealing(sensitivity) || live.agent === guest.agent) return
  if (permitsForget(guest.permissions)) return
  throw new DaybookError('forbidden', 'Sealing the record of another takes the right to forget.', {
    details: { path: 'sensitivity' },
  })
}

/** Checks a put by an agent on its owner's book, and each record that the put supersedes. */
function checkNamed(
  { store: { records }, seen, defaults: { agent } }: PutParts,
  kind: Kind,
  record: NewRecord,
  live: RecordRow | undefined,
): void {
  checkNamedPut(kind, agent, record, live && seen.standing(live))
  const replaced = kind.cites?.flatMap(({ path, supersedes }) =>
    supersedes ? citedIds(record.body, path) : [],
  )
  for (const row of replaced?.flatMap((id) => records.row(id) ?? []) ?? [])
    if (!row.deleted) checkNamedForget(kind, agent, seen.standing(row))
}
