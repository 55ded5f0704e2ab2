// What weighs a hit beside the legs: how recent, important, sure, used and pinned it is. Pure, bounded, and stated:
// none of it can bring in what no leg found, and all of it together stays within 0.65 and 1.51 times.
import type { Factors } from '../core/capability/port/recall-port.ts'
import type { Weighed } from '../store/condition/condition.ts'

/** Half of the recency part is gone after this long. */
export const recencyHalfLifeMs = 30 * 86_400_000
/** After this many uses, half of what use can add is reached. */
export const useHalf = 5
/** What a record is taken for that says nothing of itself: neither important nor unimportant, and sure. */
const unsaid = { importance: 0.5, confidence: 1 } as const

/**
 * The parts, each 0 to 1: recency `2^(−age / 30 days)`, 1 for what lies ahead; importance and confidence as the record
 * says (0.5 and 1 when it does not); use `1 − 2^(−uses / 5)`; pin 1 or 0.
 */
export function factorsOf(
  weighed: Pick<Weighed, 'importance' | 'confidence' | 'pinned' | 'uses'>,
  ageMs: number,
): Factors {
  return {
    recency: 2 ** (-Math.max(0, ageMs) / recencyHalfLifeMs),
    importance: share(weighed.importance ?? unsaid.importance),
    confidence: share(weighed.confidence ?? unsaid.confidence),
    use: 1 - 2 ** (-Math.max(0, weighed.uses) / useHalf),
    pin: weighed.pinned ? 1 : 0,
  }
}

/**
 * What they multiply a score by: (0.9 + 0.1 recency) × (0.9 + 0.2 importance) × (0.8 + 0.2 confidence) ×
 * (1 + 0.1 use) × (1 + 0.25 pin).
 */
export function multiplierOf({ recency, importance, confidence, use, pin }: Factors): number {
  return (
    (0.9 + 0.1 * recency) *
    (0.9 + 0.2 * importance) *
    (0.8 + 0.2 * confidence) *
    (1 + 0.1 * use) *
    (1 + 0.25 * pin)
  )
}

const share = (value: number) => Math.min(1, Math.max(0, value))
