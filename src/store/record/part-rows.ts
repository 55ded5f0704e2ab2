// Finds the parts of a record (`parts` and `sharedParts` in core/kind.ts) and its followers (`followedBy`).
// Invariant: a part that a remaining record names is never removed.
import { type Kind, type Kinds, partIds } from '../../core/kind.ts'
import { type JsonObject, readPath } from '../../core/json/path.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { textKey } from '../../core/text/text-key.ts'
import { isPurged, type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Bodies } from './bodies.ts'
import type { Projection } from './projection.ts'

export interface PartStore {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly bodies: Pick<Bodies, 'read'>
  readonly records: { row(id: string): RecordRow | undefined }
  readonly projection: Pick<Projection, 'catchUpWithin'>
}

const partsName = 'parts'
const sharedName = 'of'
const changedName = 'changed'
/** Facets that a record and its followers have in common. Shared parts have the first, the subject, in common. */
const alike = ['subject', 'name', 'domain'] as const

/**
 * The body of the tombstone for `before`, by which a later purge finds the parts: their ids or, for shared parts, a
 * key of the common subject; and the ids of the records that it had changed. `{}` without any.
 */
export function tombstoneText(
  { kinds, bodies }: Pick<PartStore, 'kinds' | 'bodies'>,
  before: RecordRow,
): string {
  if (before.deleted === 1) return before.body
  const kind = kinds.get(before.kind)
  const isShared = kind && [...kinds.values()].some((one) => one.sharedParts?.kind === kind.name)
  const body = kind?.parts || kind?.changes || isShared ? bodies.read(before, before.body) : undefined
  if (!kind || !body) return '{}'
  if (kind.sharedParts || isShared) return sharedText(kind, before, body)
  const ids = { [partsName]: partIds(kind, body), [changedName]: kind.changes?.(body) ?? [] }
  return JSON.stringify(Object.fromEntries(Object.entries(ids).filter(([, list]) => list.length > 0)))
}

/**
 * Stores keys in place of ids: a record may name thousands of shared parts, and most of them stay with other
 * records.
 */
function sharedText(kind: Kind, row: RecordRow, body: JsonObject): string {
  const holder = isApart(kind, row, body) ? row.agent : ''
  const keyOf = (facets: readonly (typeof alike)[number][]) => {
    const values = facets.map((facet) => String(readPath(body, kind.facets?.[facet] ?? '') ?? ''))
    return textKey([holder, ...values]).toString(36)
  }
  return keysText(keyOf(['subject']), kind.sharedParts ? keyOf(alike) : undefined)
}

const keysText = (ofAll: string, ofOwn?: string) =>
  JSON.stringify({ [sharedName]: ofOwn === undefined ? [ofAll] : [ofAll, ofOwn] })

/**
 * The unpurged tombstones that may belong to the tombstone in `row`, of a kind with shared parts: its followers, and
 * all parts of its subject. No other record needs a forgotten part.
 */
function forgottenWith({ db, kinds }: PartStore, row: RecordRow): RecordRow[] {
  const kind = kinds.get(row.kind)
  const keys = (JSON.parse(row.body || '{}') as JsonObject)[sharedName]
  const ofAll = Array.isArray(keys) ? keys[0] : undefined
  if (!kind?.sharedParts || typeof ofAll !== 'string') return []
  return db
    .all<RecordRow>(
      `SELECT ${recordColumns} FROM records r
       WHERE r.deleted = 1 AND ((r.kind = ? AND r.body = ?) OR (r.kind = ? AND r.body = ?)) AND r.id <> ?`,
      [kind.sharedParts.kind, keysText(ofAll), kind.followedBy ?? null, row.body, row.id],
    )
    .filter((one) => !isPurged(one))
}

/** The parts that the record or tombstone in `row` names, also forgotten ones. */
export function partRows(store: PartStore, row: RecordRow): RecordRow[] {
  const kind = store.kinds.get(row.kind)
  if (!kind?.parts) return []
  if (row.deleted === 1)
    return kind.sharedParts
      ? forgottenWith(store, row)
      : rowsOf(store, kind, row, rememberedIds(row, partsName))
  const body = store.bodies.read(row, row.body)
  return body ? partRowsIn(store, row, body) : []
}

/** The parts that `body`, a version of the live record in `row`, names. */
export function partRowsIn(store: PartStore, row: RecordRow, body: JsonObject): RecordRow[] {
  const kind = store.kinds.get(row.kind)
  const ids = partIds(kind, body)
  if (!kind || ids.length === 0) return []
  if (!isApart(kind, row, body)) return rowsOf(store, kind, row, ids)
  const wanted = new Set(ids)
  return alikeRows(store, row, [partKindOf(store, kind).name], ['subject']).filter(
    (one) => one.agent === row.agent && wanted.has(nameIn(store, one)),
  )
}

/**
 * True when the record has another id than the one that follows from its content. A guest's records do when another
 * record has that id; then their parts have such ids too.
 */
function isApart(kind: Kind, row: RecordRow, body: JsonObject): boolean {
  return kind.idOf !== undefined && kind.idOf(body) !== row.id
}

/** The id that follows from the content of a live record. */
function nameIn({ kinds, bodies }: PartStore, row: RecordRow): string {
  const body = bodies.read(row, row.body)
  return (body && kinds.get(row.kind)?.idOf?.(body)) ?? row.id
}

/**
 * The records that are removed with the record in `row`: its followers, and those parts of both that no other record
 * names.
 */
export function belongings(store: PartStore, row: RecordRow): RecordRow[] {
  if (row.deleted === 1) return partRows(store, row)
  const followers = followerRows(store, row)
  const leaving = [row, ...followers]
  const parts = new Map(leaving.flatMap((one) => partRows(store, one)).map((part) => [part.id, part]))
  const naming =
    parts.size === 0 ? undefined : namedElsewhere(store, row, new Set(leaving.map(({ id }) => id)))
  return [...followers, ...[...parts.values()].filter((part) => !naming?.(part).length)]
}

/**
 * A function from a part of the record in `row` to the other records that name this part, without those in
 * `leaving`.
 */
export function namedElsewhere(
  store: PartStore,
  row: RecordRow,
  leaving: ReadonlySet<string>,
): (part: RecordRow) => readonly RecordRow[] {
  const { kinds, bodies } = store
  const holderOf = (one: RecordRow, body: JsonObject | undefined) => {
    const kind = kinds.get(one.kind)
    return kind && body && isApart(kind, one, body) ? one.agent : undefined
  }
  const shared = kinds.get(row.kind)?.sharedParts
  const holder = holderOf(row, bodies.read(row, row.body))
  const by = new Map<string, RecordRow[]>()
  for (const one of shared ? alikeRows(store, row, shared.namedBy, ['subject']) : []) {
    const body = leaving.has(one.id) ? undefined : bodies.read(one, one.body)
    if (!body || holderOf(one, body) !== holder) continue
    for (const id of partIds(kinds.get(one.kind), body)) by.set(id, [...(by.get(id) ?? []), one])
  }
  return (part) => by.get(holder === undefined ? part.id : nameIn(store, part)) ?? []
}

/** The live followers of the record in `row`: records that make sense only with it. */
export function followerRows(store: PartStore, row: RecordRow): RecordRow[] {
  const followedBy = store.kinds.get(row.kind)?.followedBy
  return followedBy ? alikeRows(store, row, [followedBy], alike) : []
}

/** The ids of the records that the forgotten record in `row` may have changed. */
export const changedBy = (row: RecordRow): readonly string[] => rememberedIds(row, changedName)

function rememberedIds(row: RecordRow, name: string): readonly string[] {
  const ids = (JSON.parse(row.body || '{}') as JsonObject)[name]
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

const partKindOf = ({ kinds }: PartStore, kind: Kind): Kind => kinds.get(kind.sharedParts?.kind ?? '') ?? kind

function rowsOf(store: PartStore, kind: Kind, { id: own }: RecordRow, ids: readonly string[]): RecordRow[] {
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
function alikeRows(
  store: PartStore,
  row: RecordRow,
  names: readonly string[],
  facets: readonly (typeof alike)[number][],
): RecordRow[] {
  const { db, bodies, projection } = store
  const facetsOf = (one: RecordRow): string | undefined => {
    const kind = store.kinds.get(one.kind)
    const body = one.deleted === 0 && kind ? bodies.read(one, one.body) : undefined
    if (!body) return undefined
    return JSON.stringify(facets.map((facet) => readPath(body, String(kind?.facets?.[facet] ?? '')) ?? null))
  }
  const own = facetsOf(row)
  if (own === undefined) return []
  projection.catchUpWithin()
  // Sealed records have no hot columns.
  const rows = db.all<RecordRow>(
    `SELECT ${recordColumns} FROM facets f JOIN records r ON r.seq = f.seq
     WHERE f.subject = ? AND r.deleted = 0 AND r.kid IS NULL AND r.kind IN (SELECT value FROM json_each(?))
     UNION ALL SELECT ${recordColumns} FROM records r
     WHERE r.kid IS NOT NULL AND r.deleted = 0 AND r.kind IN (SELECT value FROM json_each(?))`,
    [String((JSON.parse(own) as unknown[])[0]), JSON.stringify(names), JSON.stringify(names)],
  )
  return rows.filter((one) => one.id !== row.id && facetsOf(one) === own)
}
