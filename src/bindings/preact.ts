// Live queries as a Preact hook.
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'
import type { LiveData, LiveMethod, RecordKind } from '../book/daybook.ts'
import {
  type QueryAnswer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  type Shown,
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
  // `liveOf` returns the same object for equal queries, so the effect below runs again only for another query.
  const last = useRef<Shown<LiveData<M, K>>>(undefined)
  const [, renderAgain] = useReducer((count: number, _action: undefined) => count + 1, 0)
  const drawn = live.getSnapshot()
  useLayoutEffect(() => {
    const off = live.subscribe(() => renderAgain(undefined))
    // The snapshot may have changed between the render and `subscribe`: render again.
    if (live.getSnapshot() !== drawn) renderAgain(undefined)
    return off
  }, [live])
  last.current = shownAfter(last.current, book, drawn)
  return last.current.snapshot
}
