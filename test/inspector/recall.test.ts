// The recall playground: hits with their reasons, the legs side by side, the packed context and what was cut.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openView } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('shows 40 hits of a list, and what share of what was found they are', async () => {
  const { page, problems } = await openView(browser, 'recall', async (book) => {
    for (let i = 1; i <= 50; i++)
      await book.perceptions.store({ subject: 'ana', content: `Visited castle number ${i}.` })
  })
  await page.getByLabel('Question').fill('List every castle that was visited')
  await page.keyboard.press('Enter')
  await page.getByText(/^40 hits · list, about 8\d % of all that was found/).waitFor()
  await page.getByLabel('At most').selectOption('50')
  await page.getByText(/^50 hits · list, everything that was found/).waitFor()
  expect(await problems()).toEqual([])
})

it('shows hits of any kind in their own words with the reasons on demand, narrows by kind, the ranks by leg, and the context within its budget', async () => {
  const { page, problems } = await openView(browser, 'recall', async (book) => {
    for (const topic of ['trees', 'lists', 'towers', 'mazes', 'queens', 'islands'])
      await book.perceptions.store({
        subject: 'ana',
        content: `Ana knew many ways and solved the recursion exercise on ${topic}. ${`She drew ${topic} first. `.repeat(30)}`,
      })
    await book.facts.store({ schema: 'exercise', data: { topic: 'recursion', done: 6 } })
  })
  await page.getByLabel('Question').fill('Which way of solving recursive exercises did Ana find?')
  await page.getByRole('button', { name: 'Recall', exact: true }).last().click()
  const hits = page.getByRole('list', { name: /Hits for/ }).getByRole('listitem')
  // Its best passage with the question's words as they stand in it, not as the index cuts them: exercis, solv, wai.
  const quote = hits.first().locator('.hit-quote')
  await quote.getByText(/Ana knew many ways and solved/).waitFor()
  expect([...new Set(await quote.locator('mark').allTextContents())].sort()).toEqual(
    ['Ana', 'exercise', 'recursion', 'solved', 'ways'].sort(),
  )
  await hits
    .first()
    .getByText(/^full text #1/)
    .waitFor()
  await hits.first().getByText('Why').click()
  await hits.first().getByText('recency', { exact: true }).waitFor()
  await hits.first().getByText('importance × 1.00').waitFor({ state: 'detached' })
  await hits.first().getByText('matched').waitFor()

  await page.getByText('More options').click()
  await page.getByLabel('Facts').check()
  await expect.poll(() => hits.count()).toBe(1)
  await page.getByText('(1 set)').waitFor()
  await page.getByLabel('At most').selectOption('20')
  await expect.poll(() => new URL(page.url()).searchParams.get('recall.kinds')).toBe('fact')
  await page.reload()
  await expect.poll(() => hits.count()).toBe(1)
  expect(await page.getByLabel('At most').inputValue()).toBe('20')
  await page.goto(`${page.url()}&recall.limit=no&recall.at=never&recall.cut=blunt`)
  await expect.poll(() => hits.count()).toBe(1)
  await page.getByText('More options').click()
  await page.getByRole('button', { name: 'Copy as code' }).waitFor()
  const filters = page.getByLabel('Filters')
  await filters.fill('{"agent": "nobody"')
  await filters.press('Enter')
  await page.getByText('Not a JSON object').waitFor()
  expect(await filters.inputValue()).toBe('{"agent": "nobody"')
  await filters.fill('{"agent": "nobody"}')
  await filters.press('Enter')
  await expect.poll(() => hits.count()).toBe(0)
  await page.reload()
  await page.getByText('More options').click()
  expect(await filters.inputValue()).toBe('{"agent":"nobody"}')
  await page.getByRole('button', { name: 'Clear' }).click()
  await hits.nth(2).waitFor()
  await page.getByText(/Keyword recall only/).waitFor()

  await page.getByRole('button', { name: 'Compare with another question' }).click()
  await page.getByLabel('Question').fill('Which way of solving the exercise on trees did Ana find?')
  await page.keyboard.press('Enter')
  const beside = page.getByRole('region', { name: 'Before and now' })
  const up = beside.getByRole('row', { name: /trees.* #1 \(.*moved up/ })
  await up.waitFor()
  await page.reload()
  await up.waitFor()
  await page.getByRole('button', { name: 'Stop comparing' }).click()
  await beside.waitFor({ state: 'detached' })
  expect(new URL(page.url()).searchParams.get('beside')).toBeNull()

  await page.getByRole('button', { name: 'Rankers' }).click()
  const table = page.getByRole('table')
  await table.getByRole('columnheader', { name: /full text/ }).waitFor()
  expect(await table.getByRole('row').count()).toBeGreaterThan(6)
  await table.getByText('#1', { exact: true }).first().waitFor()

  await page.getByRole('button', { name: 'Context' }).click()
  await page.getByText(/records packed/).waitFor()
  await page.getByLabel('Budget').selectOption('4000')
  await page.getByText(/records packed; everything fits/).waitFor()
  await page.getByLabel('Budget').selectOption('250')
  await page.getByText(/over budget/).waitFor()
  await page.getByText('Excluded').click()
  await page
    .getByRole('cell', { name: /^0\.\d\d$/ })
    .last()
    .waitFor()
  await page
    .getByRole('rowheader', { name: /Ana knew many ways/ })
    .last()
    .waitFor()
  await page.getByRole('button', { name: 'Copy context' }).waitFor()
  await page.reload()
  await page.getByText(/records? packed/).waitFor()
  expect(await problems()).toEqual([])
})
