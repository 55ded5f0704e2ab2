// Memories at the inspector: kept by hand, made one of several, put into another class, looked after, and taken back.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openView } from '../open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const memoriesOf = (page: Page) =>
  page.evaluate(async () => {
    const { memories = [] } = (await globalThis.book?.memories.query()) ?? {}
    return memories.map(({ content }) => content)
  })

it('keeps memories by type and category: adds one by hand, edits, archives and brings it back, and forgets after asking', async () => {
  const { page, problems } = await openView(browser, 'memories', async () => undefined)
  await page.getByText('No memories yet').waitFor()
  await page.getByRole('button', { name: 'Add a memory' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('What to remember').fill('Has an allergy to nuts')
  await dialog.getByRole('combobox', { name: 'Category' }).fill('health')
  await page.keyboard.press('Enter')
  await dialog
    .getByRole('alert')
    .getByText(/is not a category/)
    .waitFor()
  await dialog.getByRole('combobox', { name: 'Category' }).fill('a2p:health.allergies')
  await page.keyboard.press('Enter')
  const row = page.getByRole('region', { name: /^semantic: a2p:health.allergies/ }).locator('.memory-row')
  // As sensitive as its category usually is.
  await row.getByText('Restricted').waitFor()
  await row.getByText('added by you').waitFor()

  await row.getByRole('button', { name: /^Edit/ }).click()
  await dialog.getByLabel('What to remember').fill('Has an allergy to peanuts')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Has an allergy to peanuts').first().waitFor()
  await row.getByText('Edited (1)').click()
  await row.getByText('Has an allergy to nuts').waitFor()

  await row.getByRole('button', { name: /^Archive/ }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Status' }).selectOption('archived')
  expect(new URL(page.url()).searchParams.get('status')).toBe('archived')
  await page.reload()
  await row.getByRole('button', { name: /^Restore/ }).click()
  await page.getByText('No memory matches these filters.').waitFor()
  await page.getByRole('combobox', { name: 'Status' }).selectOption('approved')
  await row.getByRole('button', { name: /^Forget/ }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await memoriesOf(page)).toHaveLength(1)
  await row.getByRole('button', { name: /^Forget/ }).click()
  await dialog.getByRole('button', { name: 'Forget memory' }).click()
  await expect.poll(() => memoriesOf(page)).toEqual([])
  expect(await problems()).toEqual([])
})

it('makes one memory of several that say nearly the same, gives one another class, and takes both back', async () => {
  const { page, problems } = await openView(browser, 'memories', async (book) => {
    const common = { category: 'a2p:interests.music', memory_type: 'semantic' } as const
    await book.memories.store({ ...common, content: 'Likes listening to classical jazz music' })
    await book.memories.store({ ...common, content: 'Likes classical jazz music' })
    const weak = { confidence: 0.4, source: { type: 'user_import' } } as const
    await book.memories.store({ ...common, ...weak, content: 'Plays the trumpet' })
  })
  const rows = page.locator('.memory-row')
  const row = rows.filter({ hasText: 'Likes listening' })
  const dialog = page.getByRole('dialog')
  await row.getByRole('button', { name: /^Find similar/ }).click()
  await dialog.getByRole('checkbox', { name: /80% alike by words/ }).waitFor()
  await dialog.getByLabel('Merged text').fill('Likes jazz')
  await dialog.getByRole('button', { name: 'Merge 2' }).click()
  await rows.filter({ hasText: 'Likes jazz' }).waitFor()
  expect((await memoriesOf(page)).toSorted()).toEqual(['Likes jazz', 'Plays the trumpet'])
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
  await expect.poll(async () => (await memoriesOf(page)).length).toBe(3)

  // What nobody has confirmed for long is found, and begins anew once it is.
  await page.getByRole('button', { name: 'Run maintenance' }).click()
  await page.getByText('Maintenance done: 1 memory to review.').first().waitFor()
  await page.getByRole('combobox', { name: 'Status' }).selectOption('flagged')
  await expect.poll(() => rows.count()).toBe(1)
  await rows.getByRole('button', { name: /^Confirm/ }).click()
  await expect.poll(() => rows.count()).toBe(0)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('approved')

  const trumpet = rows.filter({ hasText: 'Plays the trumpet' })
  await trumpet.getByText(/80%\sconfidence/).waitFor()
  await trumpet.getByRole('button', { name: /^Reclassify/ }).click()
  await dialog.getByRole('combobox', { name: 'Type' }).selectOption('procedural')
  await dialog.getByLabel(/^Reason/).fill('It is a habit')
  await dialog.getByRole('button', { name: 'Change', exact: true }).click()
  const procedural = page.getByRole('region', { name: 'Procedural: how to do things' })
  await procedural.getByText('Plays the trumpet').first().waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
  await procedural.waitFor({ state: 'detached' })
  expect(await problems()).toEqual([])
})
