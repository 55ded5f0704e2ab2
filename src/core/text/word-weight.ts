// The weight of a word of a question, for recall and for `daybook/across`.

/** A smaller book weighs words as if it had this many records: few records don't show how rare a word is. */
export const minRecordsForWeights = 100

/**
 * Weight of a word: BM25's inverse document frequency `ln(1 + (N − n + 0.5) / (n + 0.5))` (Robertson & Spärck Jones),
 * with N records in the book and n of them having the word.
 */
export function wordWeight(records: number, documentFrequency: number): number {
  return Math.log(
    1 + (Math.max(records, documentFrequency) - documentFrequency + 0.5) / (documentFrequency + 0.5),
  )
}
