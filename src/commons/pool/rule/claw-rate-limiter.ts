// Limits the envelopes of a claw per second.
// Invariant: an envelope counts at the time when it reached its carrier, so a late delivery of many envelopes is no
// flood, and envelopes of two seconds in turn count for both.

/** Most seconds of claws with a count; the least recent one is dropped. */
const maxCounts = 10_000

export class ClawRateLimiter {
  readonly #counts = new Map<string, number>()

  /**
   * Counts an envelope of the claw at `timeMs` (milliseconds since 1970 UTC). True if it is over `maxPerSecond` in that
   * second.
   */
  isOverLimit(claw: string, timeMs: number, maxPerSecond: number): boolean {
    const key = `${Math.floor(timeMs / 1000)} ${claw}`
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.delete(key)
    this.#counts.set(key, count)
    if (this.#counts.size > maxCounts) this.#counts.delete(this.#counts.keys().next().value ?? '')
    return count > maxPerSecond
  }
}
