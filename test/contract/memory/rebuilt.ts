// Waits for what is outdated to be told anew by itself.
import type { Daybook } from '../../../src/book/daybook.ts'

/** Resolves when what is outdated was told anew, or is gone, by the task that does it by itself. */
export async function rebuilt(book: Daybook, id: string): Promise<void> {
  const isDone = async () =>
    (await book.records.get({ id })) === null ||
    (await book.records.query({ filters: { id } })).records.length > 0
  let next = Promise.withResolvers<void>()
  const off = book.on('task', ({ capability, state }) => {
    if (capability.endsWith(':rebuild') && state === 'done') next.resolve()
  })
  while (!(await isDone())) {
    await next.promise
    next = Promise.withResolvers<void>()
  }
  off()
}
