// Rules for hits that recall follows in one book, and `daybook/across` over several.

/** The least drop at which the sharp cut cuts, as a share of the best score. */
export const minDrop = 0.2

/**
 * The sharp cut: how many of the sorted `scores` come before the largest drop; all scores if no drop is large enough.
 * For callers that put hits into a prompt, where a hit that shares only a word with the question does harm.
 */
export function sharpCut(scores: readonly number[]): number {
  const [best = 0] = scores
  let count = scores.length
  let largest = minDrop * best
  for (let i = 1; i < scores.length; i++) {
    const drop = (scores[i - 1] ?? 0) - (scores[i] ?? 0)
    if (drop < largest || drop === 0) continue
    largest = drop
    count = i
  }
  return count
}

/** Two records of a list or an order are one event if they are less than this apart. */
export const sameEventMs = 60_000
