// Real tabs of one browser profile, each in a process of its own, and every way to end them without a word.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright'
import { inject } from 'vitest'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import { type Lack, takeFromWorkers } from '../support/server/without-storage.ts'
import { createPageTab, type PageTab } from './page-tab.ts'

export interface Tab extends PageTab {
  readonly cdp: CDPSession
  /** The process that runs it. Takes a moment: it is found by making it large. */
  pid(): Promise<number>
  end(way: EndOfTab): Promise<void>
}

export const endsOfTab = ['close', 'worker', 'kill', 'crash'] as const
/** Closed by the user; its worker terminated; its process killed; its process crashed. */
export type EndOfTab = (typeof endsOfTab)[number]

export interface Tabs extends AsyncDisposable {
  open(options?: { build?: 'current' | 'newer' }): Promise<Tab>
}

export interface TabsOptions {
  /** Hears of every write of a stream that a page saw acknowledged. */
  readonly onAck?: (key: string) => void
  readonly ignoreDefaultArgs?: string[]
  /** Workers lack it. */
  readonly without?: readonly Lack[]
  /** Where the browser's files are, which stay when it ends. Default: a new place, for this time. */
  readonly profile?: string
}

/** A browser on a profile of its own. */
export async function openTabs({
  onAck = () => undefined,
  ignoreDefaultArgs = [],
  without = [],
  profile,
}: TabsOptions = {}): Promise<Tabs> {
  const executablePath = await findBrowser()
  const folder = profile ?? mkdtempSync(join(tmpdir(), 'daybook-tabs-'))
  const context = await chromium.launchPersistentContext(folder, {
    ...(executablePath ? { executablePath } : {}),
    args: [...browserArgs],
    ignoreDefaultArgs,
  })
  context.setDefaultTimeout(60_000)
  await takeFromWorkers(context, without)
  await context.exposeFunction('acked', (keys: string[]) => keys.forEach(onAck))
  return {
    async open({ build = 'current' } = {}) {
      const page = await context.newPage()
      await page.goto(`${inject('tabsUrl')}${build}/index.html`)
      await page.waitForFunction(() => 'tab' in globalThis)
      return createTab(context, page, await context.newCDPSession(page))
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      if (profile === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function createTab(context: BrowserContext, page: Page, cdp: CDPSession): Tab {
  let pid: number | undefined
  const tab: Tab = {
    ...createPageTab(page),
    cdp,
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

const markBytes = 128 * 1024 * 1024

/** The process that grows while the page fills memory: nothing else tells it, and others are busy too. */
async function findProcess(context: BrowserContext, page: Page): Promise<number> {
  const browser = await context.browser()?.newBrowserCDPSession()
  if (!browser) throw new Error('This browser does not speak the devtools protocol.')
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo')
  await browser.detach()
  const ids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
  const sizes = () => ids.map((id) => residentBytes(id))
  const before = sizes()
  await page.evaluate((bytes) => {
    Object.assign(globalThis, { mark: new Uint8Array(bytes).fill(1) })
  }, markBytes)
  const after = sizes()
  await page.evaluate(() => Object.assign(globalThis, { mark: undefined }))
  const grown = ids.filter((_, i) => (after[i] ?? 0) - (before[i] ?? 0) > markBytes * 0.8)
  if (grown.length !== 1) throw new Error(`${grown.length} renderers grew.`)
  return grown[0] as number
}

function residentBytes(pid: number): number {
  return 1024 * Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout)
}
