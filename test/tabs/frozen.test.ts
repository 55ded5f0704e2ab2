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

it('goes on in another tab when its owner is frozen in the middle of writes, and has all of them when that wakes', async () => {
  const name = `frozen-${crypto.randomUUID().slice(0, 8)}`
  const owner = await open(name)
  const other = await open(name)
  expect([await isOwner(owner), await isOwner(other)]).toEqual([true, false])
  await other.show()
  await owner.evaluate(
    `void Object.assign(globalThis, { heard: [], acked: async (keys) => void heard.push(...keys) })`,
  )
  await owner.evaluate(`tab.stream('frozen', 4)`)
  await expect.poll(() => owner.evaluate<number>('heard.length')).toBeGreaterThan(100)
  await owner.setState('frozen')

  await expect.poll(() => isOwner(other), { timeout: 15_000 }).toBe(true)
  expect(await other.evaluate(`tab.store('meanwhile')`)).toMatch(isId)
  await owner.setState('active')
  await owner.show()
  await owner.evaluate('tab.stop()')
  expect(await owner.evaluate(`tab.store('after')`)).toMatch(isId)
  expect(await isOwner(owner)).toBe(false)
  const goals = await owner.evaluate<string[]>('tab.goals()')
  const acked = await owner.evaluate<string[]>('heard')
  expect(goals).toHaveLength(new Set(goals).size)
  expect(goals).toEqual(expect.arrayContaining([...acked, 'meanwhile', 'after']))
})
