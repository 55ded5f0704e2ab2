// Runs in the inspector: the list of them, and one from its first step to its last.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openView } from './open-inspector.ts'
import { faults } from './shared/page-fault.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const table = (page: Page) => page.getByRole('region', { name: 'Runs' })
const step = (page: Page, id: string) => page.locator(`[data-step="${id}"]`)
const openStep = (page: Page) => new URL(page.url()).searchParams.get('id')

/** What axe finds in the page at that width, and whether it is wider than its window. */
it('says what would be there in a book without runs', async () => {
  const { page, problems } = await openView(browser, 'runs', async () => undefined)
  await page.getByText('No runs yet').waitFor()
  expect(await page.title()).toMatch(/^Runs · /)
  expect(await problems()).toEqual([])
})

it('lists runs, and reads one from the first step to the last, by mouse, keys and address', async () => {
  const { page, problems } = await openView(browser, 'runs', async (book) => {
    const at = (second: number) => `2026-01-31T10:00:${String(second).padStart(2, '0')}.000Z`
    const one = (n: number, second: number, over: object) => ({
      id: `step-${n}`,
      session: 'mend',
      timestamp: at(second),
      situation: { domain: 'code' },
      task: { goal: `Do thing ${n}` },
      action: { type: 'bash', parameters: { command: `make ${n}` } },
      ...over,
    })
    const lines = Array.from({ length: 60 }, (_, i) => `line ${i + 1} of it`).join('\n')
    const usage = { input_tokens: 900, output_tokens: 100 }
    await book.traces.storeMany({
      traces: [
        one(1, 1, { result: { success: true, outcome: { observation: lines } } }),
        one(2, 3, { result: { success: true, outcome: { execution_time: 2, usage } } }),
        one(3, 6, {
          result: { success: false, outcome: { error: 'No rule to make target' } },
          metadata: { linked_traces: ['step-1'] },
        }),
      ],
    })
    const source = { type: 'User' as const }
    await book.conversation.store({
      session: 'mend',
      message: { content: 'Please mend it', source, timestamp: at(0) },
    })
    await book.conversation.store({
      session: 'talk',
      message: { content: 'Good day', source, timestamp: at(9) },
    })
  })
  const rows = table(page).getByRole('row')
  await expect.poll(() => rows.count()).toBe(3)
  expect(await rows.nth(1).innerText()).toMatch(/Good day/)
  await table(page).getByRole('button', { name: 'Steps' }).click()
  await expect.poll(() => rows.nth(1).innerText()).toMatch(/Do thing 1\s+mend\s+Failed\s+1[^\d]*3/)
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('with failed steps')
  await expect.poll(() => rows.count()).toBe(2)
  await table(page).getByRole('button', { name: 'Do thing 1' }).click()

  // The transcript: in order, failure told first, long text cut at forty lines.
  await page.getByText('The run ended with a failed step.').waitFor()
  const steps = page.locator('[data-step]')
  expect(await steps.count()).toBe(4)
  expect(await steps.first().innerText()).toMatch(/Please mend it/)
  expect(await page.locator('.run-figures').innerText()).toMatch(/Tokens\s+1,000/)
  expect(await step(page, 'step-2').locator('.waterfall').innerText()).toMatch(/^2\.0 s/)
  expect(await step(page, 'step-3').innerText()).toMatch(
    /Failed[\s\S]*follows step 2[\s\S]*No rule[\s\S]*Do thing 3/,
  )
  expect(await step(page, 'step-1').innerText()).not.toMatch(/line 41/)
  await step(page, 'step-1').getByRole('button', { name: 'Show all' }).click()
  expect(await step(page, 'step-1').innerText()).toMatch(/line 60/)

  expect(await faults(page, 1440)).toEqual([])
  expect(await faults(page, 390)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })

  // From step to step, and what is open is in the address.
  await page.setViewportSize({ width: 1440, height: 500 })
  const isSeen = () =>
    step(page, 'step-3').evaluate((row) => {
      const { top } = row.getBoundingClientRect()
      return top >= 0 && top < innerHeight
    })
  expect(await isSeen()).toBe(false)
  await page.getByRole('button', { name: 'Open step 4' }).click()
  const heading = page.getByRole('region', { name: 'Trace' }).getByRole('heading', { level: 2 })
  await expect.poll(() => heading.innerText()).toBe('Do thing 3')
  await expect.poll(isSeen).toBe(true)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('k')
  await expect.poll(() => heading.innerText()).toBe('Do thing 2')
  expect(openStep(page)).toBe('step-2')
  await page.reload()
  await expect.poll(() => heading.innerText()).toBe('Do thing 2')
  expect(await page.title()).toMatch(/^Do thing 2 · Runs/)
  await page.goBack()
  await page.getByText('The run ended with a failed step.').waitFor()
  expect(openStep(page)).toBeNull()
  await page.goBack()
  await expect.poll(() => rows.count()).toBe(2)

  // A step that stands elsewhere leads to its run.
  await page.goto(page.url().replace(/view=runs.*$/, 'view=traces&id=step-3'))
  await page.getByRole('button', { name: 'Open its run' }).click()
  await step(page, 'step-3').waitFor()
  expect(await problems()).toEqual([])
})
