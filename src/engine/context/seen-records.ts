// The records that one caller may know of: for the owner all records, for a guest the records in its reach.
// Invariant: nothing reveals that a record out of reach exists or existed, nor which record has an id.
import {
  deniesHeads,
  isDoubtfulSource,
  isInReach,
  isSourceInReach,
  type NamedRecord,
  type Reach,
  seesAll,
} from '../../core/access/reach.ts'
import type { Caller, Guest } from '../../core/capability/caller.ts'
import type { RecordReader } from '../../core/capability/port/record-port.ts'
import type { SyncReader } from '../../core/capability/port/sync-port.ts'
import type { ConflictEntry, ConflictQuery } from '../../core/op.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { withoutOwnerPaths } from '../../core/kind.ts'
import type { RecordName, RecordVersion, Stored } from '../../core/record.ts'
import { type IsShown, withHiddenLinks, withShownLinks } from '../../core/record-link.ts'
import type { Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { type RecordRow, toRecord } from '../../store/schema/record-row.ts'
import { guestIds, type Standing } from './guest-write.ts'
import { marksOf } from './mark-record.ts'

/** Entries in each page of the conflict log when it is filtered for a guest. */
const conflictPage = 100

export type SeenRecordsStore = Pick<
  BookStore,
  'records' | 'bodies' | 'kinds' | 'conflicts' | 'queries' | 'sources'
>

type NamedId = NamedRecord & { readonly id: string }

export class SeenRecords
  implements Pick<RecordReader, 'get' | 'find' | 'history'>, Pick<SyncReader, 'conflicts'>
{
  readonly #store: SeenRecordsStore
  readonly #guest: Guest | undefined
  /** Queries within the guest's reach; undefined for the owner. */
  readonly #within: Pick<BookStore['queries'], 'mayBeVisible'> | undefined
  /** True: the reach denies some agent, session or resource, which a logged body does not show. */
  readonly #deniesHeads: boolean

  constructor(store: SeenRecordsStore, caller: Caller) {
    const guest = caller.role === 'guest' ? caller : undefined
    this.#store = store
    this.#guest = guest
    this.#within = guest && store.queries.within(guest.reach)
    this.#deniesHeads = guest !== undefined && deniesHeads(guest.reach, store.kinds)
  }

  /** The row of record `id`; undefined if the caller may not know of it. A guest gets no forgotten record. */
  row(id: string): RecordRow | undefined {
    const { records, bodies, kinds, sources } = this.#store
    // One look-up for hidden and missing records: its duration does not distinguish the two.
    if (this.#within && !this.#within.mayBeVisible(id)) return undefined
    const found = records.row(id)
    if (!found || !this.#guest) return found
    // A forgotten record has no body that shows whether it was in reach.
    if (found.deleted) return undefined
    const kind = kinds.get(found.kind)
    // An outdated record may quote a forgotten source.
    if (kind?.madeFrom && sources.isOutdated(found.seq)) return undefined
    const body = bodies.read(found, found.body)
    // A guest knows of a record with an unreadable body only if the guest sees everything and no policy governs the
    // kind.
    const isClosed = kind?.byPolicy === true || !seesAll(this.#guest.reach)
    const mayKnow = body ? this.#isSeen({ ...found, body }) : !isClosed
    return mayKnow ? found : undefined
  }

  /** The row of record `id`; undefined if the record is forgotten or the caller may not know of it. */
  live(id: string): RecordRow | undefined {
    const found = this.row(id)
    return found?.deleted === 0 ? found : undefined
  }

  get(id: string): Stored<JsonObject> | undefined {
    return this.#toStored(this.live(id))
  }

  find(name: RecordName): Stored<JsonObject> | undefined {
    return this.#toStored(this.#findRow(name))
  }

  /**
   * `possible`: the ids that `name` may have for the caller. `own`: ids for a new record, which gets the first free
   * id.
   */
  idsOf(name: RecordName): { readonly possible: readonly string[]; readonly own: readonly string[] } {
    return this.#guest ? guestIds(this.#guest, name) : { possible: [name.id], own: [name.id] }
  }

  /** The id under which `name` is put; undefined if hidden records have all ids that the caller may use. */
  idFor(name: RecordName): string | undefined {
    const found = this.#findRow(name)?.id
    if (found !== undefined || !this.#guest) return found ?? name.id
    return this.idsOf(name).own.find((id) => this.#store.records.row(id)?.deleted !== 0)
  }

  isHere(name: RecordName): boolean {
    return this.#findRow(name) !== undefined
  }

  history(id: string): RecordVersion[] {
    const { records, kinds } = this.#store
    if (!this.#guest) return records.history(id)
    const found = this.row(id)
    if (!found) return []
    const versions = records.history(id).filter(({ op, body, ...head }) => {
      return op === 'put' && body !== undefined && this.#isSeen({ kind: found.kind, id, ...head, body })
    })
    // The owner may have removed words from a record that policies govern: a guest sees only its last version.
    const shown = kinds.get(found.kind)?.byPolicy === true ? versions.slice(-1) : versions
    return shown.map((one) => (one.body ? { ...one, body: this.shownBody(found.kind, one.body) } : one))
  }

  conflicts({ limit = 100, ...query }: ConflictQuery): ConflictEntry[] {
    const log = this.#store.conflicts
    if (!this.#guest) return log.list({ limit, ...query })
    const found: ConflictEntry[] = []
    for (let { before } = query; ;) {
      const page = log.list({ ...query, limit: conflictPage, before })
      const seen = page.filter((entry) => this.isSeenConflict(entry))
      found.push(...seen.map((entry) => this.#shownConflict(entry)))
      if (found.length >= limit || page.length < conflictPage) return found.slice(0, limit)
      before = page.at(-1)?.id
    }
  }

  /**
   * True if the caller sees the entry. An entry has bodies without heads: a guest must reach the scope of each body.
   */
  isSeenConflict({ record, kind, loser, winner, base }: ConflictEntry): boolean {
    if (!this.#guest) return true
    return (
      !this.#deniesHeads &&
      this.#store.kinds.get(kind)?.byPolicy !== true &&
      this.row(record) !== undefined &&
      (winner?.record === undefined || this.row(winner.record) !== undefined) &&
      ![loser, winner].some((side) => side?.sealed) &&
      [loser.body, winner?.body, base].every(
        (body) => !body || this.#isSeen({ kind, id: record, agent: '', body }),
      )
    )
  }

  /** The body that the caller is shown: for a guest, without the owner's fields and without ids of hidden records. */
  shownBody(name: string, body: JsonObject): JsonObject {
    const kind = this.#store.kinds.get(name)
    return this.#guest ? withShownLinks(kind, withoutOwnerPaths(kind, body), this.#isShown()) : body
  }

  /** `body`, which replaces `stored`, with the links of `stored` that the caller was not shown. */
  writtenOver(name: string, body: JsonObject, stored: JsonObject): JsonObject {
    return this.#guest ? withHiddenLinks(this.#store.kinds.get(name), body, stored, this.#isShown()) : body
  }

  /** `row` in the form that the checks in `guest-write.ts` take. */
  standing(row: RecordRow): Standing {
    const body = this.#store.bodies.read(row, row.body)
    return {
      ...row,
      ...(body ? { body } : { body: {}, isUnread: true }),
      sensitivity: (row.sensitivity ?? undefined) as Sensitivity | undefined,
    }
  }

  #isSeen(record: NamedId): boolean {
    const { reach } = this.#guest ?? {}
    return (
      !reach || (isInReach(reach, record, this.#store.kinds) && hasSeenSources(this.#store, reach, record))
    )
  }

  /** Returns a check of ids that caches its answers: each id is looked up once. */
  #isShown(): IsShown {
    const shown = new Map<string, boolean>()
    return (id) => {
      const before = shown.get(id)
      if (before !== undefined) return before
      const isLive = this.live(id) !== undefined
      shown.set(id, isLive)
      return isLive
    }
  }

  #toStored(row: RecordRow | undefined): Stored<JsonObject> | undefined {
    if (!row) return undefined
    const body = this.#store.bodies.readOrThrow(row, row.body)
    return toRecord(row, this.shownBody(row.kind, body), marksOf(this.#store, row.id))
  }

  #findRow(name: RecordName): RecordRow | undefined {
    const rows = this.idsOf(name).possible.map((id) => this.live(id))
    return rows.find((one) => one?.kind === name.kind)
  }

  #shownConflict(entry: ConflictEntry): ConflictEntry {
    const shown = <Side extends { readonly body?: JsonObject | undefined }>(side: Side): Side =>
      side.body ? { ...side, body: this.shownBody(entry.kind, side.body) } : side
    const { loser, winner, base } = entry
    return {
      ...entry,
      loser: shown(loser),
      ...(winner ? { winner: shown(winner) } : {}),
      ...(base ? { base: this.shownBody(entry.kind, base) } : {}),
    }
  }
}

/** True if every source of `made`, direct or indirect, is in `reach`: `made` may quote its sources. */
export function hasSeenSources(
  { records, bodies, kinds, sources: all }: Pick<BookStore, 'records' | 'bodies' | 'kinds' | 'sources'>,
  reach: Reach,
  made: NamedId,
): boolean {
  const visited = new Set<string>()
  const isOpen = ({ id: from, kind: name, body }: Pick<NamedId, 'id' | 'kind' | 'body'>): boolean => {
    const kind = kinds.get(name)
    const sources = kind
      ? all.sourceIdsOf(kind, body, from).filter((id) => !visited.has(`${name} ${id}`))
      : []
    return sources.every((id) => {
      visited.add(`${name} ${id}`)
      const row = records.row(id)
      // A record may quote a forgotten source before the record is marked as outdated. A `reachOnly` record without
      // its source, such as a mark without its record, is for the owner only.
      if (row ? row.deleted === 1 : kind?.madeFrom?.reachOnly) return false
      const sourceBody = !row || row.deleted ? undefined : bodies.read(row, row.body)
      if (!row || !sourceBody)
        return !isDoubtfulSource(reach, row ? kinds.get(row.kind) : kind, row !== undefined, kinds)
      const source = { ...row, body: sourceBody }
      return isSourceInReach(reach, source, made, kinds) && isOpen(source)
    })
  }
  return isOpen(made)
}
