// What a person does to a record from the list or the open record, by keys: forget it with a way back, purge it, edit it.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { launchBrowser, openWith, partsOf } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const three = ['Alpha', 'Beta', 'Gamma'].map((goal, i) =>
  makeTrace({ id: goal.toLowerCase(), task: { goal }, timestamp: `2026-01-0${i + 1}T10:00:00.000Z` }),
)

it('forgets by keys from the list and from the open record: undone at once, done with its notice, or when the page was closed', async () => {
  const { page, problems } = await openWith(browser, three)
  const { list, rows } = partsOf(page)
  const total = () =>
    page.evaluate(async () => (await globalThis.book?.records.count({ kind: 'trace' }))?.total)
  const dialog = page.getByRole('dialog', { name: 'Forget this trace?' })
  const forget = dialog.getByRole('button', { name: 'Forget trace' })

  await list.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Delete')
  await dialog.getByText('Gamma').waitFor()
  await forget.click()
  await rows.filter({ hasText: 'Gamma' }).getByText('being forgotten').waitFor()
  expect(await total()).toBe(3)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('being forgotten').waitFor({ state: 'detached' })
  expect(await total()).toBe(3)

  await rows.filter({ hasText: 'Beta' }).click()
  await page.getByRole('heading', { level: 2, name: 'Beta' }).waitFor()
  await page.keyboard.press('Delete')
  await dialog.getByLabel(/Purge/).check()
  await dialog.getByRole('button', { name: 'Purge trace' }).click()
  await page.getByRole('heading', { level: 2, name: 'Beta' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Dismiss' }).last().click()
  await page.getByText('2 traces', { exact: true }).first().waitFor()
  expect(await page.evaluate(async () => globalThis.book?.records.get({ id: 'beta' }))).toBeNull()

  // What was decided is done by whoever opens the book next.
  await rows.filter({ hasText: 'Alpha' }).click()
  await page.getByRole('heading', { level: 2, name: 'Alpha' }).waitFor()
  await page.keyboard.press('Delete')
  await forget.click()
  await page.getByText('being forgotten').waitFor()
  await page.reload()
  await expect.poll(total).toBe(1)
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
