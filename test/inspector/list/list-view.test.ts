// How lists are shown: their order, compact rows, columns, and filters saved under a name; by keys, and kept over a reload.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { launchBrowser, openView, openWith, partsOf } from '../open-inspector.ts'
import { faults } from '../shared/page-fault.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const domains = ['mill', 'cellar', 'attic']
/** 150 of them: more than two pages of the list. */
const traces = Array.from({ length: 150 }, (_, i) =>
  makeTrace({
    situation: { domain: `house.${domains[i % 3]}`, context: {} },
    task: { goal: `Goal ${i}` },
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString(),
  }),
)

const opener = (page: Page) => page.getByRole('button', { name: 'View', exact: true })
const menu = (page: Page) => page.getByRole('dialog', { name: 'View of the list' })

/** Rows that are whole in the window. */
const wholeRows = (page: Page) =>
  page.getByRole('listbox').evaluate((box) => {
    const frame = box.getBoundingClientRect()
    return [...box.querySelectorAll('[role=option]')].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect()
      return top >= frame.top && bottom <= frame.bottom
    }).length
  })

it('orders a list by what the book can order by, with its pages in that order', async () => {
  const { page, problems } = await openWith(browser, traces)
  const { rows, list } = partsOf(page)
  await expect.poll(() => rows.first().innerText()).toMatch(/Goal 149\b/)
  await opener(page).press('Enter')
  const order = menu(page).getByRole('combobox', { name: 'Order' })
  await expect.poll(() => order.evaluate((box) => box === document.activeElement)).toBe(true)
  await order.selectOption('oldest first')
  await expect.poll(() => rows.first().innerText()).toMatch(/Goal 0\b/)
  await order.selectOption('by domain')
  await expect.poll(() => rows.first().innerText()).toMatch(/house\.attic/)
  expect(page.url()).toContain('order=domain')
  await page.keyboard.press('Escape')
  await expect.poll(() => opener(page).evaluate((one) => one === document.activeElement)).toBe(true)
  await page.getByText('by domain', { exact: false }).first().waitFor()
  // To the end, over pages that are reached by cursors.
  await list.focus()
  await page.keyboard.press('End')
  await expect.poll(() => rows.last().innerText()).toMatch(/house\.mill/)
  await page.reload()
  await expect.poll(() => rows.first().innerText()).toMatch(/house\.attic/)
  await page.getByRole('button', { name: /Order.*by domain/ }).click()
  await expect.poll(() => rows.first().innerText()).toMatch(/Goal 149\b/)
  expect(await problems()).toEqual([])
})

it('shows 25 rows and more at 900 px where they are compact, without the columns that are left out', async () => {
  const { page, problems } = await openWith(browser, traces)
  const { rows } = partsOf(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  expect(await wholeRows(page)).toBeLessThan(20)
  await opener(page).click()
  await menu(page).getByRole('checkbox', { name: 'Compact rows' }).check()
  await menu(page).getByRole('checkbox', { name: 'Context' }).uncheck()
  expect(await faults(page, 1440)).toEqual([])
  expect(await faults(page, 390)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('Escape')
  await expect.poll(() => wholeRows(page)).toBeGreaterThanOrEqual(25)
  expect(await rows.first().innerText()).not.toContain('house.')
  await page.reload()
  await expect.poll(() => wholeRows(page)).toBeGreaterThanOrEqual(25)
  expect(await rows.first().innerText()).not.toContain('house.')
  expect(await problems()).toEqual([])
})

it('saves filters under a name, finds them again after a reload, and deletes them', async () => {
  const { page, problems } = await openWith(browser, traces)
  const counted = (count: number) => page.getByText(`${count} traces`, { exact: true }).first().waitFor()
  await opener(page).click()
  await menu(page).getByText('Search or filter the list, then save it here under a name.').waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`${page.url()}&domain=house.mill`)
  await counted(50)
  await opener(page).click()
  await menu(page).getByRole('textbox', { name: 'Name for the filters in use' }).fill('The mill')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /Domain.*remove filter/ }).click()
  await counted(150)
  await page.reload()
  await counted(150)
  await opener(page).click()
  await menu(page).getByRole('button', { name: 'The mill', exact: true }).click()
  await counted(50)
  expect(page.url()).toContain('domain=house.mill')
  await opener(page).click()
  await menu(page).getByRole('button', { name: 'Delete the saved filters The mill' }).click()
  await expect.poll(() => menu(page).getByRole('button', { name: 'The mill', exact: true }).count()).toBe(0)
  expect(await problems()).toEqual([])
})

it('leaves columns out of the table of runs, and makes its rows compact', async () => {
  const { page, problems } = await openView(browser, 'runs', async (book) => {
    for (let n = 0; n < 40; n += 1)
      await book.traces.store({
        session: `run-${n}`,
        situation: { domain: 'code' },
        task: { goal: `Do thing ${n}` },
        action: { type: 'bash', parameters: {} },
      })
  })
  await page.setViewportSize({ width: 1440, height: 900 })
  const table = page.getByRole('region', { name: 'Runs' })
  await table.getByRole('columnheader', { name: 'Messages' }).waitFor()
  await opener(page).click()
  await menu(page).getByRole('checkbox', { name: 'Messages' }).uncheck()
  await menu(page).getByRole('checkbox', { name: 'Compact rows' }).check()
  await page.keyboard.press('Escape')
  expect(await table.getByRole('columnheader').allInnerTexts()).not.toContain('Messages')
  const height = () =>
    table
      .getByRole('row')
      .nth(2)
      .evaluate((row) => row.getBoundingClientRect().height)
  expect(await height()).toBeLessThanOrEqual(30)
  expect(await faults(page, 1440)).toEqual([])
  expect(await problems()).toEqual([])
})

it('searches with what it found on show, by exact identifiers, and by fields that become filters', async () => {
  const { page, problems } = await openWith(browser, [
    makeTrace({
      task: { goal: 'Deliver parcel' },
      action: { type: 'drive', parameters: { order: 'acme-42' } },
    }),
    makeTrace({
      task: { goal: 'Deliver letter' },
      action: { type: 'drive', parameters: { order: 'acme-42341' } },
    }),
    makeTrace({ situation: { domain: 'house.attic', context: {} }, task: { goal: 'Sweep' } }),
  ])
  const { rows } = partsOf(page)
  const box = page.getByRole('searchbox')
  await box.fill('acme-42')
  await page.getByText('1 trace matches', { exact: true }).waitFor()
  expect(await rows.first().innerText()).toContain('Deliver parcel')
  expect(await rows.first().locator('mark').allTextContents()).toEqual(['acme', '42'])
  await box.fill('sweep domain:house.attic')
  await box.press('Enter')
  await page.getByText('1 trace matches', { exact: true }).waitFor()
  expect(await box.inputValue()).toBe('sweep')
  await page
    .getByRole('button', { name: /house\.attic/ })
    .first()
    .waitFor()
  expect(await problems()).toEqual([])
})

it('counts what a search finds before it was scrolled through, and quotes the phrase that it found', async () => {
  const { page, problems } = await openWith(browser, [
    ...traces,
    makeTrace({
      task: { goal: 'A reset of the house' },
      result: { success: true, outcome: { feedback: 'The house stood, then house reset.' } },
    }),
    makeTrace({ task: { goal: 'Reset the house' } }),
  ])
  const { rows, detail } = partsOf(page)
  const box = page.getByRole('searchbox')
  await box.fill('goal')
  await page.getByText('150 traces match', { exact: true }).waitFor()
  await box.fill('house reset')
  await page.getByText('2 traces match', { exact: true }).waitFor()
  await box.fill('"house reset')
  await page.getByText('2 traces match', { exact: true }).waitFor()
  await box.fill('"house reset"')
  await page.getByText('1 trace matches', { exact: true }).waitFor()
  expect(await rows.first().locator('mark').allTextContents()).toEqual(['house', 'reset'])
  await rows.first().click()
  const quote = detail.getByRole('region', { name: 'Search match' })
  await quote.getByText('then house reset').waitFor()
  expect(await quote.locator('mark').allTextContents()).toEqual(['house', 'reset'])
  expect(await faults(page, 390)).toEqual([])
  expect(await problems()).toEqual([])
})

it('picks several records by keys and mouse, and forgets them together at once when that is confirmed', async () => {
  const { page, problems } = await openWith(browser, traces.slice(0, 6))
  const { list, rows } = partsOf(page)
  await list.focus()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await rows.filter({ hasText: 'Goal 3' }).click({ modifiers: ['ControlOrMeta'] })
  const bar = page.getByRole('group', { name: 'Picked traces' })
  await bar.getByText('2 traces picked').waitFor()
  expect(new URL(page.url()).searchParams.has('id')).toBe(false)
  expect(await faults(page, 1280)).toEqual([])
  const saving = page.waitForEvent('download')
  await bar.getByRole('button', { name: 'Save as JSON' }).click()
  expect((await saving).suggestedFilename()).toBe('traces.jsonl')
  await bar.getByRole('button', { name: 'Forget…' }).click()
  await bar.getByRole('button', { name: 'Forget 2 traces' }).click()
  await page.getByText('2 traces forgotten.').first().waitFor()
  expect(await page.evaluate(async () => (await globalThis.book?.stats())?.total)).toBe(4)
  await expect.poll(() => rows.count()).toBe(4)
  expect(await problems()).toEqual([])
})

it('searches for the last of what was typed while a search ran, and for nothing in between', async () => {
  const { page, problems } = await openWith(browser, traces)
  const { rows } = partsOf(page)
  await page.evaluate(() => {
    const records = globalThis.book?.records
    if (!records) throw new Error('no book')
    const search = records.search.bind(records)
    const asked: string[] = []
    const held = Promise.withResolvers<void>()
    const heldSearch: typeof search = async (input, options) => {
      asked.push(input.query)
      if (asked.length === 1) await held.promise
      return search(input, options)
    }
    Object.assign(records, { search: heldSearch })
    Object.assign(globalThis, { asked, answerFirst: held.resolve })
  })
  const asked = () => page.evaluate(() => (globalThis as unknown as { asked: string[] }).asked)
  const box = page.getByRole('searchbox', { name: 'Search traces' })
  await box.fill('attic')
  await expect.poll(async () => (await asked()).length).toBe(1)
  for (const text of ['attic g', 'attic goa', 'attic goal 17']) {
    await box.fill(text)
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(text)
  }
  await page.evaluate(() => (globalThis as unknown as { answerFirst: () => void }).answerFirst())
  await expect.poll(async () => (await asked()).at(-1)).toBe('attic goal 17')
  await expect.poll(() => rows.first().innerText()).toMatch(/Goal 17\b/)
  expect(await asked()).toHaveLength(2)
  expect(await problems()).toEqual([])
})
