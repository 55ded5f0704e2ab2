// Personas and days at the inspector: the sunrise that moves nobody, the calendar by keyboard and by mouse, and every line of
// a digest with the records it rests on.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { launchBrowser, openInspector, openView } from '../open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** Days before today, in the zone of the browser, which is that of its personas. */
const dayBefore = (page: Page, count: number) =>
  page.evaluate((days) => new Intl.DateTimeFormat('en-CA').format(Date.now() - days * 86_400_000), count)

/** Alice, with two messages a day on each of the last four days, and a session that ended. As source text, see openView. */
async function live(book: Daybook): Promise<void> {
  await book.personas.register({ name: 'Alice', role: 'developer', description: 'Looks after the build' })
  const { scope } = await book.sessions.start({ persona: 'Alice' })
  const alice = book.with(scope)
  for (const days of [4, 3, 2, 1]) {
    const timestamp = new Date(Date.now() - days * 86_400_000).toISOString()
    const source = { User: 'Casey' }
    await alice.conversation.store({
      message: { content: `Which daemon does Podman need, ${days}?`, source, timestamp },
    })
    await alice.conversation.store({
      message: { content: `Podman was looked at ${days}.`, source: 'agent', timestamp },
    })
  }
  await alice.thoughts.decide({ decision: 'Use Podman', reasoning: 'no daemon' })
  await alice.sessions.end({ focus: 'containers' })
  await alice.days.consolidate()
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const openedDay = (page: Page) => page.locator('.day-card')
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

it('says what personas are while there are none, shows one as soon as it is registered, and keeps the choice in the address', async () => {
  const { page, problems } = await openView(browser, 'personas', async () => undefined)
  await page.getByText('No personas yet').waitFor()
  for (const view of ['days', 'collections', 'snapshots']) {
    await page.evaluate((name) => {
      history.pushState(
        null,
        '',
        `${location.pathname}${location.search.replace(/view=\w+/, `view=${name}`)}`,
      )
      dispatchEvent(new PopStateEvent('popstate'))
    }, view)
    await page.getByText('No personas yet').waitFor()
  }
  await page.goBack()
  await page.getByRole('navigation', { name: 'Continuity' }).getByRole('button', { name: 'Personas' }).click()
  await page.evaluate(async () => {
    await globalThis.book?.personas.register({ name: 'Alice', role: 'developer' })
    await globalThis.book?.personas.register({ name: 'Bob', role: 'coordinator' })
  })
  await region(page, 'All personas').getByRole('button', { name: /Alice/ }).click()
  const name = page.locator('#persona-name')
  await name.getByText('Alice').waitFor()
  await page.getByText('Nothing to wake up to yet').waitFor()
  await page.keyboard.press('j')
  await name.getByText('Bob').waitFor()
  await expect.poll(() => focused(page)).toBe('Bob')
  expect(new URL(page.url()).searchParams.get('id')).toMatch(/^mcp_Bob_/)
  await page.reload()
  await name.getByText('Bob').waitFor()
  await page.goto(page.url().replace(/id=[^&]*/, 'id=mcp_Nobody'))
  await page.getByText('There is no such persona in this book.').waitFor()
  expect(await problems()).toEqual([])
})

it('shows the sunrise as its agent would read it, with what is said in the room, and keeps nobody there for that', async () => {
  const { page: agent, name } = await openView(browser, 'storage', live)
  await agent.evaluate(async () => {
    await globalThis.book?.sessions.start({ persona: 'Alice' })
  })
  const context = agent.context()
  const { page, problems } = await openInspector(browser, { name, context, query: '&view=personas' })
  await page.evaluate(() => globalThis.book?.room.say({ as: 'ada', text: 'The kettle is on.' }))
  await page.reload()
  await page.evaluate(() => globalThis.book?.room.say({ as: 'ada', text: 'The tea is ready.' }))
  await page.reload()
  const sunrise = page.locator('section[aria-labelledby="sunrise-title"]')
  await sunrise.getByText(/^Yesterday,/).waitFor()
  await sunrise
    .getByRole('region', { name: 'Key events' })
    .getByText('Podman was looked at 1.')
    .first()
    .waitFor()
  await page.getByText('in a session').waitFor()
  const here = () =>
    page.evaluate(async () =>
      ((await globalThis.book?.room.whoIsHere())?.participants ?? []).map(({ name: who }) => who),
    )
  await expect.poll(here).toContain('Alice')
  // Its agent's tab goes, and with it Alice: that somebody reads its sunrise does not keep it in the room.
  await agent.close()
  await expect.poll(here).not.toContain('Alice')
  await page.reload()
  await sunrise.getByText(/^Yesterday,/).waitFor()
  expect(await here()).not.toContain('Alice')
  await sunrise.getByRole('button', { name: /\d{4}$/ }).click()
  await openedDay(page).getByRole('heading', { level: 2 }).waitFor()
  expect(new URL(page.url()).searchParams.get('id')).toBe(await dayBefore(page, 1))
  expect(await problems()).toEqual([])
})

it('is a calendar that arrows move in, Enter opens a day of, and Esc goes back to', async () => {
  const { page, problems } = await openView(browser, 'days', live)
  const grid = page.getByRole('grid')
  const days = [0, 1, 2, 3].map((count) => dayBefore(page, count))
  const [today = '', yesterday = '', before = ''] = await Promise.all(days)
  const number = (day: string) => String(Number(day.slice(8)))
  await grid.locator('.has-digest').nth(3).waitFor()
  const cell = () => grid.locator('[tabindex="0"]')
  expect(await cell().count()).toBe(1)
  await cell().focus()
  await page.keyboard.press('ArrowLeft')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.querySelector('.day-number')?.textContent))
    .toBe(number(yesterday))
  await page.keyboard.press('k')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.querySelector('.day-number')?.textContent))
    .toBe(number(before))
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  expect(new URL(page.url()).searchParams.get('id')).toBe(yesterday)
  const heading = openedDay(page).getByRole('heading', { level: 2 })
  await expect.poll(() => heading.evaluate((one) => one === document.activeElement)).toBe(true)
  expect(await grid.getByRole('gridcell', { selected: true }).count()).toBe(1)
  await page.keyboard.press('Escape')
  await openedDay(page).getByText('No day is open').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('gridcell')
  // A year there and back, and the month that was left is in the address.
  for (let month = 0; month < 12; month += 1) await page.keyboard.press('PageUp')
  await expect
    .poll(() => new URL(page.url()).searchParams.get('month'))
    .toBe(`${Number(today.slice(0, 4)) - 1}${yesterday.slice(4, 7)}`)
  await openedDay(page).getByText('Nothing this month').waitFor()
  await page.reload()
  await openedDay(page).getByText('Nothing this month').waitFor()
  await page.getByRole('button', { name: 'This month' }).click()
  await grid.locator('.has-digest').first().waitFor()
  expect(await problems()).toEqual([])
})

it('opens a digest whose every line names the records it rests on, each a link to the record, and tells it anew when one is forgotten', async () => {
  const { page, name } = await openView(browser, 'storage', live)
  const today = await dayBefore(page, 0)
  const { page: days, problems } = await openInspector(browser, {
    name,
    context: page.context(),
    query: `&view=days&persona=Alice&id=${today}`,
  })
  await page.close()
  const card = openedDay(days)
  const decisions = card.getByRole('region', { name: 'Decisions and discoveries' })
  await decisions.getByText('Decision: Use Podman (Reasoning: no daemon)').first().waitFor()
  await card.getByText('extractive summary, no model used').waitFor()
  // One look at all lines: the card may be drawn again between two.
  const lines = () =>
    card.locator('.line:has(.line-text)').evaluateAll((all) => ({
      all: all.length,
      bare: all.filter((one) => !one.querySelector('button')).length,
    }))
  await expect.poll(lines).toMatchObject({ bare: 0 })
  expect((await lines()).all).toBeGreaterThan(0)
  await card.getByRole('region', { name: 'Sessions' }).getByText('ended by its agent').waitFor()
  await decisions
    .getByRole('button', { name: /^thought/ })
    .first()
    .click()
  // The record itself, in the view of its kind.
  await days
    .getByRole('region', { name: 'Thought', exact: true })
    .first()
    .getByText('Decision: Use Podman')
    .first()
    .waitFor()
  expect(new URL(days.url()).searchParams.get('view')).toBe('thoughts')
  await days.goBack()
  await decisions.waitFor()
  await card.getByRole('button', { name: 'Regenerate' }).click()
  await days.getByText('Digest regenerated.').first().waitFor()
  // Another record of the day, and the digest that misses it is told again.
  await days.evaluate(() =>
    globalThis.book?.thoughts.decide({ persona: 'Alice', decision: 'Ship it', reasoning: 'ready' }),
  )
  await days.getByRole('button', { name: 'Make missing digests' }).first().click()
  await decisions.getByText('Decision: Ship it (Reasoning: ready)').first().waitFor()
  await days.evaluate(async () => {
    const { records = [] } = (await globalThis.book?.records.query({ kind: 'thought' })) ?? {}
    for (const { id } of records) await globalThis.book?.records.forget({ id })
  })
  // Live: nothing is left of the day, and so neither is its digest.
  await card.getByText('No digest yet.').waitFor()
  await days.getByRole('button', { name: 'Consolidate…' }).click()
  const dialog = days.getByRole('dialog')
  await dialog.getByText(/would be archived/).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await region(days, 'Patterns').getByRole('listitem').first().waitFor()
  expect(await problems()).toEqual([])
})

it('fits a phone: no view of continuity is wider than 390 pixels', async () => {
  const { page, name } = await openView(browser, 'storage', live)
  await page.setViewportSize({ width: 390, height: 844 })
  const today = await dayBefore(page, 0)
  const origin = page.url().split('?')[0] ?? ''
  for (const view of [
    'personas',
    `days&persona=Alice&id=${today}`,
    'thoughts',
    'collections',
    'snapshots',
    'room',
  ]) {
    await page.goto(`${origin}?book=${name}&view=${view}`)
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
    const isWide = () =>
      page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('.page-scroll')].some(
          (one) => one.scrollWidth > one.clientWidth,
        ),
      )
    expect(await isWide(), view).toBe(false)
  }
})
