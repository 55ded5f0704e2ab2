// Real tabs of one browser profile, each in a process of its own, and every way to end them without a word.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright'
import { inject } from 'vitest'
import type { OpenOptions } from '../../src/index.ts'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import type { TabPage } from './page/tab.ts'

declare global {
  var tab: TabPage
  var acked: ((key: string) => Promise<void>) | undefined
}

export interface Tab {
  readonly page: Page
  readonly cdp: CDPSession
  /** Opens the book in this tab; `open`, or the code of the error. */
  open(options: OpenOptions): Promise<string>
  isOwner(): Promise<boolean>
  store(goal: string, requestId?: string): Promise<string>
  goals(): Promise<string[]>
  /** The process that runs it. Takes a moment: it is found by making it busy. */
  pid(): Promise<number>
  end(way: EndOfTab): Promise<void>
}

export const endsOfTab = ['close', 'worker', 'kill', 'crash'] as const
/** Closed by the user; its worker terminated; its process killed; its process crashed. */
export type EndOfTab = (typeof endsOfTab)[number]

export interface Tabs extends AsyncDisposable {
  open(options?: { build?: 'current' | 'newer' }): Promise<Tab>
}

/** A browser on a new profile. `onAck` hears of every write of a stream that a page saw acknowledged. */
export async function openTabs(
  onAck: (key: string) => void = () => undefined,
  ignoreDefaultArgs: string[] = [],
): Promise<Tabs> {
  const executablePath = await findBrowser()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-tabs-'))
  const context = await chromium.launchPersistentContext(folder, {
    ...(executablePath ? { executablePath } : {}),
    args: [...browserArgs],
    ignoreDefaultArgs,
  })
  await context.exposeFunction('acked', onAck)
  return {
    async open({ build = 'current' } = {}) {
      const page = await context.newPage()
      await page.goto(`${inject('tabsUrl')}${build}/index.html`)
      await page.waitForFunction(() => 'tab' in globalThis)
      return createTab(context, page, await context.newCDPSession(page))
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function createTab(context: BrowserContext, page: Page, cdp: CDPSession): Tab {
  let pid: number | undefined
  const tab: Tab = {
    page,
    cdp,
    open: (options) => page.evaluate((given) => globalThis.tab.open(given), options),
    isOwner: async () => (await page.evaluate(() => globalThis.tab.book?.status()))?.owner ?? false,
    store: (goal, requestId) =>
      page.evaluate(([text, id]) => globalThis.tab.store(text ?? '', id), [goal, requestId]),
    goals: () => page.evaluate(() => globalThis.tab.goals()),
    pid: async () => (pid ??= await findProcess(context, page)),
    async end(way) {
      if (way === 'close') return page.close()
      if (way === 'worker') return page.evaluate(() => globalThis.tab.terminateWorker())
      const crashed = new Promise((resolve) => page.once('crash', resolve))
      if (way === 'kill') process.kill(await tab.pid(), 'SIGKILL')
      else void cdp.send('Page.crash').catch(() => undefined)
      await crashed
      await page.close()
    },
  }
  return tab
}

/** How long a page is kept busy to tell its process from the others. */
const busyMs = 300

/** The process that works while the page does. */
async function findProcess(context: BrowserContext, page: Page): Promise<number> {
  const browser = await context.browser()?.newBrowserCDPSession()
  if (!browser) throw new Error('This browser does not speak the devtools protocol.')
  const times = async () => {
    const { processInfo } = await browser.send('SystemInfo.getProcessInfo')
    return new Map(
      processInfo.filter(({ type }) => type === 'renderer').map(({ id, cpuTime }) => [id, cpuTime]),
    )
  }
  const before = await times()
  await page.evaluate((ms) => {
    for (const began = performance.now(); performance.now() - began < ms;);
  }, busyMs)
  const spent = [...(await times())].map(([id, time]) => ({ id, spent: time - (before.get(id) ?? 0) }))
  await browser.detach()
  const [most] = spent.sort((a, b) => b.spent - a.spent)
  if (!most) throw new Error('There is no renderer.')
  return most.id
}
