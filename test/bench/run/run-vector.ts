// The vector rows: every scanner holds the same vectors in a worker of its own; in rounds they answer the same questions.
import { openPages } from '../open-page.ts'
import type { BenchRun, Failure } from '../bench-run.ts'
import { quantile } from '../statistic.ts'
import type { VectorBench } from '../vector-page.ts'
import { type VectorPeerKey, vectorPeers } from '../vector/vector-peers.ts'

export interface VectorPeerFigures {
  readonly name: string
  readonly mode: string
  readonly fillMs: number
  readonly bytes: number | undefined
  readonly rounds: { readonly p50: number; readonly p95: number }[]
  /** The share of the best ten that comparing every vector finds too, in each round. */
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

/** Measures every scanner over 100,000 vectors of 384 dimensions, 10,000 when the run is quick, or as many as it says. */
export async function runVector(run: BenchRun): Promise<VectorFigures> {
  const size = run.sizes?.[0] ?? (run.quick ? 10_000 : 100_000)
  const failures: Failure[] = []
  const peers: Record<string, VectorPeerFigures> = {}
  const able = Object.entries(vectorPeers).flatMap(([key, { most }]) => (size <= most ? [key] : []))
  const peersOf = { ...run, peers: able.filter((key) => run.peers?.includes(key) ?? true) }
  const pages = await openPages(peersOf, 'vector')
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
    const best = new Map<string, readonly (readonly number[])[]>()
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
    const truth = best.get('floats') ?? best.get('exact')
    for (const [key, found] of round > 0 && truth ? best : [])
      peers[key]?.agrees.push(mean(found.map((rows, i) => shared(rows, truth?.[i] ?? []))))
  }
  for (const page of pages.values()) await page.close()
  return { size, peers, failures }
}

const shared = (rows: readonly number[], truth: readonly number[]) =>
  rows.filter((row) => truth.includes(row)).length / Math.max(1, truth.length)

const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
