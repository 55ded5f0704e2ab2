// Live queries as hooks of React 18 and 19. Invariant: `useSyncExternalStore` alone tells React of answers, so that no part of
// a page shows another state of the book than the rest.
import { useState, useSyncExternalStore } from 'react'
import type { Daybook, Live, LiveData, LiveMethod, LiveQuery } from '../book/daybook.ts'
import {
  type Answer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  serverSnapshot,
  shownAfter,
} from './live-binding.ts'

/**
 * The answer to `query`, told anew as the book changes. While the book or the query is undefined it is `loading`; when the
 * query becomes another, the data of the one before stay until it is answered.
 */
export function useLive<M extends LiveMethod>(book: MaybeBook, query: MaybeQuery<M>): Answer<M> {
  const live = liveOf(book, query)
  const snapshot = useSyncExternalStore(live.subscribe, live.getSnapshot, serverSnapshot)
  const [last, keep] = useState(() => shownAfter(undefined, book, snapshot))
  const shown = shownAfter(last, book, snapshot)
  // React draws again at once, before anything of this is seen.
  if (shown !== last) keep(shown)
  return shown.snapshot
}

/** The data of `query`. Suspends until the first answer, and throws the error where there is one in its place. */
export function useLiveSuspense<M extends LiveMethod>(book: Daybook, query: LiveQuery<M>): LiveData<M> {
  const live = liveOf(book, query)
  const { status, data, error } = useSyncExternalStore(live.subscribe, live.getSnapshot, live.getSnapshot)
  if (status === 'error' && data === undefined) throw error
  if (status === 'loading' && data === undefined) throw firstAnswer(live)
  return data as LiveData<M>
}

const waiting = new WeakMap<Live<unknown>, Promise<void>>()

/** Resolves when `live` is answered; one promise for all that wait for it. */
function firstAnswer(live: Live<unknown>): Promise<void> {
  const known = waiting.get(live)
  if (known) return known
  const answered = new Promise<void>((resolve) => {
    const off = live.subscribe(() => {
      if (live.getSnapshot().status === 'loading') return
      waiting.delete(live)
      resolve()
      // After those who waited have begun to listen, so that it is not asked a second time.
      void answered.then(off)
    })
  })
  waiting.set(live, answered)
  return answered
}
