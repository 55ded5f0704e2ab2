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

/** Only a page that has heard that it is hidden is frozen. */
const hide = async (tab: HiddenTab, other: HiddenTab) => {
  await other.show()
  await expect.poll(() => tab.evaluate('document.visibilityState')).toBe('hidden')
}

/** A stream of writes in a hidden page that is frozen in the middle, and wakes when the other tab has stored something. */
async function freezeStream(tab: HiddenTab, other: HiddenTab): Promise<string[]> {
  await hide(tab, other)
  await tab.evaluate(
    `void Object.assign(globalThis, { heard: [], acked: async (keys) => void heard.push(...keys) })`,
  )
  await tab.evaluate(`tab.stream('frozen', 16)`)
  await expect.poll(() => tab.evaluate<number>('heard.length')).toBeGreaterThan(100)
  await tab.setState('frozen')
  await expect.poll(() => isOwner(other)).toBe(true)
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

/** How many workers live: each holds a lock while it does. */
const living = (tab: HiddenTab) =>
  tab.evaluate<number>(
    `navigator.locks.query().then(({ held }) => held.filter(({ name }) => name.startsWith('daybook:alive:')).length)`,
  )
/** Keeps openings of a book waiting, as soon as nobody has it, until `globalThis.releaseLock()`. */
const holdUp = (tab: HiddenTab, name: string) =>
  tab.evaluate(
    `void navigator.locks.request('daybook:${name}:owner', () => new Promise((free) => (globalThis.releaseLock = free)))`,
  )

/** Tells a page that it is frozen, or that it wakes; it runs on. */
const lifecycle = (tab: HiddenTab, event: 'freeze' | 'resume') =>
  tab.evaluate(`void document.dispatchEvent(new Event('${event}'))`)

it('ends the worker of a page that is frozen while it opens, and opens the book when that wakes', async () => {
  const name = `frozen-${crypto.randomUUID().slice(0, 8)}`
  const [tab, other] = [await tabs.open(), await tabs.open()]
  await holdUp(other, name)
  await tab.evaluate(`void (globalThis.opened = tab.open({ name: '${name}' }))`)
  await expect.poll(() => living(other)).toBe(1)
  await lifecycle(tab, 'freeze')
  // Sooner than it would give up by itself.
  await expect.poll(() => living(other), { timeout: 5000 }).toBe(0)
  await other.evaluate('releaseLock()')
  expect(await other.evaluate(`tab.open({ name: '${name}' })`)).toBe('open')
  expect(await isOwner(other)).toBe(true)
  await lifecycle(tab, 'resume')
  expect(await tab.evaluate('opened')).toBe('open')
  expect(await tab.evaluate(`tab.store('after')`)).toMatch(isId)
})

it('ends the worker of a page that closes its book while that is opened again', async () => {
  const name = `frozen-${crypto.randomUUID().slice(0, 8)}`
  const [tab, other] = [await open(name), await tabs.open()]
  await holdUp(other, name)
  await lifecycle(tab, 'freeze')
  await expect.poll(() => living(other)).toBe(0)
  await expect.poll(() => other.evaluate('"releaseLock" in globalThis')).toBe(true)
  await lifecycle(tab, 'resume')
  await expect.poll(() => living(other)).toBe(1)
  await tab.evaluate('tab.book.close()')
  // Sooner than it would give up by itself.
  await expect.poll(() => living(other), { timeout: 5000 }).toBe(0)
  await other.evaluate('releaseLock()')
  expect(await other.evaluate(`tab.open({ name: '${name}' })`)).toBe('open')
})
