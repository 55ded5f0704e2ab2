// The rows of the pool: a book of 10,000 notes, and the same one with 10,000 confirmed facts and many claws.
import type { BenchRun, Failure } from '../bench-run.ts'
import { openPage } from '../open-page.ts'
import type { PoolBench, PoolFigure } from '../pool-page.ts'

export interface PoolFigures {
  readonly figure: PoolFigure | undefined
  readonly failures: readonly Failure[]
}

declare const bench: PoolBench

/** Each question twenty times in each round. */
export async function runPool(run: BenchRun): Promise<PoolFigures> {
  const size = run.sizes?.[0] ?? (run.quick ? 1000 : 10_000)
  const page = await openPage(run, 'pool', 'pool')
  try {
    run.progress(`pool: ${size} facts`)
    const asked = [size, run.rounds * 20] as const
    const figure = await page.evaluate(([count, times]) => bench.pool(count, times), asked)
    return { figure, failures: [] }
  } catch (error) {
    return { figure: undefined, failures: [{ peer: 'daybook', error: String(error) }] }
  } finally {
    await page.close()
  }
}
