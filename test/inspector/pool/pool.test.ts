// The pool at the inspector: how to begin, agents and what they can do, votes by key presses over a real channel between tabs,
// facts with the votes behind each version, and the audit.
import type { Browser, BrowserContext, Page } from 'playwright'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { launchBrowser, openInspector, openView } from '../open-inspector.ts'
import { fillPool } from './pool-fill.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const nothing = async () => undefined
const ballots = (page: Page) => page.getByRole('region', { name: 'Ballots' })
const rowOf = (page: Page, claw: string | RegExp) => ballots(page).getByRole('row', { name: claw })
const isWide = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth')
const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

it('says what would be there and how to begin: announce this book as an agent', async () => {
  const { page, problems } = await openView(browser, 'pool', nothing)
  await page.getByText('No open proposals').waitFor()
  await page.getByRole('button', { name: 'Announce this book as an agent' }).click()
  await page.getByText('No agents yet').waitFor()
  expect(parameter(page, 'view')).toBe('poolClaws')
  await page.getByLabel('Name').fill('Log reader')
  const box = page.getByLabel('Capabilities, one per line')
  await box.fill(`logs.read:/var/log/app/*\n${'x'.repeat(201)}`)
  await page.getByRole('button', { name: 'Announce', exact: true }).click()
  await page.getByText('It was not announced.').waitFor()
  await box.fill('logs.read:/var/log/app/*\n\n  db.read:orders  ')
  await page.getByRole('button', { name: 'Announce', exact: true }).click()
  const agents = page.getByRole('region', { name: 'Known agents' })
  await agents.getByText('Log reader').waitFor()
  expect(
    await agents.getByRole('list', { name: 'Capabilities' }).getByRole('button').allInnerTexts(),
  ).toEqual(['logs.read:/var/log/app/*', 'db.read:orders'])
  await page.getByText('1 agent active, this book included. Nothing is decided before there are 3.').waitFor()
  expect(await problems()).toEqual([])
})

it('shows of each agent whether it is there and what it can do, and who can do what is asked', async () => {
  const { page, problems } = await openView(browser, 'poolClaws', fillPool)
  const agents = page.getByRole('region', { name: 'Known agents' })
  const row = (claw: string) => agents.getByRole('listitem').filter({ hasText: claw })
  await row('logs@ops').getByText('Active').waitFor()
  await row('old@ops').getByText('Stale').waitFor()
  await row('leaving@ops').getByText('Stopping').waitFor()
  await page.getByText('4 agents active, this book included. 3 votes decide.').waitFor()
  await page.getByLabel('Who can').fill('logs.read:/var/log/app/checkout.log')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '1 agent', exact: true }).waitFor()
  await row('logs@ops')
    .getByRole('button', { name: /\(matches\)/ })
    .waitFor()
  await page.reload()
  await page.getByRole('heading', { name: '1 agent', exact: true }).waitFor()
  await row('logs@ops')
    .getByRole('button', { name: /Outcome/ })
    .click()
  expect(parameter(page, 'claw')).toBe('logs@ops')
  await page.getByRole('region', { name: 'Entries' }).getByText('The agent changed its vote.').waitFor()
  expect(await problems()).toEqual([])
})

it('votes by key presses with a reason, changes the vote, and says what is still needed', async () => {
  const { page, problems } = await openView(browser, 'pool', fillPool)
  const rail = page.getByRole('navigation', { name: 'Sections' })
  await rail.getByRole('button', { name: /Pool.*2 open for your vote/ }).waitFor()
  await page.keyboard.press('j')
  await page
    .locator('.proposal-text')
    .getByText(/Restarting the checkout/)
    .waitFor()
  expect(parameter(page, 'id')).toBe('kp-restart')
  await rowOf(page, /Runbooks/)
    .getByText('It came back within the hour')
    .waitFor()
  await rowOf(page, /you/).getByText('No vote yet').waitFor()
  await page.keyboard.press('e')
  await page.keyboard.type('Seen it work')
  await page.keyboard.press('Escape')
  await page.keyboard.press('a')
  await rowOf(page, /you/).getByText('Approve').waitFor()
  await rowOf(page, /you/).getByText('Seen it work').waitFor()
  await page
    .getByText('Waiting for 2 more votes to approve or 2 more votes to reject; 4 agents active.')
    .waitFor()
  await rail.getByRole('button', { name: /Pool.*1 open for your vote/ }).waitFor()
  // It is what is read, whatever is loaded meanwhile; a reload brings it back.
  await page.reload()
  await rowOf(page, /you/).getByText('Seen it work').waitFor()
  await page.keyboard.press('r')
  await rowOf(page, /you/).getByText('Changed 1 ×.').waitFor()
  await rowOf(page, /you/).getByText('Reject').waitFor()
  await page.getByRole('button', { name: 'Vote to approve instead' }).click()
  await rowOf(page, /you/).getByText('Changed 2 ×.').waitFor()
  expect(await page.getByRole('button', { name: /^Approve/ }).getAttribute('aria-pressed')).toBe('true')
  expect(await problems()).toEqual([])
})

it('shows a fact with its versions, what each changed and the votes that it rests on, also on a phone', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const { page, name } = await openInspector(browser, { context })
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await page.evaluate(`(${fillPool.toString()})(globalThis.book)`)
  await page.goto(`${inject('builtUrl')}?book=${name}&view=poolFacts`)
  await page.getByRole('option', { name: /maps to mitigation M9/ }).click()
  const versions = page.getByRole('region', { name: 'Versions (2)' })
  await expect.poll(() => versions.locator('del').allInnerTexts()).toEqual(['mitigation M7'])
  await expect.poll(() => versions.locator('ins').allInnerTexts()).toEqual(['mitigation M9'])
  expect(await isWide(page)).toBe(false)
  await versions.getByRole('button', { name: /open the votes on version 2/ }).click()
  await page.getByText('approved 3 to 0').waitFor()
  await rowOf(page, /Log reader/)
    .getByText('M7 no longer works')
    .waitFor()
  expect(await isWide(page)).toBe(false)
  await page.getByRole('button', { name: 'Open the fact' }).click()
  await versions.waitFor()
  for (const view of ['pool', 'poolClaws', 'poolAudit']) {
    await page.goto(`${inject('builtUrl')}?book=${name}&view=${view}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await isWide(page)).toBe(false)
  }
  await context.close()
})

it('says in the audit what was not taken in, and why', async () => {
  const { page, problems } = await openView(browser, 'poolAudit', fillPool)
  const entries = page.getByRole('region', { name: 'Entries' })
  await entries.getByText('A new proposal.').first().waitFor()
  await page.getByRole('combobox', { name: 'Result' }).selectOption('refused')
  await entries.getByText('A new proposal.').first().waitFor({ state: 'detached' })
  await entries.getByText('The envelope is not valid: vote must be yes or no.').waitFor()
  await entries.getByText('It is for another group.').waitFor()
  expect(parameter(page, 'result')).toBe('refused')
  await entries.getByRole('button', { name: 'stray@dev' }).click()
  await entries.getByText('vote must be yes or no').waitFor({ state: 'detached' })
  expect(await entries.getByRole('row').count()).toBe(2)
  await page.getByLabel('Agent', { exact: true }).fill('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('No entry matches these filters.').waitFor()
  expect(await problems()).toEqual([])
})

/** An agent of its own in a tab of its own, connected to the other tabs by a press of its button. */
async function openClaw(context: BrowserContext) {
  const opened = await openInspector(browser, { context, query: '&view=poolClaws' })
  await opened.page.getByRole('button', { name: 'Connect Books of this origin' }).click()
  await opened.page.getByRole('button', { name: 'Disconnect Books of this origin' }).waitFor()
  return opened
}

it('votes in three tabs, which are three agents, and each recalls what became a fact', async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const proposer = await openClaw(context)
  // The choice is the browser's: whoever comes later is connected from the start.
  const voters = [
    await openInspector(browser, { context, query: '&view=pool' }),
    await openInspector(browser, { context, query: '&view=pool' }),
  ]
  await proposer.page.getByText('3 agents active, this book included. 2 votes decide.').waitFor()
  await proposer.page.evaluate(() =>
    globalThis.book?.pool.propose({
      statement: 'Error E142 maps to mitigation M7',
      tags: ['runbook'],
      fact: { subject: 'E142', predicate: 'maps to', object: 'M7' },
    }),
  )
  for (const { page } of voters) {
    await page.locator('.proposal-text').getByText('Error E142 maps to mitigation M7').waitFor()
    await page.keyboard.press('a')
    await rowOf(page, /you/).getByText('Approve').waitFor()
  }
  for (const { page, problems } of [proposer, ...voters]) {
    await expect
      .poll(() =>
        page.evaluate(async () => (await globalThis.book?.pool.facts())?.facts.map(({ object }) => object)),
      )
      .toEqual(['M7'])
    const because = await page.evaluate(
      async () => (await globalThis.book?.recall({ text: 'E142' }))?.hits[0]?.because.pool,
    )
    expect(because).toEqual({ votes: { yes: 2, no: 0 }, version: 1 })
    expect(await problems()).toEqual([])
  }
  // The last voter still reads it, and sees what became of it.
  await voters[1]?.page.getByText('approved 2 to 0').waitFor()
  await context.close()
})

it('admits an agent once its key was compared, lets it go, and takes either back, by the keyboard alone', async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const { page, problems } = await openInspector(browser, { context, query: '&view=poolClaws' })
  await page.getByRole('heading', { name: 'Announce this book as an agent' }).waitFor()
  await page.evaluate(() => globalThis.book?.pool.configure({ admission: 'listed' }))
  await page.getByRole('button', { name: 'Connect Books of this origin' }).click()
  await page.getByRole('button', { name: 'Disconnect Books of this origin' }).waitFor()
  const other = await openInspector(browser, { context, query: '&view=poolClaws' })
  await other.page.getByRole('button', { name: 'Disconnect Books of this origin' }).waitFor()
  await other.page.evaluate(() =>
    globalThis.book?.pool.announce({ capabilities: ['logs.read:*'], displayName: 'Log reader' }),
  )
  const active = (count: number) =>
    page.getByText(`${count} agent${count === 1 ? '' : 's'} active, this book included.`).waitFor()

  const asking = page.getByRole('region', { name: 'Not admitted' })
  await asking.getByText('Log reader', { exact: true }).first().waitFor()
  await active(1)
  await asking.getByRole('button', { name: 'Admit Log reader' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Admit this agent?' })
  // The whole key, as the other book says it of itself.
  const key = await other.page.evaluate(async () => {
    const { you, claws } = (await globalThis.book?.pool.claws()) ?? { you: '', claws: [] }
    return claws.find(({ claw }) => claw === you)?.keys[0] ?? 'no key'
  })
  expect(await dialog.locator('.whole-key').innerText()).toBe(key)
  // The first act takes nothing away, and nothing is admitted by leaving.
  await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await active(1)
  await asking.getByRole('button', { name: 'Admit Log reader' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Admit agent' }).focus()
  await page.keyboard.press('Enter')

  const known = page.getByRole('region', { name: 'Known agents' })
  const row = known.getByRole('listitem').filter({ hasText: 'Log reader' })
  await row.getByRole('button', { name: 'Let go Log reader' }).waitFor()
  await asking.waitFor({ state: 'detached' })
  // It says again that it is there, as it would within the minute.
  await other.page.evaluate(() =>
    globalThis.book?.pool.announce({ capabilities: ['logs.read:*'], displayName: 'Log reader' }),
  )
  await active(2)
  await known.getByRole('heading').and(page.locator(':focus')).waitFor()

  await row.getByRole('button', { name: 'Let go Log reader' }).focus()
  await page.keyboard.press('Enter')
  await row.getByRole('button', { name: 'Admit Log reader' }).waitFor()
  await active(1)
  await page.getByRole('button', { name: 'Undo' }).focus()
  await page.keyboard.press('Enter')
  await row.getByRole('button', { name: 'Let go Log reader' }).waitFor()
  await active(2)
  // What was just admitted is let go as fast.
  await page.getByRole('button', { name: 'Let it go' }).last().click()
  await row.getByRole('button', { name: 'Admit Log reader' }).waitFor()
  await active(1)
  for (const opened of [problems, other.problems]) expect(await opened()).toEqual([])
  await context.close()
})
