// Live queries as hooks of React 18 and 19.
// Invariant: React gets answers through `useSyncExternalStore` only, so all parts of a page show the same state of
// the book.
import { useState, useSyncExternalStore } from 'react'
import type { Daybook, Live, LiveData, LiveMethod, LiveQuery, RecordKind } from '../book/daybook.ts'
import {
  type QueryAnswer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  serverSnapshot,
  shownAfter,
} from './live-binding.ts'

/**
 * Returns the answer to `query`, and renders again after each change of the answer. The answer is `loading` while the
 * book or the query is undefined. After the query changes, the previous data stay until the new answer.
 */
export function useLive<M extends LiveMethod, K extends RecordKind = RecordKind>(
  book: MaybeBook,
  query: MaybeQuery<M, K>,
): QueryAnswer<M, K> {
  const live = liveOf(book, query)
  const snapshot = useSyncExternalStore(live.subscribe, live.getSnapshot, serverSnapshot)
  const [last, keep] = useState(() => shownAfter(undefined, book, snapshot))
  const shown = shownAfter(last, book, snapshot)
  // React renders again at once, before it commits this render.
  if (shown !== last) keep(shown)
  return shown.snapshot
}

/**
 * Returns the data of `query`. Suspends until the first answer, also while a server renders: it asks the
 * server's book. Throws the error of a query that failed without data.
 */
export function useLiveSuspense<M extends LiveMethod, K extends RecordKind = RecordKind>(
  book: Daybook,
  query: LiveQuery<M, K>,
): LiveData<M, K> {
  const live = liveOf(book, query)
  const { status, data, error } = useSyncExternalStore(live.subscribe, live.getSnapshot, live.getSnapshot)
  if (status === 'error' && data === undefined) throw error
  if (status === 'loading' && data === undefined) throw firstAnswer(live)
  return data as LiveData<M, K>
}

/** Promises of `firstAnswer`. React must get the same promise in each try to render: `liveOf` makes the key stable. */
const waiting = new WeakMap<Live<unknown>, Promise<void>>()

/** Resolves when `live` has an answer or an error. */
function firstAnswer(live: Live<unknown>): Promise<void> {
  const pending = waiting.get(live)
  if (pending) return pending
  const answered = new Promise<void>((resolve) => {
    const off = live.subscribe(() => {
      if (live.getSnapshot().status === 'loading') return
      waiting.delete(live)
      resolve()
      // Unsubscribe after the suspended components subscribe: otherwise the query runs twice.
      void answered.then(off)
    })
  })
  waiting.set(live, answered)
  return answered
}
