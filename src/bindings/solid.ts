// Live queries as a primitive of Solid.
import { type Accessor, createRenderEffect, createSignal, onCleanup } from 'solid-js'
import type { LiveData, LiveMethod } from '../book/daybook.ts'
import {
  type Answer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  serverSnapshot,
  type Shown,
  shownAfter,
} from './live-binding.ts'

/**
 * The answer to `query()`, told anew as the book changes, until its owner is disposed of. While the book or the query is
 * undefined it is `loading`; when the query becomes another, the data of the one before stay until it is answered.
 */
export function createLive<M extends LiveMethod>(
  book: Accessor<MaybeBook>,
  query: Accessor<MaybeQuery<M>>,
): Accessor<Answer<M>> {
  const [answer, setAnswer] = createSignal<Answer<M>>(serverSnapshot())
  let shown: Shown<LiveData<M>> | undefined
  createRenderEffect(() => {
    const given = book()
    const live = liveOf(given, query())
    const show = () => {
      shown = shownAfter(shown, given, live.getSnapshot())
      setAnswer(() => (shown as Shown<LiveData<M>>).snapshot)
    }
    onCleanup(live.subscribe(show))
    show()
  })
  return answer
}
