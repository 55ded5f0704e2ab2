// Live queries in Svelte 5, as an object with a reactive `current`.
import { createSubscriber } from 'svelte/reactivity'
import type { Live, LiveData, LiveMethod } from '../book/daybook.ts'
import {
  type QueryAnswer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  type Shown,
  shownAfter,
} from './live-binding.ts'

/**
 * Returns the answer to `query()` as `current`. While a component or effect reads `current`, each change of the book
 * updates it. `current` is `loading` while the book or the query is undefined. After the query changes, the previous
 * data stay until the new answer.
 */
export function useLive<M extends LiveMethod>(
  book: () => MaybeBook,
  query: () => MaybeQuery<M>,
): { readonly current: QueryAnswer<M> } {
  const listening = new WeakMap<Live<unknown>, () => void>()
  let shown: Shown<LiveData<M>> | undefined
  return {
    get current() {
      const from = book()
      const live = liveOf(from, query())
      let listen = listening.get(live)
      if (!listen) {
        listen = createSubscriber((update) => live.subscribe(update))
        listening.set(live, listen)
      }
      listen()
      shown = shownAfter(shown, from, live.getSnapshot())
      return shown.snapshot
    },
  }
}
