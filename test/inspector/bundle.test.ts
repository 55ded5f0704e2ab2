// Leaving with everything and coming back: export, verify, try and import, in the inspector as it is built.
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { faults } from './shared/page-fault.ts'
import { dropFiles, launchBrowser, openView } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

async function exportText(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export', exact: true }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/\.kstar\.json$/)
  await page.getByText(/is in your downloads/).waitFor()
  return readFileSync(await download.path(), 'utf8')
}

it('exports encrypted, asks for the passphrase, says what would come in, and imports it into another book', async () => {
  const { page, problems } = await openView(browser, 'bundles', async (book) => {
    await book.facts.store({ id: 'f-1', schema: 'course', data: { code: 'CS101' } })
    await book.perceptions.store({ content: 'Forgets the base case' })
  })
  await page.getByLabel('Encrypt with passphrase (optional)').fill('correct horse')
  const sealed = await exportText(page)
  expect(sealed).not.toContain('base case')

  const other = await openView(browser, 'bundles', async (book) => {
    await book.facts.store({ id: 'f-1', schema: 'course', data: { code: 'CS102' } })
  })
  await dropFiles(other.page, { 'book.kstar.json': sealed })
  const passphrase = other.page.getByLabel(/The bundle is encrypted/)
  await passphrase.fill('wrong horse')
  await other.page.getByRole('button', { name: 'Open', exact: true }).click()
  await other.page.getByText(/Wrong passphrase/).waitFor()
  await passphrase.fill('correct horse')
  await other.page.getByRole('button', { name: 'Open', exact: true }).click()
  await other.page.getByText(/Effect:/).waitFor()
  await other.page
    .getByText(/1 conflict/)
    .first()
    .waitFor()
  const counted = () =>
    other.page.evaluate(async () => (await globalThis.book?.records.count({ kind: 'perception' }))?.total)
  expect(await counted()).toBe(0)
  await other.page.getByRole('button', { name: 'Import', exact: true }).last().click()
  await other.page
    .getByText(/Bundle imported/)
    .first()
    .waitFor()
  expect(await counted()).toBe(1)
  expect([...(await problems()), ...(await other.problems())]).toEqual([])
})

it('exports a book with records that never leave it, as the form offers', async () => {
  const { page, problems } = await openView(browser, 'bundles', async (book) => {
    await book.personas.register({ name: 'Alice' })
    await book.thoughts.learn({ persona: 'Alice', knowledge: 'Casey likes tea' })
    await book.backups.make({ persona: 'Alice' })
    await book.accessKeys.create({ name: 'CI', permissions: ['read'] })
    await book.consent.setPolicy({ forAgents: '*', permissions: ['read_scoped'], allow: ['a2p:preferences'] })
    const agent = book.with({ agent: 'agent' })
    await agent.consent.request({ scopes: ['a2p:preferences'], purpose: 'Tests' })
  })
  const card = page.getByRole('region', { name: 'Export' })
  await card.getByText('stay here.', { exact: false }).waitFor()
  expect(await card.getByLabel(/^(Access|Agent keys|Backup|Polic|Receipt)/).count()).toBe(0)
  expect(await exportText(page)).toContain('Casey likes tea')
  await card.getByLabel(/^Personas/).uncheck()
  expect(await exportText(page)).toContain('Casey likes tea')
  expect(await problems()).toEqual([])
})

it('says before an import which approvals it does not take over, and takes them over on demand', async () => {
  const { page } = await openView(browser, 'bundles', async (book) => {
    await book.memories.store({ content: 'Likes tea', category: 'a2p:preferences' })
  })
  const bundle = await exportText(page)
  const other = await openView(browser, 'bundles', async () => undefined)
  await dropFiles(other.page, { 'book.kstar.json': bundle })
  const effect = other.page.getByText('1 approved record will wait for your approval.')
  await effect.waitFor()
  await other.page.getByText('1 new, 1 to approve again', { exact: false }).waitFor()
  for (const width of [1280, 390]) expect(await faults(other.page, width)).toEqual([])
  await other.page.getByLabel('take its approvals over', { exact: false }).check()
  await other.page.getByText('Approvals of the bundle count here.').waitFor()
  await other.page.getByRole('button', { name: 'Import', exact: true }).last().click()
  await other.page.getByText('Bundle imported: 1 new.').first().waitFor()
  const states = await other.page.evaluate(async () =>
    (await globalThis.book?.memories.query())?.memories.map(({ status }) => status),
  )
  expect(states).toEqual(['approved'])
})

it('refuses a bundle of which one letter was changed, and imports nothing of it', async () => {
  const { page } = await openView(browser, 'bundles', async (book) => {
    await book.perceptions.store({ content: 'Forgets the base case' })
  })
  const altered = (await exportText(page)).replace('base case', 'bass case')
  await dropFiles(page, { 'altered.kstar.json': altered })
  await page.getByRole('alert').getByText('Nothing of this bundle was imported.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText(/Drop a bundle anywhere/).waitFor()
})

it('exports tokens only after a second thought, and only what is chosen', async () => {
  const { page } = await openView(browser, 'bundles', async (book) => {
    await book.perceptions.store({ content: 'Stays here' })
    await book.facts.store({ schema: 's', data: { goes: 'out' } })
  })
  const start = page.getByRole('button', { name: 'Export', exact: true })
  await page.getByLabel('Include control tokens').check()
  expect(await start.isDisabled()).toBe(true)
  await page.getByLabel('Include tokens').check()
  expect(await start.isDisabled()).toBe(false)
  await page.getByLabel('Include control tokens').uncheck()
  await page.getByLabel(/^Perceptions/).uncheck()
  const text = await exportText(page)
  expect(text).toContain('goes')
  expect(text).not.toContain('Stays here')
})
