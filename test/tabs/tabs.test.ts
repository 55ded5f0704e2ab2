// Several tabs, one book: whichever of them ends, and however, the others go on and nothing acknowledged is lost.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { endsOfTab, openTabs, type Tab, type Tabs } from './open-tabs.ts'

let tabs: Tabs
const acked = new Set<string>()
beforeEach(async () => {
  acked.clear()
  tabs = await openTabs((key) => acked.add(key))
})
afterEach(() => tabs[Symbol.asyncDispose]())

const newBook = () => ({ name: `tabs-${crypto.randomUUID().slice(0, 8)}` })

async function ownerOf(all: readonly Tab[]): Promise<{ owner: Tab; followers: Tab[] }> {
  const owns = await Promise.all(all.map((tab) => tab.isOwner()))
  expect(owns.filter(Boolean)).toHaveLength(1)
  const owner = all[owns.indexOf(true)] as Tab
  return { owner, followers: all.filter((tab) => tab !== owner) }
}

it.each([2, 6])('opens in %d tabs at once: one owner, one book', async (count) => {
  const all = await Promise.all(Array.from({ length: count }, () => tabs.open()))
  const book = newBook()
  expect(await Promise.all(all.map((tab) => tab.open(book)))).toEqual(all.map(() => 'open'))
  await ownerOf(all)
  await Promise.all(all.map((tab, i) => tab.store(`from ${i}`)))
  for (const tab of all) expect((await tab.goals()).sort()).toEqual(all.map((_, i) => `from ${i}`).sort())
})

it.each(endsOfTab)('goes on without losing or doubling a write when the owner ends: %s', async (way) => {
  const book = newBook()
  const all = await Promise.all(Array.from({ length: 3 }, () => tabs.open()))
  for (const tab of all) await tab.open(book)
  const { owner, followers } = await ownerOf(all)
  if (way === 'kill') await owner.pid()
  await Promise.all(
    all.map((tab, i) => tab.page.evaluate((prefix) => globalThis.tab.stream(prefix, 4), `tab${i}`)),
  )
  await expect.poll(() => acked.size).toBeGreaterThan(200)
  await owner.end(way)
  const before = acked.size
  await expect.poll(() => acked.size).toBeGreaterThan(before + 200)
  await Promise.all(followers.map((tab) => tab.page.evaluate(() => globalThis.tab.stop())))
  const { owner: next } = await ownerOf(followers)
  const goals = await next.goals()
  expect(new Set(goals).size).toBe(goals.length)
  expect([...acked].filter((key) => !goals.includes(key))).toEqual([])
})
