// How often the worker of a page speaks on channels: not at all while it has a port to the owner of its book.
import type { Page } from 'playwright'

interface Gauged {
  posted: number
}

/** Answers how often it did while `work` was done. */
export async function createChannelGauge(
  page: Page,
): Promise<(work: () => Promise<unknown>) => Promise<number>> {
  const worker = page.workers().at(-1)
  if (!worker) throw new Error('This page has no worker.')
  await worker.evaluate(() => {
    const gauged = globalThis as unknown as Gauged
    const { postMessage } = BroadcastChannel.prototype
    gauged.posted = 0
    BroadcastChannel.prototype.postMessage = function (message) {
      gauged.posted += 1
      postMessage.call(this, message)
    }
  })
  const posted = () => worker.evaluate(() => (globalThis as unknown as Gauged).posted)
  return async (work) => {
    const before = await posted()
    await work()
    return (await posted()) - before
  }
}
