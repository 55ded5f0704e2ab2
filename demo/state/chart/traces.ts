// The traces that the charts are of: read a page at a time, newest first, and drawn as they come.
// Invariant: what another span or another book has overtaken is let go of.
import { computed, effect, signal } from '@preact/signals'
import type { Daybook, Trace } from '../../../src/index.ts'
import { sampleOf, type TraceSample } from '../../kind/chart/trace-figure.ts'
import { address, chipOf } from '../address.ts'
import { book } from '../book.ts'

export interface SampledTraces {
  readonly samples: readonly TraceSample[]
  readonly isReading: boolean
  /** There are older ones in the span, which are not looked at. */
  readonly hasOlder: boolean
}

/** Enough to see what fails and how long it takes, and read within seconds. */
export const sampleLimit = 10_000
const pageSize = 500

export const sampled = signal<SampledTraces | undefined>(undefined)
export const chartFailure = signal<unknown>(undefined)

/** From when on; undefined for all there is. */
export function spanStart(nowMs: number): string | undefined {
  const days = Number(chipOf('span'))
  return days > 0 ? new Date(nowMs - days * 86_400_000).toISOString() : undefined
}

async function readTraces(from: Daybook, signal: AbortSignal): Promise<void> {
  const start = spanStart(Date.now())
  const samples: TraceSample[] = []
  let cursor: string | undefined
  do {
    const page = await from.records.query(
      {
        kind: 'trace',
        limit: pageSize,
        ...(start === undefined ? {} : { filters: { timestamp: { gte: start } } }),
        ...(cursor === undefined ? {} : { cursor }),
      },
      { signal },
    )
    if (signal.aborted) return
    samples.push(...page.records.map((record) => sampleOf(record as unknown as Trace)))
    cursor = page.cursor
    const isReading = cursor !== undefined && samples.length < sampleLimit
    sampled.value = { samples: [...samples], isReading, hasOlder: cursor !== undefined }
  } while (cursor !== undefined && samples.length < sampleLimit)
}

/** What the charts depend on. */
export const charted = computed(() => {
  const { view } = address.value
  const current = book.value
  return view === 'charts' && current ? { from: current, span: chipOf('span') } : undefined
})

let stop = new AbortController()

/** Reads them anew. */
export async function loadTraces(): Promise<void> {
  stop.abort()
  const { signal } = (stop = new AbortController())
  const now = charted.peek()
  if (!now) return
  chartFailure.value = undefined
  try {
    await readTraces(now.from, signal)
  } catch (error) {
    if (!signal.aborted) chartFailure.value = error
  }
}

effect(() => {
  const now = charted.value
  if (!now) return stop.abort()
  sampled.value = undefined
  void loadTraces()
})
