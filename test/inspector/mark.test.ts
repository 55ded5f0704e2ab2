// Marks in the inspector: what is said of a record by button and by key, each taken back, and the list of what is marked.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { launchBrowser, openWith, partsOf } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const traces = ['Alpha', 'Beta', 'Gamma'].map((goal, i) =>
  makeTrace({ id: goal, task: { goal: `${goal} goal` }, timestamp: `2026-01-0${i + 1}T10:00:00.000Z` }),
)

const marksOf = (page: Page, id: string) =>
  page.evaluate(async (record) => (await globalThis.book?.records.get({ id: record }))?.marks, id)

it('pins with a key and a button, shows it in the list, and takes it back', async () => {
  const { page, problems } = await openWith(browser, traces)
  const { list, rows, detail } = partsOf(page)
  await list.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('p')
  await page.getByText('Pinned. Recall prefers it.').first().waitFor()
  await rows.filter({ hasText: 'Gamma' }).getByText('Pinned').waitFor({ state: 'attached' })
  expect(await marksOf(page, 'Gamma')).toEqual({ pinned: true })
  await page.getByRole('button', { name: 'Undo' }).click()
  await rows.filter({ hasText: 'Gamma' }).getByText('Pinned').waitFor({ state: 'detached' })
  expect(await marksOf(page, 'Gamma')).toBeUndefined()

  await rows.filter({ hasText: 'Beta' }).click()
  const pin = detail.getByRole('button', { name: 'Pin this trace' })
  await pin.click()
  await expect.poll(() => pin.getAttribute('aria-pressed')).toBe('true')
  await page.keyboard.press('p')
  await expect.poll(() => pin.getAttribute('aria-pressed')).toBe('false')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Pin it, or unpin it').waitFor()
  expect(await problems()).toEqual([])
})

it('takes importance, personal, keep and a collection, refuses what is none, and undoes the last', async () => {
  const { page, problems } = await openWith(browser, traces)
  const { rows, detail } = partsOf(page)
  await rows.filter({ hasText: 'Alpha' }).click()
  const marks = detail.getByRole('region', { name: 'Marks' })
  const importance = marks.getByRole('spinbutton', { name: 'importance' })
  const collection = marks.getByRole('combobox', { name: 'collection' })
  await importance.fill('1.5')
  await importance.press('Enter')
  expect(await marksOf(page, 'Alpha')).toBeUndefined()
  await importance.fill('0.8')
  await importance.press('Enter')
  await page.getByText('Importance set to 0.8.').first().waitFor()
  for (const name of ['Personal', 'Keep']) await marks.getByRole('checkbox', { name }).press('Space')
  await page.getByText('Kept: it will not be archived.').first().waitFor()
  await collection.fill('People//<b>Ana</b>')
  await collection.press('Enter')
  await page.getByRole('alert').getByText('The mark could not be saved.').waitFor()
  expect(await collection.inputValue()).toBe('People//<b>Ana</b>')
  await collection.fill('People/<b>Ana</b>')
  await collection.press('Enter')
  await page.getByText('Added to “People/<b>Ana</b>”.').first().waitFor()
  expect(await marksOf(page, 'Alpha')).toEqual({
    importance: 0.8,
    personal: true,
    keep: true,
    collection: 'People/<b>Ana</b>',
  })
  const signs = rows.filter({ hasText: 'Alpha' })
  for (const word of ['Importance 0.8', 'Personal', 'Never archived', 'In the collection People/<b>Ana</b>'])
    await signs.getByText(word, { exact: true }).waitFor({ state: 'attached' })

  await page.getByRole('button', { name: 'Undo' }).last().click()
  await expect.poll(() => collection.inputValue()).toBe('')
  await marks.getByRole('checkbox', { name: 'Personal' }).press('Space')
  await importance.fill('')
  await importance.press('Enter')
  await expect.poll(() => marksOf(page, 'Alpha')).toEqual({ keep: true })
  expect(await problems()).toEqual([])
})

it('lists what is marked: pinned, and a collection with what is below it', async () => {
  const { page, problems } = await openWith(browser, traces)
  const { rows, detail } = partsOf(page)
  await page.evaluate(async () => {
    await globalThis.book?.records.mark({ id: 'Alpha', pinned: true, collection: 'People/Ana' })
    await globalThis.book?.records.mark({ id: 'Beta', collection: 'People' })
    await globalThis.book?.records.mark({ id: 'Gamma', collection: 'Peoples' })
  })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command' }).fill('show pinned')
  await page.keyboard.press('Enter')
  await page.getByText('1 trace', { exact: true }).first().waitFor()
  await rows.filter({ hasText: 'Alpha' }).waitFor()
  await page.getByRole('button', { name: 'Marked pinned' }).click()
  await page.getByText('3 traces', { exact: true }).first().waitFor()

  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const menu = page.getByRole('dialog', { name: 'Add a filter' })
  await menu.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'Collection' })
  await menu.getByRole('combobox', { name: 'Value' }).fill('People')
  await page.keyboard.press('Enter')
  await page.getByText('2 traces', { exact: true }).first().waitFor()
  expect(await rows.allInnerTexts()).toEqual([
    expect.stringContaining('Beta'),
    expect.stringContaining('Alpha'),
  ])
  await rows.filter({ hasText: 'Alpha' }).click()
  await detail.getByRole('region', { name: 'Marks' }).getByRole('button', { name: 'People/Ana' }).click()
  await page.getByText('1 trace', { exact: true }).first().waitFor()
  expect(await problems()).toEqual([])
})
