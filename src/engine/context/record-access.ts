// What chapters get to see of the store: a reader, and inside a transaction a writer that completes and logs each op.
// Invariant: a guest's reader and writer know only what is in its reach; no chapter is given any other.
import type { Caller, Guest } from '../../core/capability/caller.ts'
import type {
  Ledger,
  RecordQuery,
  RecordReader,
  RuleReader,
  UnreadScope,
} from '../../core/capability/port/record-port.ts'
import type { OwnReader } from '../../core/capability/port/own-port.ts'
import { createIds, type Ids } from '../../core/ids.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { kindNameOf, type Kinds } from '../../core/kind.ts'
import type { Ports } from '../../core/ports.ts'
import { isReserved, onlyPattern } from '../../core/access/reach.ts'
import { isConcrete } from '../../core/access/scope.ts'
import type { Scope } from '../../core/record.ts'
import { sealedField } from '../../shape/sealed-count.ts'
import type { BookStore } from '../../store/book-store.ts'
import { usesOf } from '../../store/record/use-count.ts'
import { toRecord } from '../../store/schema/record-row.ts'
import { heedPolicies } from './heeded-snapshot.ts'
import { createOwnReader } from './own-records.ts'
import { createRecordWriter, type WriterStore, type Writing } from './record-writer.ts'
import type { SecretGuard } from './secret-guard.ts'
import { createSeenRecords, type SeenRecordsStore } from './seen-records.ts'
import { shownQueries } from './shown-queries.ts'

export interface RecordAccess {
  /** The default scope of what the caller stores. */
  readonly scope: Scope
  readonly reader: RecordReader
  readonly ledger: Ledger
  readonly own: OwnReader
  /** The book as the reader sees it: for recall, which asks more than a reader does. */
  readonly seen: Pick<BookStore, 'kinds' | 'queries'>
  /** A writer for one transaction, and the list of what it changes. */
  writer(now: string, defaults?: Scope, namesAgent?: boolean): Writing
}

/** What of the store records are read and written by. */
export type AccessStore = SeenRecordsStore & WriterStore & Pick<BookStore, 'queries' | 'projection'>

interface AccessParts {
  readonly store: AccessStore
  readonly scope: Scope
  readonly secrets: SecretGuard
  /** A guest as policies and its receipt stand now. */
  readonly renew: (guest: Guest) => Guest
}

/** Builds what a caller gets to see of `store`. Ids are made by one generator, whoever calls. */
export function createRecordAccess({
  ports,
  ...parts
}: AccessParts & { readonly ports: Pick<Ports, 'clock' | 'random'> }): (caller: Caller) => RecordAccess {
  const ids = createIds(ports)
  return (caller) => createAccess(parts, ids, caller)
}

function createAccess(
  { store, scope: own, secrets, renew }: AccessParts,
  ids: Ids,
  caller: Caller,
): RecordAccess {
  const { records, kinds } = store
  const guest = caller.role === 'guest' ? caller : undefined
  const scope = guest ? guestScope(guest, kinds) : own
  const queries = guest ? shownQueries(store.queries.within(guest.reach), kinds) : store.queries
  const seen = createSeenRecords(store, caller)

  /** The rules that hold for whoever calls: for the chapters that keep them, and shown to nobody. */
  const rules: RuleReader = {
    get(id) {
      const row = records.row(id)
      const kind = row && !row.deleted ? kinds.get(row.kind) : undefined
      return row && (kind?.guests === 'read' || kind?.ruling === true) ? toRecord(row) : undefined
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

  // People call a kind by the name of several, too.
  const named = <Query extends { readonly kind?: string | undefined }>(query: Query): Query =>
    query.kind === undefined ? query : { ...query, kind: kindNameOf(kinds, query.kind) }

  const reader: RecordReader = {
    get: seen.get,
    find: seen.find,
    query(query) {
      const asked = named(query)
      return { ...queries.query(asked), ...sealedField(queries.unread(unreadScope(asked))) }
    },
    search: (query) => queries.search(named(query)),
    count(query) {
      const asked = { ...query, kind: kindNameOf(kinds, query.kind) }
      return { ...queries.count(asked), ...sealedField(queries.unread(unreadScope(asked))) }
    },
    unread: queries.unread,
    extents: queries.extents,
    runs: queries.runs,
    unknownKinds: () => Object.keys(queries.extents()).filter((name) => !kinds.has(name)),
    history: seen.history,
    uses: (kind) => (guest ? new Map() : usesOf(store.db, kind)),
    goneKeys: (id) => (guest ? [] : store.sources.links.goneKeys(id)),
    found: (id) => (guest ? [] : store.sources.links.found(id)),
    open: (of, sealed) => (guest ? undefined : store.bodies.readSealed(of, sealed)),
    conflicts: seen.conflicts,
    // What waits to be sent is the owner's.
    refused: (limit, after) => (guest ? [] : store.ops.refused(limit, after)),
    outbox: (query) => (guest ? [] : store.ops.list(query)),
    snapshot(query) {
      const snapshot = queries.snapshot(query)
      return guest ? heedPolicies(snapshot, store, () => renew(guest)) : snapshot
    },
    citing(id) {
      store.projection.catchUp()
      return queries.citing(id)
    },
    reached: queries.reached,
    rules,
  }

  return {
    scope,
    reader,
    ledger,
    own: createOwnReader(store, caller),
    seen: { kinds, queries },
    writer: (now, defaults = scope, namesAgent = false) =>
      createRecordWriter({
        namesAgent,
        store,
        ids,
        guest,
        seen,
        rules,
        ledger,
        citing: queries.citing,
        now,
        defaults,
        secrets,
      }),
  }
}

/** What of a question can be told of a record by its head: its kind, and where its filters name it plainly. */
function unreadScope({ kind, filters }: Pick<RecordQuery, 'kind' | 'filters'>): UnreadScope {
  const named = isJsonObject(filters) ? filters : {}
  const lane = (name: string) => (typeof named[name] === 'string' ? named[name] : undefined)
  return {
    kinds: kind === undefined ? undefined : [kind],
    agent: lane('agent'),
    session: lane('session'),
    resource: lane('resource'),
  }
}

/** What a guest stores is its own, and lies where its token points when that is one place. */
function guestScope({ agent, own, reach }: Guest, kinds: Kinds): Scope {
  const scope = onlyPattern(own ?? reach)
  if (!scope || !isConcrete(scope)) return { agent }
  const [first = '', , ...rest] = scope.parts
  if (first === 'session') return { agent, session: rest.join('') }
  return isReserved(first, kinds) ? { agent } : { agent, resource: scope.text }
}
