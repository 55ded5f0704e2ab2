// What all bindings share: which query a component follows, and what it shows while another one loads.
// Invariant: what is shown of one book is never shown beneath another.
import type { Daybook, Live, LiveData, LiveMethod, LiveQuery, LiveSnapshot } from '../book/daybook.ts'

/** A book that is not open yet, and a query that is not known yet, are undefined: that is `loading`. */
export type MaybeBook = Daybook | undefined
export type MaybeQuery<M extends LiveMethod> = LiveQuery<M> | undefined
export type Answer<M extends LiveMethod> = LiveSnapshot<LiveData<M>>

const nothing: LiveSnapshot<never> = { status: 'loading', data: undefined, error: undefined, updatedAt: 0 }

/** Stands for the query of a book that is not there yet. */
const notYet: Live<never> = {
  getSnapshot: () => nothing,
  subscribe: () => () => undefined,
  '@@observable': () => ({ subscribe: () => ({ unsubscribe: () => undefined }) }),
}

/** The query to follow; the same object for equal ones of one book. */
export function liveOf<M extends LiveMethod>(book: MaybeBook, query: MaybeQuery<M>): Live<LiveData<M>> {
  return book && query ? book.live(query) : notYet
}

/** What a server renders, and what is shown before there is a page. */
export const serverSnapshot = (): LiveSnapshot<never> => nothing

/** What was shown last, and of which book. */
export interface Shown<T> {
  readonly book: MaybeBook
  readonly snapshot: LiveSnapshot<T>
}

/** What is to be shown: the data of the query before, until the one that came in its place is answered. */
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
