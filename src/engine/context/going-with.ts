// What goes when a record goes, by the same way: forgotten with it, or purged.
// Invariant: what was decided otherwise since (rejected, reopened) stays, because it has ended the record itself.
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { markRow } from './mark-record.ts'

/** What goes with the record in `row`: its marks, and what it came of where that still stands for it and says the same. */
export function goingWith(
  store: Pick<BookStore, 'records' | 'bodies' | 'kinds'>,
  row: RecordRow,
): RecordRow[] {
  const { records, bodies, kinds } = store
  const mark = markRow(store, row.id)
  const body = row.deleted === 0 ? bodies.read(row, row.body) : undefined
  const origin = body && kinds.get(row.kind)?.endedBy?.(body)
  const from = origin === undefined ? undefined : records.row(origin)
  const said = from?.deleted === 0 ? bodies.read(from, from.body) : undefined
  // What was rejected or reopened has brought it to an end, and waits or is decided without it.
  const stands = from && said && kinds.get(from.kind)?.ends?.(said, from.id).includes(row.id) === false
  return [...(mark ? [mark] : []), ...(stands ? [from] : [])]
}
