// The way between a tab and the owner of its book: a port of their own, or a channel where pages share no worker.
import { expect, it } from 'vitest'
import { createChannelGauge } from '../support/channel-gauge.ts'
import { expectOutlived, ownerOf } from './expect-whole.ts'
import { useFreshTabs } from './fresh-tabs.ts'
import type { Tab } from './open-tabs.ts'

const tabs = useFreshTabs()

const newBook = () => ({ name: `line-${crypto.randomUUID().slice(0, 8)}` })
const isId = /^[0-9a-f-]{36}$/

/** How often the worker of a tab speaks on channels while it stores something. */
async function createGauge(tab: Tab): Promise<() => Promise<number>> {
  const gauge = await createChannelGauge(tab.page)
  return () => gauge(async () => expect(await tab.store('something')).toMatch(isId))
}

it('gives a tab a port to the owner, and one to the next owner when that is killed with the process that gave the first', async () => {
  const book = newBook()
  const all: Tab[] = []
  for (let i = 0; i < 3; i++) {
    const tab = await tabs.open()
    await tab.open(book)
    all.push(tab)
  }
  const { owner, followers } = await ownerOf(all)
  const gauges = new Map<Tab, () => Promise<number>>()
  for (const tab of followers) {
    const gauge = await createGauge(tab)
    await expect.poll(gauge).toBe(0)
    gauges.set(tab, gauge)
  }
  await owner.end('kill')
  await expect
    .poll(async () => (await Promise.all(followers.map((tab) => tab.isOwner()))).sort())
    .toEqual([false, true])
  const [last] = (await ownerOf(followers)).followers
  await expect.poll(() => last && gauges.get(last)?.()).toBe(0)
})

it('does as well where there is no SharedWorker', async () => {
  const book = newBook()
  const all = await Promise.all(Array.from({ length: 3 }, () => tabs.open()))
  for (const tab of all) {
    await tab.page.evaluate(() => Reflect.deleteProperty(globalThis, 'SharedWorker'))
    await tab.open(book)
  }
  const { followers } = await ownerOf(all)
  const gauge = await createGauge(followers[0] as Tab)
  expect(await gauge()).toBeGreaterThan(0)
  await expectOutlived(all, 'kill', tabs.acked, 200)
})
