// Activity in the inspector: what was asked is found again, opens with what was found then, is asked again, and is told at records.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { launchBrowser, openView } from '../open-inspector.ts'
import { faults } from '../shared/page-fault.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** A recall, a context and a refused write, of two agents. Runs in the page. */
async function fill(book: Daybook): Promise<void> {
  await book.perceptions.store({ id: 'p-1', content: 'Ruth mended the harbour lamp on Friday.' })
  await book.perceptions.store({ id: 'p-2', content: 'The harbour lamp is green.' })
  const { token } = await book.tokens.grant({
    scope: '**',
    permissions: ['read'],
    granted_to: 'helper',
    expires_at: '2099-01-01T00:00:00Z',
  })
  const guest = book.with({ as: token.token_id })
  await guest.perceptions.store({ content: 'not allowed' }).catch(() => undefined)
  await guest.context({ text: 'the harbour lamp', budgetTokens: 300 })
  await book.recall({ text: 'Who mended the harbour lamp?', kinds: ['perception'], limit: 5 })
  // A page that is left at once loses what it has not written yet.
  await book.activity.list()
}

const list = (page: Page) => page.getByRole('list', { name: 'Activity, newest first' })
const rows = (page: Page) => list(page).getByRole('button')
const entry = (page: Page) => page.getByRole('region', { name: 'Activity entry' })
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-entry'))

it('says what would be there in a book that nobody has asked', async () => {
  const { page, problems } = await openView(browser, 'activity', async () => undefined)
  await page.getByText('No activity yet').waitFor()
  expect(await page.title()).toMatch(/^Activity · /)
  expect(await faults(page, 1440)).toEqual([])
  expect(await problems()).toEqual([])
})

it('lists what was asked, written and refused, narrows it, and opens an entry by keys', async () => {
  const { page, problems } = await openView(browser, 'activity', fill)
  await expect.poll(() => rows(page).count()).toBe(6)
  expect(await rows(page).first().innerText()).toMatch(/Recall\s+Who mended the harbour lamp\?\s+2 hits/)
  const sort = page.getByRole('combobox', { name: 'Type' })
  await sort.selectOption('Refused calls')
  await expect.poll(() => rows(page).count()).toBe(1)
  await rows(page).first().click()
  expect(await entry(page).innerText()).toMatch(/kstar:store_perception[\s\S]*helper[\s\S]*forbidden/)
  await sort.selectOption('All activity')
  await page.getByRole('textbox', { name: 'Agent' }).fill('helper')
  await page.keyboard.press('Tab')
  await expect.poll(() => rows(page).count()).toBe(2)
  await page.getByRole('textbox', { name: 'Agent' }).fill('')
  await page.keyboard.press('Tab')
  await expect.poll(() => rows(page).count()).toBe(6)

  await rows(page).first().focus()
  await page.keyboard.press('Enter')
  const heading = entry(page).getByRole('heading', { level: 2 })
  await expect.poll(() => heading.innerText()).toBe('Who mended the harbour lamp?')
  const text = await entry(page).innerText()
  expect(text).toMatch(/Found: 2 records[\s\S]*p-1[\s\S]*unchanged since[\s\S]*Ruth mended the harbour lamp/)
  await page.keyboard.press('j')
  await expect.poll(() => heading.innerText()).toBe('the harbour lamp')
  await expect.poll(() => entry(page).innerText()).toMatch(/Packed text[\s\S]*\[p-\d\] perception/)
  await page.reload()
  await expect.poll(() => heading.innerText()).toBe('the harbour lamp')
  expect(await faults(page, 1440)).toEqual([])
  expect(await faults(page, 390)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
  await rows(page).nth(1).focus()
  const opened = await focused(page)
  await page.keyboard.press('Escape')
  await expect.poll(() => heading.count()).toBe(0)
  await expect.poll(() => focused(page)).toBe(opened)
  expect(await problems()).toEqual([])
})

it('asks again, tells what changed since, and what was forgotten has no words', async () => {
  const { page, problems } = await openView(browser, 'activity', fill)
  await rows(page).first().click()
  await entry(page).getByRole('button', { name: 'Ask again now' }).click()
  await entry(page).getByText('Same answer as then: same records, same order.').waitFor()
  await page.evaluate(async () => {
    await globalThis.book?.perceptions.store({
      id: 'p-3',
      content: 'Who mended the harbour lamp? Ruth, and the harbour lamp was mended well.',
    })
  })
  await entry(page).getByRole('button', { name: 'Ask again now' }).click()
  const difference = entry(page).getByRole('region', { name: 'Then and now' })
  await difference.getByRole('row', { name: /p-3 – #\d .* new/ }).waitFor()

  // What the page asked itself appears without a reload, above.
  await expect.poll(() => rows(page).count()).toBe(9)
  await page.evaluate(() => globalThis.book?.records.forget({ id: 'p-1' }))
  await expect.poll(() => entry(page).innerText()).toMatch(/Text removed[\s\S]*forgotten since/)
  expect(await list(page).innerText()).not.toMatch(/Who mended/)
  expect(await faults(page, 900)).toEqual([])
  expect(await problems()).toEqual([])
})

it('shows what holds now in place of a superseded fact, and leads there', async () => {
  const { page, problems } = await openView(browser, 'activity', async (book) => {
    await book.facts.store({ id: 'f-1', schema: 'home', data: { city: 'Lisbon' } })
    await book.recall({ text: 'Lisbon' })
    await book.facts.supersede({ id: 'f-1', data: { city: 'Coimbra' } })
    await book.activity.list()
  })
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Recalls')
  await rows(page).first().click()
  await expect
    .poll(() => entry(page).innerText())
    .toMatch(/superseded since[\s\S]*Lisbon[\s\S]*Now:[\s\S]*Coimbra/)
  expect(await entry(page).innerText()).not.toContain('unchanged since')
  for (const width of [1440, 390]) expect(await faults(page, width)).toEqual([])
  await entry(page).locator('.found-successor button').first().click()
  await page.getByRole('region', { name: 'Fact', exact: true }).getByText('Coimbra').first().waitFor()
  expect(await problems()).toEqual([])
})

it('opens in Recall with the options of then', async () => {
  const { page, problems } = await openView(browser, 'activity', fill)
  await rows(page).first().click()
  await entry(page).getByRole('button', { name: 'Open in Recall' }).click()
  await page.getByRole('list', { name: 'Hits for Who mended the harbour lamp?' }).waitFor()
  expect(await page.getByLabel('At most').inputValue()).toBe('5')
  await page.getByText('More options (1 set)').click()
  await page.getByRole('button', { name: 'Clear' }).waitFor()
  for (const width of [1440, 390]) expect(await faults(page, width)).toEqual([])
  expect(await problems()).toEqual([])
})

it('tells at a record how often it was recalled and by whom, and leads there and back', async () => {
  const { page, problems } = await openView(browser, 'perceptions&id=p-2', fill)
  const recalled = page.getByRole('region', { name: 'Recalled' })
  await expect.poll(() => recalled.innerText()).toMatch(/1 recall, 1 context[\s\S]*helper \(1\)/)
  await page.evaluate(() => globalThis.book?.recall({ text: 'green lamp' }))
  await recalled.getByRole('button', { name: '2 recalls, 1 context' }).click()
  await expect.poll(() => rows(page).count()).toBe(3)
  await rows(page).first().click()
  await entry(page).getByRole('button', { name: 'p-2' }).click()
  await page.getByRole('region', { name: 'Perception', exact: true }).waitFor()
  expect(await problems()).toEqual([])
})
