// The port to records of kinds with `guests: 'own'`. No scope reaches them: an agent gets its own records, the owner
// all.
// Invariant: a guest puts only in its own name, replaces only its own records, and sets no state that only the owner
// decides.
import type { Caller, Guest } from '../../core/capability/caller.ts'
import type { OwnReader, OwnWriter } from '../../core/capability/port/record-port.ts'
import { DaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { type PutRequest, bodyOf } from '../../core/record.ts'
import { isLowered, type Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { countRecordHeads } from '../../store/query/tally.ts'
import { sealedField } from '../../shape/field.ts'
import { type RecordRow, toRecord } from '../../store/schema/record-row.ts'
import { checkUndecided, lowering, outside, unseen } from './guest-write.ts'
import { hasSeenSources, SeenRecords, type SeenRecordsStore } from './seen-records.ts'

type OwnStore = SeenRecordsStore & Pick<BookStore, 'db' | 'projection'>

/**
 * `isOpen`: the caller may see all sources of the record. `mayKnow`: always true for the owner; for a guest, true if
 * `field` of the record `id` is `value`. `unread`: counts sealed records without a key here.
 */
export function createOwnReader(store: OwnStore, caller: Caller): OwnReader {
  const { bodies, queries } = store
  const guest = caller.role === 'guest' ? caller : undefined
  const within = (filters: unknown): unknown =>
    guest ? { and: [{ agent: guest.agent }, ...(filters === undefined ? [] : [filters])] } : filters
  const seen = new SeenRecords(store, caller)
  const unread = (kind: string) => queries.unread({ kinds: [kind], agent: guest?.agent })
  return {
    get(id) {
      const row = ownRow(store, guest, id)
      return row && toRecord(row, seen.shownBody(row.kind, bodies.readOrThrow(row, row.body)))
    },
    query(query) {
      needOwnKind(store, query.kind)
      const page = queries.query({ ...query, filters: within(query.filters) })
      const records = page.records.map((record) => seen.shownBody(record.kind, record) as typeof record)
      return { ...page, records, ...sealedField(unread(query.kind)) }
    },
    isOpen(record) {
      if (!guest) return true
      // Checks the sources of the stored body: `record` lacks the sources that its agent is not shown.
      const row = ownRow(store, guest, record.id)
      const body = row && bodies.read(row, row.body)
      const checkedBody = body ?? (bodyOf(record) as JsonObject)
      return hasSeenSources(store, guest.reach, { ...record, body: checkedBody })
    },
    mayKnow(id, field, value) {
      if (!guest) return true
      const row = store.records.row(id)
      const body = row && !row.deleted ? bodies.read(row, row.body) : undefined
      return body?.[field] === value
    },
    unread(kind) {
      needOwnKind(store, kind)
      return unread(kind)
    },
    count(kind, filters) {
      needOwnKind(store, kind)
      return queries.count({ kind, filters: within(filters), by: 'none' }).total
    },
  }
}

/** `put` is the put of the transaction: it checks the body, logs the op and applies the op. */
export function createOwnWriter(
  store: OwnStore,
  caller: Caller,
  { put, newId }: { put(request: PutRequest): string; newId(): string },
): OwnWriter {
  const { records, bodies, kinds, queries, projection } = store
  const guest = caller.role === 'guest' ? caller : undefined
  const reader = createOwnReader(store, caller)
  const seen = new SeenRecords(store, caller)
  return {
    get: reader.get,
    query: (query) => projection.readInTransaction(() => reader.query(query)),
    count: (kind, filters) => projection.readInTransaction(() => reader.count(kind, filters)),
    isOpen: reader.isOpen,
    mayKnow: reader.mayKnow,
    unread: reader.unread,
    newId,
    isFree: (id) => records.row(id) === undefined,
    put(request) {
      const kind = kinds.get(request.kind)
      if (kind?.guests !== 'own') throw outside()
      if (guest) {
        const row = records.row(request.id)
        const before = ownRow(store, guest, request.id)
        if (row && !before) throw unseen()
        const body = before && bodies.read(before, before.body)
        const stored = before && {
          ...before,
          body: body ?? {},
          isUnread: body === undefined,
          // `checkUndecided` ignores it; the check below compares it.
          sensitivity: undefined,
        }
        checkUndecided(kind, request.body, stored)
        const level = (before?.sensitivity ?? undefined) as Sensitivity | undefined
        if (before && isLowered(request.scope?.sensitivity ?? level, level)) throw lowering()
        const written = body ? seen.writtenOver(request.kind, request.body, body) : request.body
        return put({ ...request, body: written, scope: { ...request.scope, agent: guest.agent } })
      }
      return put(request)
    },
    countMade: (made) => countRecordHeads(store.db, projection, made),
    countWhere: (kind, filters) =>
      projection.readInTransaction(
        () => queries.count({ kind, filters, by: 'none' }).total + queries.unread({ kinds: [kind] }),
      ),
  }
}

function needOwnKind({ kinds }: Pick<OwnStore, 'kinds'>, name: string): void {
  if (kinds.get(name)?.guests === 'own') return
  throw new DaybookError('internal', `\`${name}\` is no kind of which an agent has its own records.`)
}

/**
 * The live row of record `id`; undefined if its kind is no `own` kind, or if it belongs to another agent than the
 * guest.
 */
function ownRow({ records, kinds }: OwnStore, guest: Guest | undefined, id: string): RecordRow | undefined {
  const row = records.row(id)
  if (!row || row.deleted || kinds.get(row.kind)?.guests !== 'own') return undefined
  return guest && row.agent !== guest.agent ? undefined : row
}
