// What goes when a record goes, by the same way: forgotten with it, or purged.
// Invariant: what was decided otherwise since (rejected, reopened) stays, because it has ended the record itself.
import type { PutRequest } from '../../core/put-request.ts'
import { isLowered, type Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import {
  belongings,
  followerRows,
  namedElsewhere,
  partRows,
  partRowsIn,
} from '../../store/record/part-rows.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { markRow } from './mark-record.ts'

type GoingStore = Pick<BookStore, 'records' | 'bodies' | 'kinds' | 'db' | 'projection'>

export interface Going {
  /** Whether the caller may take it along. */
  isReached(id: string): boolean
  /** Its parts are forgotten by somebody else. */
  readonly isAlone?: boolean
}

/** What goes with the record in `row`: its marks, its parts, and what it came of where that still stands for it and says the same. */
export function goingWith(
  store: GoingStore,
  row: RecordRow,
  { isReached, isAlone = false }: Going,
): RecordRow[] {
  const { records, bodies, kinds } = store
  const mark = markRow(store, row.id)
  const body = row.deleted === 0 ? bodies.read(row, row.body) : undefined
  const origin = body && kinds.get(row.kind)?.endedBy?.(body)
  const from = origin === undefined ? undefined : records.row(origin)
  const said = from?.deleted === 0 ? bodies.read(from, from.body) : undefined
  // What was rejected or reopened has brought it to an end, and waits or is decided without it.
  const stands = from && said && kinds.get(from.kind)?.ends?.(said, from.id).includes(row.id) === false
  return [
    ...(mark ? [mark] : []),
    ...(isAlone ? [] : belongings(store, row).filter(({ id }) => isReached(id))),
    ...(stands ? [from] : []),
  ]
}

/** The same for a purge: also the parts of its earlier versions. */
export function purgedWith(store: GoingStore, row: RecordRow, going: Going): RecordRow[] {
  const kind = store.kinds.get(row.kind)
  const versions = kind?.parts && !kind.sharedParts && row.deleted === 0 ? store.records.history(row.id) : []
  const earlier = versions.flatMap(({ body }) => (body ? partRowsIn(store, row, body) : []))
  const all = [...goingWith(store, row, going), ...earlier.filter(({ id }) => going.isReached(id))]
  return [...new Map(all.map((one) => [one.id, one])).values()]
}

/**
 * The parts and followers of the record `id`, where they are not as sensitive as it is now, as they are put again in the same
 * transaction. What another record names too is as sensitive as the most sensitive of both.
 */
export function sealedParts(store: GoingStore, id: string, sensitivity: Sensitivity): PutRequest[] {
  const row = store.records.row(id)
  if (!row) return []
  const levelOf = (one: RecordRow) => (one.sensitivity ?? 'standard') as Sensitivity
  const parts = partRows(store, row).filter((part) => part.deleted === 0 && levelOf(part) !== sensitivity)
  const named = parts.length === 0 ? undefined : namedElsewhere(store, row, new Set([id]))
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
