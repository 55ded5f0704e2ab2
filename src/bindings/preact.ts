// Live queries as a hook of Preact.
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'
import type { LiveData, LiveMethod } from '../book/daybook.ts'
import {
  type Answer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  type Shown,
  shownAfter,
} from './live-binding.ts'

/**
 * The answer to `query`, told anew as the book changes. While the book or the query is undefined it is `loading`; when the
 * query becomes another, the data of the one before stay until it is answered.
 */
export function useLive<M extends LiveMethod>(book: MaybeBook, query: MaybeQuery<M>): Answer<M> {
  const live = liveOf(book, query)
  const last = useRef<Shown<LiveData<M>>>(undefined)
  const [, draw] = useReducer((count: number) => count + 1, 0)
  const drawn = live.getSnapshot()
  useLayoutEffect(() => {
    const off = live.subscribe(() => draw(undefined))
    // It may have been answered since it was drawn, and is loading again for its first listener.
    if (live.getSnapshot() !== drawn) draw(undefined)
    return off
  }, [live])
  last.current = shownAfter(last.current, book, drawn)
  return last.current.snapshot
}
