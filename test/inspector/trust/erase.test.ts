// The end of a book in the inspector: its name is typed, by keyboard alone, and nothing is left.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openInspector } from '../open-inspector.ts'
import { faults } from '../shared/page-fault.ts'
import { createEdge } from '../shared/edge.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('erases the book once its name is typed, by keyboard alone', async () => {
  const { page } = await openInspector(browser, { query: '&view=storage' })
  const card = page.getByRole('region', { name: 'Erase' })
  await card.waitFor()
  const name = await page.evaluate(async () => {
    await globalThis.book?.perceptions.store({ type: 'belief', subject: 's', content: 'c', confidence: 1 })
    return (await globalThis.book?.status())?.name ?? ''
  })
  const button = card.getByRole('button', { name: 'Erase the book' })
  await card.getByLabel(/to confirm/).focus()
  await page.keyboard.type(`${name}x`)
  expect(await button.isDisabled()).toBe(true)
  await page.keyboard.press('Enter')
  expect(await page.evaluate(async () => (await globalThis.book?.perceptions.query())?.records.length)).toBe(
    1,
  )
  await page.keyboard.press('Backspace')
  expect(await button.isDisabled()).toBe(false)
  await page.keyboard.press('Enter')
  // Its edge can't be reached, so nothing is erased until it is left out.
  await card.getByText('The book is as it was.').waitFor()
  await card.getByText('To erase this device alone, untick', { exact: false }).waitFor()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'This book was erased' }).waitFor()
  expect(await page.getByText('No saved data was lost').count()).toBe(0)
  expect(
    await page.evaluate(async () => {
      const root = await navigator.storage.getDirectory()
      const folder = await root.getDirectoryHandle('daybook').catch(() => undefined)
      const names: string[] = []
      for await (const key of folder?.keys() ?? []) names.push(key)
      return names
    }),
  ).not.toContain(name)
  // Nor does what the page notes beside the book name it.
  const isNaming = (key: string) => key.includes(name)
  expect(await page.evaluate(() => Object.entries(localStorage).map((pair) => pair.join(' ')))).not.toSatisfy(
    (all: string[]) => all.some(isNaming),
  )
})

async function openSynced(isAlsoAtEdge: boolean): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await createEdge().serve(context)
  const { page, name } = await openInspector(browser, { context, query: '&view=storage' })
  const card = page.getByRole('region', { name: 'Erase' })
  await card.waitFor()
  await page.evaluate(async () => {
    await globalThis.book?.perceptions.store({ content: 'An elephant' })
    await globalThis.book?.sync()
  })
  const choice = card.getByLabel('Also delete the copy at the edge, first')
  expect(await choice.isChecked()).toBe(true)
  if (!isAlsoAtEdge) await choice.uncheck()
  await card.getByText(isAlsoAtEdge ? 'Edge: nothing remains.' : 'It comes back', { exact: false }).waitFor()
  await card.getByLabel(/to confirm/).fill(name)
  await card.getByRole('button', { name: 'Erase the book' }).click()
  await page.getByRole('heading', { name: 'This book was erased' }).waitFor()
  return page
}

const contents = (page: Page) =>
  page.evaluate(async () => {
    await globalThis.book?.sync().catch(() => undefined)
    return (await globalThis.book?.perceptions.query())?.records.map(({ content }) => content)
  })

it('erases the copy at the edge too unless it is unticked, and starts a new book there on demand', async () => {
  const page = await openSynced(true)
  await page.getByText('Edge: nothing remains.').waitFor()
  for (const width of [1280, 390]) expect(await faults(page, width)).toEqual([])
  await page.getByRole('button', { name: 'Start an empty book' }).click()
  await page.getByRole('region', { name: 'Erase' }).waitFor()
  expect(await contents(page)).toEqual([])
  await page.getByRole('contentinfo').getByText('erased at the edge').click()
  await page.getByText('The book was erased at the edge.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Start a new book at the edge' }).click()
  await page.getByText('Started a new book at the edge.').first().waitFor()
  await page.evaluate(() => globalThis.book?.perceptions.store({ content: 'A walrus' }))
  expect(await contents(page)).toEqual(['A walrus'])
  await page.getByRole('contentinfo').getByText('synced', { exact: false }).waitFor()
})

it('says before and after that the copy at the edge comes back, and it does', async () => {
  const page = await openSynced(false)
  await page.getByText('It comes back when this book is opened with sync.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Open it again from the edge' }).click()
  await page.getByRole('region', { name: 'Erase' }).waitFor()
  expect(await contents(page)).toEqual(['An elephant'])
})
