// What goes when a record goes, by the same way: forgotten with it, or purged.
// Invariant: what was decided otherwise since (rejected, reopened) stays, because it has ended the record itself.
import { partIds } from '../../core/kind.ts'
import type { PutRequest } from '../../core/put-request.ts'
import type { Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { markRow } from './mark-record.ts'

type GoingStore = Pick<BookStore, 'records' | 'bodies' | 'kinds'>

/** What goes with the record in `row`: its marks, its parts, and what it came of where that still stands for it and says the same. */
export function goingWith(
  store: GoingStore,
  row: RecordRow,
  isReached: (id: string) => boolean,
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
    ...partRows(store, row).filter(({ id }) => isReached(id)),
    ...(stands ? [from] : []),
  ]
}

/** The parts of the record `id`, where they are not as sensitive as it is now, as they are put again in the same transaction. */
export function sealedParts(store: GoingStore, id: string, sensitivity: Sensitivity): PutRequest[] {
  const row = store.records.row(id)
  const others = row
    ? partRows(store, row).filter((part) => (part.sensitivity ?? 'standard') !== sensitivity)
    : []
  return others.flatMap((part) => {
    const body = store.bodies.read(part, part.body)
    return body ? [{ kind: part.kind, id: part.id, body, checked: true, scope: { sensitivity } }] : []
  })
}

/** The live records of the same kind that hold the rest of the one in `row`. */
function partRows({ records, bodies, kinds }: GoingStore, row: RecordRow): RecordRow[] {
  const kind = kinds.get(row.kind)
  const body = row.deleted === 0 && kind?.parts ? bodies.read(row, row.body) : undefined
  if (!body) return []
  return partIds(kind, body).flatMap((id) => {
    const part = records.row(id)
    return part && part.deleted === 0 && part.kind === row.kind && part.id !== row.id ? [part] : []
  })
}
