// Numbers from a seed: mulberry32, good enough to choose where to cut and what happens next.

/** Numbers from 0 to below 1, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Dice {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number
}

/** Neighbouring seeds have nothing in common. */
export function createDice(seed: number): Dice {
  const random = createRandom(Math.imul(seed, 0x9e3779b1))
  return { below: (limit) => Math.floor(random() * limit) }
}
