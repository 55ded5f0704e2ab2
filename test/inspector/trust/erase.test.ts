// The end of a book in the inspector: its name is typed, by keyboard alone, and nothing is left.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openInspector } from '../open-inspector.ts'

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
  await page.getByText('Erased', { exact: false }).first().waitFor()
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
