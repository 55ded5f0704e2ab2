// Finds the parts of a record (records with the rest of a body too large for one; several records with the same subject
// may share a part) and its followers (`followedBy`: a companion with the same subject, name and domain).
// Invariant: a part that a remaining record names is never removed.
import { type Kind, type Kinds, partIds } from '../../core/kind.ts'
import { type JsonObject, readPath } from '../../core/json/path.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { textKey } from '../../core/text/text-key.ts'
import { isPurged, type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Bodies } from './bodies.ts'
import type { Projection } from './projection.ts'

export interface PartRowsDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly bodies: Pick<Bodies, 'read'>
  readonly records: { row(id: string): RecordRow | undefined }
  readonly projection: Pick<Projection, 'catchUpInTransaction'>
}

// Fields of the body of a tombstone, each a list: ids of parts, keys of the subject and of the followers, and
// ids of records that the record had changed. See `tombstoneBody`.
const partsField = 'parts'
const sharedKeysField = 'of'
const changedField = 'changed'
/** Facets that a record and its followers have in common. Shared parts have the first, the subject, in common. */
const followerFacets = ['subject', 'name', 'domain'] as const

/**
 * The body of the tombstone for `before`, by which a later purge finds the parts: their ids or, for shared parts, a
 * key of the common subject; and the ids of the records that it had changed. `{}` without any.
 */
export function tombstoneBody(
  { kinds, bodies }: Pick<PartRowsDeps, 'kinds' | 'bodies'>,
  before: RecordRow,
): string {
  if (before.deleted === 1) return before.body
  const kind = kinds.get(before.kind)
  const isShared = kind && [...kinds.values()].some((one) => one.sharedParts?.kind === kind.name)
  const body = kind?.parts || kind?.changes || isShared ? bodies.read(before, before.body) : undefined
  if (!kind || !body) return '{}'
  if (kind.sharedParts || isShared) return sharedPartsBody(kind, before, body)
  const ids = { [partsField]: partIds(kind, body), [changedField]: kind.changes?.(body) ?? [] }
  return JSON.stringify(Object.fromEntries(Object.entries(ids).filter(([, list]) => list.length > 0)))
}

/**
 * Stores keys in place of ids: a record may name thousands of shared parts, and most of them stay with other
 * records.
 */
function sharedPartsBody(kind: Kind, row: RecordRow, body: JsonObject): string {
  // A record whose id does not follow from its content shares no parts with records of other agents.
  const holder = hasUnderivedId(kind, row, body) ? row.agent : ''
  const keyOf = (facets: readonly (typeof followerFacets)[number][]) => {
    const values = facets.map((facet) => String(readPath(body, kind.facets?.[facet] ?? '') ?? ''))
    return textKey([holder, ...values]).toString(36)
  }
  return sharedKeysBody(keyOf(['subject']), kind.sharedParts ? keyOf(followerFacets) : undefined)
}

const sharedKeysBody = (subjectKey: string, followerKey?: string) =>
  JSON.stringify({ [sharedKeysField]: followerKey === undefined ? [subjectKey] : [subjectKey, followerKey] })

/**
 * The unpurged tombstones that may belong to the tombstone in `row`, of a kind with shared parts: its followers, and
 * all parts of its subject. No other record needs a forgotten part.
 */
function tombstonesOfParts({ db, kinds }: PartRowsDeps, row: RecordRow): RecordRow[] {
  const kind = kinds.get(row.kind)
  const keys = (JSON.parse(row.body || '{}') as JsonObject)[sharedKeysField]
  const subjectKey = Array.isArray(keys) ? keys[0] : undefined
  if (!kind?.sharedParts || typeof subjectKey !== 'string') return []
  return db
    .all<RecordRow>(
      `SELECT ${recordColumns} FROM records r
       WHERE r.deleted = 1 AND ((r.kind = ? AND r.body = ?) OR (r.kind = ? AND r.body = ?)) AND r.id <> ?`,
      [kind.sharedParts.kind, sharedKeysBody(subjectKey), kind.followedBy ?? null, row.body, row.id],
    )
    .filter((one) => !isPurged(one))
}

/** The parts that the record or tombstone in `row` names, also forgotten ones. */
export function partRows(store: PartRowsDeps, row: RecordRow): RecordRow[] {
  const kind = store.kinds.get(row.kind)
  if (!kind?.parts) return []
  if (row.deleted === 1)
    return kind.sharedParts
      ? tombstonesOfParts(store, row)
      : partRowsById(store, kind, row, idsInTombstone(row, partsField))
  const body = store.bodies.read(row, row.body)
  return body ? partRowsIn(store, row, body) : []
}

/**
 * The parts that `body`, a version of the live record in `row`, names. Their ids may differ: see
 * `hasUnderivedId`.
 */
export function partRowsIn(store: PartRowsDeps, row: RecordRow, body: JsonObject): RecordRow[] {
  const kind = store.kinds.get(row.kind)
  const ids = partIds(kind, body)
  if (!kind || ids.length === 0) return []
  if (!hasUnderivedId(kind, row, body)) return partRowsById(store, kind, row, ids)
  const wanted = new Set(ids)
  return rowsWithEqualFacets(store, row, [partKindOf(store, kind).name], ['subject']).filter(
    (one) => one.agent === row.agent && wanted.has(derivedIdOf(store, one)),
  )
}

/**
 * True when the record has another id than the one that follows from its content. A guest's records do when another
 * record has that id; then their parts have such ids too.
 */
function hasUnderivedId(kind: Kind, row: RecordRow, body: JsonObject): boolean {
  return kind.idOf !== undefined && kind.idOf(body) !== row.id
}

/** The id that follows from the content of a live record. */
function derivedIdOf({ kinds, bodies }: PartRowsDeps, row: RecordRow): string {
  const body = bodies.read(row, row.body)
  return (body && kinds.get(row.kind)?.idOf?.(body)) ?? row.id
}

/**
 * The records that are removed with the record in `row`: its followers, and those parts of both that no other record
 * names.
 */
export function rowsRemovedWith(store: PartRowsDeps, row: RecordRow): RecordRow[] {
  if (row.deleted === 1) return partRows(store, row)
  const followers = followerRows(store, row)
  const removedRows = [row, ...followers]
  const parts = new Map(removedRows.flatMap((one) => partRows(store, one)).map((part) => [part.id, part]))
  const otherRowsNaming =
    parts.size === 0 ? undefined : findOtherRowsNaming(store, row, new Set(removedRows.map(({ id }) => id)))
  return [...followers, ...[...parts.values()].filter((part) => !otherRowsNaming?.(part).length)]
}

/**
 * A function from a part of the record in `row` to the other records that name this part, without those in
 * `removedIds`.
 */
export function findOtherRowsNaming(
  store: PartRowsDeps,
  row: RecordRow,
  removedIds: ReadonlySet<string>,
): (part: RecordRow) => readonly RecordRow[] {
  const { kinds, bodies } = store
  /** The agent whose records alone share parts with `one`; undefined when its id follows from its content. */
  const holderOf = (one: RecordRow, body: JsonObject | undefined) => {
    const kind = kinds.get(one.kind)
    return kind && body && hasUnderivedId(kind, one, body) ? one.agent : undefined
  }
  const shared = kinds.get(row.kind)?.sharedParts
  const holder = holderOf(row, bodies.read(row, row.body))
  const rowsByPartId = new Map<string, RecordRow[]>()
  for (const one of shared ? rowsWithEqualFacets(store, row, shared.namedBy, ['subject']) : []) {
    const body = removedIds.has(one.id) ? undefined : bodies.read(one, one.body)
    if (!body || holderOf(one, body) !== holder) continue
    for (const id of partIds(kinds.get(one.kind), body))
      rowsByPartId.set(id, [...(rowsByPartId.get(id) ?? []), one])
  }
  return (part) => rowsByPartId.get(holder === undefined ? part.id : derivedIdOf(store, part)) ?? []
}

/** The live followers of the record in `row`: records that make sense only with it. */
export function followerRows(store: PartRowsDeps, row: RecordRow): RecordRow[] {
  const followedBy = store.kinds.get(row.kind)?.followedBy
  return followedBy ? rowsWithEqualFacets(store, row, [followedBy], followerFacets) : []
}

/** The ids of the records that the forgotten record in `row` may have changed. */
export const idsChangedBy = (row: RecordRow): readonly string[] => idsInTombstone(row, changedField)

function idsInTombstone(row: RecordRow, name: string): readonly string[] {
  const ids = (JSON.parse(row.body || '{}') as JsonObject)[name]
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

/** The kind of the parts: the shared kind, or without one the kind of the record itself. */
const partKindOf = ({ kinds }: PartRowsDeps, kind: Kind): Kind =>
  kinds.get(kind.sharedParts?.kind ?? '') ?? kind

function partRowsById(
  store: PartRowsDeps,
  kind: Kind,
  { id: own }: RecordRow,
  ids: readonly string[],
): RecordRow[] {
  const { name } = partKindOf(store, kind)
  return [...new Set(ids)].flatMap((id) => {
    const part = id === own ? undefined : store.records.row(id)
    return part?.kind === name ? [part] : []
  })
}

/**
 * The readable live records of the kinds `names` whose `facets` equal those of the record in `row`. Reads all sealed
 * ones.
 */
function rowsWithEqualFacets(
  store: PartRowsDeps,
  row: RecordRow,
  names: readonly string[],
  facets: readonly (typeof followerFacets)[number][],
): RecordRow[] {
  const { db, bodies, projection } = store
  const facetsOf = (one: RecordRow): string | undefined => {
    const kind = store.kinds.get(one.kind)
    const body = one.deleted === 0 && kind ? bodies.read(one, one.body) : undefined
    if (!body) return undefined
    return JSON.stringify(facets.map((facet) => readPath(body, String(kind?.facets?.[facet] ?? '')) ?? null))
  }
  const ownFacets = facetsOf(row)
  if (ownFacets === undefined) return []
  projection.catchUpInTransaction()
  // Sealed records have no hot columns.
  const rows = db.all<RecordRow>(
    `SELECT ${recordColumns} FROM facets f JOIN records r ON r.seq = f.seq
     WHERE f.subject = ? AND r.deleted = 0 AND r.kid IS NULL AND r.kind IN (SELECT value FROM json_each(?))
     UNION ALL SELECT ${recordColumns} FROM records r
     WHERE r.kid IS NOT NULL AND r.deleted = 0 AND r.kind IN (SELECT value FROM json_each(?))`,
    [String((JSON.parse(ownFacets) as unknown[])[0]), JSON.stringify(names), JSON.stringify(names)],
  )
  return rows.filter((one) => one.id !== row.id && facetsOf(one) === ownFacets)
}
