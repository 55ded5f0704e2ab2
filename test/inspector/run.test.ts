// Runs in the inspector: the list of them, and one from its first step to its last.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oneSecret } from '../support/made-secret.ts'
import { launchBrowser, openView } from './open-inspector.ts'
import { faults } from './shared/page-fault.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const table = (page: Page) => page.getByRole('region', { name: 'Runs' })
const step = (page: Page, id: string) => page.locator(`[data-step="${id}"]`)
const openStep = (page: Page) => new URL(page.url()).searchParams.get('id')

it('says what would be there in a book without runs', async () => {
  const { page, problems } = await openView(browser, 'runs', async () => undefined)
  await page.getByText('No runs yet').waitFor()
  expect(await page.title()).toMatch(/^Runs · /)
  expect(await problems()).toEqual([])
})

const tree = (page: Page) => page.getByRole('tree', { name: 'Steps' })
const steps = (page: Page) => tree(page).getByRole('treeitem')
const heading = (page: Page) => page.locator('article.detail h2')
const showRun = (page: Page, session: string) =>
  page.evaluate((name) => {
    const book = new URL(location.href).searchParams.get('book') ?? ''
    history.pushState(null, '', `?book=${book}&view=runs&run=${name}`)
    dispatchEvent(new PopStateEvent('popstate'))
  }, session)

it('lists runs, and reads one from the first step to the last, by mouse, keys and address', async () => {
  const { page, problems } = await openView(browser, 'runs', async (book) => {
    const at = (second: number) => `2026-01-31T10:00:${String(second).padStart(2, '0')}.000Z`
    const one = (n: number, second: number, over: object) => ({
      id: `step-${n}`,
      session: 'mend',
      timestamp: at(second),
      situation: { domain: 'code' },
      task: { goal: `Do thing ${n}` },
      action: { type: 'bash', parameters: { command: `make ${n}` } },
      ...over,
    })
    const lines = Array.from({ length: 60 }, (_, i) => `line ${i + 1} of it`).join('\n')
    const usage = { input_tokens: 900, output_tokens: 100 }
    await book.traces.storeMany({
      traces: [
        one(1, 1, { result: { success: true, outcome: { observation: lines } } }),
        one(2, 3, { result: { success: true, outcome: { execution_time: 2, usage } } }),
        one(3, 6, {
          result: { success: false, outcome: { error: 'No rule to make target' } },
          metadata: { linked_traces: ['step-1'] },
        }),
        { ...one(4, 7, { result: { success: false, outcome: {} } }), session: 'tried' },
        { ...one(5, 8, { result: { success: true, outcome: {} } }), session: 'tried' },
      ],
    })
    const source = { type: 'User' as const }
    await book.conversation.store({
      session: 'mend',
      message: { content: 'Please mend <b>it</b>', source, timestamp: at(0) },
    })
    await book.conversation.store({
      session: 'talk',
      message: { content: 'Good day', source, timestamp: at(9) },
    })
  })
  const rows = table(page).getByRole('row')
  await expect.poll(() => rows.count()).toBe(4)
  expect(await rows.nth(1).innerText()).toMatch(/Good day/)
  await table(page).getByRole('button', { name: 'Steps' }).click()
  await expect.poll(() => rows.nth(1).innerText()).toMatch(/Do thing 1\s+mend\s+Failed\s+1[^\d]*3/)
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('with failed steps')
  await expect.poll(() => rows.count()).toBe(3)
  // A failed run is one that ended so; it opens with its failing step.
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('failed runs')
  await expect.poll(() => rows.count()).toBe(2)
  await table(page).getByRole('button', { name: 'Do thing 1' }).click()
  await expect.poll(() => heading(page).innerText()).toBe('Do thing 3')
  expect(openStep(page)).toBe('step-3')

  // One line a step: the tool, the first words of the result or the error, duration, tokens.
  expect(await steps(page).count()).toBe(4)
  expect(await steps(page).first().innerText()).toMatch(/Please mend <b>it<\/b>/)
  expect(await page.locator('.run-figures').innerText()).toMatch(/Tokens\s+1,000/)
  expect(await step(page, 'step-1').innerText()).toMatch(/bash[\s\S]*line 1 of it[\s\S]*≤ 1\.0 s/)
  expect(await step(page, 'step-2').innerText()).toMatch(/Do thing 2|2\.0 s[\s\S]*1,000 tokens/)
  expect(await step(page, 'step-3').innerText()).toMatch(/Failed[\s\S]*follows step 2[\s\S]*No rule to make/)
  const heights = await steps(page).evaluateAll((all) => all.map((one) => one.clientHeight))
  expect(Math.max(...heights)).toBeLessThan(30)

  expect(await faults(page, 1440)).toEqual([])
  expect(await faults(page, 390)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })

  // From step to step, and what is open is in the address.
  await page.keyboard.press('k')
  await expect.poll(() => heading(page).innerText()).toBe('Do thing 2')
  expect(openStep(page)).toBe('step-2')
  await page.reload()
  await expect.poll(() => heading(page).innerText()).toBe('Do thing 2')
  expect(await page.title()).toMatch(/^Do thing 2 · Runs/)
  await page.getByRole('button', { name: 'All runs' }).click()
  // Back in the list as it was narrowed.
  await expect.poll(() => rows.count()).toBe(2)

  // A step that stands elsewhere leads to its run.
  await page.goto(page.url().replace(/view=runs.*$/, 'view=traces&id=step-3'))
  await page.getByRole('button', { name: 'Open its run' }).click()
  await step(page, 'step-3').waitFor()
  expect(await problems()).toEqual([])
})

it('moves, folds, searches and goes from error to error by keys', async () => {
  const { page, problems } = await openView(browser, 'runs', async (book) => {
    const one = (n: number, over: object = {}) => ({
      id: `step-${n}`,
      session: 'night',
      timestamp: new Date(Date.UTC(2026, 0, 31, 10) + n * 1000).toISOString(),
      situation: { domain: 'code' },
      task: { goal: `Thing ${n}` },
      action: { type: n % 2 === 0 ? 'edit' : 'bash', parameters: {} },
      result: { success: n % 3 !== 0, outcome: { observation: `Word${n} <img src=x>`, execution_time: 1 } },
      ...over,
    })
    await book.traces.storeMany({
      traces: [one(1), one(2), one(3), one(7), one(8, { timestamp: '2026-01-31T13:00:00.000Z' })],
    })
    // A sub-agent: its steps are beneath the one that called it.
    await book
      .with({ agent: 'reviewer' })
      .traces.storeMany({ traces: [one(4, { metadata: { linked_traces: ['step-3'] } }), one(5), one(6)] })
  })
  await showRun(page, 'night')
  await expect.poll(() => steps(page).count()).toBe(8)
  const numbers = () => page.locator('[data-step] .run-n').allInnerTexts()
  const levels = () => steps(page).evaluateAll((all) => all.map((one) => one.getAttribute('aria-level')))
  expect(await levels()).toEqual(['1', '1', '1', '2', '2', '2', '1', '1'])
  expect(await step(page, 'step-4').innerText()).toMatch(/reviewer/)
  expect(await page.locator('.run-figures').innerText()).toMatch(/Agents\s+\S+ and 1 other/)

  // The stall is in the row, in the figures, and short in the waterfall.
  expect(await step(page, 'step-8').innerText()).toMatch(/idle 2 h 59 min/)
  expect(await page.locator('.run-figures').innerText()).toMatch(/Idle\s+2 h 59 min \(1 stall\)/)
  expect(await step(page, 'step-1').locator('rect').getAttribute('width')).toMatch(/^\d{3}/)

  const at = () => page.locator('.at-cursor [data-step]').getAttribute('data-step')
  const press = async (key: string, there: string) => {
    await page.keyboard.press(key)
    await expect.poll(at).toBe(there)
  }
  await press('End', 'step-8')
  await press('Home', 'step-1')
  await press('e', 'step-3')
  await press('e', 'step-6')
  await press('E', 'step-3')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(numbers).toEqual(['1', '2', '3', '7', '8'])
  expect(await steps(page).nth(2).getAttribute('aria-expanded')).toBe('false')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => steps(page).count()).toBe(8)
  await press('ArrowDown', 'step-4')
  await press('ArrowLeft', 'step-3')
  expect(openStep(page)).toBeNull()
  await page.keyboard.press('Enter')
  await expect.poll(() => heading(page).innerText()).toBe('Thing 3')
  await expect.poll(() => heading(page).evaluate((one) => one === document.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect.poll(() => openStep(page)).toBeNull()

  await page.getByRole('button', { name: 'Errors only' }).click()
  await expect.poll(numbers).toEqual(['3', '6'])
  await page.getByRole('button', { name: /^edit/ }).click()
  await expect.poll(numbers).toEqual(['6'])
  await page.keyboard.press('/')
  await page.keyboard.type('nothing like it')
  await page.getByText('No step matches.').waitFor()
  await page.getByRole('button', { name: 'Show all steps' }).click()
  await page.keyboard.press('/')
  await page.keyboard.type('WORD5 <img')
  await expect.poll(numbers).toEqual(['5'])
  expect(new URL(page.url()).searchParams.get('q')).toBe('WORD5 <img')
  expect(await page.locator('.run-words img').count()).toBe(0)
  expect(await problems()).toEqual([])
})

it('shows a run of 2,000 steps in a window of rows, with a map of all of it', async () => {
  const { page, problems } = await openView(browser, 'runs', async (book) => {
    const traces = Array.from({ length: 2000 }, (_, i) => ({
      id: `step-${i + 1}`,
      session: 'long',
      timestamp: new Date(Date.UTC(2026, 0, 31) + i * 1000).toISOString(),
      situation: { domain: 'code' },
      task: { goal: `Thing ${i + 1} ${'word '.repeat(200)}` },
      action: { type: 'bash', parameters: {} },
      result: { success: i !== 1499, outcome: {} },
    }))
    for (let i = 0; i < traces.length; i += 500)
      await book.traces.storeMany({ traces: traces.slice(i, i + 500) })
  })
  await showRun(page, 'long')
  await expect.poll(() => tree(page).getAttribute('aria-busy')).toBe('false')
  expect(await steps(page).count()).toBeLessThan(60)
  expect(await steps(page).first().getAttribute('aria-setsize')).toBe('2000')
  await page.keyboard.press('End')
  await step(page, 'step-2000').waitFor()
  await page.keyboard.press('e')
  await step(page, 'step-1500').waitFor()
  const map = await page.locator('.run-map').boundingBox()
  await page.mouse.click((map?.x ?? 0) + 5, (map?.y ?? 0) + 2)
  await step(page, 'step-1').waitFor()
  expect(await faults(page, 900)).toEqual([])
  expect(await problems()).toEqual([])
})

it('shows no times, tokens or stalls where a file has none, and a run of one step', async () => {
  const { page, problems } = await openView(browser, 'runs', async (book) => {
    const steps = ['ls', 'cat a.txt', 'submit'].map((action) => ({ action, observation: `Did ${action}` }))
    await book.imports.sweAgent({ name: 'plain.traj', text: JSON.stringify({ trajectory: steps }) })
    await book.traces.store({
      id: 'alone',
      session: 'single',
      situation: { domain: 'code' },
      task: { goal: 'One thing' },
      action: { type: 'bash', parameters: {} },
    })
  })
  await table(page).getByRole('button', { name: '(no thought given)' }).click()
  await expect.poll(() => steps(page).count()).toBe(3)
  expect(await page.locator('.run-figures').innerText()).toMatch(/Measured time\s+none in the file/)
  expect(await page.locator('.run-figures').innerText()).not.toMatch(/Started|Idle|Tokens|Cost/)
  expect(await steps(page).nth(1).innerText()).toMatch(/cat\s+Did cat a\.txt\s+–/)
  expect(await page.locator('[data-step] rect').count()).toBe(0)
  expect(await page.locator('.tool-shares').innerText()).toMatch(/Steps by tool[\s\S]*cat 33%/)
  await showRun(page, 'single')
  await step(page, 'alone').waitFor()
  expect(await steps(page).count()).toBe(1)
  expect(await faults(page, 390)).toEqual([])
  expect(await problems()).toEqual([])
})

it('masks the secrets of encrypted steps in heading and rows, and does not find them by search', async () => {
  const { page } = await openView(browser, 'runs', async () => undefined)
  const secret = oneSecret()
  await page.evaluate(async (text) => {
    await globalThis.book?.traces.store({
      id: 'secret-step',
      session: 'leak',
      situation: { domain: 'code' },
      task: { goal: `Log in with ${text}` },
      action: { type: 'bash', parameters: {} },
      result: { success: true, outcome: { output: `Token ${text} works` } },
    })
  }, secret)
  await showRun(page, 'leak')
  await expect.poll(() => step(page, 'secret-step').innerText()).toMatch(/Token \[secret: [\s\S]* works/)
  expect(await page.locator('body').innerText()).not.toContain(secret)
  await page.keyboard.press('/')
  await page.keyboard.type(secret)
  await page.getByText('No step matches.').waitFor()
})
