// Sensitive records in the inspector: guarding, locking, what a locked record shows, unlocking, the keys in a file.
import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type InspectorPage, launchBrowser, openInspector, openWith, partsOf } from '../open-inspector.ts'
import { createEdge } from '../shared/edge.ts'
import { faults } from '../shared/page-fault.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('protects, locks, asks before it forgets unread, unlocks, and hands the keys out and in', async () => {
  const { page, problems } = await openInspector(browser, { query: '&view=storage' })
  const card = page.getByRole('region', { name: 'Sensitive records' })
  await card.getByText('No sensitive records yet.', { exact: false }).waitFor()
  await page.evaluate(async () => {
    for (const content of ['an elephant', 'a walrus'])
      await globalThis.book?.perceptions.store({ content, sensitivity: 'sensitive' })
  })
  await card.getByText('Unlocked.', { exact: false }).waitFor()

  // A slip in a passphrase that nobody saw would lock the book for good: it is typed twice, and can be looked at.
  await card.getByRole('button', { name: 'Protect keys…' }).click()
  const protect = card.getByRole('form', { name: 'Protect keys' })
  const submit = protect.getByRole('button', { name: 'Protect keys' })
  await protect.getByLabel('New passphrase').fill('correct horse battery')
  await protect.getByLabel('Repeat passphrase').fill('correct horse bettery')
  await protect.getByText('The passphrases differ').waitFor()
  expect(await submit.isDisabled()).toBe(true)
  await protect.getByLabel('Show passphrase').check()
  expect(await protect.getByLabel('Repeat passphrase').getAttribute('type')).toBe('text')
  await protect.getByLabel('Repeat passphrase').fill('correct horse battery')
  await submit.click()
  await card.getByText('a passphrase', { exact: true }).waitFor()

  await card.getByRole('button', { name: 'Export keys…' }).click()
  const exporting = card.getByRole('form', { name: 'Export keys' })
  await exporting.getByLabel('Passphrase for the key file').fill('for the other device')
  await exporting.getByLabel('Repeat passphrase').fill('for the other device')
  const download = page.waitForEvent('download')
  await exporting.getByRole('button', { name: 'Export keys' }).click()
  const path = await (await download).path()
  expect(await readFile(path, 'utf8')).toContain('"format":"daybook-keys"')
  await exporting.waitFor({ state: 'detached' })
  await card.getByRole('button', { name: 'Import keys…' }).click()
  const importing = card.getByRole('form', { name: 'Import keys' })
  await importing.getByLabel('Passphrase of the key file').fill('not the passphrase')
  await importing.locator('input[type=file]').setInputFiles(path)
  await card.getByRole('alert').getByText('Keys unchanged').waitFor()
  await importing.getByLabel('Passphrase of the key file').fill('for the other device')
  await importing.locator('input[type=file]').setInputFiles(path)
  await page.getByText('0 keys added', { exact: false }).first().waitFor()

  await card.getByRole('button', { name: 'Lock now' }).click()
  await card.getByRole('heading', { name: '2 locked records' }).waitFor()
  expect(await card.getByText('elephant').count()).toBe(0)
  const forget = card.getByRole('button', { name: 'Forget…' }).first()
  const question = page.getByRole('dialog', { name: 'Forget this locked record?' })
  await forget.click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await card.getByRole('heading', { name: '2 locked records' }).waitFor()
  await forget.click()
  await question.getByRole('button', { name: 'Forget record' }).click()
  await card.getByRole('heading', { name: '1 locked record' }).waitFor()
  const unlocking = card.getByRole('form', { name: 'Unlock' })
  await unlocking.getByLabel('Passphrase', { exact: true }).fill('correct horse battery')
  await unlocking.getByRole('button', { name: 'Unlock' }).click()
  await card.getByText('Unlocked.', { exact: false }).waitFor()
  await card.getByRole('heading', { name: /locked record/ }).waitFor({ state: 'detached' })
  expect(await problems()).toEqual([])
})

it('says on a second device which keys it lacks, offers none to export, and reads once they are imported', async () => {
  const edge = createEdge()
  const first = await browser.newContext()
  const second = await browser.newContext()
  for (const context of [first, second]) await edge.serve(context)
  const one = await openInspector(browser, { context: first, query: '&view=storage' })
  const cardOf = ({ page }: InspectorPage) => page.getByRole('region', { name: 'Sensitive records' })
  await cardOf(one).waitFor()
  await one.page.evaluate(async () => {
    await globalThis.book?.perceptions.store({ content: 'an elephant', sensitivity: 'sensitive' })
    await globalThis.book?.sync()
  })
  const two = await openInspector(browser, { context: second, name: one.name, query: '&view=storage' })
  const card = cardOf(two)
  await card.waitFor()
  await two.page.evaluate(() => globalThis.book?.sync())
  await card.getByText('This device has no keys', { exact: false }).waitFor()
  await card.getByRole('heading', { name: '1 locked record' }).waitFor()
  expect(await card.getByText('No sensitive records yet').count()).toBe(0)
  expect(await card.getByRole('button', { name: /^(Protect|Export) keys/ }).count()).toBe(0)
  for (const width of [1280, 390]) expect(await faults(two.page, width)).toEqual([])

  await cardOf(one).getByRole('button', { name: 'Export keys…' }).click()
  const exporting = cardOf(one).getByRole('form', { name: 'Export keys' })
  await exporting.getByLabel('Passphrase for the key file').fill('for the other device')
  await exporting.getByLabel('Repeat passphrase').fill('for the other device')
  const download = one.page.waitForEvent('download')
  await exporting.getByRole('button', { name: 'Export keys' }).click()
  await card.getByRole('button', { name: 'Import keys…' }).click()
  const importing = card.getByRole('form', { name: 'Import keys' })
  await importing.getByLabel('Passphrase of the key file').fill('for the other device')
  await importing.locator('input[type=file]').setInputFiles(await (await download).path())
  await card.getByText('can be read here', { exact: false }).waitFor()
  await card.getByRole('heading', { name: /locked record/ }).waitFor({ state: 'detached' })
  for (const context of [first, second]) await context.close()
})

it('marks a record as sensitive with a way back, shows it in row and detail, and exports it only as it is told to', async () => {
  const { page, problems } = await openWith(browser, [makeTrace({ task: { goal: 'Keep to ourselves' } })])
  const { rows, detail } = partsOf(page)
  await rows.first().click()
  const choice = detail.getByLabel('sensitivity')
  const sign = page.getByTitle('Sensitive, stored encrypted')
  await choice.selectOption('sensitive')
  await rows.first().locator(sign).waitFor()
  await detail.locator(sign).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await sign.first().waitFor({ state: 'detached' })
  await choice.selectOption('restricted')
  await detail.getByTitle('Restricted, stored encrypted').waitFor()

  await page.evaluate(async () => {
    await globalThis.book?.accessKeys.create({ name: 'CI', permissions: ['read'] })
  })
  await page.getByRole('button', { name: 'Bundles' }).click()
  const card = page.getByRole('region', { name: 'Export' })
  // Access keys stay here.
  expect(await card.getByLabel(/Access keys/).count()).toBe(0)
  await card.getByText('1 sensitive record left out').waitFor()
  const bundle = async () => {
    const download = page.waitForEvent('download')
    await card.getByRole('button', { name: 'Export', exact: true }).click()
    return readFile(await (await download).path(), 'utf8')
  }
  expect(await bundle()).not.toContain('Keep to ourselves')
  await card.getByLabel(/Include unencrypted/).check()
  expect(await bundle()).toContain('Keep to ourselves')
  expect(await problems()).toEqual([])
})
