// Live queries in Svelte 5, as an object with a reactive `current`.
import { createSubscriber } from 'svelte/reactivity'
import type { Live, LiveData, LiveMethod, RecordKind } from '../book/daybook.ts'
import {
  type QueryAnswer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  type Shown,
  shownAfter,
} from './live-binding.ts'

/**
 * Returns an object whose `current` is the answer to `query()`. `current` follows the book while a component or effect
 * reads it; elsewhere nothing subscribes. It is `loading` while the book or the query is undefined. After the query
 * changes, the previous data stay until the new answer; after the book changes, they don't.
 */
export function useLive<M extends LiveMethod, K extends RecordKind = RecordKind>(
  book: () => MaybeBook,
  query: () => MaybeQuery<M, K>,
): { readonly current: QueryAnswer<M, K> } {
  /** Subscribers by live query. `liveOf` returns the same object for equal queries, so each query subscribes once. */
  const listening = new WeakMap<Live<unknown>, () => void>()
  let shown: Shown<LiveData<M, K>> | undefined
  return {
    get current() {
      const currentBook = book()
      const live = liveOf(currentBook, query())
      let listen = listening.get(live)
      if (!listen) {
        listen = createSubscriber((update) => live.subscribe(update))
        listening.set(live, listen)
      }
      listen()
      shown = shownAfter(shown, currentBook, live.getSnapshot())
      return shown.snapshot
    },
  }
}
