// What is made from other records, or guarded by them, is as sensitive as the most sensitive of them: when it is put, and when
// one of them becomes more sensitive later, in the same transaction.
import type { JsonObject } from '../../../core/json/path.ts'
import type { Kind } from '../../../core/kind.ts'
import type { PutRequest } from '../../../core/put-request.ts'
import { isLowered, isSealing, type Sensitivity } from '../../../core/sealed.ts'
import type { BookStore } from '../../../store/book-store.ts'
import { guardedAs } from '../../../store/record/guards.ts'

/** The head of what is made from other records, or guarded by them: it is as sensitive as the most sensitive of them. */
export function guardedHead<Head extends { readonly sensitivity?: Sensitivity }>(
  { sources }: Pick<BookStore, 'sources'>,
  kind: Kind,
  { body, id }: { readonly body: JsonObject; readonly id: string },
  head: Head,
): Head {
  const level = sources.level(kind, body, id)
  const { sensitivity: said, ...rest } = head
  const made = level !== undefined && isLowered(said, level) ? level : said
  const sensitivity = guardedAs(made, sources.guards.level(kind, body))
  if (sensitivity === said) return head
  return (sensitivity === undefined ? rest : { ...rest, sensitivity }) as Head
}

/** What was made from what is in the record `id` before it was one, as it is put again with that among its sources. */
export function namedIn({ sources, kinds, bodies, records }: MadeStore, id: string): PutRequest[] {
  const row = sources.links.awaited.isUsed() ? records.row(id) : undefined
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

/** What was made from `id`, or is guarded by it, and is less sensitive than it is now, as it is put again in the same transaction. */
export function raisedBy(
  { sources, kinds, bodies }: Pick<BookStore, 'sources' | 'kinds' | 'bodies'>,
  id: string,
  sensitivity: Sensitivity,
): PutRequest[] {
  const made = sources.madeOf(id).flatMap((row) => {
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
