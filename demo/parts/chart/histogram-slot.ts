// From buckets of time to the bars of a histogram: as many as fit, each of the same span.
import type { Bucket } from '../../kind/record-kind.ts'

export interface Slot {
  readonly fromMs: number
  readonly toMs: number
  readonly count: number
  readonly failed: number
}

export const bucketMs = { hour: 3_600_000, day: 86_400_000 } as const

/** Sums buckets into at most `limit` slots that cover the whole span, empty ones included. */
export function slotsOf(buckets: readonly Bucket[], by: 'hour' | 'day', limit: number): Slot[] {
  const first = buckets[0]
  const last = buckets.at(-1)
  if (!first || !last) return []
  const step = bucketMs[by]
  const startMs = Date.parse(first.at)
  const steps = Math.round((Date.parse(last.at) - startMs) / step) + 1
  const spanMs = Math.ceil(steps / Math.max(1, limit)) * step
  const slots = Array.from({ length: Math.ceil((steps * step) / spanMs) }, (_, i) => ({
    fromMs: startMs + i * spanMs,
    toMs: startMs + (i + 1) * spanMs,
    count: 0,
    failed: 0,
  }))
  for (const bucket of buckets) {
    const slot = slots[Math.floor((Date.parse(bucket.at) - startMs) / spanMs)]
    if (!slot) continue
    slot.count += bucket.count
    slot.failed += bucket.failed
  }
  return slots
}
