// The view of sync: how it stands, what waits, and a conflict decided field by field. The mirror is the real one, in this
// process; the page reaches it by the browser's own requests.
import type { Browser, BrowserContext, Page } from 'playwright'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { defined } from '../../src/core/defined.ts'
import { toDaybookError } from '../../src/core/errors.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { openNodeDatabase } from '../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../src/hosts/node/port/node-ports.ts'
import { SyncMirror } from '../../src/sync/mirror/mirror.ts'
import { launchBrowser, openInspector } from './open-inspector.ts'
import { createEdge } from './shared/edge.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const memory = () => openNodeDatabase({ path: ':memory:' })

/** A mirror, another device of the same book, and a switch for the page's way to it. */
async function openWorld(context: BrowserContext) {
  const common = { ports: nodePorts, name: 'b', scope: { agent: 'other' } }
  const edge = createEngine({ ...common, db: memory(), durability: 'durable-object', role: 'mirror' })
  const mirror = new SyncMirror({ store: edge.store, ...nodePorts })
  const other = createEngine({
    ...common,
    db: memory(),
    durability: 'memory',
    carrier: {
      exchange: async (request) =>
        JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
    },
  })
  const world = { isCut: false, other }
  await context.route('http://127.0.0.1:9/**', async (route) => {
    if (world.isCut) return route.abort()
    if (!route.request().url().endsWith('/sync')) return route.abort()
    // A refusal is an answer too, as it is of the real one.
    const answer = await mirror.exchange(route.request().postData() ?? '').then(
      ({ text }) => ({ body: text }),
      (error: unknown) => ({ status: 409, body: JSON.stringify(toDaybookError(error)) }),
    )
    const headers = { 'access-control-allow-origin': '*', 'content-type': 'application/json' }
    return route.fulfill({ ...answer, headers })
  })
  return world
}

async function openSync(context: BrowserContext, name?: string) {
  const opened = await openInspector(browser, {
    context,
    query: '&view=sync',
    ...defined({ name }),
  })
  await opened.page.getByRole('heading', { name: 'Sync and conflicts' }).waitFor()
  await waitForBook(opened.page)
  return opened
}

async function waitForBook(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => globalThis.book !== undefined)).toBe(true)
}

const contentOf = (page: Page, id: string) =>
  page.evaluate(async (record) => {
    const found = (await globalThis.book?.records.get({ id: record })) as { content?: string } | null
    return found?.content
  }, id)

it('shows a conflict with its base and both sides, decides it by field with keys alone, and takes that back', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const { other } = await openWorld(context)
  const { page, problems } = await openSync(context)
  const { id } = (await other.call('kstar:store_perception', {
    subject: 'weather',
    content: 'It rains',
    confidence: 0.5,
  })) as { id: string }
  await other.call('daybook:sync', {})
  await page.evaluate(() => globalThis.book?.sync())
  await other.call('kstar:update_perception', { id, updates: { content: 'It pours', confidence: 0.9 } })
  await other.call('daybook:sync', {})
  await page.evaluate(async (record) => {
    await globalThis.book?.perceptions.update({ id: record, updates: { content: 'It drizzles' } })
    await globalThis.book?.sync()
  }, id)

  const card = page
    .getByRole('region', { name: 'Conflicts' })
    .getByRole('listitem', { name: /Conflict about/ })
  await card.waitFor()
  expect(await card.getByRole('columnheader').allInnerTexts()).toEqual([
    expect.stringContaining('Field'),
    expect.stringContaining('Base'),
    expect.stringContaining('Mine: this device'),
    expect.stringMatching(/Theirs: device/),
  ])
  const row = card.getByRole('row').filter({ hasText: 'content' })
  for (const text of ['It rains', 'It drizzles', 'It pours']) await row.getByText(text).waitFor()
  expect(await row.getByText('changed', { exact: true }).count()).toBe(2)
  const mine = row.getByRole('radio', { name: /content: Mine/ })
  const theirs = row.getByRole('radio', { name: /content: Theirs/ })
  expect(await mine.isChecked()).toBe(true)
  expect(await card.getByText('Current value').count()).toBe(1)

  // One tab stop for each field, arrows between the sides.
  await mine.focus()
  await page.keyboard.press('ArrowRight')
  expect(await theirs.isChecked()).toBe(true)
  await card.getByText('Selected values will be saved').waitFor()
  await card.getByRole('button', { name: 'Save this choice' }).press('Enter')
  await expect.poll(() => contentOf(page, id)).toBe('It pours')
  await page.getByText('All conflicts resolved').waitFor()
  await page.getByText('Decided (1)').waitFor()

  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => contentOf(page, id)).toBe('It drizzles')
  await card.getByRole('button', { name: /Take all of Theirs/ }).click()
  await card.getByRole('button', { name: 'Save this choice' }).click()
  await expect.poll(() => contentOf(page, id)).toBe('It pours')
  await page.evaluate(() => globalThis.book?.sync())
  await other.call('daybook:sync', {})
  expect(await other.call('kstar:get_record', { id }).catch((error: unknown) => String(error))).toMatchObject(
    {
      content: 'It pours',
      confidence: 0.9,
    },
  )
  expect(await problems()).toEqual([])
  await context.close()
})

it('says that the edge rejected the key, and neither that it is up to date nor when it syncs next', async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const edge = createEdge()
  await edge.serve(context)
  edge.refuseKeys()
  const { page } = await openSync(context)
  await page.evaluate(() => globalThis.book?.sync().catch(() => undefined))
  const card = page.getByRole('region', { name: 'Sync', exact: true })
  await card.getByText('The edge rejected the key. Sync has stopped.', { exact: false }).waitFor()
  expect(await card.innerText()).not.toMatch(/Next|continues|bearer/)
  await page.getByRole('region', { name: 'Queue' }).getByText('No changes wait').waitFor()
  await page.getByRole('contentinfo').getByText('key rejected').waitFor()
  await card.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('dialog', { name: 'Sync settings' }).getByLabel('Key').waitFor()
  await context.close()
})

it.each(['devUrl', 'builtUrl'] as const)(
  'has a service worker for what waits when it is closed: %s',
  async (which) => {
    const context = await browser.newContext()
    await context.grantPermissions(['background-sync'])
    await openWorld(context)
    const { page, problems } = await openInspector(browser, {
      context,
      url: inject(which),
      query: '&view=sync',
    })
    await page.getByText('available', { exact: true }).waitFor()
    expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL)).toMatch(
      /\/service-worker\.[jt]s$/,
    )
    expect(await problems()).toEqual([])
    await context.close()
  },
)

it('lists what waits and what was sent without an answer, says that it is offline, and goes on by itself', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } })
  const world = await openWorld(context)
  const { page } = await openSync(context)
  const queue = page.getByRole('region', { name: 'Queue' })
  await queue.getByText('Up to date').waitFor()
  await page.getByText('No conflicts').waitFor()
  await page.evaluate(() => globalThis.book?.sync())
  world.isCut = true
  const { one, two } = await page.evaluate(async () => {
    const book = globalThis.book
    const first = await book?.perceptions.store({ content: 'It rains' })
    await book?.sync().catch(() => undefined)
    const second = await book?.perceptions.store({ content: 'The garden is wet' })
    return { one: first?.id, two: second?.id }
  })
  expect([one, two]).toEqual([expect.any(String), expect.any(String)])
  await queue
    .getByRole('listitem')
    .filter({ hasText: 'It rains' })
    .getByText('Awaiting confirmation')
    .waitFor()
  await queue.getByRole('listitem').filter({ hasText: 'The garden is wet' }).getByText('Waiting').waitFor()
  await page
    .getByRole('status')
    .getByText(/cannot be reached/)
    .waitFor()
  await page.getByText('Next try').waitFor()
  // As wide as the page, at most.
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  world.isCut = false
  await page.getByRole('button', { name: 'Sync now' }).click()
  await queue.getByText('Up to date').waitFor()

  await page.evaluate(async () => {
    const situation = { domain: 'd', context: { page: 'x'.repeat(1_899_700) } }
    await globalThis.book?.traces.store({ situation, task: { goal: 'Far too much' }, action: { type: 't' } })
    await globalThis.book?.sync()
  })
  const refused = queue.getByRole('listitem').filter({ hasText: 'Far too much' })
  await refused.getByText('Refused', { exact: true }).waitFor()
  await refused.getByText('too-large').waitFor()
  await refused.getByRole('button', { name: 'Try again' }).click()
  await page
    .getByText(/Nothing to send or fetch/)
    .first()
    .waitFor()
  await refused.getByText('too-large').waitFor()
  await context.close()
})
