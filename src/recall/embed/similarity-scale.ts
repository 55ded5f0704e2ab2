// How similar is similar: what a cosine means differs from model to model and from book to book, so it is read off the book.
// Invariant: a similarity that somebody named is taken as it is; only where none is named is one derived.
import type { Spread } from '../../store/vector/vector-matrix.ts'

/** Similarities of a question, from the lowest that counts to the one that is a full answer. */
export interface SimilarityScale {
  /** Lifts what another leg found. */
  readonly lowest: number
  /** Answers where another leg answers too. */
  readonly least: number
  /** Answers where nothing else does. */
  readonly sure: number
  /** Strength 1. */
  readonly full: number
}

/** A book of fewer vectors says nothing of what is usual. */
const fewVectors = 20
/** Then a similarity is measured by what is usual for most models of sentences, from 0 on. */
const unknownLeast = 0.3
/** Where full text answers, the question is about the book, so a little less than the best of chance is enough. */
const leastTimes = 0.75
/** As many times further from the usual as the best of chance must be what answers although no word of it is in the book. */
const sureTimes = 1.5
/** How far above the least a full answer is, of a named similarity. */
const fullSpan = 0.5
/** Vectors that are nearly all alike still differ by so much. */
const leastDeviation = 0.01

/**
 * From what is usual: of N similarities with a mean and a standard deviation, the best by chance is about
 * mean + reach, reach = deviation × √(2 ln N) (the extreme of N normal numbers). 0.75 of the reach is the least, half of
 * that lifts, 1.5 × the reach is sure, and 3 × is a full answer.
 */
export function similarityScale(named: number | undefined, spread: Spread): SimilarityScale {
  const { count, mean, deviation } = spread
  if (named !== undefined) {
    const lowest = named > 0 ? named / 2 : named
    return { lowest, least: named, sure: named, full: named + fullSpan }
  }
  const isKnown = count >= fewVectors
  const usual = isKnown ? mean : 0
  const reach = isKnown ? Math.max(deviation, leastDeviation) * Math.sqrt(2 * Math.log(count)) : unknownLeast
  return {
    lowest: usual + (leastTimes / 2) * reach,
    least: Math.min(1, usual + leastTimes * reach),
    sure: Math.min(1, usual + sureTimes * reach),
    full: Math.min(1, usual + 3 * reach),
  }
}
