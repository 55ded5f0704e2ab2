// Takes the words of a record that is gone out of those that were made of it and stand without it (`withoutGone` of a kind).
// Invariant: what is left follows from the record and from what is gone, so that every copy which has both comes to the same, in
// whatever order they came.
import type { BookStore } from '../../store/book-store.ts'
import { changedBy } from '../../store/record/part-rows.ts'
import { putAgain } from './put-again.ts'

interface Changed {
  readonly id: string
  readonly kind: string
}

export type WordStore = Pick<BookStore, 'kinds' | 'records' | 'bodies' | 'stamps' | 'sources'>

/** Puts again what of `changed`, or made of it, has words of what is gone; answers those records. Inside a transaction. */
export function dropWords(store: WordStore, changed: readonly Changed[], now: string): Changed[] {
  const targets = new Set(changed.flatMap((one) => targetsOf(store, one)))
  return [...targets].flatMap((id) => dropIn(store, id, now))
}

function targetsOf({ kinds, records }: WordStore, { id, kind: name }: Changed): readonly string[] {
  const kind = kinds.get(name)
  if (kind?.withoutGone) return [id]
  const row = kind?.makes || kind?.changes ? records.row(id) : undefined
  return row?.deleted === 1 ? [...(kind?.makes?.(id) ?? []), ...changedBy(row)] : []
}

function dropIn(store: WordStore, id: string, now: string): Changed[] {
  const { records, bodies, sources } = store
  const row = records.row(id)
  const kind = row?.deleted === 0 ? store.kinds.get(row.kind) : undefined
  const body = row && kind?.withoutGone && bodies.read(row, row.body)
  if (!row || !body) return []
  let hasGone = false
  const left = kind?.withoutGone?.(body, (one) => {
    const isGone = records.row(one)?.deleted === 1
    hasGone ||= isGone
    return isGone
  })
  if (!left || !hasGone) return []
  sources.words.cover(row, left)
  if (left === body) return []
  putAgain(store, row, left, now)
  return [{ id, kind: row.kind }]
}
