// The rows of consent: decisions over 1,000 policies, and filtered profiles of 10,000 memories, in one page.
import type { BenchRun, Failure } from '../bench-run.ts'
import type { ConsentBench, ProfileTimes } from '../consent-page.ts'
import { openPage } from '../open-page.ts'

export interface ConsentFigures {
  readonly size: number
  readonly decisions: { readonly matching: number; readonly ms: readonly number[] } | undefined
  readonly profiles: readonly ProfileTimes[]
  readonly failures: readonly Failure[]
}

declare const bench: ConsentBench

const decisionsTimed = 20_000

/** Measures both; profiles five times in each round. */
export async function runConsent(run: BenchRun): Promise<ConsentFigures> {
  const size = run.sizes?.[0] ?? (run.quick ? 2000 : 10_000)
  const page = await openPage(run, 'consent', 'consent')
  try {
    run.progress('consent: decisions')
    const decisions = await page.evaluate((count) => bench.decide(count), decisionsTimed)
    run.progress('consent: profiles')
    const asked = [size, run.rounds * 5] as const
    const profiles = await page.evaluate(([count, times]) => bench.profile(count, times), asked)
    return { size, decisions, profiles, failures: [] }
  } catch (error) {
    const failures = [{ peer: 'daybook', error: String(error) }]
    return { size, decisions: undefined, profiles: [], failures }
  } finally {
    await page.close()
  }
}
