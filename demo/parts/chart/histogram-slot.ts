// From buckets of time to the bars of a histogram: as many as fit, each of the same number of hours or days.
// Invariant: a bar of days begins and ends at midnight of the reader's zone, also across a change of the clocks.
import type { Bucket } from '../../kind/record-kind.ts'

export interface Slot {
  readonly fromMs: number
  readonly toMs: number
  readonly count: number
  readonly failed: number
}

type Period = 'hour' | 'day'

export const bucketMs = { hour: 3_600_000, day: 86_400_000 } as const

/** How many hours or days lie between two instants; a day of 23 or 25 hours is one. */
const stepsBetween = (fromMs: number, toMs: number, by: Period) => Math.round((toMs - fromMs) / bucketMs[by])

/** The instant after this many hours or days. */
function later(ms: number, steps: number, by: Period): number {
  if (by === 'hour') return ms + steps * bucketMs.hour
  const day = new Date(ms)
  day.setDate(day.getDate() + steps)
  return day.getTime()
}

/** How many hours or days the buckets cover, empty ones included. */
export function spanOf(buckets: readonly Bucket[], by: Period): number {
  const first = buckets[0]
  const last = buckets.at(-1)
  return first && last ? stepsBetween(Date.parse(first.at), Date.parse(last.at), by) + 1 : 0
}

/** Sums buckets into at most `limit` slots that cover the whole span, empty ones included. */
export function slotsOf(buckets: readonly Bucket[], by: Period, limit: number): Slot[] {
  const first = buckets[0]
  if (!first) return []
  const startMs = Date.parse(first.at)
  const steps = spanOf(buckets, by)
  const perSlot = Math.ceil(steps / Math.max(1, limit))
  const slots = Array.from({ length: Math.ceil(steps / perSlot) }, (_, i) => ({
    fromMs: later(startMs, i * perSlot, by),
    toMs: later(startMs, (i + 1) * perSlot, by),
    count: 0,
    failed: 0,
  }))
  for (const bucket of buckets) {
    const slot = slots[Math.floor(stepsBetween(startMs, Date.parse(bucket.at), by) / perSlot)]
    if (!slot) continue
    slot.count += bucket.count
    slot.failed += bucket.failed
  }
  return slots
}
