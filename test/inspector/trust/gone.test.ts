// What is removed or locked is gone from the page at once, whatever view is open: lists, the open record, answers, the queue.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openInspector, openView } from '../open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** Goes to a view without leaving the page. */
const show = (page: Page, query: string) =>
  page.evaluate((now) => {
    const { searchParams } = new URL(location.href)
    history.pushState(null, '', `?book=${searchParams.get('book')}&${now}`)
    dispatchEvent(new PopStateEvent('popstate'))
  }, query)

/** All that can be read on the page, what stands in fields and in its title included. */
const textOf = (page: Page) =>
  page.evaluate(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea')]
    return [document.title, document.body.innerText, ...fields.map(({ value }) => value)].join('\n')
  })

it('shows no sealed text in any view once the book is locked, and shows it again when it is unlocked', async () => {
  const { page, problems } = await openView(browser, 'traces', async (book) => {
    await book.traces.store({
      id: 'sealed-trace',
      situation: { domain: 'k' },
      task: { goal: 'Elephant cooks' },
      action: { type: 'cook' },
      sensitivity: 'restricted',
    })
    await book.memories.store({ content: 'Elephant memory', category: 'a2p:health' })
    await book.conversation.store({
      session: 'c',
      sensitivity: 'sensitive',
      message: { content: 'Elephant chat', source: { User: 'u' } },
    })
    const agent = book.with({ agent: 'agent' })
    await agent.proposals.propose({ content: 'Elephant proposal', category: 'a2p:health' })
  })
  await page.evaluate(() => globalThis.book?.seal.guard({ passphrase: 'correct horse' }))
  const views = ['traces&id=sealed-trace', 'recall&ask=elephant', 'messages', 'memories', 'approvals', 'sync']
  for (const view of views) {
    await show(page, `view=${view}`)
    await expect.poll(() => textOf(page), { message: `${view} open` }).toContain('Elephant')
    await page.evaluate(() => globalThis.book?.seal.lock())
    await expect.poll(() => textOf(page), { message: view }).not.toContain('Elephant')
    if (view === 'sync') {
      const queue = page.getByRole('region', { name: 'Queue' })
      await queue.getByText('A sealed trace').waitFor()
      expect(await queue.getByText('could not be read').count()).toBe(0)
    }
    await page.evaluate(() => globalThis.book?.seal.unlock({ passphrase: 'correct horse' }))
    await expect.poll(() => textOf(page), { message: `${view} open` }).toContain('Elephant')
  }
  expect(await problems()).toEqual([])
})

it('drops a purged record from the answer and the queue that another page shows', async () => {
  const { page, name, problems } = await openView(browser, 'sync', async (book) => {
    await book.traces.store({
      id: 'purged',
      situation: { domain: 'k' },
      task: { goal: 'Walrus cooks' },
      action: { type: 'cook' },
    })
  })
  await page.locator('main').getByText('Walrus cooks').first().waitFor()
  await show(page, 'view=recall&ask=cooks')
  await page.locator('main').getByText('Walrus cooks').first().waitFor()
  const other = await openInspector(browser, { context: page.context(), name })
  await other.page.getByRole('option').first().waitFor()
  await other.page.evaluate(() => globalThis.book?.records.purge({ id: 'purged' }))
  await expect.poll(() => textOf(page)).not.toContain('Walrus')
  // The queue was read before: no word of then comes back with it.
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.body.innerText.includes('Walrus')) document.title = 'stale'
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
  await show(page, 'view=sync')
  await page.getByRole('region', { name: 'Queue' }).getByText('A forgotten trace').first().waitFor()
  expect(await page.title()).not.toBe('stale')
  expect(await problems()).toEqual([])
})
