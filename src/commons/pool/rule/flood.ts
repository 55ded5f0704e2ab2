// Limits the envelopes of a claw per second.
// Invariant: an envelope counts at the time when it reached its carrier, so a late delivery of many envelopes is no
// flood.

/** Most claws with a count; the least recent one is dropped. */
const clawLimit = 10_000

export class Flood {
  readonly #counts = new Map<string, { second: number; count: number }>()

  /**
   * Counts an envelope of the claw at `at` (milliseconds since 1970 UTC). True if it is over `limit` in that
   * second.
   */
  isOver(claw: string, at: number, limit: number): boolean {
    const second = Math.floor(at / 1000)
    const last = this.#counts.get(claw)
    const count = last?.second === second ? last.count + 1 : 1
    this.#counts.delete(claw)
    this.#counts.set(claw, { second, count })
    if (this.#counts.size > clawLimit) this.#counts.delete(this.#counts.keys().next().value ?? '')
    return count > limit
  }
}
