// Secrets in the inspector: told of as they are stored, found in what was there before, encrypted with one press.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oneSecret } from '../../support/made-secret.ts'
import { launchBrowser, openInspector, showView } from '../open-inspector.ts'
import { faults } from '../shared/page-fault.ts'

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
  const detail = page.getByRole('region', { name: 'Perception', exact: true })
  await detail.getByText('Encrypted: contains github token.', { exact: false }).waitFor()
  // In no row, heading, field, version, JSON or title until it is revealed, and then in none of the list.
  await detail.getByRole('button', { name: 'Show raw JSON' }).click()
  const everything = async () => `${await page.title()} ${await page.locator('body').innerText()}`
  await expect.poll(everything).toMatch(/use \[secret: github-token/)
  expect(await everything()).not.toContain(secret)
  for (const width of [1280, 390]) expect(await faults(page, width)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 800 })
  await detail.getByRole('button', { name: 'Reveal' }).click()
  await detail.getByText(`use ${secret}`).first().waitFor()
  expect(await page.getByRole('listbox').innerText()).not.toContain(secret)
  await detail.getByRole('button', { name: 'Hide', exact: true }).click()
  await expect.poll(everything).not.toContain(secret)
  await showView(page, 'recall&ask=deploy')
  await page
    .getByRole('list', { name: 'Hits for deploy' })
    .getByText('use [secret', { exact: false })
    .waitFor()
  expect(await everything()).not.toContain(secret)
  expect(await problems()).toEqual([])
})
