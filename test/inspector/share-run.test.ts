// A run saved as one HTML file, and the file opened from disk without network.
import { readFile } from 'node:fs/promises'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oneSecret } from '../support/made-secret.ts'
import { launchBrowser, openView, showView } from './open-inspector.ts'
import { faults } from './shared/page-fault.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** Saves the open run; the path of the file. */
async function save(page: Page, includesSensitive: boolean): Promise<string> {
  await page.getByRole('button', { name: 'Save as HTML' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this run as HTML' })
  expect(await dialog.innerText()).toMatch(/2 records of this run are sensitive/)
  expect(await faults(page, 1280)).toEqual([])
  if (includesSensitive) await dialog.getByRole('checkbox').check()
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('run-mend-the-lamp.html')
  const path = `${await file.path()}.html`
  await file.saveAs(path)
  return path
}

it('saves a run as one file that opens from disk, without what is secret or sensitive', async () => {
  const { page, problems } = await openView(browser, 'runs', async (book) => {
    const one = (n: number, goal: string, outcome: Record<string, unknown>, success = true) => ({
      session: 'night',
      timestamp: `2026-01-31T10:00:0${n}.000Z`,
      situation: { domain: 'code' },
      task: { goal },
      action: { type: 'bash', parameters: { command: 'make <img src=x onerror=alert(1)>' } },
      result: { success, outcome },
    })
    await book.traces.storeMany({
      traces: [
        one(1, 'Mend the lamp', { observation: 'Lit', usage: { total_tokens: 900 } }),
        one(2, 'Turn it on', { error: '</script><script>alert(1)</script>' }, false),
        one(3, 'Read the log', { output: 'y'.repeat(100_000) }),
      ],
    })
    const { id } = await book.traces.store(one(4, 'Ask Ruth', { observation: 'Ruth is away' }))
    await book.records.setSensitivity({ id, sensitivity: 'sensitive' })
  })
  const secret = oneSecret()
  await page.evaluate(async (key) => {
    await globalThis.book?.traces.store({
      session: 'night',
      timestamp: '2026-01-31T10:00:05.000Z',
      situation: { domain: 'code' },
      task: { goal: 'Log in' },
      action: { type: 'login', parameters: { key } },
    })
  }, secret)
  await showView(page, 'runs&run=night')
  await page.getByRole('treeitem').nth(4).waitFor()

  const path = await save(page, false)
  const text = await readFile(path, 'utf8')
  expect(text).not.toContain(secret)
  expect(text).not.toMatch(/Ruth|\[secret/)

  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true })
  const file = await context.newPage()
  const requests: string[] = []
  const messages: string[] = []
  file.on('request', (request) => requests.push(request.url()))
  file.on('console', (message) => messages.push(message.text()))
  file.on('pageerror', (error) => messages.push(error.message))
  file.on('dialog', () => messages.push('dialog'))
  await file.goto(`file://${path}`)
  expect(await file.locator('h1').innerText()).toBe('Mend the lamp')
  const steps = file.locator('.steps > li')
  expect(await steps.count()).toBe(5)
  await steps.nth(1).locator('summary').click()
  await steps.nth(1).getByText('</script><script>alert(1)</script>').last().waitFor()
  await steps.nth(2).locator('summary').click()
  await steps.nth(2).getByText('Cut here: 80,000 more characters').waitFor()
  await file.getByRole('link', { name: 'Step 2' }).click()
  expect(requests).toEqual([`file://${path}`])
  expect(messages).toEqual([])
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await file.emulateMedia({ colorScheme: scheme })
      await file.setViewportSize({ width, height: 900 })
      expect(await faultsOf(file)).toEqual([])
    }
  await context.close()

  // With the sensitive texts, by choice: secrets stay marks.
  const whole = await readFile(await save(page, true), 'utf8')
  expect(whole).toMatch(/Ruth is away/)
  expect(whole).toMatch(/\[secret: github-token/)
  expect(whole).not.toContain(secret)
  expect(await problems()).toEqual([])
})

/** The policy of the file lets no script in, so axe runs from outside of it. */
async function faultsOf(file: Page): Promise<readonly string[]> {
  await file.evaluate(axe.source)
  return file.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { axe: typeof axe }
    const { violations } = await run.run(document, { resultTypes: ['violations'] })
    const isWide = document.documentElement.scrollWidth > innerWidth
    return [...violations.map(({ id }) => id), ...(isWide ? ['wider than the page'] : [])]
  })
}
