// What a question looks for, and how much a text that has it gains: BM25, for whoever measures a text by a question.

/** What a question looks for, for whoever measures a text by it. */
export interface Asked {
  /** The place of each term in `weights`. */
  readonly places: ReadonlyMap<string, number>
  readonly weights: Float64Array
  readonly telling: Float64Array
  readonly totalTelling: number
}

/** BM25's k1 and b, as FTS5 has them. */
const k1 = 1.2
const b = 0.75

/** What a word adds to the score of a text that has it `count` times and is `length` times as long as the average. */
export function gain(count: number, length: number): number {
  return count === 0 ? 0 : (count * (k1 + 1)) / (count + k1 * (1 - b + b * length))
}
