// What the inspector loads before it shows anything, and what it says of a part whose code cannot be had.
import type { Browser, BrowserContext, Page } from 'playwright'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startWeight } from '../../scripts/page-weight.mjs'
import { launchBrowser, openInspector } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()), 90_000)
afterAll(() => browser.close())

const goTo = (page: Page, place: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: place, exact: true }).click()

it('starts with the scripts of its first view alone, within its limit', async () => {
  const { bytes, limitBytes, scripts } = startWeight(inject('builtFolder'))
  expect(scripts.length).toBeGreaterThan(1)
  expect(bytes).toBeLessThan(limitBytes)
})

it('has every view by the time that nothing else is to be done, also without a network', async () => {
  const context = await browser.newContext()
  const { page, problems } = await openInspector(browser, { context, url: inject('builtUrl') })
  await page.waitForFunction(() => {
    const names = performance.getEntriesByType('resource').map(({ name }) => name)
    return ['room-view', 'consent-views', 'late-dialogs', 'open-record'].every((part) =>
      names.some((name) => name.includes(part)),
    )
  })
  await context.setOffline(true)
  for (const [place, heading] of [
    ['Bundles', 'Bundles'],
    ['Sync and conflicts', 'Sync and conflicts'],
  ] as const) {
    await goTo(page, place)
    await page.getByRole('heading', { name: heading }).first().waitFor({ state: 'attached' })
  }
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await problems()).toEqual([])
  await context.close()
})

it('says so where the code of a part cannot be had, and comes back with a reload', async () => {
  const context = await browser.newContext({ serviceWorkers: 'block' })
  await context.route(/sync-views/, (route) => route.abort())
  const { page } = await openInspector(browser, { context, url: inject('builtUrl') })
  await goTo(page, 'Sync and conflicts')
  await page.getByText('This part of the page could not be loaded.').waitFor()
  await context.unroute(/sync-views/)
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await page.getByRole('heading', { name: 'Sync and conflicts' }).first().waitFor({ state: 'attached' })
  await context.close()
})

const storeMemory = (page: Page) =>
  page.evaluate(() => {
    const stored = globalThis.book?.memories.store({
      content: 'Prefers the morning',
      category: 'a2p:preferences',
    })
    return stored?.then(
      () => 'stored',
      ({ code, retry }: { code: string; retry: boolean }) => `${code} ${retry}`,
    )
  })
const memoriesOf = (page: Page) =>
  page.evaluate(async () => (await globalThis.book?.status())?.records['memory'] ?? 0)

/** Books whose worker loads the verbs of memories at their first call. */
const openMemories = async (context: BrowserContext) => {
  const opened = await openInspector(browser, { context, url: inject('builtUrl') })
  await opened.page.getByRole('heading', { name: /is empty/ }).waitFor()
  return opened
}

it('stores a memory offline after one visit in which nobody used memories', async () => {
  const context = await browser.newContext()
  const { page, problems } = await openMemories(context)
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated')
  await context.setOffline(true)
  await page.reload()
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  expect(await storeMemory(page)).toBe('stored')
  expect(await memoriesOf(page)).toBe(1)
  expect(await problems()).toEqual([])
  await context.close()
})

it('stores nothing where the verbs of memories can’t be loaded, and loads them at a later call', async () => {
  const context = await browser.newContext({ serviceWorkers: 'block' })
  await context.route(/\/consent-[\w-]{8}\.js/, (route) => route.abort())
  const { page } = await openMemories(context)
  expect(await storeMemory(page)).toBe('part-unavailable true')
  expect(await memoriesOf(page)).toBe(0)
  await context.unroute(/\/consent-[\w-]{8}\.js/)
  expect(await storeMemory(page)).toBe('stored')
  expect(await memoriesOf(page)).toBe(1)
  await context.close()
})

const listTools = (page: Page) =>
  page.evaluate(() =>
    globalThis.book?.tools({ format: 'openai', set: 'recall' }).then(
      () => 'listed',
      ({ code, retry }: { code: string; retry: boolean }) => `${code} ${retry}`,
    ),
  )
const toolFile = /\/local-tools-[\w-]{8}\.js/

it('has no tools where their file can’t be loaded, and loads it at a later call', async () => {
  const context = await browser.newContext({ serviceWorkers: 'block' })
  await context.route(toolFile, (route) => route.abort())
  const { page } = await openMemories(context)
  expect(await listTools(page)).toBe('part-unavailable true')
  await context.unroute(toolFile)
  expect(await listTools(page)).toBe('listed')
  await context.close()
})

it('has the tools after a reload where their file arrived broken', async () => {
  const context = await browser.newContext({ serviceWorkers: 'block' })
  await context.route(toolFile, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'export const createLocalTools =' }),
  )
  const { page } = await openMemories(context)
  expect(await listTools(page)).toBe('part-unavailable true')
  await context.unroute(toolFile)
  // The browser does not fetch a loaded script again: docs/operate.md says so.
  expect(await listTools(page)).toBe('part-unavailable true')
  await page.reload()
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  expect(await listTools(page)).toBe('listed')
  await context.close()
})
