// Secrets in the inspector: told of as they are stored, found in what was there before, encrypted with one press.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oneSecret } from '../../support/made-secret.ts'
import { launchBrowser, openInspector } from '../open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('finds secrets, shows where they are and never what they are, and encrypts their records', async () => {
  const secret = oneSecret()
  const { page, problems } = await openInspector(browser, { query: '&view=storage' })
  const card = page.getByRole('region', { name: 'Secrets' })
  await card.getByRole('button', { name: 'Scan this book' }).click()
  await card.getByText('no known secrets', { exact: false }).waitFor()
  await page.evaluate(async (content) => {
    await globalThis.book?.perceptions.store({ content, subject: 'deploy' })
  }, `use ${secret}`)
  await card.getByText('1 record encrypted', { exact: false }).waitFor()
  await card.getByRole('button', { name: 'Scan this book' }).click()
  await card.getByRole('heading', { name: 'Where they are' }).waitFor()
  expect(await card.innerText()).toMatch(/1 × github-token in content of perception: encrypted/)
  expect(await page.locator('body').innerText()).not.toContain(secret)
  await card.getByRole('button', { name: 'Show' }).click()
  await page.getByText(`use ${secret}`).first().waitFor()
  expect(await problems()).toEqual([])
})
