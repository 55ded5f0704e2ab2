// A day that passed while every tab was closed: its digest is there at the next start, and the session that nobody ended is
// ended. Yesterday is a worker whose clock is a day behind.
import type { Browser, BrowserContext } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lacking, workerScript } from '../../support/server/without-storage.ts'
import { launchBrowser, openInspector } from '../open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** Where the day is in its middle, so that no midnight falls into the test. */
function zoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours()
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

async function livedYesterday(context: BrowserContext): Promise<string> {
  await context.route(workerScript, async (route) => {
    // What is kept for a start without a network is of today.
    if (route.request().serviceWorker()) return route.continue()
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: lacking.today + (await answer.text()) })
  })
  const { page, name } = await openInspector(browser, { context })
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await page.evaluate(async () => {
    await globalThis.book?.personas.register({ name: 'Alice' })
    const started = await globalThis.book?.sessions.start({ persona: 'Alice' })
    const alice = started && globalThis.book?.with(started.scope)
    await alice?.thoughts.decide({ decision: 'Use Podman', reasoning: 'no daemon' })
  })
  // Nobody ends the session, nobody says goodnight.
  await page.close()
  await context.unroute(workerScript)
  return name
}

it('has its digest at the next start, without anybody asking for it, and is what the persona wakes up to', async () => {
  const context = await browser.newContext({
    timezoneId: zoneAtNoon(),
    viewport: { width: 1280, height: 800 },
  })
  const name = await livedYesterday(context)
  const { page, problems } = await openInspector(browser, { context, name, query: '&view=days' })
  // The book alone: nothing but opening it.
  await page.locator('.day.has-digest').first().waitFor()
  await page.locator('.day.has-digest').first().click()
  const card = page.locator('.day-card')
  await card.getByText('Decision: Use Podman (Reasoning: no daemon)').first().waitFor()
  const yesterday = await page.evaluate(() =>
    new Intl.DateTimeFormat('en-CA').format(Date.now() - 86_400_000),
  )
  expect(new URL(page.url()).searchParams.get('id')).toBe(yesterday)
  await expect.poll(() => card.getByRole('region', { name: 'Sessions' }).innerText()).toContain('Ended')
  const { sunrise } = (await page.evaluate(() => globalThis.book?.sessions.start({ persona: 'Alice' }))) ?? {}
  expect(sunrise).toMatchObject({ day: yesterday, isYesterday: true })
  expect(sunrise?.keyEvents.map(({ text }) => text)).toContain('Decision: Use Podman (Reasoning: no daemon)')
  expect((await page.evaluate(() => globalThis.book?.days.list({ persona: 'Alice' })))?.digests).toHaveLength(
    1,
  )
  expect(await problems()).toEqual([])
})
