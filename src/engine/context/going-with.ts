// What goes when a record goes, by the same way: forgotten with it, or purged.
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

type GoingStore = Pick<BookStore, 'records' | 'bodies' | 'kinds' | 'db' | 'projection' | 'sources'>

export interface Going {
  /** Whether the caller may take it along. */
  isReached(id: string): boolean
  /** Its parts are forgotten by somebody else. */
  readonly isAlone?: boolean
}

/** What goes with the record in `row`: its marks, its parts, and what was made from it and is nothing without it. */
export function goingWith(
  store: GoingStore,
  row: RecordRow,
  { isReached, isAlone = false }: Going,
): RecordRow[] {
  const mark = markRow(store, row.id)
  return [
    ...(mark ? [mark] : []),
    ...(isAlone ? [] : belongings(store, row).filter(({ id }) => isReached(id))),
    ...store.sources.goingWith(row.id),
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
