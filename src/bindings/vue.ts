// Live queries as a composable of Vue 3.
import { type MaybeRefOrGetter, shallowRef, type ShallowRef, toValue, watch } from 'vue'
import type { LiveMethod } from '../book/daybook.ts'
import {
  type Answer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  serverSnapshot,
  shownAfter,
} from './live-binding.ts'

/**
 * The answer to `query`, told anew as the book changes, until the component or the effect scope ends. The book and the query
 * may be refs or getters; while one of them is undefined it is `loading`. When the query becomes another, the data of the one
 * before stay until it is answered.
 */
export function useLive<M extends LiveMethod>(
  book: MaybeRefOrGetter<MaybeBook>,
  query: MaybeRefOrGetter<MaybeQuery<M>>,
): Readonly<ShallowRef<Answer<M>>> {
  const answer = shallowRef<Answer<M>>(serverSnapshot())
  let shown: ReturnType<typeof shownAfter<NonNullable<Answer<M>['data']>>> | undefined
  watch(
    () => [toValue(book), toValue(query)] as const,
    ([given, asked], _before, onCleanup) => {
      const live = liveOf(given, asked)
      const show = () => {
        shown = shownAfter(shown, given, live.getSnapshot() as never)
        answer.value = shown.snapshot as Answer<M>
      }
      onCleanup(live.subscribe(show))
      show()
    },
    { immediate: true, deep: 1 },
  )
  return answer
}
