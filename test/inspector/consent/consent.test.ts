// Consent at the inspector: what an agent of another device proposed is decided by key presses, nothing hidden is approved by
// accident, and what agents tried stands in the log. The mirror is the real one, in this process.
import type { Browser, BrowserContext, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { toDaybookError } from '../../../src/core/errors.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { launchBrowser, openInspector, openView } from '../open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const memory = () => openNodeDatabase({ path: ':memory:' })

/** Another device of the same book, in the name of an agent, and the mirror that the page reaches too. */
async function openDevice(context: BrowserContext) {
  const common = { ports: nodePorts, name: 'b', scope: { agent: 'assistant' } }
  const edge = createEngine({ ...common, db: memory(), durability: 'durable-object', role: 'mirror' })
  const mirror = new SyncMirror({ store: edge.store, ...nodePorts })
  const exchange = async (text: string) => (await mirror.exchange(text)).text
  const device = createEngine({
    ...common,
    db: memory(),
    durability: 'memory',
    carrier: { exchange: async (request) => JSON.parse(await exchange(JSON.stringify(request))) as unknown },
  })
  await context.route('http://127.0.0.1:9/**', async (route) => {
    if (!route.request().url().endsWith('/sync')) return route.abort()
    const answer = await exchange(route.request().postData() ?? '').then(
      (body) => ({ body }),
      (error: unknown) => ({ status: 409, body: JSON.stringify(toDaybookError(error)) }),
    )
    const headers = { 'access-control-allow-origin': '*', 'content-type': 'application/json' }
    return route.fulfill({ ...answer, headers })
  })
  return device
}

const memoriesOf = (page: Page) =>
  page.evaluate(async () => {
    const { memories = [] } = (await globalThis.book?.memories.query()) ?? {}
    return memories.map(({ content }) => content)
  })

const headOf = (page: Page) => page.locator('.proposal h2')

it('decides by key presses what an agent proposed from another device: approve, edit, reject, and takes one back', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const device = await openDevice(context)
  const { page, problems } = await openInspector(browser, { context, query: '&view=approvals' })
  await page.getByText('Nothing is waiting for you.').waitFor()
  const { id: record } = (await device.call('kstar:store_perception', {
    subject: 'user',
    content: 'Asked for a table of pros and cons',
    confidence: 0.9,
  })) as { id: string }
  const texts = ['Prefers short answers', 'Likes jaz', 'Lives in Atlantis', 'Works with TypeScript']
  for (const content of texts) {
    await device.call('a2p:propose', {
      content,
      category: 'a2p:preferences.communication',
      confidence: 0.8,
      context: 'While writing a letter',
      evidence: [{ type: 'user_statement', quote: `“${content}”` }, { record }],
    })
  }
  await device.call('daybook:sync', {})
  await page.evaluate(() => globalThis.book?.sync())

  const text = page.locator('.proposal-text')
  await text.getByText(texts[0] ?? '').waitFor()
  // Evidence is in view, and the record that it rests on opens in place.
  await page.getByRole('region', { name: 'Evidence' }).getByText('“Prefers short answers”').waitFor()
  await page.getByText('Asked for a table of pros and cons').first().click()
  await page.getByRole('button', { name: /^Open/ }).waitFor()
  const rail = page.getByRole('navigation', { name: 'Sections' })
  await rail.getByRole('button', { name: /Memories and approvals.*4 waiting/ }).waitFor()

  await page.keyboard.press('a')
  await text.getByText('Likes jaz').waitFor()
  await expect.poll(() => headOf(page).evaluate((head) => head === document.activeElement)).toBe(true)
  await page.keyboard.press('e')
  const box = page.getByLabel('Remember instead')
  await expect.poll(() => box.evaluate((one) => one === document.activeElement)).toBe(true)
  expect(await text.innerText()).toBe('Likes jaz')
  await box.fill('Likes jazz')
  await page.keyboard.press('Control+Enter')
  await text.getByText('Lives in Atlantis').waitFor()
  await page.keyboard.press('r')
  await text.getByText('Works with TypeScript').waitFor()
  expect((await memoriesOf(page)).toSorted()).toEqual(['Likes jazz', 'Prefers short answers'])

  // Taken back: it waits again and is the one that is read; another press decides it otherwise.
  await page.keyboard.press('u')
  await text.getByText('Lives in Atlantis').waitFor()
  await page.keyboard.press('a')
  await text.getByText('Works with TypeScript').waitFor()
  expect((await memoriesOf(page)).length).toBe(3)
  await page.keyboard.press('r')
  await page.getByText('Nothing is waiting for you.').waitFor()
  const decided = page.getByRole('region', { name: 'Decided' })
  expect(await decided.getByRole('listitem').count()).toBe(4)
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
  await text.getByText('Works with TypeScript').waitFor()
  await page.evaluate(() => globalThis.book?.sync())
  await device.call('daybook:sync', {})
  expect(await device.call('a2p:proposal_counts', {})).toMatchObject({ approved: 2, edited: 1, pending: 1 })
  expect(await problems()).toEqual([])
  await context.close()
})

it('keeps what is read in place when others come or it is withdrawn elsewhere', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const device = await openDevice(context)
  const { page } = await openInspector(browser, { context, query: '&view=approvals' })
  await page.getByText('Nothing is waiting for you.').waitFor()
  const propose = (content: string) =>
    device.call('a2p:propose', { content, category: 'a2p:interests' }) as Promise<{ id: string }>
  const exchange = async () => {
    await device.call('daybook:sync', {})
    await page.evaluate(() => globalThis.book?.sync())
  }
  const { id } = await propose('Likes tea')
  await exchange()
  await page.locator('.proposal-text').getByText('Likes tea').waitFor()
  await propose('Likes coffee')
  await exchange()
  await page.getByRole('region', { name: 'Queue' }).getByText('Likes coffee').waitFor()
  // The phone says so at the entry that has the section behind it.
  await page
    .getByRole('navigation', { name: 'Sections' })
    .getByRole('button', { name: /^More.*2 waiting/ })
    .waitFor()
  expect(await page.locator('.proposal-text').innerText()).toBe('Likes tea')
  await device.call('a2p:withdraw', { id })
  await exchange()
  await page.getByText('This proposal is no longer waiting').waitFor()
  expect(await page.locator('.proposal-text').innerText()).toBe('Likes tea')
  await page.keyboard.press('a')
  expect(await memoriesOf(page)).toEqual([])
  await page.keyboard.press('j')
  await page.locator('.proposal-text').getByText('Likes coffee').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await context.close()
})

/** What the tests below find in the book; as source text, see openView. */
async function proposeHidden(book: Daybook): Promise<void> {
  const agent = book.with({ agent: 'did:a2p:agent:local:assistant' })
  await agent.proposals.propose({ content: 'Pay\u200b me <b>now</b>', category: 'a2p:context' })
}

it('shows hidden characters as marks, and approves such a text only after they were confirmed', async () => {
  const { page } = await openView(browser, 'approvals', proposeHidden)
  const text = page.locator('.proposal-text')
  await text.getByText('U+200B zero-width space').waitFor()
  // The text of an agent is text, whatever it looks like.
  expect(await text.locator('b').count()).toBe(0)
  await page.keyboard.press('a')
  await page.keyboard.press('a')
  const box = page.getByRole('checkbox', { name: /I have seen the hidden characters/ })
  await expect.poll(() => box.evaluate((one) => one === document.activeElement)).toBe(true)
  expect(await memoriesOf(page)).toEqual([])
  // Nor does an edit let them through.
  await page.keyboard.press('e')
  await page.getByLabel('Remember instead').fill('Pay\u200b her')
  await page.keyboard.press('Control+Enter')
  await page.getByText('zero-width space U+200B, position 3').waitFor()
  expect(await memoriesOf(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByLabel('Remember instead').waitFor({ state: 'detached' })
  await box.focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('a')
  await expect.poll(() => memoriesOf(page)).toEqual(['Pay\u200b me <b>now</b>'])
})

it('makes, changes and removes policies as sentences, grants and denies what agents ask for, and revokes receipts', async () => {
  const { page, problems } = await openView(browser, 'policies', async (book) => {
    const agent = book.with({ agent: 'tutor' })
    await agent.consent.request({ scopes: ['a2p:preferences'], purpose: 'To fit the lessons' })
    await agent.consent.request({ scopes: ['a2p:health'], purpose: 'Curiosity' })
  })
  const asked = page.getByRole('region', { name: 'Access requests' })
  const rail = page.getByRole('navigation', { name: 'Sections' })
  await rail.getByRole('button', { name: /2 waiting/ }).waitFor()
  await asked
    .getByRole('listitem')
    .filter({ hasText: 'Curiosity' })
    .getByRole('button', { name: /^Deny/ })
    .click()
  await asked.getByText('Curiosity').waitFor({ state: 'detached' })
  await asked.getByRole('button', { name: /^Grant/ }).click()
  const receipt = page.getByRole('region', { name: 'Receipts' }).getByRole('listitem')
  await receipt.getByText('tutor may read preferences.').waitFor()
  await receipt.getByRole('button', { name: /^Revoke/ }).click()
  await receipt.getByText('Revoked', { exact: true }).waitFor()

  await page.getByText('No policies yet').waitFor()
  await page.getByRole('button', { name: 'Add a policy' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Agents/).fill('tutor')
  await dialog.getByLabel(/^Never these scopes/).fill('a2p:health')
  await dialog.getByText('tutor may never read health.').waitFor()
  await dialog.getByText('Conditions', { exact: true }).click()
  await dialog.getByLabel('Maximum calls').fill('10')
  await dialog.getByLabel('Within').fill('tomorrow')
  await dialog.getByRole('button', { name: 'Add policy' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/rateLimit.window/)
    .first()
    .waitFor()
  await dialog.getByLabel('Within').fill('1h')
  await dialog.getByRole('button', { name: 'Add policy' }).click()
  const policy = page.getByRole('region', { name: 'Who may read what' }).getByRole('listitem')
  await policy.getByText('At most 10 calls in 1 hour.').waitFor()
  await policy.getByRole('button', { name: /^Edit/ }).click()
  await dialog.getByLabel('Maximum calls').fill('20')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await policy.getByText('At most 20 calls in 1 hour.').waitFor()
  const stored = await page.evaluate(async () => (await globalThis.book?.consent.policies())?.policies)
  expect(stored).toMatchObject([
    {
      forAgents: 'tutor',
      allow: ['a2p:preferences'],
      deny: ['a2p:health'],
      permissions: ['read_scoped'],
      conditions: { rateLimit: { requests: 20, window: '1h' } },
    },
  ])
  await policy.getByRole('button', { name: /^Remove/ }).click()
  await dialog.getByRole('button', { name: 'Remove policy' }).click()
  await page.getByText('No policies yet').waitFor()
  expect(await problems()).toEqual([])
})

it('shows an agent’s attempts to approve what it proposed as denied in the access log', async () => {
  const { page, problems } = await openView(browser, 'accessLog&outcome=denied', async (book) => {
    const agent = book.with({ agent: 'assistant' })
    const { id } = await agent.proposals.propose({ content: 'Likes tea', category: 'a2p:interests' })
    for (const action of ['approve', 'reject'] as const)
      await agent.proposals.review({ id, action }).catch(() => undefined)
    // Of another agent, which must not be listed for the first one.
    await book
      .with({ agent: 'other' })
      .proposals.withdraw({ id })
      .catch(() => undefined)
    // Whoever asks for the log has everything up to then written: the page is left in a moment.
    await book.access.log()
  })
  const rows = page.getByRole('region', { name: 'Entries' }).locator('tbody tr')
  await rows.first().waitFor()
  const tried = rows.filter({ hasText: 'a2p:review' })
  expect(await tried.count()).toBe(2)
  expect(await tried.first().innerText()).toMatch(/denied forbidden\s+assistant/)
  expect(await rows.filter({ hasText: 'allowed' }).count()).toBe(0)
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('')
  await rows.filter({ hasText: 'a2p:propose' }).getByText('allowed').waitFor()
  await page.getByRole('textbox', { name: 'Agent' }).fill('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('No entry matches these filters.').waitFor()
  expect(new URL(page.url()).searchParams.get('agent')).toBe('nobody')
  expect(await problems()).toEqual([])
})

it('keeps what is typed into a filter while the view around it changes', async () => {
  const { page, problems } = await openView(browser, 'accessLog&outcome=denied', async (book) => {
    await book.access.log()
  })
  const agent = page.getByRole('textbox', { name: 'Agent' })
  const outcome = page.getByRole('combobox', { name: 'Outcome' })
  await outcome.selectOption('')
  await agent.fill('nob')
  await page.evaluate(() => history.back())
  await expect.poll(() => outcome.inputValue()).toBe('denied')
  await agent.pressSequentially('ody')
  await page.keyboard.press('Enter')
  await page.getByText('No entry matches these filters.').waitFor()
  expect(new URL(page.url()).searchParams.get('agent')).toBe('nobody')
  // What was not done with is put back as it was.
  await agent.fill('someone')
  await agent.fill('nobody')
  await outcome.focus()
  await page.evaluate(() => history.back())
  await expect.poll(() => agent.inputValue()).toBe('')
  expect(await problems()).toEqual([])
})
