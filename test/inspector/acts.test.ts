// What a person does to a record from the list or the open record, by keys: forget it, purge it, edit it.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { launchBrowser, openInspector, openWith, partsOf } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const three = ['Alpha', 'Beta', 'Gamma'].map((goal, i) =>
  makeTrace({ id: goal.toLowerCase(), task: { goal }, timestamp: `2026-01-0${i + 1}T10:00:00.000Z` }),
)

it('forgets and purges by keys at once, says that it cannot be undone, and leaves nothing to a page that is closed', async () => {
  const { page, name, problems } = await openWith(browser, three)
  const { list, rows } = partsOf(page)
  const ids = (of: Page) =>
    of.evaluate(async () => (await globalThis.book?.traces.query())?.records.map(({ id }) => id).sort())
  const dialog = page.getByRole('dialog', { name: 'Forget this trace?' })
  const other = await openInspector(browser, { context: page.context(), name })
  await partsOf(other.page).rows.first().waitFor()

  await list.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Delete')
  await dialog.getByText('Gamma').waitFor()
  await dialog.getByText('at once. This cannot be undone.', { exact: false }).waitFor()
  // A second key takes nothing away: it cancels.
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  expect(await ids(page)).toEqual(['alpha', 'beta', 'gamma'])
  await list.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Delete')
  await dialog.getByRole('button', { name: 'Forget trace' }).click()
  await page.getByText('Trace forgotten.').first().waitFor()
  expect(await ids(page)).toEqual(['alpha', 'beta'])
  // The list is made again after the message; a click before would hit the row that takes the place.
  await expect.poll(() => rows.count()).toBe(2)

  await rows.filter({ hasText: 'Beta' }).click()
  await page.getByRole('heading', { level: 2, name: 'Beta' }).waitFor()
  await page.keyboard.press('Delete')
  await dialog.getByLabel(/Purge/).check()
  await dialog.getByRole('button', { name: 'Purge trace' }).click()
  await page.getByText('Trace purged.').first().waitFor()
  expect(
    await page.evaluate(() =>
      Object.keys(localStorage).filter((key) => key.startsWith('daybook-inspector:leaving')),
    ),
  ).toEqual([])
  await page.close()
  expect(await ids(other.page)).toEqual(['alpha'])
  expect(
    await other.page.evaluate(() => globalThis.book?.recall({ text: 'Beta' }).then((r) => r.hits)),
  ).toEqual([])
  expect(await problems().catch(() => [])).toEqual([])
})

it('opens the record that was under the pointer when it was pressed, also if the list moves meanwhile', async () => {
  const { page, problems } = await openWith(browser, three)
  const { rows } = partsOf(page)
  await rows.filter({ hasText: 'Beta' }).hover()
  await page.mouse.down()
  await page.evaluate(() => globalThis.book?.traces.forget({ id: 'gamma' }))
  await expect.poll(() => rows.count()).toBe(2)
  await expect.poll(() => rows.nth(1).innerText()).toMatch(/Alpha/)
  await page.mouse.up()
  await page.getByRole('heading', { level: 2, name: 'Beta' }).waitFor({ timeout: 10_000 })
  expect(await problems()).toEqual([])
})

it('edits a record by a key, refuses with the path what is wrong, and takes an edit back', async () => {
  const { page, problems } = await openWith(browser, three.slice(0, 1))
  const { rows, detail } = partsOf(page)
  await rows.first().click()
  await page.getByRole('heading', { level: 2, name: 'Alpha' }).waitFor()
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog', { name: 'Edit this trace' })
  const box = dialog.getByLabel('Content as JSON')
  await expect.poll(() => box.evaluate((element) => element === document.activeElement)).toBe(true)
  const text = await box.inputValue()
  await box.fill(text.replace('"Alpha"', '7'))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/task\.goal/)
    .first()
    .waitFor()
  await box.fill(text.replace('Alpha', 'Omega'))
  await page.keyboard.press('Control+Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 2, name: 'Omega' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { level: 2, name: 'Alpha' }).waitFor()
  await expect.poll(() => rows.count()).toBe(1)

  // Changed meanwhile: nothing is overwritten.
  await detail.getByRole('button', { name: 'Edit this trace' }).click()
  await box.fill(text.replace('Alpha', 'Late'))
  await page.evaluate(async (one) => {
    await globalThis.book?.traces.store({ ...one, replace: true, task: { goal: 'Early' } } as never)
  }, three[0])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/was changed while you were editing/)
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 2, name: 'Early' }).waitFor()
  expect(await problems()).toEqual([])
})
