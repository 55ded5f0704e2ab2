// The public types, as a stranger's compiler reads them.
import { DaybookError, isDaybookError, openDaybook } from 'daybook'
import { openDaybook as openInNode } from 'daybook/node'
import { backgroundSyncTag, sendSpilled, serveBackgroundSync } from 'daybook/service-worker'

export async function remember(): Promise<string> {
  const book = await openDaybook({ name: 'stranger', agent: 'visitor' })
  const { id } = await book.traces.store({
    situation: { domain: 'garden' },
    task: { goal: 'Water the tomatoes' },
    action: { type: 'watering' },
  })
  // @ts-expect-error: a trace needs a task
  await book.traces.store({ situation: { domain: 'garden' }, action: { type: 'watering' } })
  const { records } = await book.traces.query({ limit: 1 })
  const goal: string | undefined = records[0]?.task.goal
  // @ts-expect-error: a goal is text
  const count: number | undefined = records[0]?.task.goal
  await book.close()
  return goal ?? String(count ?? id)
}

export const serve = (): void => serveBackgroundSync({ key: ({ book, url }) => Promise.resolve(book + url) })
export const send = (tag: string): Promise<void> | undefined =>
  tag === backgroundSyncTag ? sendSpilled() : undefined

export const openHere: typeof openInNode = (options) => openInNode(options)
export const isFull = (error: unknown): boolean =>
  isDaybookError(error, 'storage-full') || error instanceof DaybookError
