// Which records one caller may know of: the owner of all, a guest of what is in its reach.
// Invariant: of what is out of reach nothing is told, neither that it is there nor that it was, nor who took its id.
import type { Caller } from '../../core/capability/caller.ts'
import type { RecordReader } from '../../core/capability/port/record-port.ts'
import type { ConflictEntry, ConflictQuery } from '../../core/conflict.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { RecordName } from '../../core/put-request.ts'
import { withoutOwnerPaths } from '../../core/kind.ts'
import { deniesHeads, isInReach, type NamedRecord, seesAll } from '../../core/access/reach.ts'
import { type IsShown, withHiddenLinks, withShownLinks } from '../../core/record-link.ts'
import type { Stored } from '../../core/record.ts'
import type { Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { type RecordRow, toRecord } from '../../store/schema/record-row.ts'
import { marksOf } from './mark-record.ts'
import { guestIds, type Standing } from './guest-write.ts'
import { hasSeenSources } from './seen-sources.ts'

/** Entries of the conflict log looked at at once for a guest. */
const conflictPage = 100

export interface SeenRecords extends Pick<RecordReader, 'get' | 'find' | 'history'> {
  /** The row of a record that the caller may know of, and of one that is not forgotten. */
  row(id: string): RecordRow | undefined
  live(id: string): RecordRow | undefined
  /** The ids that what is known by a name may have for the caller. A new one gets the first of `own` that is free. */
  idsOf(name: RecordName): { readonly known: readonly string[]; readonly own: readonly string[] }
  /** Where what is known by `name` is put; undefined when the caller's own ids are taken by what it does not see. */
  idFor(name: RecordName): string | undefined
  isHere(name: RecordName): boolean
  isSeenConflict(entry: ConflictEntry): boolean
  conflicts(query: ConflictQuery): ConflictEntry[]
  /** A body of the kind as the caller is shown it. */
  shownBody(kind: string, body: JsonObject): JsonObject
  /** A body that the caller writes over `stands`, with the links of that which it is not shown. */
  writtenOver(kind: string, body: JsonObject, stands: JsonObject): JsonObject
  /** A row as the rules for guests look at it. */
  standing(row: RecordRow): Standing
}

export type SeenRecordsStore = Pick<
  BookStore,
  'records' | 'bodies' | 'kinds' | 'conflicts' | 'queries' | 'sources'
>

export function createSeenRecords(store: SeenRecordsStore, caller: Caller): SeenRecords {
  const { records, bodies, kinds, sources } = store
  const guest = caller.role === 'guest' ? caller : undefined
  const isSeen = (record: NamedRecord & { readonly id: string }) =>
    !guest || (isInReach(guest.reach, record, kinds) && hasSeenSources(store, guest.reach, record))

  const within = guest && store.queries.within(guest.reach)

  const row = (id: string): RecordRow | undefined => {
    // One look-up for what is hidden and for what is not there: how long an answer takes tells of neither.
    if (within && !within.mayHold(id)) return undefined
    const found = records.row(id)
    if (!found || !guest) return found
    // Of what was forgotten nothing is left that could tell whose it was.
    if (found.deleted) return undefined
    // What is outdated may quote what is gone.
    if (kinds.get(found.kind)?.madeFrom && sources.isOutdated(found.seq)) return undefined
    const body = bodies.read(found, found.body)
    // Of what is locked neither, but for those who may see everything.
    const isClosed = kinds.get(found.kind)?.byPolicy === true || !seesAll(guest.reach)
    const mayKnow = body ? isSeen({ ...found, body }) : !isClosed
    return mayKnow ? found : undefined
  }
  const live = (id: string): RecordRow | undefined => {
    const found = row(id)
    return found?.deleted === 0 ? found : undefined
  }
  /** One look-up for an id that stands in many places. */
  const isShown = (): IsShown => {
    const known = new Map<string, boolean>()
    return (id) => {
      const before = known.get(id)
      if (before !== undefined) return before
      const isLive = live(id) !== undefined
      known.set(id, isLive)
      return isLive
    }
  }
  /** A body as the caller is shown it: nothing of what was said before, and no id of a record that it may not see. */
  const shownBody = (name: string, body: JsonObject): JsonObject => {
    const kind = kinds.get(name)
    return guest ? withShownLinks(kind, withoutOwnerPaths(kind, body), isShown()) : body
  }
  const toStored = (found: RecordRow | undefined): Stored<JsonObject> | undefined =>
    found && toRecord(found, shownBody(found.kind, bodies.need(found, found.body)), marksOf(store, found.id))

  const readBody = (one: RecordRow) => {
    const body = bodies.read(one, one.body)
    return body ? { body } : { body: {}, isUnread: true }
  }

  const idsOf = (name: RecordName) => (guest ? guestIds(guest, name) : { known: [name.id], own: [name.id] })
  const findRow = (name: RecordName): RecordRow | undefined => {
    const rows = idsOf(name).known.map(live)
    return rows.find((one) => one?.kind === name.kind)
  }

  const isHeadUnknown = guest !== undefined && deniesHeads(guest.reach, kinds)
  /** An entry holds bodies without heads: for a guest they count by what their kind is scoped by. */
  const isSeenConflict = ({ record, kind, lost, kept, base }: ConflictEntry) =>
    !guest ||
    (!isHeadUnknown &&
      kinds.get(kind)?.byPolicy !== true &&
      row(record) !== undefined &&
      (kept?.record === undefined || row(kept.record) !== undefined) &&
      ![lost, kept].some((side) => side?.sealed) &&
      [lost.body, kept?.body, base].every((body) => !body || isSeen({ kind, id: record, agent: '', body })))

  const shownConflict = (entry: ConflictEntry): ConflictEntry => {
    const shown = <Side extends { readonly body?: JsonObject | undefined }>(side: Side): Side =>
      side.body ? { ...side, body: shownBody(entry.kind, side.body) } : side
    const { lost, kept, base } = entry
    return {
      ...entry,
      lost: shown(lost),
      ...(kept ? { kept: shown(kept) } : {}),
      ...(base ? { base: shownBody(entry.kind, base) } : {}),
    }
  }

  return {
    row,
    live,
    idsOf,
    isSeenConflict,
    get: (id) => toStored(live(id)),
    find: (name) => toStored(findRow(name)),
    isHere: (name) => findRow(name) !== undefined,
    idFor(name) {
      const found = findRow(name)?.id
      if (found !== undefined || !guest) return found ?? name.id
      return idsOf(name).own.find((id) => records.row(id)?.deleted !== 0)
    },
    history(id) {
      if (!guest) return records.history(id)
      const found = row(id)
      if (!found) return []
      const versions = records.history(id).filter(({ op, body, ...head }) => {
        return op === 'put' && body !== undefined && isSeen({ kind: found.kind, id, ...head, body })
      })
      // What the owner decides about he also takes words out of: what it said before is told to nobody else.
      const told = kinds.get(found.kind)?.byPolicy === true ? versions.slice(-1) : versions
      return told.map((one) => (one.body ? { ...one, body: shownBody(found.kind, one.body) } : one))
    },
    conflicts({ limit = 100, ...query }) {
      if (!guest) return store.conflicts.list({ limit, ...query })
      const found: ConflictEntry[] = []
      for (let { before } = query; ;) {
        const page = store.conflicts.list({ ...query, limit: conflictPage, before })
        found.push(...page.filter(isSeenConflict).map(shownConflict))
        if (found.length >= limit || page.length < conflictPage) return found.slice(0, limit)
        before = page.at(-1)?.id
      }
    },
    shownBody,
    writtenOver: (name, body, stands) =>
      guest ? withHiddenLinks(kinds.get(name), body, stands, isShown()) : body,
    standing: (one) => ({
      ...one,
      ...readBody(one),
      sensitivity: (one.sensitivity ?? undefined) as Sensitivity | undefined,
    }),
  }
}
