// The product as `npm start` runs it, on free ports, and browsers with a profile on disk that can be killed.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright'
import type { Daybook } from '../../src/book/daybook.ts'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import { freePort } from '../support/server/free-port.ts'
import { runScript } from '../support/server/run-script.ts'

declare global {
  // The inspector shows its open book to those who look.
  var book: Daybook | undefined
}

export interface Product extends AsyncDisposable {
  readonly demoUrl: string
  readonly edgeUrl: string
}

/** Starts the product and waits until it has printed both addresses. */
export async function startProduct(): Promise<Product> {
  const [demo, edge] = await Promise.all([freePort(), freePort()])
  const state = mkdtempSync(join(tmpdir(), 'daybook-edge-'))
  const [demoUrl, edgeUrl] = [`http://127.0.0.1:${demo}`, `http://127.0.0.1:${edge}`]
  const env = { DEMO_PORT: String(demo), EDGE_PORT: String(edge), EDGE_STATE: state }
  const script = await runScript('start.mjs', env, [demoUrl, edgeUrl])
  return {
    demoUrl,
    edgeUrl,
    async [Symbol.asyncDispose]() {
      await script[Symbol.asyncDispose]()
      rmSync(state, { recursive: true, force: true })
    },
  }
}

export interface Profile extends AsyncDisposable {
  /** Opens the address in a new browser on this profile; waits until the page has its book. */
  open(url: string): Promise<Page>
  /** Kills the browser and all its processes, without a word of warning. */
  kill(): Promise<void>
}

/** Asks the page, frame by frame, until the answer is true. (The page's policy forbids what Playwright's own wait does.) */
export async function waitInPage(page: Page, probe: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await page.evaluate(probe)))
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
}

/** A browser profile on disk: what is stored in it outlives its browsers. */
export async function createProfile(): Promise<Profile> {
  const executablePath = await findBrowser()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-profile-'))
  let context: BrowserContext | undefined
  const close = async () => {
    await context?.close()
    context = undefined
  }
  return {
    async open(url) {
      context ??= await chromium.launchPersistentContext(folder, {
        ...(executablePath ? { executablePath } : {}),
        args: browserArgs,
        viewport: { width: 1280, height: 800 },
      })
      context.setDefaultTimeout(60_000)
      const page = context.pages()[0] ?? (await context.newPage())
      await page.goto(url)
      await waitInPage(page, () => globalThis.book !== undefined)
      return page
    },
    async kill() {
      const closed = new Promise((resolve) => context?.once('close', resolve))
      // Every process of a Chromium names its profile on the command line, or is a child of one that does.
      spawn('pkill', ['-KILL', '-f', folder])
      await closed
      context = undefined
    },
    async [Symbol.asyncDispose]() {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
