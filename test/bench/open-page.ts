// One tab for each peer. What goes wrong in a page is heard in the terminal.
import type { Page } from 'playwright'
import type { BenchRun } from './bench-run.ts'

declare const bench: { readonly peers: readonly string[] }

/** Opens `page` once for each peer that the run wants, by key, each at an origin of its own. */
export /** Opens `page` at the origin `host`. */
async function openPages(run: BenchRun, page: string, suffix = ''): Promise<Map<string, Page>> {
  const first = await openPage(run, 'peers', page)
  const all = await first.evaluate(() => bench.peers)
  await first.close()
  const pages = new Map<string, Page>()
  for (const key of all.filter((each) => run.peers?.includes(each) ?? true)) {
    pages.set(key, await openPage(run, `${key}${suffix}`, page))
  }
  return pages
}

/** Opens `page` at the origin `host`. */
export async function openPage(run: BenchRun, host: string, name: string): Promise<Page> {
  const page = await run.context.newPage()
  page.on('pageerror', (error) => run.progress(`${host}: ${error.message}\n`))
  await page.goto(run.url(host, name))
  await page.waitForFunction('globalThis.bench !== undefined')
  return page
}
