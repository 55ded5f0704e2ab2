// Live queries as a Solid primitive.
import { type Accessor, createRenderEffect, createSignal, onCleanup } from 'solid-js'
import type { LiveData, LiveMethod, RecordKind } from '../book/daybook.ts'
import {
  type QueryAnswer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  serverSnapshot,
  type Shown,
  shownAfter,
} from './live-binding.ts'

/**
 * Returns the answer to `query()`, and updates it after each change of the book until Solid disposes its
 * owner. The answer is `loading` while the book or the query is undefined. After the query changes, the
 * previous data stay until the new answer.
 */
export function createLive<M extends LiveMethod, K extends RecordKind = RecordKind>(
  book: Accessor<MaybeBook>,
  query: Accessor<MaybeQuery<M, K>>,
): Accessor<QueryAnswer<M, K>> {
  const [answer, setAnswer] = createSignal<QueryAnswer<M, K>>(serverSnapshot())
  let shown: Shown<LiveData<M, K>> | undefined
  createRenderEffect(() => {
    const currentBook = book()
    const live = liveOf(currentBook, query())
    const show = () => {
      shown = shownAfter(shown, currentBook, live.getSnapshot())
      setAnswer(() => (shown as Shown<LiveData<M, K>>).snapshot)
    }
    onCleanup(live.subscribe(show))
    show()
  })
  return answer
}
