// Whether anybody looks at a book: pages that show it, told to the worker that holds it, by real locks and channels.
import { expect, it } from 'vitest'
import { showView, watchView } from '../../src/hosts/browser/tab/page-view.ts'

it('is seen while one page shows it, and no longer when the last has gone', async () => {
  const book = `view-${crypto.randomUUID()}`
  const told: boolean[] = []
  let wake: (() => void) | undefined
  const unwatch = watchView(book, (seen) => {
    told.push(seen)
    wake?.()
  })
  /** Resolves once this is what was told last. */
  const becomes = async (seen: boolean) => {
    while (told.at(-1) !== seen) await new Promise<void>((resolve) => (wake = resolve))
  }
  await becomes(false)
  const first = showView(book)
  await becomes(true)
  const second = showView(book)
  first()
  // The other one still stands: a look that nobody changed says so.
  dispatchEvent(new Event('online'))
  await becomes(true)
  second()
  await becomes(false)
  dispatchEvent(new Event('offline'))
  unwatch()
  const before = told.length
  const third = showView(book)
  await navigator.locks.query()
  expect(told.length).toBe(before)
  third()
})
