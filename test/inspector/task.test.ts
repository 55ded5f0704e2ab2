// The view of tasks: a dead letter is seen, tried again and dropped; and a conversation is read around a message.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openView, partsOf } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('shows a dead letter with its reason, tries it again, and drops it', async () => {
  const { page, problems } = await openView(browser, 'tasks', async (book) => {
    // The page is loaded again after this: in the middle of its one try, the call would be dead of that.
    const dead = new Promise<void>((resolve) => {
      book.on('task', ({ state }) => state === 'dead' && resolve())
    })
    await book.tasks.add({
      capability: 'kstar:complete_trace',
      input: { id: 'nobody', result: { success: true } },
      maxAttempts: 1,
    })
    await dead
  })
  const dead = page.getByRole('region', { name: 'Failed tasks' }).getByRole('listitem')
  await dead.getByText(/There is no trace/).waitFor()
  await dead.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Retrying (attempts reset)').first().waitFor()
  await dead.getByRole('button', { name: 'Discard' }).click()
  await page.getByText('No tasks yet').waitFor()
  expect(await problems()).toEqual([])
})

it('shows a message within its session, and what is known of its speaker', async () => {
  const { page, problems } = await openView(browser, 'messages', async (book) => {
    const mara = { type: 'User', id: 'mara', name: 'Mara' }
    const said = ['Good morning', 'I live in Porto', 'What is the weather like?']
    const messages = said.map((content, i) => ({
      content,
      source: mara,
      timestamp: `2026-02-01T10:00:0${i}Z`,
    }))
    await book.conversation.storeMany({ session: 'monday', messages })
    await book.conversation.storeMany({ session: 'tuesday', messages: [{ content: 'Another day' }] })
    await book.conversation.updateProfile({ history: messages })
  })
  const { rows, detail } = partsOf(page, { one: 'message', many: 'messages' })
  await rows.filter({ hasText: 'I live in Porto' }).click()
  const session = detail.getByRole('region', { name: 'Session' })
  await session.getByText('Good morning').waitFor()
  expect(await session.getByRole('listitem').count()).toBe(3)
  await session.getByRole('button', { name: 'What is the weather like?' }).click()
  await detail.getByRole('heading', { name: 'What is the weather like?' }).waitFor()
  await session.getByRole('button', { name: 'Show the whole session' }).click()
  await page.getByText('3 messages', { exact: true }).first().waitFor()

  await page.getByRole('button', { name: 'Profiles' }).click()
  await page.getByRole('option').first().click()
  await page.getByRole('row').filter({ hasText: 'home' }).getByText('Porto').waitFor()
  expect(await problems()).toEqual([])
})
