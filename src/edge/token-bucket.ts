// A token bucket: it gives a burst at once and so many more each second. Invariant: a clock that was set back fills nothing,
// and a name whose bucket is full again takes no memory.
import type { Clock } from '../core/ports.ts'

export interface Rate {
  /** How many may come at once. */
  readonly burst: number
  /** How many more each second. */
  readonly perSecond: number
}

export interface Bucket {
  readonly left: number
  readonly atMs: number
}

/** What is in a bucket now; one that is not known is full. */
export function leftIn(bucket: Bucket | undefined, { burst, perSecond }: Rate, nowMs: number): number {
  if (!bucket) return burst
  const passedS = Math.max(0, nowMs - bucket.atMs) / 1000
  return Math.min(burst, bucket.left + passedS * perSecond)
}

/** Buckets by name, in memory. */
export class TokenBuckets {
  readonly #rate: Rate
  readonly #clock: Clock
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate
    this.#clock = clock
  }

  /** Takes `cost` out of the bucket of `name`; false where it has less, and then nothing is left in it. */
  take(name: string, cost = 1): boolean {
    const nowMs = this.#clock.now()
    const left = leftIn(this.#buckets.get(name), this.#rate, nowMs)
    // Behind the others: those that took nothing for long stand first, and are full again.
    this.#buckets.delete(name)
    this.#buckets.set(name, { left: Math.max(0, left - cost), atMs: nowMs })
    this.#forgetFull(nowMs)
    return left >= cost
  }

  #forgetFull(nowMs: number): void {
    const fullAfterMs = (this.#rate.burst / this.#rate.perSecond) * 1000
    for (const [name, { atMs }] of this.#buckets) {
      if (nowMs - atMs < fullAfterMs) return
      this.#buckets.delete(name)
    }
  }
}
