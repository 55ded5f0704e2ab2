// Somebody who knows the keys presses them faster than a book answers: none is lost, and none decides what was not shown yet.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openView } from '../open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('loses no key of somebody who presses it in the moment in which the next one is shown', async () => {
  const { page, problems } = await openView(browser, 'approvals', async (book) => {
    const agent = book.with({ agent: 'assistant' })
    for (const content of ['One', 'Two', 'Three', 'Four', 'Five'])
      await agent.proposals.propose({ content, category: 'a2p:interests' })
  })
  await page.locator('.proposal-text').waitFor()
  // Approves each as it is drawn, twice: the second press is for the same one, not for the next, which nobody has seen yet.
  const seen = await page.evaluate(async () => {
    const shown: string[] = []
    const press = (key: string) =>
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    const look = () => {
      const text = document.querySelector('.proposal-text')?.textContent
      if (text === undefined || text === shown.at(-1)) return
      shown.push(text)
      press('a')
      press('a')
    }
    const allDecided = new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        look()
        if (document.querySelector('.empty-head') === null) return
        observer.disconnect()
        // Two presses take back two decisions, the last ones.
        press('u')
        press('u')
        resolve()
      })
      observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    look()
    await allDecided
    return shown
  })
  // In their order, which two of one millisecond have by their ids.
  expect(seen.toSorted()).toEqual(['Five', 'Four', 'One', 'Three', 'Two'])
  await expect.poll(() => page.evaluate(memories)).toEqual(seen.slice(0, 3).toSorted())
  const queue = page.getByRole('region', { name: 'Queue' })
  for (const text of seen.slice(3)) await queue.getByText(text).waitFor()
  expect(await problems()).toEqual([])
})

/** Runs in the page. */
async function memories(): Promise<string[]> {
  const found = await globalThis.book?.memories.query()
  return (found?.memories ?? []).map(({ content }) => content).toSorted()
}
