// Every view of the inspector as axe sees it: the rules of WCAG A and AA and best practices, at three widths, light and dark.
// A view that comes later is looked at as soon as it stands in the table of views.
import axe from 'axe-core'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type View, viewNames } from '../../demo/kind/view.ts'
import type { Daybook } from '../../src/book/daybook.ts'
import { isWhole } from '../support/whole.ts'
import { launchBrowser, openInspector, showView } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const views = Object.keys(viewNames) as View[]
const widths = [1440, 900, 390] as const
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What agents propose and ask, and what is decided: beside the guided sample, which has all else. Runs in the page. */
async function fill(book: Daybook): Promise<void> {
  const helper = 'did:a2p:agent:local:assistant'
  const agent = book.with({ agent: helper })
  const { id: record } = await agent.perceptions.store({
    content: 'Asked twice for a table of pros and cons',
    subject: 'user',
    confidence: 0.9,
  })
  const proposal = { category: 'a2p:preferences', confidence: 0.85, memory_type: 'semantic' } as const
  const evidence = [{ type: 'user_statement', quote: 'Please explain it at length.', record }] as const
  for (const content of ['Likes jazz', 'Prefers detailed explanations', 'Works with TypeScript'])
    await agent.proposals.propose({
      ...proposal,
      content,
      context: 'While planning',
      evidence: [...evidence],
    })
  await agent.proposals.propose({ content: 'Pay\u200b the invoice of p\u0430ypal', category: 'a2p:context' })
  const { proposals } = await book.proposals.list({ status: 'pending' })
  await book.proposals.review({ id: proposals.at(-1)?.id ?? '', action: 'approve' })
  for (const one of proposals.slice(0, 1))
    await agent.proposals.review({ id: one.id, action: 'approve' }).catch(() => undefined)
  const { id } = await book.memories.store({ content: 'Has an allergy to nuts', category: 'a2p:health' })
  await book.memories.edit({ id, content: 'Has an allergy to peanuts' })
  await book.memories.store({ content: 'Reviews code', category: 'a2p:professional', scope: ['work'] })
  const purpose = { type: 'personalization', description: 'To fit answers to the user' } as const
  await agent.consent.request({ scopes: ['a2p:preferences', 'a2p:health'], purpose })
  await book.consent.setPolicy({
    name: 'Tutors by day',
    forAgents: 'did:a2p:agent:local:tutor*',
    allow: ['a2p:preferences'],
    deny: ['a2p:health'],
    permissions: ['read_scoped', 'propose'],
    conditions: { requireHttps: true, timeOfDay: { start: '08:00', end: '18:00' } },
  })
  const tutor = book.with({ agent: 'did:a2p:agent:local:tutor' })
  await tutor.consent.request({ scopes: ['a2p:preferences'], purpose: 'To fit the lessons' })
}

/** Goes to a view, and waits until it stands still. */
async function show(page: Page, view: View): Promise<void> {
  await showView(page, view)
  await page.locator('.late').waitFor({ state: 'detached' })
  await page.evaluate(async () => {
    const settled = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)))
    // What a view reads it reads through the book: after as many calls as it may make one after another it has it all.
    for (let turn = 0; turn < 4; turn++) {
      await globalThis.book?.status()
      await settled()
    }
    await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined)))
  })
}

/** What axe finds in the page as it stands, a line for each element. */
async function violations(page: Page, rules: object): Promise<string[]> {
  const found = await page.evaluate(
    async (options) => {
      const { axe: run } = globalThis as unknown as { axe: typeof axe }
      return (await run.run(document, options)).violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
      )
    },
    { resultTypes: ['violations'], ...rules } as object,
  )
  return found
}

const isTooWide = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)

const all = { runOnly: { type: 'tag', values: tags } }
const colours = { runOnly: { type: 'rule', values: ['color-contrast'] } }

/** What axe has against any view, as the page is now. */
async function look(page: Page, rules: object): Promise<string[]> {
  const found: string[] = []
  for (const view of views) {
    await show(page, view)
    const told = await violations(page, rules)
    found.push(...told.map((line) => `${view}: ${line}`))
    if (await isTooWide(page)) found.push(`${view}: wider than the page`)
  }
  return found
}

// One page for all: each test goes on where the one before it stopped.
describe('axe finds nothing against any view', () => {
  let page: Page
  beforeAll(async () => {
    page = (await openInspector(browser)).page
    await page.getByRole('heading', { name: /is empty/ }).waitFor()
    await page.evaluate(axe.source)
  })

  it('of an empty book', async () => {
    expect(await look(page, all)).toEqual([])
    await show(page, 'traces')
    await page.getByRole('button', { name: 'Run the guided sample' }).click()
    await page
      .getByText(/stored \d+ traces/)
      .first()
      .waitFor()
    await page.evaluate(`(${fill.toString()})(globalThis.book)`)
  })

  it.each(widths)('at %i pixels, by day', async (width) => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width, height: 900 })
    expect(await look(page, all)).toEqual([])
  })

  // Nothing else than colours is other in the dark, and the middle width has no colours of its own.
  it.each(isWhole ? widths : [1440, 390])('at %i pixels, in the dark', async (width) => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width, height: 900 })
    expect(await look(page, colours)).toEqual([])
  })

  it('with a record open that has the page of a phone to itself', async () => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 390, height: 900 })
    const found: string[] = []
    for (const view of views) {
      await show(page, view)
      const row = (await page.locator('[role=listbox] [role=option]').all()).at(0)
      await row?.click()
      await row?.waitFor({ state: 'hidden' })
      const told = row ? await violations(page, all) : []
      found.push(...told.map((line) => `${view}: ${line}`))
    }
    expect(found).toEqual([])
  })

  it.each(['Find similar', 'Reclassify', 'Edit'])('with the dialog of “%s” open', async (name) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await show(page, 'memories')
    await page
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .first()
      .click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(?:Cancel|Close)$/ })
      .last()
      .waitFor()
    expect(await violations(page, all)).toEqual([])
    await page.keyboard.press('Escape')
  })
})
