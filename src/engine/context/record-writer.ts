// Changes records inside one transaction: each change is completed, checked, logged and applied as an op.
// Invariant: a guest changes only records that it sees, writes in its own name, and learns nothing about hidden
// records.
import type { Guest } from '../../core/capability/caller.ts'
import type {
  ForgetHow,
  GuardRequest,
  Ledger,
  LedgerWriter,
  OwnWriter,
  RecordReader,
  RecordWriter,
  RuleReader,
} from '../../core/capability/port/record-port.ts'
import type { SyncWriter } from '../../core/capability/port/sync-port.ts'
import type { Changed } from '../../core/capability/chapter.ts'
import type { TransferWriter } from '../../core/capability/transfer.ts'
import { type Kind, citedIds, unknownKind } from '../../core/kind.ts'
import type { PutRequest, Stored } from '../../core/record.ts'
import type { StoredSecrets } from '../../core/secret/stored-secrets.ts'
import { type Heir, type SuccessionPlace, successionOf } from '../../core/succession.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { BookStore } from '../../store/book-store.ts'
import { countUse } from '../../store/record/use-count.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { removeForgottenWords, forgetEnded } from '../../sync/conflict/dependents.ts'
import { logRivals } from '../../sync/conflict/rival.ts'
import { namedIn, raisedBy, sealedParts } from './follow-up-puts.ts'
import { forgetAll, forgottenWith, purgedWith, release } from './forget-record.ts'
import { checkNamedForget, checkNamedRule, outside } from './guest-write.ts'
import { checkMarkPut, markRecord, sealMarks } from './mark-record.ts'
import { createOwnWriter } from './own-records.ts'
import { kindNamed, type PutParts, putRecord } from './put-record.ts'
import { createOpaqueReader, createTransferWriter } from './transfer-write.ts'
import type { SecretGuard } from './secret-guard.ts'
import type { SeenRecords } from './seen-records.ts'

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

export interface RecordWriterParts extends PutParts {
  readonly store: WriterStore
  /** The guest that writes; undefined: the owner writes. */
  readonly guest: Guest | undefined
  readonly seen: SeenRecords
  readonly rules: RuleReader
  readonly ledger: Ledger
  readonly citing: RecordReader['citing']
  readonly query: RecordReader['query']
  readonly secrets: SecretGuard
}

/** The writers of one transaction, and the records that they have changed so far. */
export interface Writing {
  readonly records: RecordWriter
  readonly ledger: LedgerWriter
  readonly own: OwnWriter
  readonly sync: SyncWriter
  readonly transfer: TransferWriter
  readonly changed: readonly Changed[]
  /** Secrets found in the bodies so far. */
  readonly secrets: readonly StoredSecrets[]
}

export function createRecordWriter(parts: RecordWriterParts): Writing {
  const { store, guest, ledger } = parts
  const changes = new Changes(parts)
  return {
    changed: changes.changed,
    secrets: changes.secrets,
    records: createRecords(parts, changes),
    sync: createSyncWriter(parts, changes),
    transfer: createTransferWriter(parts, changes),
    ledger: {
      get: ledger.get,
      wasForgotten: (id) => store.records.row(id)?.deleted === 1,
      put(request) {
        if (kindNamed(store, request.kind).guests !== 'none') throw outside()
        return changes.put(request, undefined)
      },
    },
    // The ledger and `own` check a guest themselves: their puts run without the checks for guests.
    own: createOwnWriter(store, guest ?? { role: 'owner' }, {
      put: (request) => changes.put(request, undefined),
      newId: () => parts.ids.next(),
    }),
  }
}

/** Puts, forgets and purges records, with every change that follows, and lists the changed records. */
class Changes {
  readonly changed: Changed[] = []
  readonly secrets: StoredSecrets[] = []
  readonly #parts: RecordWriterParts

  constructor(parts: RecordWriterParts) {
    this.#parts = parts
  }

  put(request: PutRequest, as: Guest | undefined): string {
    const { store, now } = this.#parts
    const { id, isChanged, isNew, sensitivity, secrets } = putRecord(this.#parts, request, as)
    if (secrets) this.secrets.push({ id, kind: request.kind, ...secrets })
    if (!isChanged) return id
    const record = { id, kind: request.kind }
    this.changed.push(record)
    if (isNew) for (const named of namedIn(store, id)) this.put(named, undefined)
    // A record from a bundle, backup or archive may be a rival of a stored record.
    if (request.times) logRivals(store, [record], now)
    // Forgets the records that this change ended, and removes words of forgotten records from this record.
    for (const run of [forgetEnded, removeForgottenWords]) this.changed.push(...run(store, [record], now))
    if (sensitivity !== undefined) {
      for (const raised of raisedBy(store, id, sensitivity)) this.put({ ...raised, upkeep: true }, undefined)
      for (const part of sealedParts(store, id, sensitivity)) if (this.#isReached(part.id)) this.put(part, as)
    }
    if (sensitivity !== undefined || request.scope?.sensitivity !== undefined) sealMarks(this.marking(), id)
    return id
  }

  /** `how`: with `alone`, the parts of the record stay; `upkeep` is maintenance of the book. */
  forget(row: RecordRow, how?: ForgetHow): void {
    const { store } = this.#parts
    this.#checkForget(row, how === 'upkeep')
    const isReached = (id: string) => this.#isReached(id)
    const removedWithIt = forgottenWith(store, row, { isReached, isAlone: how === 'alone' })
    this.changed.push(...forgetAll(this.#parts, [...removedWithIt, row]))
  }

  /** Purges `row`: every copy of the book removes the rest of the record too. */
  purge(row: RecordRow): void {
    const { store } = this.#parts
    this.#checkForget(row)
    const isReached = (id: string) => this.#isReached(id)
    const removedWithIt = purgedWith(store, row, { isReached })
    this.changed.push(...forgetAll(this.#parts, [...removedWithIt, row], { purge: true }))
  }

  /** `RecordWriter.guarded`: the body as `put` would store it. */
  guard({ kind: name, id, body, sensitivity }: GuardRequest): Pick<GuardRequest, 'body' | 'sensitivity'> {
    const kind = this.#parts.store.kinds.get(name) ?? unknownKind(name)
    const guarded = this.#parts.secrets.guard({ kind, body, sensitivity: sensitivity ?? kind.sensitivity })
    if (!guarded.found) return { body, sensitivity }
    this.secrets.push({ id, kind: name, ...guarded.found })
    return guarded
  }

  marking() {
    const { store, seen, guest } = this.#parts
    return {
      store,
      seen,
      guest,
      put: (request: PutRequest) => this.put(request, undefined),
      onMarked: (record: Changed) => void this.changed.push(record),
    }
  }

  /** False for a record that the guest does not see: a guest may list hidden records as parts of its own record. */
  #isReached(id: string | undefined): boolean {
    const { guest, seen } = this.#parts
    return !guest || (id !== undefined && seen.live(id) !== undefined)
  }

  /** The chapters that own the rules put them through the ledger, after checks of their own. */
  checkRule({ kind, upkeep }: PutRequest): void {
    const { store, guest, namesAgent, defaults } = this.#parts
    if (!guest && namesAgent && !upkeep) checkNamedRule(store.kinds.get(kind), defaults.agent)
  }

  #checkForget(row: RecordRow, isUpkeep = false): void {
    const { store, guest, seen, namesAgent, defaults } = this.#parts
    const kind = store.kinds.get(row.kind)
    if (guest && kind?.guests) throw outside()
    if (guest || isUpkeep || !namesAgent) return
    checkNamedRule(kind, defaults.agent)
    checkNamedForget(kind, defaults.agent, seen.standing(row))
  }
}

function createRecords(parts: RecordWriterParts, changes: Changes): RecordWriter {
  const { store, guest, seen, now } = parts
  const records: RecordWriter = {
    ...createWriterReads(parts),
    put(request) {
      checkMarkPut(store, request)
      changes.checkRule(request)
      return changes.put(request, guest)
    },
    mark: (id, change) => markRecord(changes.marking(), id, change),
    forget(id, how) {
      const row = seen.live(id)
      if (row) changes.forget(row, how)
      return row !== undefined
    },
    purge(id) {
      const row = seen.row(id)
      if (row) changes.purge(row)
      return row !== undefined
    },
    release: (id) => release({ ...records, kinds: store.kinds }, id),
    use(ids) {
      const rows = [...new Set(ids)].flatMap((id) => seen.live(id) ?? [])
      for (const { seq, kid } of rows) {
        countUse(store.db, store.projection, seq, now)
        if (kid !== null) store.openedRecords?.sealedChanged(seq)
      }
      return rows.length
    },
    guarded: (request) => changes.guard(request),
    sealed: createOpaqueReader(parts),
  }
  return records
}

/**
 * The reads of a record writer, inside its transaction. `madeOf`: ids of records made from `id` that will be rebuilt
 * without it. `lostId`: the former id of a forgotten or moved record with this name.
 */
function createWriterReads(parts: RecordWriterParts) {
  const { store, guest, seen } = parts
  const { sources } = store
  return {
    get: (id: string) => seen.get(id),
    find: (name) => seen.find(name),
    query: (query) => store.projection.readInTransaction(() => parts.query(query)),
    history: (id) => seen.history(id),
    rules: parts.rules,
    citing(id) {
      store.projection.catchUpInTransaction()
      return parts.citing(id)
    },
    succession(id, kind) {
      store.projection.catchUpInTransaction()
      return readSuccession(id, kind, parts)
    },
    forgottenKeys: (id) => (guest ? [] : sources.links.forgottenKeys(id)),
    found: (id) => (guest ? [] : sources.links.foundByKeys(id)),
    madeOf(id) {
      const forgotten = new Set(sources.forgottenWith(id).map((one) => one.id))
      const isMadeAgain = ({ id: made, kind }: RecordRow) =>
        !forgotten.has(made) && store.kinds.get(kind)?.madeFrom?.rebuildVerb !== undefined && seen.live(made)
      return sources
        .derivedFrom(id)
        .filter(isMadeAgain)
        .map((one) => one.id)
    },
    wasForgotten: (id) => !guest && store.records.row(id)?.deleted === 1,
    lostId(name) {
      const [id = name.id] = seen.idsOf(name).own
      const isHere = seen.isHere(name) || !store.records.row(id)
      // The owner sees every record: a live record with this id is found by name, or has another kind.
      return isHere || (!guest && store.records.row(id)?.deleted === 0) ? undefined : id
    },
  } satisfies Partial<RecordWriter>
}

function createSyncWriter({ store, guest, seen }: RecordWriterParts, { changed }: Changes): SyncWriter {
  const { conflicts, ops } = store
  return {
    conflict(id) {
      const entry = conflicts.get(id)
      return entry && seen.isSeenConflict(entry) ? entry : undefined
    },
    decideConflict(id) {
      const entry = conflicts.get(id)
      if (!entry || seen.isSeenConflict(entry)) conflicts.decide(id)
    },
    retryRefused(ids) {
      const retried = guest ? [] : ops.retry(ids)
      changed.push(...retried)
      return retried.map(({ id }) => id)
    },
  }
}

/** The place of record `id` among the records that supersede each other, as far as the caller sees those records. */
function readSuccession(
  id: string,
  name: string,
  { store, seen, citing }: RecordWriterParts,
): SuccessionPlace {
  const kind = store.kinds.get(name)
  const path = kind?.cites?.find(({ supersedes }) => supersedes)?.path
  if (!kind || path === undefined) return { current: id, isDisplaced: false }
  const heir = (found: Stored<JsonObject> | undefined) => found && asHeir(found, kind, path)
  return successionOf(id, kind.policy, {
    get: (one) => heir(seen.get(one)),
    heirs: (target) =>
      citing(target)
        .filter((one) => one.kind === name && one.path === path)
        .flatMap((one) => {
          const found = seen.get(one.id)
          // A record that supersedes several records supersedes none of them once it is displaced for one of them.
          const isYielding = citedIds(found ?? {}, path).length > 1 && store.queries.isDisplaced(one.id)
          return (isYielding ? undefined : heir(found)) ?? []
        }),
    mayBeDisplaced: (one) => store.queries.isDisplaced(one),
  })
}

function asHeir(found: Stored<JsonObject>, kind: Kind, path: string): Heir | undefined {
  if (found.kind !== kind.name) return undefined
  return { id: found.id, created_at: found.created_at, target: citedIds(found, path)[0] }
}
