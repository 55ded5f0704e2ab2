// A tab that the browser itself freezes, its worker with it: the others go on, and it takes its place again when it wakes.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type HiddenTab, type HiddenTabs, openHiddenTabs } from './open-hidden.ts'

let tabs: HiddenTabs
beforeEach(async () => {
  tabs = await openHiddenTabs()
})
afterEach(() => tabs[Symbol.asyncDispose]())

const open = async (name: string) => {
  const tab = await tabs.open()
  expect(await tab.evaluate(`tab.open({ name: '${name}' })`)).toBe('open')
  return tab
}
const isOwner = (tab: HiddenTab) => tab.evaluate('tab.book.status().then(({ owner }) => owner)')
const isId = /^[0-9a-f-]{36}$/

/** A stream of writes in a hidden page that is frozen in the middle, and wakes when the other tab has stored something. */
async function freezeStream(tab: HiddenTab, other: HiddenTab): Promise<string[]> {
  await other.show()
  await tab.evaluate(
    `void Object.assign(globalThis, { heard: [], acked: async (keys) => void heard.push(...keys) })`,
  )
  await tab.evaluate(`tab.stream('frozen', 16)`)
  await expect.poll(() => tab.evaluate<number>('heard.length')).toBeGreaterThan(100)
  await tab.setState('frozen')
  await expect.poll(() => isOwner(other), { timeout: 15_000 }).toBe(true)
  expect(await other.evaluate(`tab.store('meanwhile')`)).toMatch(isId)
  await tab.setState('active')
  await tab.show()
  await tab.evaluate('tab.stop()')
  return tab.evaluate<string[]>('heard')
}

it.each(['owner', 'follower'])(
  'goes on in another tab when one is frozen in the middle of writes, and does and answers all of them when that wakes: the %s',
  async (which) => {
    const name = `frozen-${crypto.randomUUID().slice(0, 8)}`
    const owner = await open(name)
    const follower = await open(name)
    expect([await isOwner(owner), await isOwner(follower)]).toEqual([true, false])
    const [tab, other] = which === 'owner' ? [owner, follower] : [follower, owner]
    const acked = await freezeStream(tab, other)
    expect(await tab.evaluate(`tab.store('after')`)).toMatch(isId)
    expect(await isOwner(tab)).toBe(false)
    // None twice, none lost, and none of which its caller heard nothing.
    const goals = await tab.evaluate<string[]>('tab.goals()')
    expect(goals.toSorted()).toEqual([...acked, 'meanwhile', 'after'].toSorted())
    expect(await tab.evaluate('tab.untold')).toEqual([])
  },
)
