// Secrets in the inspector: told of as they are stored, found in what was there before, encrypted with one press.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oneSecret } from '../../support/made-secret.ts'
import { launchBrowser, openInspector, openView, showView } from '../open-inspector.ts'
import { faults } from '../shared/page-fault.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('finds secrets, shows where they are and never what they are, and encrypts their records', async () => {
  const secret = oneSecret()
  const { page, problems } = await openInspector(browser, { query: '&view=storage' })
  const card = page.getByRole('region', { name: 'Secrets' })
  await card.getByRole('button', { name: 'Scan this book' }).click()
  await card.getByText('no known secrets', { exact: false }).waitFor()
  await page.evaluate(async (content) => {
    await globalThis.book?.perceptions.store({ content, subject: 'deploy' })
  }, `use ${secret}`)
  await card.getByText('1 record encrypted', { exact: false }).waitFor()
  await card.getByRole('button', { name: 'Scan this book' }).click()
  await card.getByRole('heading', { name: 'Where they are' }).waitFor()
  expect(await card.innerText()).toMatch(/1 × github-token in content of perception: encrypted/)
  expect(await page.locator('body').innerText()).not.toContain(secret)
  await card.getByRole('button', { name: 'Show' }).click()
  const detail = page.getByRole('region', { name: 'Perception', exact: true })
  await detail.getByText('Encrypted: contains github token.', { exact: false }).waitFor()
  // In no row, heading, field, version, JSON or title until it is revealed, and then in none of the list.
  await detail.getByRole('button', { name: 'Show raw JSON' }).click()
  const everything = async () => `${await page.title()} ${await page.locator('body').innerText()}`
  await expect.poll(everything).toMatch(/use \[secret: github-token/)
  expect(await everything()).not.toContain(secret)
  for (const width of [1280, 390]) expect(await faults(page, width)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 800 })
  await detail.getByRole('button', { name: 'Reveal' }).click()
  await detail.getByText(`use ${secret}`).first().waitFor()
  expect(await page.getByRole('listbox').innerText()).not.toContain(secret)
  await detail.getByRole('button', { name: 'Hide', exact: true }).click()
  await expect.poll(everything).not.toContain(secret)
  await showView(page, 'recall&ask=deploy')
  await page
    .getByRole('list', { name: 'Hits for deploy' })
    .getByText('use [secret', { exact: false })
    .waitFor()
  expect(await everything()).not.toContain(secret)
  expect(await problems()).toEqual([])
})

/** A record of each kind whose text other views quote, each with the secret. Runs in the page. */
async function plant(page: Page, secret: string): Promise<void> {
  await page.evaluate(async (key) => {
    const { book } = globalThis
    // Longer than the name of a run, which would end within the secret.
    const goal = `Log in to the harbour ${'lamp '.repeat(41)} ${key}`
    await book?.traces.store({
      session: 'leak',
      situation: { domain: 'code' },
      task: { goal: `Log in with ${key}` },
      action: { type: 'bash', parameters: {} },
    })
    await book?.traces.store({
      session: 'cut',
      situation: { domain: 'code' },
      task: { goal },
      action: { type: 'bash', parameters: {} },
    })
    await book?.perceptions.store({ content: `The harbour lamp takes ${key}`, subject: 'lamp' })
    await book?.memories.store({ content: `Harbour door takes ${key}`, category: 'a2p:context' })
    const agent = book?.with({ agent: 'assistant' })
    await agent?.proposals.propose({
      content: `Harbour key is ${key}`,
      category: 'a2p:context',
      confidence: 0.8,
      context: `Said with ${key}`,
      evidence: [{ type: 'user_statement', quote: `use ${key}` }],
    })
    await book?.recall({ text: `who takes ${key} at the harbour lamp` })
    await book?.context({ text: 'harbour lamp', budgetTokens: 500 })
    await book?.activity.list()
  }, secret)
}

it('masks them in runs, activity, contexts, proposals and memories, and reveals one at a time', async () => {
  const secret = oneSecret()
  const { page, problems } = await openView(browser, 'traces', async () => undefined)
  await plant(page, secret)
  const everything = async () => `${await page.title()} ${await page.locator('body').innerText()}`
  const mark = /\[secret: github-token/
  const reveal = async () => {
    await page.getByRole('button', { name: 'Reveal' }).click()
    await expect.poll(everything).toContain(secret)
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    await expect.poll(everything).not.toContain(secret)
  }

  await showView(page, 'runs')
  await page.getByRole('region', { name: 'Runs' }).getByText('Log in with [secret').waitFor()
  // Not the first characters either, where the name of the other run ends within it.
  expect(await everything()).not.toContain(secret.slice(0, 12))

  await showView(page, 'activity')
  const entries = page.getByRole('list', { name: 'Activity, newest first' }).getByRole('button')
  for (const question of ['who takes', 'harbour lamp']) {
    await entries.filter({ hasText: question }).last().click()
    await page.getByRole('region', { name: 'Activity entry' }).getByText(mark).first().waitFor()
    expect(await everything()).not.toContain(secret)
    await reveal()
  }
  for (const width of [1280, 390]) expect(await faults(page, width)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 800 })

  await showView(page, 'context&ask=harbour lamp')
  await page.getByText('This context contains a secret.').waitFor()
  expect(await everything()).not.toContain(secret)
  await reveal()

  await showView(page, 'approvals')
  await page.getByText('This proposal contains a secret.').waitFor()
  await expect.poll(everything).toMatch(/Harbour key is \[secret[\s\S]*Said with \[secret[\s\S]*use \[secret/)
  expect(await everything()).not.toContain(secret)
  await reveal()
  // Acts take the text as it is, and the decision shows it masked.
  await page.keyboard.press('a')
  await page.getByRole('button', { name: 'Undo' }).first().waitFor()
  expect(await everything()).not.toContain(secret)
  const memories = await page.evaluate(async () => (await globalThis.book?.memories.query())?.memories)
  expect(memories?.map(({ content }) => content)).toContain(`Harbour key is ${secret}`)

  await showView(page, 'memories')
  await page.getByText('Harbour door takes [secret').first().waitFor()
  expect(await everything()).not.toContain(secret)
  expect(await problems()).toEqual([])
})
