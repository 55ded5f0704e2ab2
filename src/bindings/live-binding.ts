// Shared by all bindings: the query that a component follows, and the data it shows while another one loads.
// Invariant: data of one book never appear under another.
import type { Daybook, Live, LiveData, LiveMethod, LiveQuery, LiveSnapshot } from '../book/daybook.ts'

/** An undefined book is not open yet, an undefined query not known yet: both give `loading`. */
export type MaybeBook = Daybook | undefined
export type MaybeQuery<M extends LiveMethod> = LiveQuery<M> | undefined
export type QueryAnswer<M extends LiveMethod> = LiveSnapshot<LiveData<M>>

const nothing: LiveSnapshot<never> = { status: 'loading', data: undefined, error: undefined, updatedAt: 0 }

/** Stands in for a query without a book. */
const notYet: Live<never> = {
  getSnapshot: () => nothing,
  subscribe: () => () => undefined,
  '@@observable': () => ({ subscribe: () => ({ unsubscribe: () => undefined }) }),
}

/** Returns the query to follow; the same object for equal queries of one book. */
export function liveOf<M extends LiveMethod>(book: MaybeBook, query: MaybeQuery<M>): Live<LiveData<M>> {
  return book && query ? book.live(query) : notYet
}

/** Snapshot on a server, and before hydration. */
export const serverSnapshot = (): LiveSnapshot<never> => nothing

/** The last snapshot shown, and its book. */
export interface Shown<T> {
  readonly book: MaybeBook
  readonly snapshot: LiveSnapshot<T>
}

/** Returns the snapshot to show: the previous data, until the new query is answered. */
export function shownAfter<T>(
  last: Shown<T> | undefined,
  book: MaybeBook,
  snapshot: LiveSnapshot<T>,
): Shown<T> {
  const before = last?.book === book ? last : undefined
  const isWaiting = snapshot.status === 'loading' && snapshot.data === undefined
  const next = isWaiting && before ? { ...snapshot, data: before.snapshot.data } : snapshot
  return before && isAlike(before.snapshot, next) ? before : { book, snapshot: next }
}

const isAlike = <T>(one: LiveSnapshot<T>, other: LiveSnapshot<T>) =>
  one.status === other.status && one.data === other.data && one.error === other.error
