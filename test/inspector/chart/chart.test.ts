// Charts of a book: what they are drawn from, that each of them opens what it is of, by pointer and by keys, and what they say when empty.
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

/** Forty days of two actions, one of which fails every third time; each says how long it took, its tokens and cost. Runs in the page. */
async function fill(book: Daybook): Promise<void> {
  const traces = Array.from({ length: 120 }, (_, i) => ({
    situation: { domain: 'mill' },
    task: { goal: `Goal ${i}` },
    action: { type: i % 3 === 0 ? 'grind' : 'carry' },
    result: {
      success: i % 9 !== 0,
      outcome: { durationMs: 100 + i, usage: { total_tokens: 10, cost_usd: 0.5 } },
    },
    timestamp: new Date(Date.now() - Math.floor(i / 3) * 86_400_000).toISOString(),
  }))
  await book.traces.storeMany({ traces })
  await book.recall({ text: 'grind' })
  await book.activity.list()
}

const chart = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** The rows of a chart's table: time and values. */
async function tableOf(page: Page, name: string): Promise<string[][]> {
  const one = chart(page, name)
  const summary = one.getByText('As a table')
  await summary.focus()
  await page.keyboard.press('Enter')
  const rows = one.getByRole('row')
  await rows.nth(1).waitFor()
  return rows.evaluateAll((all) =>
    all.slice(1).map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText)),
  )
}

it('draws failures, durations, tokens, cost, growth and recalls from what the book has', async () => {
  const { page, problems } = await openView(browser, 'charts', fill)
  await page.getByText('Of 120 traces.').waitFor()
  await chart(page, 'Failures by action')
    .getByText(/14 of 40/)
    .waitFor()
  for (const name of ['Duration', 'Tokens', 'Cost', 'Growth of the book', 'Recalls a day'])
    await chart(page, name).locator('canvas').waitFor()
  expect((await tableOf(page, 'Tokens')).map(([, tokens]) => tokens)).toEqual(Array(40).fill('30'))
  expect((await tableOf(page, 'Duration'))[0]?.slice(1)).toEqual(['101 ms', '102 ms'])
  expect((await tableOf(page, 'Cost'))[0]?.[1]).toBe('$1.50')
  expect((await tableOf(page, 'Growth of the book'))[0]?.[1]).toBe('120')
  expect((await tableOf(page, 'Recalls a day')).map(([, count]) => count)).toEqual(['1'])
  expect([...(await faults(page, 390)), ...(await faults(page, 1440))]).toEqual([])
  // No label lies under its bar, and the bar of 14 of 40 is a third.
  const bars = chart(page, 'Failures by action').locator('.bar')
  const places = await bars.evaluateAll((all) =>
    all.map((bar) => {
      const [label, track] = [...bar.children].map((part) => part.getBoundingClientRect())
      const fill = bar.querySelector('.bar-fill')?.getBoundingClientRect().width ?? 0
      return { isClear: (label?.right ?? 0) <= (track?.left ?? 0), share: fill / (track?.width ?? 1) }
    }),
  )
  expect(places.map(({ isClear }) => isClear)).not.toContain(false)
  expect(places[0]?.share).toBeCloseTo(14 / 40, 1)
  await page.getByRole('combobox', { name: 'Time' }).selectOption('Last 7 days')
  await page.getByText(/^Of 2[0-9] traces\.$/).waitFor()
  await page.reload()
  await page.getByText(/^Of 2[0-9] traces\.$/).waitFor()
  expect(await problems()).toEqual([])
})

it('opens what a place of a chart is of: failed traces of an action, traces of a day, recalls of a day', async () => {
  const { page, problems } = await openView(browser, 'charts', fill)
  await page.getByText('Of 120 traces.').waitFor()
  await page.getByRole('button', { name: /grind.*14 of 40/ }).press('Enter')
  await page.getByText('14 traces').first().waitFor()
  await page.goBack()
  await page.getByText('Of 120 traces.').waitFor()
  await tableOf(page, 'Tokens')
  await chart(page, 'Tokens').getByRole('row').nth(1).getByRole('button').press('Enter')
  await page.getByText('3 traces').first().waitFor()
  await page.goBack()
  // By pointer: the last day stands at the right end of the drawing.
  const drawing = chart(page, 'Duration').locator('.u-over')
  const { width, height } = (await drawing.boundingBox()) ?? { width: 0, height: 0 }
  await drawing.click({ position: { x: width - 3, y: height / 2 } })
  await page.getByText('3 traces').first().waitFor()
  await page.goBack()
  await tableOf(page, 'Recalls a day')
  await chart(page, 'Recalls a day').getByRole('row').nth(1).getByRole('button').click()
  await page.getByRole('list', { name: 'Activity, newest first' }).getByRole('button').waitFor()
  await page.getByRole('combobox', { name: 'Time' }).selectOption('Last 7 days')
  expect(page.url()).not.toContain('time=')
  expect(await problems()).toEqual([])
})

it('says what would be drawn while there is nothing, and what traces do not tell', async () => {
  const empty = await openView(browser, 'charts', async () => undefined)
  await empty.page.getByText('Nothing to draw yet').waitFor()
  const { page, problems } = await openView(browser, 'charts', async (book) => {
    await book.traces.store({
      situation: { domain: 'mill' },
      task: { goal: 'Grind' },
      action: { type: 'grind' },
      result: { success: true },
    })
  })
  await page.getByText('None of these traces failed.').waitFor()
  await page.getByText('No durations in these traces.').waitFor()
  await page.getByText('No costs in these traces.').waitFor()
  expect(await problems()).toEqual([])
})
