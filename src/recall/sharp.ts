// The sharp cut: only what stands out. For callers who put hits straight into a prompt, where a hit that only shares a word
// with the question does harm. Pure.

/** A drop of less than this share of the best score parts nothing. */
export const leastDrop = 0.2

/** How many of `scores`, which are in their order, come before the largest drop to the next; all when none is large enough. */
export function sharpCut(scores: readonly number[]): number {
  const [best = 0] = scores
  let count = scores.length
  let largest = leastDrop * best
  for (let i = 1; i < scores.length; i++) {
    const drop = (scores[i - 1] ?? 0) - (scores[i] ?? 0)
    if (drop < largest || drop === 0) continue
    largest = drop
    count = i
  }
  return count
}
