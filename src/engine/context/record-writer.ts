// Changing records inside one transaction: each change is completed, checked, logged and applied as an op.
// Invariant: a guest changes only what it sees, speaks in its own name, and learns nothing from what stood in its way.
import type { Guest } from '../../core/capability/caller.ts'
import type {
  Ledger,
  LedgerWriter,
  RecordReader,
  RecordWriter,
  RuleReader,
} from '../../core/capability/port/record-port.ts'
import type { OwnWriter } from '../../core/capability/port/own-port.ts'
import type { Changed } from '../../core/capability/service.ts'
import { settledIfUnderstood } from '../../core/capability/understood.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Ids } from '../../core/ids.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { type Kind, settled, unknownKind } from '../../core/kind.ts'
import type { PutRequest } from '../../core/put-request.ts'
import type { Scope } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import { countSecrets, type StoredSecrets } from '../../core/secret/stored-secrets.ts'
import { isSealing, type Sensitivity } from '../../core/sealed.ts'
import { forgetEnded, dropWords } from '../../sync/conflict/dependents.ts'
import { logRivals } from '../../sync/conflict/rival.ts'
import type { BookStore } from '../../store/book-store.ts'
import { countUse } from '../../store/record/use-count.ts'
import { isPurged, type RecordRow } from '../../store/schema/record-row.ts'
import { goingWith, purgedWith, sealedParts } from './going-with.ts'
import { checkGuestPut, checkNamedForget, checkUndecided, outside } from './guest-write.ts'
import { forgetAll } from './forget-all.ts'
import { checkMarkPut, markRecord, type MarkWriterParts, sealMarks } from './mark-record.ts'
import { createOwnWriter } from './own-records.ts'
import { checkNotProposer } from './proposer-put.ts'
import { checkNamed, checkPlace, checkUnseen } from './put/check-put.ts'
import { headFromElsewhere, headOf } from './put/put-head.ts'
import { checkNames } from './put/put-names.ts'
import { withUnknown } from './put/unknown-fields.ts'
import { release } from './put/release-citations.ts'
import { guardedHead, namedIn, raisedBy } from './put/source-sensitivity.ts'
import { createSealedWriter } from './sealed-write.ts'
import type { Guarded, SecretGuard } from './secret-guard.ts'
import type { SeenRecords } from './seen-records.ts'
import { readSuccession } from './succession.ts'

export type WriterStore = Pick<
  BookStore,
  | 'db'
  | 'records'
  | 'bodies'
  | 'kinds'
  | 'stamps'
  | 'ops'
  | 'conflicts'
  | 'projection'
  | 'purge'
  | 'openedRecords'
  | 'queries'
  | 'device'
  | 'staging'
  | 'sources'
>

export interface RecordWriterParts {
  readonly store: WriterStore
  readonly ids: Ids
  /** Who writes, when it is not the owner. */
  readonly guest: Guest | undefined
  /** The owner's side writes in the name of an agent that it names: then nothing is decided either. */
  readonly namesAgent: boolean
  readonly seen: SeenRecords
  readonly rules: RuleReader
  readonly ledger: Ledger
  readonly citing: RecordReader['citing']
  readonly now: string
  /** The scope of what is new and says nothing of its own. */
  readonly defaults: Scope
  readonly secrets: SecretGuard
}

/** The writers of one transaction, and what they have changed so far. */
export interface Writing {
  readonly records: RecordWriter
  readonly ledger: LedgerWriter
  readonly own: OwnWriter
  readonly changed: readonly Changed[]
  /** Secrets that were found in what was put. */
  readonly secrets: readonly StoredSecrets[]
}

export function createRecordWriter(parts: RecordWriterParts): Writing {
  const { store, guest, seen, now } = parts
  const changed: Changed[] = []
  const found: StoredSecrets[] = []
  // A guest lists what it likes as the parts of its own record.
  const isReached = (id: string | undefined) => !guest || (id !== undefined && seen.live(id) !== undefined)
  const put = (request: PutRequest, as: Guest | undefined): string => {
    const { id, isChanged, isNew, sensitivity, secrets } = putRecord(parts, request, as)
    if (secrets) found.push({ id, kind: request.kind, ...secrets })
    if (!isChanged) return id
    changed.push({ id, kind: request.kind })
    if (isNew) for (const named of namedIn(store, id)) put(named, undefined)
    // What comes back from elsewhere may stand where something else does.
    if (request.times) logRivals(store, [{ id, kind: request.kind }], now)
    for (const end of [forgetEnded, dropWords]) changed.push(...end(store, [{ id, kind: request.kind }], now))
    if (sensitivity !== undefined) {
      for (const raised of raisedBy(store, id, sensitivity)) put({ ...raised, upkeep: true }, undefined)
      for (const part of sealedParts(store, id, sensitivity)) if (isReached(part.id)) put(part, as)
    }
    if (sensitivity !== undefined || request.scope?.sensitivity !== undefined) sealMarks(marking, id)
    return id
  }
  const guarded: RecordWriter['guarded'] = ({ kind: name, id, body, sensitivity }) => {
    const kind = store.kinds.get(name) ?? unknownKind(name)
    const asKept = parts.secrets.guard({ kind, body, sensitivity: sensitivity ?? kind.sensitivity })
    if (!asKept.found) return { body, sensitivity }
    found.push({ id, kind: name, ...asKept.found })
    return asKept
  }

  const checkGoing = (row: RecordRow) => {
    if (guest || !parts.namesAgent) return
    checkNamedForget(store.kinds.get(row.kind), parts.defaults.agent, seen.standing(row))
  }
  const marking: MarkWriterParts = {
    store,
    seen,
    guest,
    put: (request) => put(request, undefined),
    onMarked: (record) => changed.push(record),
  }

  const records: RecordWriter = {
    get: seen.get,
    find: seen.find,
    history: seen.history,
    rules: parts.rules,
    citing(id) {
      store.projection.catchUpWithin()
      return parts.citing(id)
    },
    succession(id, kind) {
      store.projection.catchUpWithin()
      return readSuccession(id, kind, parts)
    },
    goneKeys: (id) => (guest ? [] : store.sources.links.goneKeys(id)),
    found: (id) => (guest ? [] : store.sources.links.found(id)),
    madeOf(id) {
      const going = new Set(store.sources.goingWith(id).map((one) => one.id))
      const isToldAnew = ({ id: made, kind }: RecordRow) =>
        !going.has(made) && store.kinds.get(kind)?.madeFrom?.anew !== undefined && seen.live(made)
      return store.sources
        .madeOf(id)
        .filter(isToldAnew)
        .map((one) => one.id)
    },
    put(request) {
      checkMarkPut(store, request)
      return put(request, guest)
    },
    mark: (id, change) => markRecord(marking, id, change),
    forget(id, how) {
      const before = seen.live(id)
      if (!before) return false
      if (guest && store.kinds.get(before.kind)?.guests) throw outside()
      checkGoing(before)
      const going = goingWith(store, before, { isReached, isAlone: how === 'alone' })
      changed.push(...forgetAll(parts, [...going, before]))
      return true
    },
    use(ids) {
      const rows = [...new Set(ids)].flatMap((id) => seen.live(id) ?? [])
      for (const { seq, kid } of rows) {
        countUse(store.db, store.projection, seq, now)
        if (kid !== null) store.openedRecords?.changed(seq)
      }
      return rows.length
    },
    conflict(id) {
      const entry = store.conflicts.get(id)
      return entry && seen.isSeenConflict(entry) ? entry : undefined
    },
    decideConflict(id) {
      const entry = store.conflicts.get(id)
      if (!entry || seen.isSeenConflict(entry)) store.conflicts.decide(id)
    },
    purge(id) {
      const row = seen.row(id)
      if (!row) return false
      if (guest && store.kinds.get(row.kind)?.guests) throw outside()
      checkGoing(row)
      // Every copy of the book is told that nothing of it may stay.
      const all = [...purgedWith(store, row, { isReached }), row]
      changed.push(...forgetAll(parts, all, { purge: true }))
      return true
    },
    release: (id) => release({ ...records, kinds: store.kinds }, id),
    retryRefused(ids) {
      const retried = guest ? [] : store.ops.retry(ids)
      changed.push(...retried)
      return retried.map(({ id }) => id)
    },
    wasForgotten: (id) => !guest && store.records.row(id)?.deleted === 1,
    wasPurged: (id) => !guest && [store.records.row(id)].some((row) => row && isPurged(row)),
    lostId(name) {
      const [id = name.id] = seen.idsOf(name).own
      const isHere = seen.isHere(name) || !store.records.row(id)
      // The owner sees all there is: what is not forgotten is found, or in its way.
      return isHere || (!guest && store.records.row(id)?.deleted === 0) ? undefined : id
    },
    lose(entry) {
      if (guest && !seen.row(entry.record)) throw outside()
      // Both sides of a sealed record are sealed with it.
      const isSealed = isSealing(store.records.row(entry.record)?.sensitivity)
      const sides = isSealed ? entry : parts.secrets.maskSides(entry)
      const lost = JSON.stringify(sides.lost.body)
      const known = store.conflicts.list({ record: entry.record, limit: 100 })
      if (!known.some((one) => JSON.stringify(one.lost.body) === lost))
        store.conflicts.add({ ...entry, ...sides, at: now })
    },
    guarded,
    sealed: createSealedWriter({ store, now, changed, guest, idsOf: seen.idsOf, outside }),
    secrets: () => countSecrets(found),
    unstaged: store.staging.unstaged,
  }
  const ledger: LedgerWriter = {
    get: parts.ledger.get,
    wasForgotten: (id) => store.records.row(id)?.deleted === 1,
    put(request) {
      if (kindNamed(store, request.kind).guests !== 'none') throw outside()
      return put(request, undefined)
    },
  }
  const own = createOwnWriter(store, guest ?? { role: 'owner' }, {
    put: (request) => put(request, undefined),
    newId: () => parts.ids.next(),
  })
  return { records, ledger, own, changed, secrets: found }
}

function kindNamed({ kinds }: Pick<WriterStore, 'kinds'>, name: string): Kind {
  const kind = kinds.get(name)
  if (!kind) throw new DaybookError('internal', `There is no kind \`${name}\`.`)
  return kind
}

interface PutOutcome {
  readonly id: string
  readonly isChanged: boolean
  readonly isNew?: boolean
  readonly sensitivity?: Sensitivity | undefined
  readonly secrets?: Guarded['found']
}

/** A record of a kind that is not known comes back from elsewhere as it was, or not at all. */
function kindOfPut(store: WriterStore, { kind, times }: PutRequest, guest: Guest | undefined): Kind {
  if (!times || store.kinds.has(kind)) return kindNamed(store, kind)
  if (guest) throw outside()
  return unknownKind(kind)
}

/** Puts one record, as `guest` or as the owner; `isChanged` is false where what stands there is final and stays. */
function putRecord(parts: RecordWriterParts, request: PutRequest, guest: Guest | undefined): PutOutcome {
  const { store, ids, seen } = parts
  const kind = kindOfPut(store, request, guest)
  const asked = request.checked ? request.body : (parseWith(kind.schema, request.body) as JsonObject)
  const id = request.name ? seen.idFor(request.name) : request.id
  const before = id === undefined ? undefined : store.records.row(id)
  if (guest && id !== undefined && !seen.live(id)) checkUnseen(parts, guest, request, { id, before })
  checkPlace(parts, request, before)
  const live = before && !before.deleted ? before : undefined
  const isSame = live?.kind === kind.name && !request.times
  const stands = isSame ? store.bodies.read(live, live.body) : undefined
  const known = live?.kind === kind.name ? (stands ?? store.bodies.read(live, live.body)) : undefined
  // Who was shown less takes nothing away by writing it back.
  const linked = guest && known ? seen.writtenOver(kind.name, asked, known) : asked
  const whole = stands && !request.exact ? withUnknown(kind, stands, linked) : linked
  const given = request.times ? settledIfUnderstood(kind, whole) : settled(kind, whole)
  if (live && isFinal(parts, kind, live) && !kind.isFinal?.(given)) {
    // What a bundle brings is older than the end of it.
    if (request.times) return { id: live.id, isChanged: false }
    throw new DaybookError('conflict', `\`${live.id}\` is in a state that nothing undoes.`, {
      details: { path: 'id' },
    })
  }
  // What comes back from elsewhere comes with its whole head.
  const kept = request.times ? undefined : live
  const said = { body: given, id: id ?? ids.next() }
  const own = headOf(parts, request, kind, kept)
  const head = guardedHead(store, kind, said, request.times ? headFromElsewhere(own, before, kind) : own)
  const { body, sensitivity, found } = parts.secrets.guard({
    kind,
    body: given,
    sensitivity: head.sensitivity,
  })
  if (!request.times) checkNames(parts.secrets, { id: before ? undefined : id, head, live })
  const op = {
    op: 'put' as const,
    kind: request.kind,
    id: said.id,
    stamp: store.stamps.next(),
    ...head,
    ...(sensitivity === undefined ? {} : { sensitivity }),
    body,
  }
  if (!guest && !request.upkeep)
    checkNotProposer(kind, body, live && seen.standing(live), parts.defaults.agent)
  if (!guest && parts.namesAgent && !request.upkeep) checkNamed(parts, kind, op, live)
  if (guest) {
    checkGuestPut(guest, store.kinds, op, kept && seen.standing(kept))
    checkUndecided(kind, body, live && seen.standing(live))
  }
  const { seq } = store.records.put(op, { fresh: id === undefined, keepsBefore: request.keepsBefore })
  if (kind.urgent) store.ops.hurry(seq)
  return { id: op.id, isChanged: true, isNew: !live, sensitivity, ...(found ? { secrets: found } : {}) }
}

const isFinal = ({ store: { bodies } }: RecordWriterParts, kind: Kind, row: RecordRow) =>
  kind.isFinal?.(bodies.need(row, row.body)) === true
