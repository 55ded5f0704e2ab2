// The public types, as a stranger's compiler reads them.
import { DaybookError, isDaybookError, openDaybook } from 'daybook'
import { type AcrossHit, recallAcross } from 'daybook/across'
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

export async function recallFromBoth(): Promise<readonly string[]> {
  await using mine = await openDaybook({ name: 'mine' })
  await using team = await openInNode({ name: 'team' })
  const handle = team.with({ agent: 'visitor' })
  const { hits, failed } = await recallAcross([mine, { book: handle, name: 'team', trust: 'shared' }], {
    text: 'tomatoes',
    kinds: ['trace'],
  })
  // @ts-expect-error: a question needs a text
  await recallAcross([mine], { limit: 3 })
  // @ts-expect-error: a trust class that no caller gives
  await recallAcross([{ book: mine, trust: 'confirmed' }], { text: 'tomatoes' })
  const labels = (hit: AcrossHit) => `${hit.book} ${hit.trust} ${hit.record.id} ${hit.alsoIn?.length ?? 0}`
  return [...hits.map(labels), ...failed.map(({ error }) => error.code)]
}
