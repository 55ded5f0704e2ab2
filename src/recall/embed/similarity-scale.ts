// The scale of similarities. Cosines differ between models and books, so the scale is derived from the book.
// Invariant: `minSimilarity` of the user is used as it is.
import type { Embedder } from '../../core/ports.ts'
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

/**
 * Highest limits of a centred embedder where only vectors answer. In a book where most records answer, mean and deviation
 * say nothing about chance. With `meaning`, the best of 200 unrelated records has at most 0.3.
 */
const loneLimits = { boostFrom: 0.3, matchFrom: 0.4, aloneFrom: 0.6 }

/** Fewer vectors don't show the usual similarity. */
const minVectors = 20
/** The reach with fewer vectors: that of most sentence models, around a mean of 0. */
const defaultReach = 0.3
/** If full text answers, the question is about the book: less than the best by chance is enough. */
const matchFactor = 0.6
/** If full text doesn't answer, a record must be this many times further from the mean than the best by chance. */
const aloneFactor = 1.75
/** The distance of a full answer from the user's `minSimilarity`. */
const fullStrengthDistance = 0.5
/** Least deviation, for vectors that are nearly equal. */
const minDeviation = 0.01

/**
 * The best of N similarities by chance is about mean + reach, with reach = deviation × √(2 ln N) (the extreme of N
 * normal numbers). `matchFrom` is at 0.6 × the reach, `boostFrom` at half of that, `aloneFrom` at 1.75 ×, and
 * `fullStrengthAt` at 3 ×. A `minSimilarity` of the user replaces `matchFrom` and `aloneFrom`.
 */
export function similarityScale(
  minSimilarity: number | undefined,
  { count, mean, deviation }: SimilarityDistribution,
): SimilarityScale {
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
  const reach = isEnough ? Math.max(deviation, minDeviation) * Math.sqrt(2 * Math.log(count)) : defaultReach
  return {
    boostFrom: baseline + (matchFactor / 2) * reach,
    matchFrom: Math.min(1, baseline + matchFactor * reach),
    aloneFrom: Math.min(1, baseline + aloneFactor * reach),
    fullStrengthAt: Math.min(1, baseline + 3 * reach),
  }
}

/** The scale of `embedder` for a question that only vectors answer. `scale`: from `similarityScale`. */
export function loneScale(
  scale: SimilarityScale,
  { minSimilarity, isCentred = false }: Partial<Pick<Embedder, 'minSimilarity' | 'isCentred'>>,
): SimilarityScale {
  if (!isCentred || minSimilarity !== undefined) return scale
  return {
    boostFrom: Math.min(loneLimits.boostFrom, scale.boostFrom),
    matchFrom: Math.min(loneLimits.matchFrom, scale.matchFrom),
    aloneFrom: Math.min(loneLimits.aloneFrom, scale.aloneFrom),
    fullStrengthAt: scale.fullStrengthAt,
  }
}
