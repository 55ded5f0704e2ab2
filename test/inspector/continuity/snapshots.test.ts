// Thoughts and collections, snapshots and backups at the inspector: moving and removing with undo, making, verifying, and
// restoring after what it would do was shown.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { launchBrowser, openView, partsOf } from '../open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** As source text, see openView. */
async function collect(book: Daybook): Promise<void> {
  await book.personas.register({ name: 'Alice' })
  const keep = async (knowledge: string, collection?: string) => {
    const { id } = await book.thoughts.learn({ persona: 'Alice', knowledge })
    if (collection !== undefined) await book.thoughts.mark({ persona: 'Alice', memoryId: id, collection })
  }
  await keep('Casey likes tea', 'People/Casey')
  await keep('Podman has no daemon', 'Projects/Containers')
  await keep('Projects are many', 'Projects')
  await book.thoughts.remember({ persona: 'Alice', content: 'It rained', context: 'trivial' })
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

it('lists thoughts by collection and importance, and opens one by keyboard', async () => {
  const { page, problems } = await openView(browser, 'thoughts', collect)
  const { list, rows, detail } = partsOf(page, { one: 'thought', many: 'thoughts' })
  await expect.poll(() => rows.count()).toBe(4)
  await list.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await detail.getByRole('region', { name: 'Importance' }).getByText('Set by the agent').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => list.evaluate((box) => box === document.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  await expect.poll(() => new URL(page.url()).searchParams.get('id')).toBe(null)
  const of = async (query: string) => {
    await page.goto(page.url().replace(/&view=.*/, `&view=thoughts${query}`))
    await rows.first().waitFor()
    return rows.count()
  }
  expect(await of('&collection=Projects')).toBe(2)
  expect(await of('&importance=low')).toBe(1)
  expect(await of('&importance=high&type=knowledge')).toBe(3)
  expect(await problems()).toEqual([])
})

it('shows collections as a tree, moves a record to another and takes it out, and undoes both', async () => {
  const { page, problems } = await openView(browser, 'collections', collect)
  const tree = region(page, 'All collections')
  const records = region(page, 'Records').getByRole('listitem')
  await tree.getByRole('button', { name: /^Projects 2/ }).click()
  await expect.poll(() => records.count()).toBe(2)
  expect(new URL(page.url()).searchParams.get('id')).toBe('Projects')
  await page.reload()
  await expect.poll(() => records.count()).toBe(2)
  await records.filter({ hasText: 'Podman' }).getByRole('button', { name: /^Move/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Collection').fill('../elsewhere')
  await page.keyboard.press('Enter')
  await dialog
    .getByRole('alert')
    .getByText(/collection/)
    .waitFor()
  await dialog.getByLabel('Collection').fill('People/Dan')
  await page.keyboard.press('Enter')
  await expect.poll(() => records.count()).toBe(1)
  await tree.getByRole('button', { name: /Dan in People 1/ }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await expect.poll(() => records.count()).toBe(2)
  await records
    .filter({ hasText: 'Podman' })
    .getByRole('button', { name: /^Remove/ })
    .click()
  await expect.poll(() => records.count()).toBe(1)
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await expect.poll(() => records.count()).toBe(2)
  // By keyboard: down the tree, Enter opens, Esc goes back to all.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('id')).not.toBe('Projects')
  await page.keyboard.press('Escape')
  await expect.poll(() => records.count()).toBe(3)
  expect(await problems()).toEqual([])
})

it('takes snapshots whose quotes name their records, and makes, verifies and restores backups after showing what that does', async () => {
  const { page, problems } = await openView(browser, 'snapshots', collect)
  const snapshots = region(page, 'Snapshots')
  const backups = region(page, 'Backups')
  await snapshots.getByText('No snapshots yet').waitFor()
  await backups.getByText('No backups yet').waitFor()
  await snapshots.getByLabel('Focus (optional)').fill('Moving to Podman')
  await page.keyboard.press('Enter')
  await snapshots.getByText('Read it').click()
  await snapshots.getByLabel('Markdown').getByText('## Current focus').waitFor()
  await snapshots
    .getByRole('region', { name: 'Decisions' })
    .getByRole('button', { name: /thought/ })
    .first()
    .waitFor()

  await backups.getByRole('button', { name: 'Make a backup' }).click()
  const row = backups.getByRole('listitem')
  await row.getByRole('button', { name: /^Verify/ }).click()
  await row.getByText('Intact').waitFor()
  await row.getByText(/No record is missing\. No record would change\./).waitFor()
  await page.evaluate(async () => {
    const { records = [] } = (await globalThis.book?.records.query({ kind: 'thought', limit: 1 })) ?? {}
    for (const { id } of records)
      await globalThis.book?.thoughts.mark({ persona: 'Alice', memoryId: id, collection: 'Elsewhere' })
  })
  await row.getByRole('button', { name: /^Restore/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Records written since then stay.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await row.getByRole('button', { name: /^Restore/ }).click()
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  await page
    .getByText(/^Restored:/)
    .first()
    .waitFor()
  expect(await problems()).toEqual([])
})
