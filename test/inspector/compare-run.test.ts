// Two runs side by side in the inspector: picked from a list, aligned by their steps, with their differences by keys.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { launchBrowser, openView, showView } from './open-inspector.ts'
import { faults } from './shared/page-fault.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** Three runs, two of them with one goal. Runs in the page. */
async function fill(book: Daybook): Promise<void> {
  const run = (session: string, day: number, goal: string, tools: readonly string[]) =>
    tools.map((tool, i) => ({
      id: `${session}-${i + 1}`,
      session,
      timestamp: `2026-01-${String(day).padStart(2, '0')}T10:00:0${i}.000Z`,
      situation: { domain: 'code' },
      task: { goal },
      action: { type: tool.replace('!', ''), parameters: { command: `make ${tool.replace('!', '')}` } },
      result: {
        success: !tool.endsWith('!'),
        outcome: { observation: 'Done', usage: { total_tokens: 100 * day } },
      },
    }))
  await book.traces.storeMany({
    traces: [
      ...run('monday', 1, 'Mend the lamp', ['bash', 'edit', 'test!', 'submit']),
      ...run('tuesday', 2, 'Mend the lamp', ['bash', 'look', 'edit', 'test', 'submit']),
      ...run('sunday', 9, 'Paint the door', ['paint']),
    ],
  })
}

const rows = (page: Page) => page.getByRole('listbox', { name: 'Steps of both runs' }).getByRole('option')
const totals = (page: Page) => page.getByRole('region', { name: 'Totals of both runs' })
const atCursor = (page: Page) => page.locator('.at-cursor').innerText()

it('compares a run with another one that is picked from a list, and goes from difference to difference', async () => {
  const { page, problems } = await openView(browser, 'runs', fill)
  await showView(page, 'runs&run=monday')
  await page.getByRole('button', { name: 'Compare with…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Compare with…' })
  const offered = dialog.getByRole('list', { name: 'Runs to compare with' }).getByRole('button')
  // The one with the same goal first, though another one is newer.
  await expect.poll(() => offered.allInnerTexts()).toEqual(['Mend the lamp', 'Paint the door'])
  expect(await faults(page, 1440)).toEqual([])
  // Esc closes the dialog alone.
  await page.keyboard.press('Escape')
  await expect.poll(() => dialog.count()).toBe(0)
  expect(new URL(page.url()).searchParams.get('run')).toBe('monday')
  await page.getByRole('button', { name: 'Compare with…' }).click()
  await page.keyboard.type('door')
  await expect.poll(() => offered.count()).toBe(1)
  await dialog.getByRole('searchbox').fill('no such run')
  await dialog.getByText('No run matches.').waitFor()
  await dialog.getByRole('searchbox').fill('')
  await offered.first().click()

  await expect.poll(() => rows(page).count()).toBe(5)
  expect(await rows(page).nth(1).innerText()).toMatch(/–\s+only in second\s+2[\s\S]*look/)
  expect(await rows(page).nth(3).innerText()).toMatch(/test[\s\S]*other outcome[\s\S]*test/)
  const text = await totals(page).innerText()
  expect(text).toMatch(/Outcome\s+Succeeded\s+Succeeded\s+same/)
  expect(text).toMatch(/Steps\s+4\s+5\s+\+1/)
  expect(text).toMatch(/Failed steps\s+1\s+0\s+−1/)
  expect(text).toMatch(/Tokens\s+400\s+1,000\s+\+600/)
  expect(text).not.toMatch(/Cost|Messages/)
  expect(text).toMatch(/Calls of look\s+0\s+1\s+\+1/)

  // The first difference is in focus, and keys go to the next and back.
  await page.getByText('2 differences').waitFor()
  await expect.poll(() => atCursor(page)).toMatch(/only in second/)
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Steps of both runs')
  await page.keyboard.press('n')
  await expect.poll(() => atCursor(page)).toMatch(/other outcome/)
  await page.keyboard.press('n')
  await expect.poll(() => atCursor(page)).toMatch(/only in second/)
  await page.keyboard.press('N')
  await expect.poll(() => atCursor(page)).toMatch(/other outcome/)
  for (const width of [1440, 900, 390]) expect(await faults(page, width)).toEqual([])
  // One under the other on a phone.
  const boxes = await rows(page)
    .first()
    .locator('.compare-cell')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
  expect(boxes[1]).toBeGreaterThan(boxes[0] ?? Infinity)
  await page.setViewportSize({ width: 1440, height: 900 })

  // The address has both; Enter opens the step in its run, and Back comes back.
  const address = new URL(page.url()).searchParams
  expect([address.get('run'), address.get('with')]).toEqual(['monday', 'tuesday'])
  await page.reload()
  await expect.poll(() => rows(page).count()).toBe(5)
  await page.keyboard.press('Enter')
  await page.locator('[data-step="tuesday-2"]').waitFor()
  await page.goBack()
  await expect.poll(() => rows(page).count()).toBe(5)
  await page.keyboard.press('Escape')
  await page.locator('[data-step="monday-1"]').waitFor()
  expect(new URL(page.url()).searchParams.get('with')).toBeNull()
  expect(await problems()).toEqual([])
})

it('says that a run is the same as itself, that two runs do not differ, and that one is not there', async () => {
  const { page, problems } = await openView(browser, 'runs', fill)
  await showView(page, 'runs&run=monday&with=monday')
  await page.getByText('Both are the same run.').waitFor()
  await showView(page, 'runs&run=monday&with=nowhere')
  await page.getByText('The second run is not in this book.').waitFor()
  expect(await faults(page, 390)).toEqual([])
  await page.evaluate(() =>
    globalThis.book?.traces.store({
      session: 'again',
      situation: { domain: 'code' },
      task: { goal: 'Paint the door' },
      action: { type: 'paint', parameters: { command: 'make paint' } },
      result: { success: true, outcome: { observation: 'Done' } },
    }),
  )
  await showView(page, 'runs&run=sunday&with=again')
  await page.getByText('No differences').waitFor()
  expect(await problems()).toEqual([])
})

it('says that there is no other run', async () => {
  const { page } = await openView(browser, 'runs', async (book) => {
    await book.traces.store({
      session: 'alone',
      situation: { domain: 'code' },
      task: { goal: 'One thing' },
      action: { type: 'bash', parameters: {} },
    })
  })
  await showView(page, 'runs&run=alone')
  await page.getByRole('button', { name: 'Compare with…' }).click()
  await page.getByText('There is no other run in this book.').waitFor()
})
