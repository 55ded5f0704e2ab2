// Sensitive records in the inspector: guarding, locking, what a locked record shows, unlocking, the keys in a file.
import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openInspector } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('guards, locks, forgets unread, unlocks, and hands the keys out and in', async () => {
  const { page, problems } = await openInspector(browser, { query: '&view=storage' })
  const card = page.getByRole('region', { name: 'Sensitive records' })
  await card.getByText('No record is sensitive yet.', { exact: false }).waitFor()
  await page.evaluate(async () => {
    for (const content of ['an elephant', 'a walrus'])
      await globalThis.book?.perceptions.store({ content, sensitivity: 'sensitive' })
  })
  await card.getByText('Unlocked.', { exact: false }).waitFor()
  const passphrase = card.getByLabel(/Passphrase/)
  await passphrase.fill('correct horse battery')
  await card.getByRole('button', { name: 'Guard the keys with it' }).click()
  await card.getByText('a passphrase', { exact: true }).waitFor()

  await passphrase.fill('for the other device')
  const download = page.waitForEvent('download')
  await card.getByRole('button', { name: 'Take the keys to another device' }).click()
  const path = await (await download).path()
  expect(await readFile(path, 'utf8')).toContain('"format":"daybook-keys"')
  await passphrase.fill('not the passphrase')
  await card.locator('input[type=file]').setInputFiles(path)
  await card.getByRole('alert').getByText('The keys are as they were.').waitFor()
  await passphrase.fill('for the other device')
  await card.locator('input[type=file]').setInputFiles(path)
  await page.getByText('0 keys added', { exact: false }).first().waitFor()

  await card.getByRole('button', { name: 'Lock now' }).click()
  await card.getByRole('heading', { name: '2 locked records' }).waitFor()
  expect(await card.getByText('elephant').count()).toBe(0)
  await card.getByRole('button', { name: 'Forget' }).first().click()
  await card.getByRole('heading', { name: '1 locked record' }).waitFor()
  await passphrase.fill('correct horse battery')
  await card.getByRole('button', { name: 'Unlock' }).click()
  await card.getByText('Unlocked.', { exact: false }).waitFor()
  await card.getByRole('heading', { name: /locked record/ }).waitFor({ state: 'detached' })
  expect(await problems()).toEqual([])
})
