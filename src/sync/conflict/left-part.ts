// What is left over where a record was forgotten by somebody who did not know all of its parts, because it had been changed
// meanwhile: whoever hears of the forget and knows them takes them along.
// Invariant: live parts that several records share are not looked at: whoever changes such a record writes another one.
import type { BookStore } from '../../store/book-store.ts'
import { partRows } from '../../store/record/part-rows.ts'
import { isPurged, type RecordRow } from '../../store/schema/record-row.ts'

/** A part that may be left over. */
export interface LeftPart {
  readonly id: string
  readonly isPurged: boolean
}

/** The parts of the record in `row`, which is about to be forgotten or purged. */
export function partsLeft(store: BookStore, row: RecordRow, isPurging: boolean): LeftPart[] {
  if (row.deleted === 0 && store.kinds.get(row.kind)?.sharedParts) return []
  return partRows(store, row).map(({ id }) => ({ id, isPurged: isPurging }))
}

/** Forgets or purges what is left of `parts`; answers what changed. Inside a transaction. */
export function forgetParts(
  { records, stamps, purge }: Pick<BookStore, 'records' | 'stamps' | 'purge'>,
  parts: readonly LeftPart[],
  at: string,
): { id: string; kind: string }[] {
  return parts.flatMap(({ id, isPurged: isPurging }) => {
    const row = records.row(id)
    if (!row || (isPurging ? isPurged(row) : row.deleted === 1)) return []
    const { kind, agent, seq } = row
    const more = isPurging ? ({ purge: true } as const) : {}
    records.forget({ op: 'forget', kind, id, at, stamp: stamps.next(), agent, ...more })
    if (isPurging) purge.purge(id, seq)
    return [{ id, kind }]
  })
}
