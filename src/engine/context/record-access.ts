// What the rooms get to see of the store: a reader, and inside a transaction a writer that completes and logs each op.
// Invariant: a guest's reader and writer know only what is in its reach; no room is given any other.
import type {
  Caller,
  Guest,
  Ledger,
  LedgerWriter,
  RecordReader,
  RecordWriter,
  RuleReader,
} from '../../core/capability/capability.ts'
import type { ConflictEntry, ConflictQuery } from '../../core/conflict.ts'
import { DaybookError } from '../../core/errors.ts'
import { createIds, type Ids } from '../../core/ids.ts'
import { holdsId, isOpenKind, type Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Ports } from '../../core/ports.ts'
import type { PutRequest, RecordName } from '../../core/put-request.ts'
import { isInReach, isReserved, type NamedRecord, seesAll } from '../../core/access/reach.ts'
import type { Scope } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import { checkGuestPut, guestIds, mayGiveId, outside, type Standing, unseen } from './guest-write.ts'
import { release } from './release-citations.ts'
import { isSealing, type Sensitivity } from '../../core/sealed.ts'
import { isConcrete } from '../../core/access/scope.ts'
import type { BookStore } from '../../store/book-store.ts'
import { countUse } from '../../store/record/use-count.ts'
import { type RecordRow, toRecord } from '../../store/schema/record-row.ts'

/** Entries of the conflict log looked at at once for a guest. */
const conflictPage = 100

export interface Changed {
  readonly id: string
  readonly kind: string
}

export interface RecordAccess {
  /** The default scope of what the caller stores. */
  readonly scope: Scope
  readonly reader: RecordReader
  readonly rules: RuleReader
  readonly ledger: Ledger
  /** The book as the reader sees it: for recall, which asks more than a reader does. */
  readonly seen: BookStore
  /** A writer for one transaction, and the list of what it changes. */
  writer(
    now: string,
    defaults?: Scope,
  ): { readonly records: RecordWriter; readonly ledger: LedgerWriter; readonly changed: readonly Changed[] }
}

/** Builds what a caller gets to see of `store`. Ids are made by one generator, whoever calls. */
export function createRecordAccess({
  store,
  ports,
  scope: own,
}: {
  store: BookStore
  ports: Ports
  scope: Scope
}): (caller: Caller) => RecordAccess {
  const ids = createIds(ports)
  return (caller) =>
    createAccess(store, ids, caller.role === 'owner' ? own : guestScope(caller, store.kinds), caller)
}

function createAccess(store: BookStore, ids: Ids, scope: Scope, caller: Caller): RecordAccess {
  const { records, stamps, kinds, bodies } = store
  const guest = caller.role === 'guest' ? caller : undefined
  const queries = guest ? store.queries.within(guest.reach) : store.queries
  // A guest is answered from the database: the index in memory knows no reach.
  const seen = guest ? { ...store, queries, textIndex: undefined } : store
  const kindNamed = (name: string) => {
    const kind = kinds.get(name)
    if (!kind) throw new DaybookError('internal', `There is no kind \`${name}\`.`)
    return kind
  }

  const isSeen = (record: NamedRecord) => !guest || isInReach(guest.reach, record, kinds)
  /** The row of a record that the caller may know of. */
  const seenRow = (id: string): RecordRow | undefined => {
    const row = records.row(id)
    if (!row || !guest) return row
    // Of what was forgotten nothing is left that could tell whose it was.
    if (row.deleted) return undefined
    const body = bodies.read(row, row.body)
    // Of what is locked neither, but for those who may see everything.
    const mayKnow = body ? isSeen({ ...row, body }) : seesAll(guest.reach)
    return mayKnow ? row : undefined
  }

  const standing = (row: RecordRow): Standing => ({
    ...row,
    body: bodies.read(row, row.body) ?? {},
    sensitivity: (row.sensitivity ?? undefined) as Sensitivity | undefined,
  })

  const get: RecordReader['get'] = (id) => {
    const row = seenRow(id)
    return row && !row.deleted ? toRecord(row, bodies.need(row, row.body)) : undefined
  }

  const liveRow = (id: string): RecordRow | undefined => {
    const row = seenRow(id)
    return row?.deleted === 0 ? row : undefined
  }

  const idsOf = (name: RecordName) => (guest ? guestIds(guest, name) : { known: [name.id], own: [name.id] })
  const findRow = (name: RecordName): RecordRow | undefined => {
    const rows = idsOf(name).known.map(liveRow)
    return rows.find((row) => row?.kind === name.kind)
  }
  const find: RecordReader['find'] = (name) => {
    const row = findRow(name)
    return row && toRecord(row, bodies.need(row, row.body))
  }
  /** Where what is known by `name` is put; undefined when the caller's own ids are taken by what it does not see. */
  const idFor = (name: RecordName): string | undefined => {
    const found = findRow(name)?.id
    if (found !== undefined || !guest) return found ?? name.id
    return idsOf(name).own.find((id) => records.row(id)?.deleted !== 0)
  }

  /** The rules that hold for whoever calls: for the rooms that keep them, and shown to nobody. */
  const rules: RuleReader = {
    get(id) {
      const row = records.row(id)
      return row && !row.deleted && kinds.get(row.kind)?.guests === 'read' ? toRecord(row) : undefined
    },
  }

  const isLedger = (kind: string) => kinds.get(kind)?.guests === 'none'
  const ledger: Ledger = {
    get(id) {
      const row = records.row(id)
      return row && !row.deleted && isLedger(row.kind) ? toRecord(row) : undefined
    },
    query: (query) => (isLedger(query.kind) ? store.queries.query(query) : { records: [] }),
  }

  const history: RecordReader['history'] = (id) => {
    if (!guest) return records.history(id)
    const row = seenRow(id)
    if (!row) return []
    return records.history(id).filter(({ op, body, ...head }) => {
      return op === 'put' && body !== undefined && isSeen({ kind: row.kind, ...head, body })
    })
  }

  /** An entry holds bodies without heads: for a guest they count by what their kind is scoped by. */
  const isSeenConflict = ({ record, kind, lost, kept, base }: ConflictEntry) =>
    !guest ||
    (seenRow(record) !== undefined &&
      ![lost, kept].some((side) => side?.sealed) &&
      [lost.body, kept?.body, base].every((body) => !body || isSeen({ kind, agent: '', body })))

  const conflicts = ({ limit = 100, ...query }: ConflictQuery): ConflictEntry[] => {
    if (!guest) return store.conflicts.list({ limit, ...query })
    const found: ConflictEntry[] = []
    for (let { before } = query; ;) {
      const page = store.conflicts.list({ ...query, limit: conflictPage, before })
      found.push(...page.filter(isSeenConflict))
      if (found.length >= limit || page.length < conflictPage) return found.slice(0, limit)
      before = page.at(-1)?.id
    }
  }

  const reader: RecordReader = {
    get,
    find,
    query: queries.query,
    search: queries.search,
    count: queries.count,
    extents: queries.extents,
    history,
    conflicts,
    // What waits to be sent is the owner's.
    refused: (limit, after) => (guest ? [] : store.ops.refused(limit, after)),
    outbox: (query) => (guest ? [] : store.ops.list(query)),
    snapshot: queries.snapshot,
    citing(id) {
      store.projection.catchUp()
      return queries.citing(id)
    },
  }

  const writer = (now: string, defaults = scope) => {
    const changed: Changed[] = []
    const put = (request: PutRequest, guest: Guest | undefined): string => {
      const { kind: name, body: given, scope: own = {}, checked = false, times } = request
      const kind = kindNamed(name)
      const body = checked ? given : (parseWith(kind.schema, given) as JsonObject)
      const id = request.name ? idFor(request.name) : request.id
      const before = id === undefined ? undefined : records.row(id)
      const isTaken = before !== undefined && holdsId(before, kinds)
      if (guest && id !== undefined && !liveRow(id)) {
        const isGiven = request.name !== undefined || mayGiveId(guest, id, name, kinds)
        if (isTaken || !isGiven) throw unseen()
      }
      if (isTaken && before.kind !== name) {
        throw new DaybookError('conflict', `\`${before.id}\` is a ${before.kind}, not a ${name}.`, {
          details: { path: 'id' },
        })
      }
      // What comes back from elsewhere comes with its whole head.
      const kept = before && !before.deleted && !times ? before : undefined
      const isFinal =
        before &&
        !before.deleted &&
        kind.isFinal !== undefined &&
        kind.isFinal(bodies.need(before, before.body)) === true
      if (isFinal && !kind.isFinal?.(body)) {
        // What a bundle brings is older than the end of it.
        if (times) return before.id
        throw new DaybookError('conflict', `\`${before.id}\` is in a state that nothing undoes.`, {
          details: { path: 'id' },
        })
      }
      const usual: Partial<Scope> = kept || times ? {} : defaults
      const session = own.session ?? kept?.session ?? usual.session
      const resource = own.resource ?? kept?.resource ?? usual.resource
      const sensitivity =
        own.sensitivity ?? ((kept?.sensitivity as Sensitivity | null | undefined) || kind.sensitivity)
      if (isSealing(sensitivity) && isOpenKind(kind)) {
        throw new DaybookError(
          'invalid-input',
          `\`sensitivity\`: Every copy must be able to read a ${name}.`,
          {
            details: { path: 'sensitivity' },
          },
        )
      }
      const op = {
        op: 'put' as const,
        kind: name,
        id: id ?? ids.next(),
        at: times?.updated_at ?? now,
        stamp: stamps.next(),
        created_at: times?.created_at ?? kept?.created_at ?? now,
        agent: own.agent ?? kept?.agent ?? defaults.agent,
        ...(session == null ? {} : { session }),
        ...(resource == null ? {} : { resource }),
        ...(sensitivity === undefined ? {} : { sensitivity }),
        body,
      }
      if (guest) checkGuestPut(guest, kinds, op, kept && standing(kept))
      const { seq } = records.put(op, { fresh: id === undefined })
      if (kind.urgent) store.ops.hurry(seq)
      changed.push({ id: op.id, kind: name })
      return op.id
    }

    const writing: RecordWriter = {
      get,
      find,
      history,
      citing(id) {
        store.projection.catchUpWithin()
        return queries.citing(id)
      },
      put: (request) => put(request, guest),
      forget(id) {
        const before = seenRow(id)
        if (!before || before.deleted) return false
        if (guest && kinds.get(before.kind)?.guests) throw outside()
        records.forget({
          op: 'forget',
          kind: before.kind,
          id,
          at: now,
          stamp: stamps.next(),
          agent: defaults.agent,
        })
        changed.push({ id, kind: before.kind })
        return true
      },
      use(ids) {
        const rows = [...new Set(ids)].flatMap((id) => seenRow(id) ?? []).filter(({ deleted }) => !deleted)
        for (const { seq, kid } of rows) {
          countUse(store.db, store.projection, seq, now)
          if (kid !== null) store.openedRecords?.changed(seq)
        }
        return rows.length
      },
      conflict(id) {
        const entry = store.conflicts.get(id)
        return entry && isSeenConflict(entry) ? entry : undefined
      },
      decideConflict(id) {
        const entry = store.conflicts.get(id)
        if (!entry || isSeenConflict(entry)) store.conflicts.decide(id)
      },
      purge(id) {
        const row = guest ? seenRow(id) : records.row(id)
        if (!row) return false
        writing.forget(id)
        store.purge.purge(id, row.seq)
        return true
      },
      release: (id) => release({ ...writing, kinds }, id),
      retryRefused(ids) {
        const retried = guest ? [] : store.ops.retry(ids)
        changed.push(...retried)
        return retried.map(({ id }) => id)
      },
      wasForgotten: (id) => !guest && records.row(id)?.deleted === 1,
      lostId(name) {
        const [id = name.id] = idsOf(name).own
        const isHere = findRow(name) !== undefined || !records.row(id)
        // The owner sees all there is: what is not forgotten is found, or in its way.
        return isHere || (!guest && records.row(id)?.deleted === 0) ? undefined : id
      },
      lose(entry) {
        if (guest && !seenRow(entry.record)) throw outside()
        const lost = JSON.stringify(entry.lost.body)
        const known = store.conflicts.list({ record: entry.record, limit: 100 })
        if (!known.some((one) => JSON.stringify(one.lost.body) === lost))
          store.conflicts.add({ ...entry, at: now })
      },
      unstaged: store.staging.unstaged,
    }
    const ledgerWriter: LedgerWriter = {
      get: ledger.get,
      wasForgotten: (id) => records.row(id)?.deleted === 1,
      put(request) {
        if (kindNamed(request.kind).guests !== 'none') throw outside()
        return put(request, undefined)
      },
    }
    return { records: writing, ledger: ledgerWriter, changed }
  }

  return { scope, reader, rules, ledger, seen, writer }
}

/** What a guest stores is its own, and lies where its token points when that is one place. */
function guestScope({ agent, reach: { scope } }: Guest, kinds: Kinds): Scope {
  if (!isConcrete(scope)) return { agent }
  const [first = '', , ...rest] = scope.parts
  if (first === 'session') return { agent, session: rest.join('') }
  return isReserved(first, kinds) ? { agent } : { agent, resource: scope.text }
}
