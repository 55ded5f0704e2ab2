// What tests of several tabs ask at their end: one of them has the book, and in it is what was acknowledged, once each.
import { expect } from 'vitest'
import type { EndOfTab, Tab } from './open-tabs.ts'

interface OwnerOrNot {
  isOwner(): Promise<boolean>
}

/** The one tab of these that has the book, and the others. */
export async function ownerOf<Tab extends OwnerOrNot>(
  tabs: readonly Tab[],
): Promise<{ owner: Tab; followers: Tab[] }> {
  const owns = await Promise.all(tabs.map((tab) => tab.isOwner()))
  expect(owns.filter(Boolean)).toHaveLength(1)
  const owner = tabs[owns.indexOf(true)] as Tab
  return { owner, followers: tabs.filter((tab) => tab !== owner) }
}

/** No acknowledged write was lost, and none is there twice. */
export function expectWhole(goals: readonly string[], acked: ReadonlySet<string>): void {
  const found = new Set(goals)
  expect(found.size).toBe(goals.length)
  expect([...acked].filter((key) => !found.has(key))).toEqual([])
}

/**
 * Has all of these write, ends the one that has the book after `count` acknowledged writes, and expects as many of the
 * others, and nothing lost or doubled. `acked` hears of every write of a stream.
 */
export async function expectOutlived(
  all: readonly Tab[],
  way: EndOfTab,
  acked: ReadonlySet<string>,
  count: number,
): Promise<void> {
  const { owner, followers } = await ownerOf(all)
  if (way === 'kill') await owner.pid()
  await Promise.all(
    all.map((tab, i) => tab.page.evaluate((prefix) => globalThis.tab.stream(prefix, 4), `tab${i}`)),
  )
  await expect.poll(() => acked.size).toBeGreaterThan(count)
  await owner.end(way)
  const before = acked.size
  await expect.poll(() => acked.size).toBeGreaterThan(before + count)
  await Promise.all(followers.map((tab) => tab.page.evaluate(() => globalThis.tab.stop())))
  const { owner: next } = await ownerOf(followers)
  expectWhole(await next.goals(), acked)
}
