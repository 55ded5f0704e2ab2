// What tests of several tabs ask at their end: one of them has the book, and in it is what was acknowledged, once each.
import { expect } from 'vitest'

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
