// The view of tokens: granting with a preview, delegating, the lineage, what a holder sees, revoking.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openView, partsOf } from '../open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const tokens = { one: 'token', many: 'tokens' }

it('grants a token, delegates below it, shows the lineage and what a holder sees, and revokes all of it', async () => {
  const { page, problems } = await openView(browser, 'tokens', async (book) => {
    const trace = { task: { goal: 'Grade the essay' }, action: { type: 'grade' } }
    await book.traces.store({ ...trace, situation: { domain: 'school' } })
    await book.traces.store({
      situation: { domain: 'home' },
      task: { goal: 'Water it' },
      action: { type: 'w' },
    })
  })
  await page.getByRole('heading', { name: 'No tokens yet' }).waitFor()
  await page.getByRole('button', { name: 'Grant a token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/Holder/).fill('agent:head')
  await dialog.getByLabel('delegate').check()
  const preview = dialog.getByRole('status', { name: 'What it allows' })
  await preview.getByText(/agent:head may read all traces\./).waitFor()
  await dialog.getByRole('button', { name: 'Grant token' }).click()
  expect(await dialog.getByLabel('Bearer text').inputValue()).toMatch(/^dbt2\.[\w-]+\.[\w-]{43}$/)
  await page
    .getByRole('dialog', { name: 'The token is granted' })
    .getByRole('button', { name: 'Done' })
    .click()

  const { rows, detail } = partsOf(page, tokens)
  await detail.getByRole('heading', { name: 'agent:head' }).waitFor()
  await detail.getByRole('button', { name: 'Delegate' }).click()
  await dialog.getByLabel(/Holder/).fill('agent:hand')
  await dialog.getByLabel(/^Scope/).fill('fact:**')
  await dialog.getByRole('button', { name: 'Grant token' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/wider than the parent/)
    .waitFor()
  await dialog.getByLabel(/^Scope/).fill('trace:school')
  await dialog.getByRole('button', { name: 'Grant token' }).click()
  await page
    .getByRole('dialog', { name: 'The token is granted' })
    .getByRole('button', { name: 'Done' })
    .click()
  await detail.getByRole('heading', { name: 'agent:hand' }).waitFor()

  await detail.getByRole('button', { name: 'Preview access' }).click()
  await detail.getByText('The holder sees 1 record:').waitFor()
  await detail.getByRole('button', { name: /Grade the essay/ }).waitFor()
  expect(await detail.getByText('Water it').count()).toBe(0)

  const lineage = detail.getByRole('group', { name: 'Lineage as a tree' })
  await lineage.getByRole('button', { name: /agent:head/ }).focus()
  await page.keyboard.press('Enter')
  await detail.getByRole('heading', { name: 'agent:head' }).waitFor()
  await detail.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByText('1 delegated token is revoked too.').waitFor()
  await dialog.getByLabel(/Reason/).fill('No longer needed')
  await dialog.getByRole('button', { name: 'Revoke token' }).click()
  await detail.getByText(/It was revoked.*No longer needed/).waitFor()
  await expect.poll(() => rows.filter({ hasText: 'Revoked' }).count()).toBe(2)
  await rows.filter({ hasText: 'agent:hand' }).click()
  await detail.getByText(/A token above it was revoked/).waitFor()
  await detail.getByRole('button', { name: 'Preview access' }).click()
  await detail.getByRole('alert').getByText('Access denied').waitFor()
  expect(await problems()).toEqual([])
})
