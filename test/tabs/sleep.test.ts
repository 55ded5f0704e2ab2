// Tabs that sleep, hang or are of yesterday: they must not keep the book from the others, nor answer for it.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTabs, type Tab, type Tabs } from './open-tabs.ts'

let tabs: Tabs
beforeEach(async () => {
  // As people have it, with pages kept for the way back.
  tabs = await openTabs({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })
})
afterEach(() => tabs[Symbol.asyncDispose]())

const isId = /^[0-9a-f-]{36}$/

async function openTwo(): Promise<{ owner: Tab; follower: Tab; name: string }> {
  const name = `sleep-${crypto.randomUUID().slice(0, 8)}`
  const owner = await tabs.open()
  await owner.open({ name })
  const follower = await tabs.open()
  await follower.open({ name })
  expect([await owner.isOwner(), await follower.isOwner()]).toEqual([true, false])
  return { owner, follower, name }
}

it('says that the owner does not answer when its process stands still, and does what was asked once it moves', async () => {
  const { owner, follower } = await openTwo()
  const pid = await owner.pid()
  process.kill(pid, 'SIGSTOP')
  try {
    expect(await follower.store('into the void')).toBe('owner-unresponsive')
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  // It was asked to yield as well, and does.
  await expect.poll(() => follower.isOwner()).toBe(true)
  expect(await follower.store('answered')).toMatch(isId)
  expect(await owner.store('by the one that hung')).toMatch(isId)
  const goals = await follower.goals()
  expect(goals.filter((goal) => goal === 'into the void').length).toBeLessThanOrEqual(1)
  expect(goals).toEqual(expect.arrayContaining(['answered', 'by the one that hung']))
})

it('leaves the book to a tab of a newer version, and tells the older ones to reload', async () => {
  const { owner, follower, name } = await openTwo()
  await follower.store('by the old')
  const newer = await tabs.open({ build: 'newer' })
  expect(await newer.open({ name })).toBe('open')
  expect(await newer.isOwner()).toBe(true)
  expect(await newer.goals()).toEqual(['by the old'])
  for (const old of [owner, follower]) {
    await expect.poll(() => old.store('too late')).toBe('tab-outdated')
    const ended = await old.page.evaluate(() => globalThis.tab.events.find(({ name }) => name === 'closed'))
    expect(ended?.detail).toMatchObject({ reason: expect.stringContaining('Reload this page') })
  }
  expect(await (await tabs.open()).open({ name })).toBe('tab-outdated')
  expect(await newer.goals()).toEqual(['by the old'])
})

it('lets go of the book when the page is kept for the way back, and has it again after that', async () => {
  const { owner, follower } = await openTwo()
  await owner.store('before')
  await owner.page.evaluate(() =>
    addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { persisted })),
  )
  const elsewhere = owner.page.url().replace('current', 'newer')
  await owner.page.goto(elsewhere)
  await expect.poll(() => follower.isOwner()).toBe(true)
  expect(await follower.store('meanwhile')).toMatch(isId)
  // Not by Playwright, which takes a page that comes back for one that never arrives.
  await owner.cdp.send('Runtime.evaluate', { expression: 'history.back()' })
  const ask = async (expression: string) =>
    (await owner.cdp.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })).result
      .value as unknown
  await expect.poll(() => ask('globalThis.persisted')).toBe(true)
  expect(await ask(`tab.store('after')`)).toMatch(isId)
  expect(await ask('tab.goals().then((goals) => goals.sort().join())')).toBe('after,before,meanwhile')
})

// Finalizers run when the browser collects garbage, and a script that runs in a sleeping page ends its way back.
it('leaves no finalizer behind with the calls of a page', async () => {
  const tab = await tabs.open()
  await tab.open({ name: `sleep-${crypto.randomUUID().slice(0, 8)}` })
  const registered = await tab.page.evaluate(async () => {
    let count = 0
    const registry: FinalizationRegistry<unknown> = FinalizationRegistry.prototype
    const { register } = registry
    registry.register = function (...input) {
      count += 1
      return register.apply(this, input)
    }
    for (let i = 0; i < 5; i += 1) {
      await globalThis.tab.store(`call ${i}`)
      await globalThis.tab.goals()
      await globalThis.tab.book?.status()
    }
    return count
  })
  expect(registered).toBe(0)
  expect(await tab.goals()).toHaveLength(5)
})
