// What tests of collections share: a book, and a wait for what a collection is to show.
import { onTestFinished } from 'vitest'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'

export async function openBook() {
  const book = await openDaybook({ name: 'rows', path: ':memory:' })
  onTestFinished(() => book.close())
  return book
}

/** Resolves as soon as `isTrue` is, told by the changes of `rows`. */
export function until(
  rows: { subscribeChanges(tell: () => void, options: object): { unsubscribe(): void } },
  isTrue: () => boolean,
) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => isTrue() && resolve()
  const subscription = rows.subscribeChanges(look, { includeInitialState: true })
  look()
  return promise.finally(() => subscription.unsubscribe())
}
