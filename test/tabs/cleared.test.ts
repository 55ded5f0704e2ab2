// The data of the site is cleared while its tabs are open: what is written from then on is kept, and the user is told.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTabs, type Tabs } from './open-tabs.ts'

let tabs: Tabs
beforeEach(async () => {
  tabs = await openTabs()
})
afterEach(() => tabs[Symbol.asyncDispose]())

it('ends the book in every tab, which says why, and begins anew in pages that are loaded again', async () => {
  const name = `cleared-${crypto.randomUUID().slice(0, 8)}`
  const all = [await tabs.open(), await tabs.open()] as const
  const [owner] = all
  for (const tab of all) expect(await tab.open({ name })).toBe('open')
  await owner.store('before')
  const { origin } = new URL(owner.page.url())
  await owner.cdp.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  for (const tab of all) {
    await expect.poll(() => tab.store('to nowhere')).toBe('engine-died')
    const ended = await tab.page.evaluate(() =>
      globalThis.tab.events.find(({ name: what }) => what === 'closed'),
    )
    expect(ended?.detail).toMatchObject({ reason: expect.stringContaining('was cleared') })
  }
  for (const tab of all) {
    await tab.page.reload()
    await tab.page.waitForFunction(() => 'tab' in globalThis)
    expect(await tab.open({ name })).toBe('open')
  }
  for (const [i, tab] of all.entries()) await tab.store(`after ${i}`)
  expect((await owner.goals()).sort()).toEqual(['after 0', 'after 1'])
})
