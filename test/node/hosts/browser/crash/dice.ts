// Numbers from a seed: mulberry32, good enough to choose where to cut.

export interface Dice {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number
}

export function createDice(seed: number): Dice {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  return {
    below(limit) {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
    },
  }
}
