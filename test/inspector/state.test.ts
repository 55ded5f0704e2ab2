// The states a page may be in: empty, being opened, offline, in another tab, without storage, narrow, as built, with 20,000
// traces.
import { type Browser, type Page } from 'playwright'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { makeTrajectory } from '../support/made-trajectory.ts'
import { makeTrace } from '../support/trace.ts'
import { lacking, workerScript } from '../support/server/without-storage.ts'
import { dropFiles, launchBrowser, openInspector, openWith, partsOf, storeTraces } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it.each(['devUrl', 'builtUrl'] as const)(
  'loads, runs the guided sample and visits every view without an error or a violation of its policy (%s)',
  async (served) => {
    const { page, problems } = await openInspector(browser, { url: inject(served) })
    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content')
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval';")
    await page.getByRole('button', { name: 'Run the guided sample' }).click()
    await page
      .getByText(/scripted agent stored \d+ traces/)
      .first()
      .waitFor()
    const doors = await page.evaluate(async () => {
      const opened = async (session: string) =>
        (await globalThis.book?.traces.count({ filters: { session, 'action.type': 'open_door' } }))?.total ??
        0
      return [await opened('sample-first-visit'), await opened('sample-second-visit')]
    })
    expect(doors[1]).toBeLessThan(doors[0] ?? 0)

    await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Recall' }).click()
    await page.getByLabel('Question').fill('Which doors lead nowhere?')
    await page.keyboard.press('Enter')
    await page.getByText('leads nowhere').or(page.getByRole('listitem')).first().waitFor()
    await page.getByRole('button', { name: 'Sync and conflicts' }).click()
    await page.getByText(/The edge cannot be reached/).waitFor()
    await page.getByRole('button', { name: 'Storage' }).first().click()
    await page.getByText(/browser’s own file system/).waitFor()
    await page
      .getByRole('contentinfo')
      .getByText(/offline/)
      .waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await problems()).toEqual([])
  },
)

it('shows a book in two tabs at once, what one stores in the other too, and goes on when one is closed', async () => {
  const first = await openWith(browser, [makeTrace()])
  const second = await openInspector(browser, { name: first.name, context: first.page.context() })
  await partsOf(second.page).rows.first().waitFor()
  await storeTraces(first.page, [makeTrace()])
  await second.page.getByRole('button', { name: /1 new/ }).waitFor()
  await first.page.close()
  await storeTraces(second.page, [makeTrace()])
  await second.page.getByRole('button', { name: /2 new/ }).waitFor()
})

/** Opens the inspector on a book that is not open before `goOn` is called; `lacks` stands before its worker's script then. */
async function openHeld(lacks = ''): Promise<{ page: Page; goOn: () => void }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
  await context.route(workerScript, async (route) => {
    await held
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: lacks + (await answer.text()) })
  })
  const { page } = await openInspector(browser, { context })
  await page.getByText(/^Opening the book/).waitFor()
  return { page, goOn }
}

it('keeps files that are dropped, and what is pasted, until the book is open, and leaves out what is cancelled until then', async () => {
  const { page, goOn } = await openHeld()
  await dropFiles(page, { 'cancelled.traj': makeTrajectory(7), 'kept.traj': makeTrajectory(3) })
  const tray = page.getByRole('region', { name: 'Imports' })
  await expect.poll(() => tray.getByText('waiting for the book to open').count()).toBe(2)
  const cancelled = tray.getByRole('listitem').filter({ hasText: 'cancelled.traj' })
  await cancelled.getByRole('button', { name: 'Cancel' }).click()
  await cancelled.getByText('Nothing of this file was imported').waitFor()

  const paste = async (goal: string) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Paste a trace')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Paste a trace as JSON' })
    await dialog.getByRole('textbox').fill(JSON.stringify(makeTrace({ task: { goal } })))
    await dialog.getByRole('button', { name: 'Store' }).click()
    await dialog.getByText('runs once it is open').waitFor()
    return dialog
  }
  await (await paste('Taken back')).getByRole('button', { name: 'Cancel' }).click()
  await paste('Pasted in time')

  goOn()
  await page.getByText('1 trace stored.').first().waitFor()
  await tray.getByText('1 file imported').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  const goals = await page.evaluate(async () => {
    const { records = [] } = (await globalThis.book?.traces.query({ limit: 100 })) ?? {}
    return records.map(({ task }) => task.goal)
  })
  expect(goals).toHaveLength(4)
  expect(goals).toContain('Pasted in time')
})

it('refuses files that waited for the book when it can not be opened, and says why', async () => {
  const { page, goOn } = await openHeld(lacking.opfs + lacking.indexeddb)
  await dropFiles(page, { 'made.traj': makeTrajectory(3) })
  const tray = page.getByRole('region', { name: 'Imports' })
  await tray.getByText('waiting for the book to open').waitFor()
  goOn()
  await tray.getByText('storage-unavailable').waitFor()
  await tray.getByText('Not imported.').waitFor()
})

it('says that the browser gives no storage, and goes on in memory only when asked to', async () => {
  const context = await browser.newContext()
  await context.route(workerScript, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: lacking.opfs + lacking.indexeddb + (await answer.text()) })
  })
  const { page } = await openInspector(browser, { context })
  await page.getByRole('heading', { name: 'This browser gives the page no durable storage' }).waitFor()
  await page.getByRole('button', { name: 'Continue in memory' }).click()
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await page.getByRole('contentinfo').getByText('memory only').waitFor()
})

it('shows the list, then the detail, where there is room for one', async () => {
  const { page } = await openWith(browser, [makeTrace()])
  const { list, rows, detail } = partsOf(page)
  await page.setViewportSize({ width: 360, height: 740 })
  // A click while the rows move to the new layout would meet no row.
  await expect.poll(() => list.evaluate((box) => box.getBoundingClientRect().width)).toBeLessThanOrEqual(360)
  expect(await detail.isVisible()).toBe(false)
  await rows.first().click()
  await detail.getByRole('heading', { level: 2 }).waitFor()
  expect(await list.isVisible()).toBe(false)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
  await detail.getByRole('button', { name: 'Close this trace' }).first().click()
  await list.waitFor()
})

it('scrolls 20,000 traces by drawing the few on show', async () => {
  const trace = makeTrace()
  const { page } = await openWith(browser, [
    { ...trace, task: { goal: 'Goal number 0' }, timestamp: '2026-01-01T00:00:00.000Z' },
  ])
  // Made in the page: sending them there would take longer than storing them.
  await page.evaluate(async (like) => {
    const startMs = Date.parse('2026-01-01T00:00:00.000Z')
    const all = Array.from({ length: 20_000 }, (_, i) => ({
      ...like,
      task: { goal: `Goal number ${i}` },
      timestamp: new Date(startMs + i * 60_000).toISOString(),
    }))
    for (let at = 1; at < all.length; at += 1000)
      await globalThis.book?.traces.storeMany({ traces: all.slice(at, at + 1000) })
  }, trace)
  await page.getByRole('button', { name: /new/ }).click()
  await page.getByText('20,000 traces', { exact: true }).waitFor()
  const { list, rows, detail } = partsOf(page)
  await rows.filter({ hasText: 'Goal number 19999' }).waitFor()
  await list.evaluate((box) => (box.scrollTop = box.scrollHeight / 2))
  await rows.filter({ hasText: 'Goal number 9999' }).first().waitFor()
  await list.press('End')
  const last = rows.filter({ hasText: /Goal number 0/ })
  await last.waitFor()
  expect(await last.getAttribute('aria-posinset')).toBe('20000')
  expect(await rows.count()).toBeLessThan(60)

  // A link to one far down opens it and shows where it stands.
  await last.click()
  await detail.getByRole('heading', { name: 'Goal number 0' }).waitFor()
  await page.reload()
  await page
    .getByRole('listbox')
    .getByRole('option', { selected: true })
    .filter({ hasText: 'Goal number 0' })
    .waitFor()
})
