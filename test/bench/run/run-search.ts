// The search rows: every peer holds the same texts in a tab of its own; in rounds they answer the same questions.
import { openPages } from '../open-page.ts'
import type { BenchRun, Failure } from '../bench-run.ts'
import type { Reopened } from '../peer.ts'
import type { SearchBench, SearchRound } from '../search-page.ts'

export interface SearchPeerFigures {
  readonly name: string
  readonly mode: string
  readonly fillMs: number
  sizeBytes: number | undefined
  /** The first questions after filling: what is built in memory by then or meanwhile is not yet warm. */
  first: SearchRound
  readonly rounds: SearchRound[]
  /** Until all is done that is done when nobody asks. */
  settleMs: number
  memoryBytes: number | undefined
  /** Opened anew in a fresh page, once for each round. */
  readonly reopened: Reopened[]
}

export interface SearchFigures {
  /** By how many texts there were, then by peer. */
  readonly sizes: Readonly<Record<string, Readonly<Record<string, SearchPeerFigures>>>>
  readonly failures: readonly Failure[]
}

/** In each round, others in each. */
const questions = 40

declare const bench: SearchBench

/** Measures every searcher at every size. */
export async function runSearch(run: BenchRun): Promise<SearchFigures> {
  const failures: Failure[] = []
  const sizes: Record<string, Record<string, SearchPeerFigures>> = {}
  for (const size of run.sizes ?? (run.quick ? [10_000] : [10_000, 100_000])) {
    sizes[size] = await runSize(run, size, failures)
  }
  return { sizes, failures }
}

async function runSize(run: BenchRun, size: number, failures: Failure[]) {
  const figures: Record<string, SearchPeerFigures> = {}
  const pages = await openPages(run, 'search', { suffix: `-${size}` })
  const attempt = async (key: string, what: string, work: () => Promise<void>) => {
    run.progress(`search, ${size} texts, ${what}: ${key}`)
    const page = pages.get(key)
    try {
      await page?.bringToFront()
      await work()
    } catch (error) {
      failures.push({ peer: key, error: String(error) })
      pages.delete(key)
      await page?.close()
    }
  }
  for (const [key, page] of pages) {
    await attempt(key, 'filling', async () => {
      const described = await page.evaluate((peer) => bench.describe(peer), key)
      const fillMs = await page.evaluate(([peer, count]) => bench.fill(peer, count), [key, size] as const)
      figures[key] = {
        ...described,
        fillMs,
        sizeBytes: undefined,
        first: {},
        rounds: [],
        settleMs: 0,
        memoryBytes: undefined,
        reopened: [],
      }
    })
  }
  for (let round = 0; round <= run.rounds; round++) {
    for (const [key, page] of pages) {
      await attempt(key, round === 0 ? 'warming up' : `round ${round} of ${run.rounds}`, async () => {
        const result = await page.evaluate(([texts, count, n]) => bench.runRound(texts, count, n), [
          size,
          questions,
          round,
        ] as const)
        const found = figures[key]
        if (round > 0) found?.rounds.push(result)
        else if (found) {
          found.first = result
          found.settleMs = await page.evaluate(() => bench.settle())
        }
      })
    }
  }
  for (const [key, page] of pages) {
    await attempt(key, 'its size', async () => {
      const found = figures[key]
      if (!found) return
      found.sizeBytes = await page.evaluate(() => bench.sizeBytes())
      found.memoryBytes = await page.evaluate(() => bench.memoryBytes())
    })
    for (let round = 1; round <= run.rounds; round++) {
      await attempt(key, `opened anew, ${round} of ${run.rounds}`, async () => {
        await page.reload()
        await page.waitForFunction('globalThis.bench !== undefined')
        const times = await page.evaluate(([peer, count, n]) => bench.reopen(peer, count, n), [
          key,
          size,
          round,
        ] as const)
        if (times) figures[key]?.reopened.push(times)
      })
    }
    await page.close()
  }
  return figures
}
