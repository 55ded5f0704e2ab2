// Limits the envelopes of a claw per second.
// Invariant: an envelope counts at the time when it reached its carrier, so a late delivery of many envelopes is no
// flood.

/** Most claws with a count; the least recent one is dropped. */
const maxClaws = 10_000

export class ClawRateLimiter {
  readonly #counts = new Map<string, { second: number; count: number }>()

  /**
   * Counts an envelope of the claw at `timeMs` (milliseconds since 1970 UTC). True if it is over `maxPerSecond` in that
   * second.
   */
  isOverLimit(claw: string, timeMs: number, maxPerSecond: number): boolean {
    const second = Math.floor(timeMs / 1000)
    const last = this.#counts.get(claw)
    const count = last?.second === second ? last.count + 1 : 1
    this.#counts.delete(claw)
    this.#counts.set(claw, { second, count })
    if (this.#counts.size > maxClaws) this.#counts.delete(this.#counts.keys().next().value ?? '')
    return count > maxPerSecond
  }
}
