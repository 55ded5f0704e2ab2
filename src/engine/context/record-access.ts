// Access of one caller to the records of the book: a reader, and inside a transaction a writer.
// Invariant: a guest's reader and writer reach only records in the guest's scope; a chapter gets no other reader or
// writer.
import { isReserved, onlyPattern } from '../../core/access/reach.ts'
import { isConcrete } from '../../core/access/scope.ts'
import type { Caller, Guest } from '../../core/capability/caller.ts'
import type { ReachPort, TransferPort } from '../../core/capability/context.ts'
import type {
  Ledger,
  OwnReader,
  RecordQuery,
  RecordReader,
  RuleReader,
  UnreadScope,
} from '../../core/capability/port/record-port.ts'
import type { SyncReader } from '../../core/capability/port/sync-port.ts'
import { createIds, type Ids } from '../../core/ids.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import { kindNameOf, type Kinds } from '../../core/kind.ts'
import type { Ports } from '../../core/ports.ts'
import type { Scope, Stored } from '../../core/record.ts'
import { sealedField } from '../../shape/field.ts'
import type { BookStore } from '../../store/book-store.ts'
import { readUses } from '../../store/record/use-count.ts'
import { toRecord } from '../../store/schema/record-row.ts'
import { statedTexts } from '../../store/word/text.ts'
import { createOwnReader } from './own-records.ts'
import { createRecordWriter, type WriterStore, type Writing } from './record-writer.ts'
import type { SecretGuard } from './secret-guard.ts'
import { SeenRecords, type SeenRecordsStore } from './seen-records.ts'
import { shownQueries, shownSnapshot } from './shown-queries.ts'

export interface RecordAccess extends ReachPort, Pick<TransferPort, 'unknownKinds'> {
  /** The default scope of the records that the caller stores. */
  readonly scope: Scope
  readonly reader: RecordReader
  readonly ledger: Ledger
  readonly own: OwnReader
  readonly sync: SyncReader
  /** Kinds and queries within the caller's reach, for recall: recall needs more queries than `reader` has. */
  readonly seen: Pick<BookStore, 'kinds' | 'queries'> & Pick<SeenRecords, 'row'>
  /** Writers for one transaction, and their changes. `defaults`: the scope of new records; default `scope`. */
  writer(now: string, defaults?: Scope, namesAgent?: boolean): Writing
}

export type AccessStore = SeenRecordsStore &
  WriterStore &
  Pick<BookStore, 'queries' | 'projection' | 'ruleRows'>

interface AccessParts {
  readonly store: AccessStore
  readonly scope: Scope
  readonly secrets: SecretGuard
  /** The guest with its reach by the current policies and receipt. Throws if the receipt has ended. */
  readonly renew: (guest: Guest) => Guest
  readonly standing: RuleReader['standing']
}

/** Returns a function that builds the access of a caller. All callers share one generator of ids. */
export function createRecordAccess({
  ports,
  ...parts
}: Omit<AccessParts, 'standing'> & { readonly ports: Pick<Ports, 'clock' | 'random'> }): (
  caller: Caller,
) => RecordAccess {
  const ids = createIds(ports)
  const standing = createStandingRules(parts.store)
  return (caller) => createAccess({ ...parts, standing }, ids, caller)
}

/** Reads the standing rules once, and again after one has changed. */
function createStandingRules({ ruleRows }: Pick<AccessStore, 'ruleRows'>): RuleReader['standing'] {
  let read: { readonly version: string; readonly rules: readonly Stored<JsonObject>[] } | undefined
  return () => {
    const version = ruleRows.version()
    if (read?.version !== version) {
      const rules = ruleRows.liveRows().map((row) => toRecord(row))
      read = { version, rules: rules.sort(byCreation) }
    }
    return read.rules
  }
}

const keyOf = ({ created_at, id }: Stored<JsonObject>) => `${created_at} ${id}`
const byCreation = (a: Stored<JsonObject>, b: Stored<JsonObject>) => (keyOf(a) < keyOf(b) ? -1 : 1)

function createAccess(parts: AccessParts, ids: Ids, caller: Caller): RecordAccess {
  const { store, secrets } = parts
  const { kinds } = store
  const guest = caller.role === 'guest' ? caller : undefined
  const scope = guest ? guestScope(guest, kinds) : parts.scope
  const queries = guest ? shownQueries(store.queries.within(guest.reach), kinds) : store.queries
  const seen = new SeenRecords(store, caller)
  const rules = { ...rulesOf(store), standing: parts.standing }
  const ledger = ledgerOf(store)
  const reader = createReader(parts, { guest, queries, seen, rules })
  return {
    scope,
    reader,
    ledger,
    own: createOwnReader(store, caller),
    sync: {
      conflicts: (query) => seen.conflicts(query),
      refused: (limit, after) => (guest ? [] : store.ops.refusedOps(limit, after)),
      outbox: (query) => (guest ? [] : store.ops.list(query)),
    },
    reached: queries.listVisible,
    unknownKinds: () => Object.keys(queries.timeExtents()).filter((name) => !kinds.has(name)),
    seen: { kinds, queries, row: (id) => seen.row(id) },
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
        query: reader.query,
        now,
        defaults,
        secrets,
      }),
  }
}

/**
 * Reader of rules that bind every caller (kinds with `guests: 'read'`, or `ruling`). Only the chapters that own the
 * rules read them, and show them to no caller; `core/standing-rule.ts` reads the user's rules for every caller.
 */
function rulesOf({ records, kinds, queries }: AccessStore): Omit<RuleReader, 'standing'> {
  const isRule = (name: string) => kinds.get(name)?.guests === 'read' || kinds.get(name)?.ruling === true
  return {
    get(id) {
      const row = records.ruleRow(id)
      return row && !row.deleted && isRule(row.kind) ? toRecord(row) : undefined
    },
    query: (query) => (isRule(query.kind) ? queries.query(query) : { records: [] }),
  }
}

function ledgerOf({ records, kinds, queries }: AccessStore): Ledger {
  const isLedger = (kind: string) => kinds.get(kind)?.guests === 'none'
  return {
    get(id) {
      const row = records.row(id)
      return row && !row.deleted && isLedger(row.kind) ? toRecord(row) : undefined
    },
    query: (query) => (isLedger(query.kind) ? queries.query(query) : { records: [] }),
  }
}

interface ReaderParts {
  readonly guest: Guest | undefined
  readonly queries: BookStore['queries']
  readonly seen: SeenRecords
  readonly rules: RuleReader
}

/** The reader of a caller. Only the owner gets use counts, sources by key, and opened sealed bodies. */
function createReader(
  { store, secrets, renew }: AccessParts,
  { guest, queries, seen, rules }: ReaderParts,
): RecordReader {
  const { kinds, sources } = store
  // A caller may name a kind in the plural.
  const named = <Query extends { readonly kind?: string | undefined }>(query: Query): Query =>
    query.kind === undefined ? query : { ...query, kind: kindNameOf(kinds, query.kind) }
  return {
    get: (id) => seen.get(id),
    find: (name) => seen.find(name),
    query(asking) {
      const query = named(asking)
      return { ...queries.query(query), ...sealedField(queries.unread(unreadScope(query))) }
    },
    search: (query) => queries.search(named(query)),
    textsOf(record) {
      const kind = kinds.get(record.kind)
      return kind ? statedTexts(kind, record) : []
    },
    count(asking) {
      const query = { ...asking, kind: kindNameOf(kinds, asking.kind) }
      return { ...queries.count(query), ...sealedField(queries.unread(unreadScope(query))) }
    },
    unread: queries.unread,
    extents: queries.timeExtents,
    runs: queries.runs,
    history: (id) => seen.history(id),
    uses: (kind) => (guest ? new Map() : readUses(store.db, kind)),
    forgottenKeys: (id) => (guest ? [] : sources.links.forgottenKeys(id)),
    found: (id) => (guest ? [] : sources.links.foundByKeys(id)),
    masked: <Value>(value: Value) => secrets.maskInput(value as Json) as Value,
    open: (of, sealed) => (guest ? undefined : store.bodies.readSealed(of, sealed)),
    snapshot(query) {
      const snapshot = queries.snapshot(query)
      return guest ? shownSnapshot(snapshot, store, () => renew(guest)) : snapshot
    },
    citing(id) {
      store.projection.catchUp()
      return queries.citing(id)
    },
    rules,
  }
}

/** The part of a query that needs no bodies: its kind, and its scope filters with a plain text as value. */
function unreadScope({ kind, filters }: Pick<RecordQuery, 'kind' | 'filters'>): UnreadScope {
  const fields = isJsonObject(filters) ? filters : {}
  const textOf = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined)
  return {
    kinds: kind === undefined ? undefined : [kind],
    agent: textOf('agent'),
    session: textOf('session'),
    resource: textOf('resource'),
  }
}

/**
 * Default scope of a guest's records: its own agent, and its token's session or resource if the token has exactly
 * one.
 */
function guestScope({ agent, own, reach }: Guest, kinds: Kinds): Scope {
  const scope = onlyPattern(own ?? reach)
  if (!scope || !isConcrete(scope)) return { agent }
  // Segments and separators, alternating: `['session', ':', 's1']`.
  const [first = '', , ...rest] = scope.parts
  if (first === 'session') return { agent, session: rest.join('') }
  return isReserved(first, kinds) ? { agent } : { agent, resource: scope.text }
}
