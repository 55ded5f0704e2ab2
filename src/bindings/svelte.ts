// Live queries in Svelte 5, as an object whose `current` is reactive.
import { createSubscriber } from 'svelte/reactivity'
import type { Live, LiveData, LiveMethod } from '../book/daybook.ts'
import {
  type Answer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  type Shown,
  shownAfter,
} from './live-binding.ts'

/**
 * The answer to `query()` as `current`, told anew as the book changes for as long as a component or effect reads it. While the
 * book or the query is undefined it is `loading`; when the query becomes another, the data of the one before stay until it is
 * answered.
 */
export function useLive<M extends LiveMethod>(
  book: () => MaybeBook,
  query: () => MaybeQuery<M>,
): { readonly current: Answer<M> } {
  const listening = new WeakMap<Live<unknown>, () => void>()
  let shown: Shown<LiveData<M>> | undefined
  return {
    get current() {
      const given = book()
      const live = liveOf(given, query())
      let listen = listening.get(live)
      if (!listen) {
        listen = createSubscriber((update) => live.subscribe(update))
        listening.set(live, listen)
      }
      listen()
      shown = shownAfter(shown, given, live.getSnapshot())
      return shown.snapshot
    },
  }
}
