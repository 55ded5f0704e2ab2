// Puts that follow from a put, in the same transaction. A record is at least as sensitive as each of its sources, of
// the records that guard it and of the records that it is part of, also when the sensitivity of those records rises
// later.
import type { JsonObject } from '../../core/json/path.ts'
import type { PutRequest } from '../../core/record.ts'
import { isLowered, isSealing, type Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { followerRows, findOtherRowsNaming, partRows } from '../../store/record/part-rows.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'

type FollowStore = Pick<BookStore, 'records' | 'bodies' | 'kinds' | 'db' | 'projection' | 'sources'>

/** Puts for records that name a source by a key of the new record `id`: each now names `id` as that source. */
export function namedIn({ sources, kinds, bodies, records }: FollowStore, id: string): PutRequest[] {
  const row = sources.links.awaited.isUsed() ? records.row(id) : undefined
  const found = row ? sources.links.recordsAwaiting(row) : []
  // One record may name the same source by several keys.
  const made = Map.groupBy(found, ([, { id: of }]) => of)
  return [...made.values()].flatMap((all) => {
    const [[, one]] = all as [(typeof all)[number]]
    const next = all.reduce<JsonObject | undefined>(
      (body, [key]) => body && kinds.get(one.kind)?.madeFrom?.withSource?.(body, key, id),
      bodies.read(one, one.body),
    )
    return next ? [{ kind: one.kind, id: one.id, body: next, checked: true, upkeep: true }] : []
  })
}

/**
 * Puts that raise the sensitivity of records made from `id` or guarded by `id`, if their sensitivity is too low now.
 */
export function raisedBy(
  { sources, kinds, bodies }: FollowStore,
  id: string,
  sensitivity: Sensitivity,
): PutRequest[] {
  const made = sources.derivedFrom(id).flatMap((row) => {
    const own = (row.sensitivity ?? kinds.get(row.kind)?.sensitivity) as Sensitivity | undefined
    return isLowered(own, sensitivity) ? [{ row, level: sensitivity }] : []
  })
  const guarded = isSealing(sensitivity) ? sources.guards.unguarded([id]) : []
  const all = new Map([...made, ...guarded].map((one) => [one.row.id, one]))
  return [...all.values()].flatMap(({ row, level }) => {
    const body = bodies.read(row, row.body)
    return body ? [{ kind: row.kind, id: row.id, body, checked: true, scope: { sensitivity: level } }] : []
  })
}

/**
 * Puts that give the parts and followers of `id` its sensitivity. Followers (`followedBy` of a kind) are
 * forgotten and sealed with it. A part of several records gets the highest sensitivity among those records.
 */
export function sealedParts(store: FollowStore, id: string, sensitivity: Sensitivity): PutRequest[] {
  const row = store.records.row(id)
  if (!row) return []
  const levelOf = (one: RecordRow) => (one.sensitivity ?? 'standard') as Sensitivity
  const parts = partRows(store, row).filter((part) => part.deleted === 0 && levelOf(part) !== sensitivity)
  const named = parts.length === 0 ? undefined : findOtherRowsNaming(store, row, new Set([id]))
  const followers = followerRows(store, row).map((one) => ({ one, level: sensitivity }))
  const wanted = parts.map((one) => {
    const levels = named?.(one).map(levelOf) ?? []
    return {
      one,
      level: levels.reduce((most, level) => (isLowered(most, level) ? level : most), sensitivity),
    }
  })
  return [...followers, ...wanted].flatMap(({ one, level }) => {
    const body = levelOf(one) === level ? undefined : store.bodies.read(one, one.body)
    return body ? [{ kind: one.kind, id: one.id, body, checked: true, scope: { sensitivity: level } }] : []
  })
}
