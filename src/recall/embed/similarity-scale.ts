// The scale of similarities. Cosines differ between models and books, so the scale is derived from the book.
// Invariant: `minSimilarity` of the user is used as it is.
import type { Spread } from '../../store/vector/vector-matrix.ts'

/** Thresholds of a question's similarities. */
export interface SimilarityScale {
  /** Lifts a record that another leg found. */
  readonly lowest: number
  /** Answers where another leg answers too. */
  readonly least: number
  /** Answers alone. */
  readonly sure: number
  /** Strength 1. */
  readonly full: number
}

/** Fewer vectors don't tell the usual similarity. */
const fewVectors = 20
/** Then the reach is that of most sentence models, from 0 on. */
const unknownLeast = 0.3
/** If full text answers, the question is about the book: a little less than the best by chance is enough. */
const leastTimes = 0.75
/** If full text doesn't answer, a record must be this many times further from the mean than the best by chance. */
const sureTimes = 1.5
/** The distance of a full answer from the user's `minSimilarity`. */
const fullSpan = 0.5
/** Least deviation, for vectors that are nearly equal. */
const leastDeviation = 0.01

/**
 * The best of N similarities by chance is about mean + reach, with reach = deviation × √(2 ln N) (the extreme of N normal
 * numbers). `least` is at 0.75 × the reach, `lowest` at half of that, `sure` at 1.5 ×, and `full` at 3 ×.
 */
export function similarityScale(named: number | undefined, spread: Spread): SimilarityScale {
  const { count, mean, deviation } = spread
  if (named !== undefined) {
    const lowest = named > 0 ? named / 2 : named
    return { lowest, least: named, sure: named, full: named + fullSpan }
  }
  const isEnough = count >= fewVectors
  const usual = isEnough ? mean : 0
  const reach = isEnough ? Math.max(deviation, leastDeviation) * Math.sqrt(2 * Math.log(count)) : unknownLeast
  return {
    lowest: usual + (leastTimes / 2) * reach,
    least: Math.min(1, usual + leastTimes * reach),
    sure: Math.min(1, usual + sureTimes * reach),
    full: Math.min(1, usual + 3 * reach),
  }
}
