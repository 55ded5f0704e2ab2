// One tab for each peer. What goes wrong in a page is heard in the terminal.
import type { Page } from 'playwright'
import { type Lack, takeFromWorkers } from '../support/server/without-storage.ts'
import type { BenchRun } from './bench-run.ts'

declare const bench: { readonly peers: readonly string[] }

export interface PagesOptions {
  /** Told behind the peer's key in the name of its origin. */
  readonly suffix?: string
  /** Keys of peers that this run leaves out. */
  readonly omit?: readonly string[]
  /** What the workers of a peer's page lack, by its key. */
  readonly without?: Readonly<Record<string, readonly Lack[]>>
}

/** Opens `page` once for each peer that the run wants, by key, each at an origin of its own. */
export async function openPages(
  run: BenchRun,
  page: string,
  { suffix = '', omit = [], without = {} }: PagesOptions = {},
): Promise<Map<string, Page>> {
  const first = await openPage(run, 'peers', page)
  const all = await first.evaluate(() => bench.peers)
  await first.close()
  const pages = new Map<string, Page>()
  for (const key of all.filter((each) => !omit.includes(each) && (run.peers?.includes(each) ?? true))) {
    pages.set(key, await openPage(run, `${key}${suffix}`, page, without[key]))
  }
  return pages
}

/** Opens `page` at the origin `host`. */
export async function openPage(
  run: BenchRun,
  host: string,
  name: string,
  without: readonly Lack[] = [],
): Promise<Page> {
  const page = await run.context.newPage()
  page.on('pageerror', (error) => run.progress(`${host}: ${error.message}\n`))
  await takeFromWorkers(page, without)
  await page.goto(run.url(host, name))
  await page.waitForFunction('globalThis.bench !== undefined')
  return page
}
