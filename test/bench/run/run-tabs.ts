// The rows of several tabs: how long a book is without an owner after its process died, and what a call costs that
// another tab carries out.
import type { Page } from 'playwright'
import type { BenchRun, Failure } from '../bench-run.ts'
import { openPage } from '../open-page.ts'
import { median } from '../statistic.ts'
import type { TabCall, TabsBench } from '../tabs-page.ts'

export interface TabsFigures {
  /** Milliseconds from the death of each owner to the first write that another tab saw acknowledged. */
  readonly takeovers: readonly number[]
  /** Medians of each round, in milliseconds. */
  readonly calls: Readonly<Record<TabCall, readonly { readonly owner: number; readonly follower: number }[]>>
  readonly failures: readonly Failure[]
}

declare const bench: TabsBench

const tabsAtOnce = 3
const callsTimed = 300
/** Traces in the book that dies: an owner's engine has postings and caches to read again. */
const stored = 1000

/** Kills owners and times calls, in `rounds` rounds. */
export async function runTabs(run: BenchRun): Promise<TabsFigures> {
  const takeovers: number[] = []
  const calls: Record<TabCall, { owner: number; follower: number }[]> = { get: [], query: [], store: [] }
  const failures: Failure[] = []
  const name = `tabs-${Date.now()}`
  const open = async () => {
    const page = await openPage(run, 'tabs', 'tabs')
    await page.evaluate((book) => bench.open(book), name)
    return page
  }
  let alive: Page[] = []
  try {
    for (let i = 0; i < tabsAtOnce; i++) alive.push(await open())
    await alive[0]?.evaluate((count) => bench.store(count), stored)
    for (let round = 0; round < run.rounds; round++) {
      run.progress(`tabs, round ${round + 1} of ${run.rounds}: calls`)
      await timeCalls(await seats(alive), calls)
      for (let death = 0; death < (run.quick ? 3 : 20); death++) {
        run.progress(`tabs, round ${round + 1} of ${run.rounds}: death ${death + 1}`)
        const { owner, followers } = await seats(alive)
        takeovers.push(await kill(run, owner, followers[0] as Page))
        alive = [...followers, await open()]
      }
    }
  } catch (error) {
    failures.push({ peer: 'daybook', error: String(error) })
  }
  for (const page of alive) await page.close()
  return { takeovers, calls, failures }
}

async function seats(pages: readonly Page[]): Promise<{ owner: Page; followers: Page[] }> {
  const owns = await Promise.all(pages.map((page) => page.evaluate(() => bench.isOwner())))
  const owner = pages[owns.indexOf(true)]
  if (!owner) throw new Error('No tab holds the book.')
  return { owner, followers: pages.filter((page) => page !== owner) }
}

/** The process of the owner ends; the other tab writes at once, and waits for as long as it takes. */
async function kill({ context }: BenchRun, owner: Page, next: Page): Promise<number> {
  const cdp = await context.newCDPSession(owner)
  const crashed = new Promise((resolve) => owner.once('crash', resolve))
  const began = performance.now()
  void cdp.send('Page.crash').catch(() => undefined)
  await crashed
  await next.evaluate(() => bench.write())
  const took = performance.now() - began
  await owner.close()
  return took
}

async function timeCalls(
  { owner, followers }: { owner: Page; followers: Page[] },
  calls: Record<TabCall, { owner: number; follower: number }[]>,
): Promise<void> {
  const time = (page: Page, call: TabCall) =>
    page.evaluate(([what, count]) => bench.time(what, count), [call, callsTimed] as const)
  const follower = followers[0] as Page
  for (const call of ['get', 'query', 'store'] as const) {
    // Both are warm before either counts.
    for (const page of [owner, follower]) await time(page, call)
    calls[call].push({ owner: median(await time(owner, call)), follower: median(await time(follower, call)) })
  }
}
