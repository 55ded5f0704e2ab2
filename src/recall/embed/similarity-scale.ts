// The scale of similarities. Cosines differ between models and books, so the scale is derived from the book.
// Invariant: `minSimilarity` of the user is used as it is.
import type { SimilarityDistribution } from '../../store/vector/vector-matrix.ts'

/** Thresholds of a question's similarities. */
export interface SimilarityScale {
  /** Lifts a record that another leg found. */
  readonly boostFrom: number
  /** Answers where another leg answers too. */
  readonly matchFrom: number
  /** Answers alone. */
  readonly aloneFrom: number
  /** Strength 1. */
  readonly fullStrengthAt: number
}

/** Fewer vectors don't tell the usual similarity. */
const minVectors = 20
/** Then the reach is that of most sentence models, from 0 on. */
const defaultSpread = 0.3
/** If full text answers, the question is about the book: a little less than the best by chance is enough. */
const matchFactor = 0.75
/** If full text doesn't answer, a record must be this many times further from the mean than the best by chance. */
const aloneFactor = 1.5
/** The distance of a full answer from the user's `minSimilarity`. */
const fullStrengthDistance = 0.5
/** Least deviation, for vectors that are nearly equal. */
const minDeviation = 0.01

/**
 * The best of N similarities by chance is about mean + reach, with reach = deviation × √(2 ln N) (the extreme of N
 * normal numbers). `matchFrom` is at 0.75 × the reach, `boostFrom` at half of that, `aloneFrom` at 1.5 ×, and
 * `fullStrengthAt` at 3 ×.
 */
export function similarityScale(
  minSimilarity: number | undefined,
  spread: SimilarityDistribution,
): SimilarityScale {
  const { count, mean, deviation } = spread
  if (minSimilarity !== undefined) {
    const boostFrom = minSimilarity > 0 ? minSimilarity / 2 : minSimilarity
    return {
      boostFrom,
      matchFrom: minSimilarity,
      aloneFrom: minSimilarity,
      fullStrengthAt: minSimilarity + fullStrengthDistance,
    }
  }
  const isEnough = count >= minVectors
  const baseline = isEnough ? mean : 0
  const chanceSpread = isEnough
    ? Math.max(deviation, minDeviation) * Math.sqrt(2 * Math.log(count))
    : defaultSpread
  return {
    boostFrom: baseline + (matchFactor / 2) * chanceSpread,
    matchFrom: Math.min(1, baseline + matchFactor * chanceSpread),
    aloneFrom: Math.min(1, baseline + aloneFactor * chanceSpread),
    fullStrengthAt: Math.min(1, baseline + 3 * chanceSpread),
  }
}
