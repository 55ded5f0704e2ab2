// Helpers of all bindings: pick the live query of a component, and keep its previous data while a new query loads.
// Invariant: data of one book never appear under another.
import type {
  Daybook,
  Live,
  LiveData,
  LiveMethod,
  LiveQuery,
  LiveSnapshot,
  RecordKind,
} from '../book/daybook.ts'

/** Undefined: the book is not open yet. The answer is `loading`. */
export type MaybeBook = Daybook | undefined
/** Undefined: there is nothing to ask yet. The answer is `loading`. */
export type MaybeQuery<M extends LiveMethod, K extends RecordKind = RecordKind> = LiveQuery<M, K> | undefined
export type QueryAnswer<M extends LiveMethod, K extends RecordKind = RecordKind> = LiveSnapshot<
  LiveData<M, K>
>

const nothing: LiveSnapshot<never> = { status: 'loading', data: undefined, error: undefined, updatedAt: 0 }

/** Live query that stays `loading`: used while the book or the query is undefined. */
const notYet: Live<never> = {
  getSnapshot: () => nothing,
  subscribe: () => () => undefined,
  '@@observable': () => ({ subscribe: () => ({ unsubscribe: () => undefined }) }),
}

/**
 * Returns the live query to subscribe to. Equal queries of one book return the same object, so the bindings use it as a
 * key and compare it by identity.
 */
export function liveOf<M extends LiveMethod, K extends RecordKind = RecordKind>(
  book: MaybeBook,
  query: MaybeQuery<M, K>,
): Live<LiveData<M, K>> {
  return book && query ? book.live(query) : notYet
}

/** Returns the snapshot for server rendering and before hydration: `loading`. */
export const serverSnapshot = (): LiveSnapshot<never> => nothing

/** The snapshot that a component shows, and the book of that snapshot. */
export interface Shown<T> {
  readonly book: MaybeBook
  readonly snapshot: LiveSnapshot<T>
}

/**
 * Returns the snapshot to show. While a new query loads, the snapshot contains the previous data of the same book.
 * Returns `last` itself if nothing changed.
 */
export function shownAfter<T>(
  last: Shown<T> | undefined,
  book: MaybeBook,
  snapshot: LiveSnapshot<T>,
): Shown<T> {
  const previous = last?.book === book ? last : undefined
  const isWaiting = snapshot.status === 'loading' && snapshot.data === undefined
  const next = isWaiting && previous ? { ...snapshot, data: previous.snapshot.data } : snapshot
  return previous && isAlike(previous.snapshot, next) ? previous : { book, snapshot: next }
}

/** Ignores `updatedAt`: a newer time alone is no reason to render again. */
const isAlike = <T>(one: LiveSnapshot<T>, other: LiveSnapshot<T>) =>
  one.status === other.status && one.data === other.data && one.error === other.error
