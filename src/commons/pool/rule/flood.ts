// Limits the envelopes of a claw per second. Invariant: an envelope counts at the time it reached its carrier, so catching up is
// no flood.

/** Most claws with a count; the least recent one is dropped. */
const clawLimit = 10_000

export class Flood {
  readonly #counts = new Map<string, { second: number; count: number }>()

  /** True when this is more than `limit` of the claw in the second of `at` (milliseconds). */
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
