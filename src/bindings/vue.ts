// Live queries as a Vue 3 composable.
import { type MaybeRefOrGetter, shallowRef, type ShallowRef, toValue, watch } from 'vue'
import type { LiveMethod, RecordKind } from '../book/daybook.ts'
import {
  type QueryAnswer,
  liveOf,
  type MaybeBook,
  type MaybeQuery,
  serverSnapshot,
  shownAfter,
} from './live-binding.ts'

/**
 * Returns the answer to `query`, and updates it after each change of the book until the component or effect scope
 * ends. Book and query are values, refs or getters; replace a query, because changes inside its object are not followed.
 * The answer is `loading` while the book or the query is undefined. After the query changes, the previous data stay
 * until the new answer.
 */
export function useLive<M extends LiveMethod, K extends RecordKind = RecordKind>(
  book: MaybeRefOrGetter<MaybeBook>,
  query: MaybeRefOrGetter<MaybeQuery<M, K>>,
): Readonly<ShallowRef<QueryAnswer<M, K>>> {
  const answer = shallowRef<QueryAnswer<M, K>>(serverSnapshot())
  // The type of `shownAfter` for the data of this query; the casts below only satisfy the compiler.
  let shown: ReturnType<typeof shownAfter<NonNullable<QueryAnswer<M, K>['data']>>> | undefined
  watch(
    () => [toValue(book), toValue(query)] as const,
    ([currentBook, currentQuery], _before, onCleanup) => {
      const live = liveOf(currentBook, currentQuery)
      const show = () => {
        shown = shownAfter(shown, currentBook, live.getSnapshot() as never)
        answer.value = shown.snapshot as QueryAnswer<M, K>
      }
      onCleanup(live.subscribe(show))
      show()
    },
    { immediate: true },
  )
  return answer
}
