// BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), with the constants of FTS5's bm25().
// Invariant: the operations come in the order of FTS5, whose bm25() is the negative of the sum of `weight × gain`. The
// last digits may differ, because SQLite's logarithm may round differently from `Math.log`.

/** How much repetitions of a term count. */
export const k1 = 1.2
/** How much the length of a text counts, from 0 to 1. */
export const b = 0.75
/** The weight of a term that half of the records or more have: the formula would make it 0 or negative. */
const minWeight = 1e-6

/** The weight of a term that `frequency` of `rows` records have: the rarer, the higher. */
export function termWeight(rows: number, frequency: number): number {
  const weight = Math.log((rows - frequency + 0.5) / (frequency + 0.5))
  return weight > 0 ? weight : minWeight
}

/** How much a text of `size` terms, where the average has `averageSize`, dampens the gain of a term. */
export const lengthNormOf = (size: number, averageSize: number): number =>
  k1 * (1 - b + (b * size) / averageSize)

/** The gain of a term that occurs `frequency` times in a text: below `maxGainOfTerm`. */
export const gainOf = (frequency: number, lengthNorm: number): number =>
  (frequency * (k1 + 1)) / (frequency + lengthNorm)

/** The limit of the gain for many repetitions. */
export const maxGainOfTerm = k1 + 1
