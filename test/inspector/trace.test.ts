// What a person does with traces: drop a file, search, open one, come back to it, see new ones, forget one.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTrajectory } from '../support/made-trajectory.ts'
import { realTrajectories } from '../support/trajectories.ts'
import { makeTrace } from '../support/trace.ts'
import {
  dropFiles,
  launchBrowser,
  openInspector,
  openWith,
  partsOf,
  showView,
  storeTraces,
} from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('shows the steps of a dropped trajectory, finds one, and restores search and selection after a reload', async () => {
  const { page } = await openInspector(browser)
  const { rows, selected, detail, search } = partsOf(page)
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await dropFiles(page, { 'made.traj': makeTrajectory(12) })
  await page.getByText('12 traces', { exact: true }).first().waitFor()
  await expect.poll(() => rows.count()).toBe(12)

  await search.fill('parser number 7')
  const found = rows.filter({ hasText: 'number 7' })
  // Number 6 is step 7.
  await page.getByText('2 traces match', { exact: true }).waitFor()
  await found.click()
  const heading = detail.getByRole('heading', { level: 2 })
  await heading.getByText('I look at parser number 7').waitFor()
  for (const part of ['Situation', 'Task', 'Action', 'Result'])
    await detail.getByRole('region', { name: part }).waitFor()
  await detail.getByText('[File: parser_7.py]').waitFor()

  await page.reload()
  await heading.getByText('I look at parser number 7').waitFor()
  expect(await search.inputValue()).toBe('parser number 7')
  await selected.filter({ hasText: 'number 7' }).waitFor()

  // Its links lead on, and Back leads home.
  await detail
    .getByRole('region', { name: 'Links' })
    .getByRole('button', { name: /number 6/ })
    .click()
  await heading.getByText('I look at parser number 6').waitFor()
  await page.goBack()
  await heading.getByText('I look at parser number 7').waitFor()
  await page.goBack()
  await heading.waitFor({ state: 'detached' })
  expect(await search.inputValue()).toBe('parser number 7')
  // The box is not a frame behind: what it says once Back is done is what the address says.
  const searched = await search.evaluate((box: HTMLInputElement) => {
    const back = new Promise((done) => addEventListener('popstate', done, { once: true }))
    history.back()
    return back.then(() => new Promise((done) => setTimeout(() => done(box.value))))
  })
  expect(searched).toBe('')
  await page.getByText('12 traces', { exact: true }).first().waitFor()
})

it('imports real trajectories', async ({ skip }) => {
  const files = realTrajectories()
  if (files.size === 0) skip('no real trajectories beside this checkout')
  const { page, problems } = await openInspector(browser)
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await dropFiles(page, Object.fromEntries(files))
  await page.getByText(`${files.size} files imported`).waitFor()
  const total = await page.evaluate(async () => (await globalThis.book?.traces.count())?.total ?? 0)
  await page.getByText(`${total} traces`, { exact: true }).first().waitFor()
  expect(total).toBeGreaterThan(files.size)
  expect(await problems()).toEqual([])
})

it('names file and place of a bad file, imports nothing of it, and the good one beside it', async () => {
  const { page } = await openInspector(browser)
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  const broken = '{\n  "trajectory": [\n    { "action": "ls" },\n    { "action": }\n  ]\n}'
  const wrong = JSON.stringify({ trajectory: [{ action: 'ls' }, { action: 7 }] })
  await dropFiles(page, { 'broken.traj': broken, 'wrong.traj': wrong })
  const alert = page.getByRole('alert')
  await alert.filter({ hasText: 'broken.traj, line 4' }).waitFor()
  await alert.filter({ hasText: 'wrong.traj, trajectory.1.action' }).waitFor()
  expect(await alert.getByText('Nothing of this file was imported; the book is as it was.').count()).toBe(2)
  expect(await page.evaluate(async () => (await globalThis.book?.traces.count())?.total)).toBe(0)

  await dropFiles(page, { 'again.traj': broken, 'good.traj': makeTrajectory(3) })
  await alert.filter({ hasText: 'again.traj, line 4' }).waitFor()
  await page.getByText('3 traces', { exact: true }).first().waitFor()
})

it('says that a book without traces has none, and that it is empty only if it has no record', async () => {
  const { page } = await openInspector(browser)
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await page.evaluate(() => globalThis.book?.perceptions.store({ content: 'The gate is open.' }))
  await page.getByRole('heading', { name: 'No traces yet' }).waitFor()
  expect(await page.getByRole('heading', { name: /is empty/ }).count()).toBe(0)
})

it('says what is new without moving what is read, until it is asked to', async () => {
  const { page } = await openWith(browser, [makeTrace({ task: { goal: 'The first one' } })])
  const { rows } = partsOf(page)
  const store = (goal: string) => storeTraces(page, [makeTrace({ task: { goal } })])
  await store('The second one')
  const fresh = page.getByRole('button', { name: /^1 new/ })
  await fresh.waitFor()
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('The first one')])
  await fresh.click()
  await rows.filter({ hasText: 'The second one' }).waitFor()
  await expect.poll(() => rows.count()).toBe(2)
})

it('filters by chips that the address holds, adds one from a value of a trace, and takes one away', async () => {
  const failed = { success: false, outcome: {} }
  const { page } = await openWith(browser, [
    makeTrace({ task: { goal: 'Grade it' } }),
    makeTrace({ task: { goal: 'Grade it badly' }, result: failed }),
    makeTrace({ task: { goal: 'Open the file' }, situation: { domain: 'software' }, result: failed }),
  ])
  const { rows, detail } = partsOf(page)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const menu = page.getByRole('dialog', { name: 'Add a filter' })
  await menu.getByLabel('Field').selectOption('Outcome')
  await menu.getByRole('button', { name: 'failed' }).click()
  await page.getByText('2 traces', { exact: true }).first().waitFor()
  expect(new URL(page.url()).searchParams.get('outcome')).toBe('failed')
  await rows.filter({ hasText: 'Open the file' }).click()
  await detail.getByRole('button', { name: 'software' }).click()
  await page.getByText('1 trace', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: /Domain software/ }).click()
  await page.getByText('3 traces', { exact: true }).first().waitFor()
})

it('shows traces that are stored while it counts', async () => {
  const { page } = await openInspector(browser)
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await showView(page, 'facts')
  await page.getByRole('heading', { name: 'No facts yet' }).waitFor()
  // The status, which has the count of the list, is slow: its storage takes long to measure.
  await page.evaluate(
    async (trace) => {
      const { book } = globalThis
      if (!book) throw new Error('The book is not open.')
      const status = book.status.bind(book)
      const { promise: stored, resolve } = Promise.withResolvers<void>()
      Object.assign(book, { status: () => stored.then(() => status()) })
      history.pushState(null, '', location.href.replace('view=facts', 'view=traces'))
      dispatchEvent(new PopStateEvent('popstate'))
      // The list asked for its rows before this query.
      await book.traces.query()
      await book.traces.store(trace)
      resolve()
    },
    makeTrace({ task: { goal: 'Stored while it counts' } }),
  )
  await partsOf(page).rows.filter({ hasText: 'Stored while it counts' }).waitFor()
})

it('forgets a trace only when it is confirmed, and says what that means', async () => {
  const { page } = await openWith(browser, [
    makeTrace({ task: { goal: 'Keep this' } }),
    makeTrace({ task: { goal: 'Drop this' } }),
  ])
  const { rows, detail, search } = partsOf(page)
  await rows.filter({ hasText: 'Drop this' }).click()
  const forget = detail.getByRole('button', { name: 'Forget this trace' })
  await forget.click()
  const dialog = page.getByRole('dialog', { name: 'Forget this trace?' })
  await dialog.getByText(/empty tombstone remains/).waitFor()
  // Space and Enter must not purge.
  const cancel = dialog.getByRole('button', { name: 'Cancel' })
  expect(await cancel.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.keyboard.press('Space')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => rows.count()).toBe(2)
  await forget.click()
  await dialog.getByRole('button', { name: 'Forget trace' }).click()
  // Not undone: it goes with its notice.
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('1 trace', { exact: true }).first().waitFor()
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('Keep this')])
  await search.fill('drop')
  await page.getByText(/No trace has any of these words/).waitFor()
})

it('shows the result of a failed trace before all else, and that of another in its place', async () => {
  const trace = (goal: string, success: boolean) => ({
    situation: { domain: 'd' },
    task: { goal },
    action: { type: 'a' },
    result: { success, outcome: { error: 'no space left' } },
  })
  const { page } = await openWith(browser, [trace('It fails', false), trace('It works', true)])
  const { rows, detail } = partsOf(page)
  const first = detail.getByRole('region').first()
  // The row says why, before its parameters.
  await rows.filter({ hasText: 'It fails' }).getByText('no space left').waitFor()
  expect(await rows.filter({ hasText: 'It works' }).getByText('no space left').count()).toBe(0)
  await rows.filter({ hasText: 'It fails' }).click()
  await detail.getByRole('heading', { name: 'It fails' }).waitFor()
  expect(await first.getAttribute('aria-label')).toBe('Result')
  await rows.filter({ hasText: 'It works' }).click()
  await detail.getByRole('heading', { name: 'It works' }).waitFor()
  expect(await first.getAttribute('aria-label')).toBe('Situation')
})
