// Bounds how many envelopes of a claw are taken in a second. Invariant: what a carrier has kept for a while counts by when it
// reached that carrier, so that catching up is no flood.

/** As many claws are counted at once; the one that was heard of longest ago is forgotten. */
const clawLimit = 10_000

export class Flood {
  readonly #counts = new Map<string, { second: number; count: number }>()

  /** True when this is more than `limit` of the claw in the second of `at` (milliseconds). */
  isOver(claw: string, at: number, limit: number): boolean {
    const second = Math.floor(at / 1000)
    const known = this.#counts.get(claw)
    const count = known?.second === second ? known.count + 1 : 1
    this.#counts.delete(claw)
    this.#counts.set(claw, { second, count })
    if (this.#counts.size > clawLimit) this.#counts.delete(this.#counts.keys().next().value ?? '')
    return count > limit
  }
}
