// What it costs to have a call run by another tab.
import { expect, it } from 'vitest'
import { openTabs, type Tab } from './open-tabs.ts'

const print = (line: string) => process.stdout.write(`${line}\n`)
const middle = (times: readonly number[]) => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0

it('answers a call from another tab nearly as fast as one from the owner', async () => {
  const tabs = await openTabs()
  try {
    const book = { name: `pace-${crypto.randomUUID().slice(0, 8)}` }
    const owner = await tabs.open()
    await owner.open(book)
    const follower = await tabs.open()
    await follower.open(book)
    for (const what of ['get', 'store'] as const) {
      const median = async (tab: Tab) =>
        middle(await tab.page.evaluate(([kind]) => globalThis.tab.time(kind, 200), [what] as const))
      await median(owner)
      await median(follower)
      const [near, far] = [await median(owner), await median(follower)]
      print(
        `${what}: owner ${near.toFixed(2)} ms, follower ${far.toFixed(2)} ms, ${(far / near).toFixed(1)} ×`,
      )
      expect(far).toBeGreaterThan(0)
    }
  } finally {
    await tabs[Symbol.asyncDispose]()
  }
})
