// Forgets what another record has brought to an end (`ends` of a kind): what one device approved and another rejected. What
// was only changed by it is as before.
// Invariant: what is ended follows from the record that ends it alone, and only grows, so that every copy which has both
// comes to the same, in whatever order they came.
import type { JsonObject } from '../../core/json/path.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { putAgain } from './put-again.ts'

interface Changed {
  readonly id: string
  readonly kind: string
}

/** What was forgotten or is as before, and in whose name. */
export interface Ended extends Changed {
  readonly agent: string
}

export type EndedStore = Pick<BookStore, 'kinds' | 'records' | 'bodies' | 'stamps'>

/** Forgets what of `changed`, or by it, is at its end; answers the records that changed with that. Inside a transaction. */
export function forgetEnded(store: EndedStore, changed: readonly Changed[], now: string): Ended[] {
  return changed.flatMap(({ id, kind: name }) => {
    const kind = store.kinds.get(name)
    if (!kind?.ends && !kind?.endedBy && !kind?.withoutEnded) return []
    const row = store.records.row(id)
    const body = readable(store, row, name)
    if (!row || !body) return []
    const gone = (kind.ends?.(body, id) ?? []).flatMap((target) =>
      forgetOne(store, store.records.row(target), row, now),
    )
    const by = kind.endedBy?.(body)
    const ending = by === undefined ? undefined : store.records.row(by)
    const isEnded = ending !== undefined && endsOf(store, ending).includes(id)
    if (isEnded) return [...gone, ...forgetOne(store, row, ending, now)]
    const changed = [...(kind.changes?.(body) ?? []), ...(kind.withoutEnded ? [id] : [])]
    return [...gone, ...changed.flatMap((target) => takeBack(store, target, now))]
  })
}

function readable(
  { bodies }: Pick<EndedStore, 'bodies'>,
  row: RecordRow | undefined,
  kind: string,
): JsonObject | undefined {
  return row?.deleted === 0 && row.kind === kind ? bodies.read(row, row.body) : undefined
}

function endsOf(store: EndedStore, row: RecordRow): readonly string[] {
  const body = readable(store, row, row.kind)
  return (body && store.kinds.get(row.kind)?.ends?.(body, row.id)) ?? []
}

/** `row` is forgotten where it is what `ending` has ended: it says so itself. */
function forgetOne(store: EndedStore, row: RecordRow | undefined, ending: RecordRow, now: string): Ended[] {
  const body = row && readable(store, row, row.kind)
  if (!row || !body || store.kinds.get(row.kind)?.endedBy?.(body) !== ending.id) return []
  const { id, kind } = row
  const { agent } = ending
  store.records.forget({ op: 'forget', kind, id, at: now, stamp: store.stamps.next(), agent })
  return [{ id, kind, agent }]
}

/** The record `id` is put again without the changes that have come to their end. */
function takeBack(store: EndedStore, id: string, now: string): Ended[] {
  const row = store.records.row(id)
  const kind = row && store.kinds.get(row.kind)
  const body = row && readable(store, row, row.kind)
  if (!kind?.withoutEnded || !body) return []
  const left = kind.withoutEnded(body, (by, as) => {
    const ending = store.records.row(by)
    return ending !== undefined && endsOf(store, ending).includes(as)
  })
  if (left === body) return []
  putAgain(store, row, left, now)
  return [{ id, kind: row.kind, agent: row.agent }]
}
