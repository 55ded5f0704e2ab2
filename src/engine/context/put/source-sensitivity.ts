// What is made from other records is as sensitive as the most sensitive of them: when it is put, and when one of them becomes
// more sensitive later, in the same transaction.
import type { JsonObject } from '../../../core/json/path.ts'
import type { Kind } from '../../../core/kind.ts'
import type { PutRequest } from '../../../core/put-request.ts'
import { isLowered, type Sensitivity } from '../../../core/sealed.ts'
import type { BookStore } from '../../../store/book-store.ts'

/** The head of what is made from other records: it is as sensitive as the most sensitive of them. */
export function guardedHead<Head extends { readonly sensitivity?: Sensitivity }>(
  { sources }: Pick<BookStore, 'sources'>,
  kind: Kind,
  { body, id }: { readonly body: JsonObject; readonly id: string },
  head: Head,
): Head {
  const level = sources.level(kind, body, id)
  return level !== undefined && isLowered(head.sensitivity, level) ? { ...head, sensitivity: level } : head
}

/** What was made from what is in the record `id` before it was one, as it is put again with that among its sources. */
export function namedIn({ sources, kinds, bodies, records }: MadeStore, id: string): PutRequest[] {
  const row = sources.links.awaitsSome() ? records.row(id) : undefined
  const found = row ? sources.links.awaiting(row) : []
  // One may know it by several keys.
  const made = Map.groupBy(found, ([, { id: of }]) => of)
  return [...made.values()].flatMap((all) => {
    const [[, one]] = all as [(typeof all)[number]]
    const said = bodies.read(one, one.body)
    const next = all.reduce<JsonObject | undefined>(
      (told, [key]) => told && kinds.get(one.kind)?.madeFrom?.withSource?.(told, key, id),
      said,
    )
    return next ? [{ kind: one.kind, id: one.id, body: next, checked: true, upkeep: true }] : []
  })
}

type MadeStore = Pick<BookStore, 'sources' | 'kinds' | 'bodies' | 'records'>

/** What was made from `id` and is less sensitive than that is now, as it is put again in the same transaction. */
export function raisedBy(
  { sources, kinds, bodies }: Pick<BookStore, 'sources' | 'kinds' | 'bodies'>,
  id: string,
  sensitivity: Sensitivity,
): PutRequest[] {
  return sources.madeOf(id).flatMap((row) => {
    const own = (row.sensitivity ?? kinds.get(row.kind)?.sensitivity) as Sensitivity | undefined
    const body = isLowered(own, sensitivity) ? bodies.read(row, row.body) : undefined
    return body ? [{ kind: row.kind, id: row.id, body, checked: true, scope: { sensitivity } }] : []
  })
}
