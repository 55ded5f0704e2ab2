// The store rows: one page and one origin for each peer, and rounds in which every peer has its turn, so that
// whatever changes on the machine in the meantime meets all of them alike.
import type { Page } from 'playwright'
import { openPages } from '../open-page.ts'
import { beforeKey } from './compare.ts'
import type { BenchRun, Failure } from '../bench-run.ts'
import type { StoreBench, StoreRound } from '../store-page.ts'

export interface StoreFigures {
  readonly peers: Readonly<Record<string, { name: string; mode: string; rounds: StoreRound[] }>>
  readonly failures: readonly Failure[]
}

declare const bench: StoreBench

/** Measures every store in `rounds` rounds. */
export async function runStore(run: BenchRun): Promise<StoreFigures> {
  const figures: Record<string, { name: string; mode: string; rounds: StoreRound[] }> = {}
  const failures: Failure[] = []
  const omit = run.compare === undefined ? [beforeKey] : []
  const pages = await openPages(run, 'store', { omit, without: { journal: ['opfs'] } })
  const attempt = async (key: string, page: Page, work: () => Promise<void>) => {
    try {
      await page.bringToFront()
      await work()
    } catch (error) {
      failures.push({ peer: key, error: String(error) })
      pages.delete(key)
      await page.close()
    }
  }
  for (const [key, page] of pages) {
    await attempt(key, page, async () => {
      figures[key] = { ...(await page.evaluate((peer) => bench.describe(peer), key)), rounds: [] }
    })
  }
  for (let round = 0; round < run.rounds; round++) {
    for (const [key, page] of turnOrder([...pages], round)) {
      run.progress(`store, round ${round + 1} of ${run.rounds}: ${key}`)
      await attempt(key, page, async () => {
        figures[key]?.rounds.push(await measure(page, key, round + 1, run.quick))
      })
    }
  }
  for (const page of pages.values()) await page.close()
  return { peers: figures, failures }
}

function measure(page: Page, key: string, round: number, quick: boolean): Promise<StoreRound> {
  return page.evaluate(([peer, n, shorter]) => bench.runRound(peer, n, shorter), [
    key,
    round,
    quick ? 4 : 1,
  ] as const)
}

/** Another peer begins each round. */
function turnOrder<Item>(items: readonly Item[], round: number): Item[] {
  const first = items.length === 0 ? 0 : round % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}
