// The vector rows: every scanner holds the same vectors in a worker of its own; in rounds they answer the same questions.
import { openPages } from '../open-page.ts'
import type { BenchRun, Failure } from '../bench-run.ts'
import { quantile } from '../statistic.ts'
import type { VectorBench } from '../vector-page.ts'
import type { VectorPeerKey } from '../vector/vector-peers.ts'

export interface VectorPeerFigures {
  readonly name: string
  readonly mode: string
  readonly fillMs: number
  readonly bytes: number | undefined
  readonly rounds: { readonly p50: number; readonly p95: number }[]
  /** The share of the best ten of the last question of each round that plain floats found too. */
  readonly agrees: number[]
}

export interface VectorFigures {
  readonly size: number
  readonly peers: Readonly<Record<string, VectorPeerFigures>>
  readonly failures: readonly Failure[]
}

/** In each round, others in each. */
const questions = 40

declare const bench: VectorBench

/** Measures every scanner over 100,000 vectors of 384 dimensions, or 10,000 when the run is quick. */
export async function runVector(run: BenchRun): Promise<VectorFigures> {
  const size = run.quick ? 10_000 : 100_000
  const failures: Failure[] = []
  const peers: Record<string, VectorPeerFigures> = {}
  const pages = await openPages(run, 'vector')
  const attempt = async (key: string, what: string, work: () => Promise<void>) => {
    run.progress(`vectors, ${size}, ${what}: ${key}`)
    try {
      await pages.get(key)?.bringToFront()
      await work()
    } catch (error) {
      failures.push({ peer: key, error: String(error) })
      await pages.get(key)?.close()
      pages.delete(key)
    }
  }
  for (const [key, page] of pages) {
    await attempt(key, 'filling', async () => {
      const described = await page.evaluate((peer) => bench.describe(peer as VectorPeerKey), key)
      const { ms, bytes } = await page.evaluate(([peer, count]) => bench.fill(peer as VectorPeerKey, count), [
        key,
        size,
      ] as const)
      peers[key] = { ...described, fillMs: ms[0] ?? Number.NaN, bytes, rounds: [], agrees: [] }
    })
  }
  for (let round = 0; round <= run.rounds; round++) {
    const best = new Map<string, readonly number[]>()
    for (const [key, page] of pages) {
      await attempt(key, round === 0 ? 'warming up' : `round ${round} of ${run.rounds}`, async () => {
        const reply = await page.evaluate(([count, n]) => bench.runRound(count, n), [
          questions,
          round,
        ] as const)
        best.set(key, reply.best)
        const [p50, p95] = [quantile(reply.ms, 0.5), quantile(reply.ms, 0.95)]
        if (round > 0) peers[key]?.rounds.push({ p50, p95 })
      })
    }
    const truth = best.get('floats')
    for (const [key, rows] of round > 0 && truth ? best : [])
      peers[key]?.agrees.push(rows.filter((row) => truth?.includes(row)).length / (truth?.length ?? 1))
  }
  for (const page of pages.values()) await page.close()
  return { size, peers, failures }
}
