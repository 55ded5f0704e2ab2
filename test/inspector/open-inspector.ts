// A browser for the tests of the inspector, and its pages, each with a book of its own and an ear for what goes wrong.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { inject } from 'vitest'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import type { CapabilityInput, Daybook } from '../../src/book/daybook.ts'

declare global {
  // The inspector shows its open book to those who look.
  var book: Daybook | undefined
  var violations: string[] | undefined
}

export type TraceInput = CapabilityInput<'kstar:store_trace'>

export interface InspectorPage {
  readonly page: Page
  readonly name: string
  /** Errors and warnings of the console, uncaught errors and violations of the security policy, so far. */
  problems(): Promise<readonly string[]>
}

export interface OpenOptions {
  /** What follows the name of the book in the address. */
  readonly query?: string
  /** Default: the inspector as it is built. From its sources it comes in 400 pieces, which takes a page seconds. */
  readonly url?: string
  readonly name?: string
  readonly context?: BrowserContext
}

/** Longer than anything here takes on a slow machine; a wait that reaches it has failed. */
const timeoutMs = 60_000

export async function launchBrowser(): Promise<Browser> {
  const executablePath = await findBrowser()
  return chromium.launch({ ...(executablePath ? { executablePath } : {}), args: browserArgs })
}

/** Opens the inspector on a new book, or on the one that `name` and `context` say. */
export async function openInspector(browser: Browser, options: OpenOptions = {}): Promise<InspectorPage> {
  const { query = '', url = inject('builtUrl'), name = `test-${crypto.randomUUID().slice(0, 8)}` } = options
  const context = options.context ?? (await browser.newContext({ viewport: { width: 1280, height: 800 } }))
  const page = await context.newPage()
  page.setDefaultTimeout(timeoutMs)
  const heard: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') heard.push(message.text())
  })
  page.on('pageerror', (error) => heard.push(error.message))
  await page.addInitScript(() => {
    globalThis.violations = []
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      globalThis.violations?.push(`${violatedDirective} ${blockedURI}`),
    )
  })
  await page.goto(`${url}?book=${name}${query}`)
  return {
    page,
    name,
    problems: async () => [...heard, ...((await page.evaluate(() => globalThis.violations)) ?? [])],
  }
}

/** Drops files on the page as a person does. */
export async function dropFiles(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  const transfer = await page.evaluateHandle((contents) => {
    const data = new DataTransfer()
    for (const [fileName, text] of Object.entries(contents)) data.items.add(new File([text], fileName))
    return data
  }, files)
  for (const event of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('main', event, { dataTransfer: transfer })
}

/** Stores traces through the page's own book, as an agent in it would. */
export async function storeTraces(page: Page, traces: readonly TraceInput[]): Promise<void> {
  await page.evaluate(async (all) => {
    for (let at = 0; at < all.length; at += 1000) {
      await globalThis.book?.traces.storeMany({ traces: all.slice(at, at + 1000) })
    }
  }, traces as TraceInput[])
}

/** Opens the inspector on a book that holds `traces` and shows them. */
export async function openWith(browser: Browser, traces: readonly TraceInput[]): Promise<InspectorPage> {
  const opened = await openInspector(browser)
  await opened.page.getByRole('heading', { name: /is empty/ }).waitFor()
  await storeTraces(opened.page, traces)
  await opened.page.getByRole('option').first().waitFor()
  return opened
}

/** Opens the inspector on a view of a new book, once `fill` has put into it what it shall show. */
export async function openView(
  browser: Browser,
  view: string,
  fill: (book: Daybook) => Promise<void>,
): Promise<InspectorPage> {
  const opened = await openInspector(browser)
  await opened.page.getByRole('heading', { name: /is empty/ }).waitFor()
  // As source text, so that what a test stores stands in the test.
  await opened.page.evaluate(`(${fill.toString()})(globalThis.book)`)
  await showView(opened.page, view)
  await opened.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
  return opened
}

/** Goes to a view without leaving the page: to load it again takes a second. */
export const showView = (page: Page, view: string): Promise<void> =>
  page.evaluate((name) => {
    const book = new URL(location.href).searchParams.get('book') ?? ''
    history.pushState(null, '', `?book=${book}&view=${name}`)
    dispatchEvent(new PopStateEvent('popstate'))
  }, view)

/** The list of a view, its rows, and the pane of the open record. */
export function partsOf(page: Page, { one, many } = { one: 'trace', many: 'traces' }) {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  const list = page.getByRole('listbox', { name: capital(many) })
  return {
    list,
    // Of the list alone: the choices of a field are options as well.
    rows: list.getByRole('option'),
    selected: list.getByRole('option', { selected: true }),
    detail: page.getByRole('region', { name: capital(one), exact: true }),
    search: page.getByRole('searchbox', { name: `Search ${many}` }),
  }
}
