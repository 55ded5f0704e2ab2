// One scale for the hits of several books. A book weighs the words of a question by how rare they are in it, so a
// word that is rare in a small book counts there for much, and in a large one for little. Here each word has one
// weight, by all books together. Pure.
import type { RecallHit, WordCount } from '../../core/capability/port/recall-port.ts'
import { minRecordsForWeights, wordWeight } from '../../core/text/word-weight.ts'

/** The words of a question, from an answer: see `RecallResult`. An older book's answer has none. */
export interface KnownWords {
  readonly words?: readonly WordCount[] | undefined
  readonly indexed?: number | undefined
}

/**
 * Returns the function from an answer to the factor of each of its hits: √(coverage by joint weights ÷ coverage by the
 * weights of its own book), because the score of a hit grows with the root of its coverage. A hit without words of its
 * own has the mean factor of its book's others; 1 without others, or if an answer has no words.
 */
export function createJointScale(
  answers: readonly KnownWords[],
): (answer: KnownWords, hits: readonly RecallHit[]) => number[] {
  const having = new Map<string, number>()
  let records = 0
  for (const { words = [], indexed = 0 } of answers) {
    records += indexed
    for (const { word, records: count } of words) having.set(word, (having.get(word) ?? 0) + count)
  }
  const jointSize = Math.max(minRecordsForWeights, records)
  return ({ words = [], indexed = 0 }, hits) => {
    const ownSize = Math.max(minRecordsForWeights, indexed)
    const own = new Map(words.map(({ word, records: count }) => [word, wordWeight(ownSize, count)]))
    const joint = new Map(words.map(({ word }) => [word, wordWeight(jointSize, having.get(word) ?? 0)]))
    const factors = hits.map(({ because: { text } }) => {
      const ownShare = text ? shareOf(own, text.words) : 0
      return text && ownShare > 0 ? Math.sqrt(shareOf(joint, text.words) / ownShare) : undefined
    })
    const measured = factors.filter((one) => one !== undefined)
    const mean = measured.length === 0 ? 1 : measured.reduce((sum, one) => sum + one, 0) / measured.length
    return factors.map((one) => one ?? mean)
  }
}

/** The share of `words` in the weight of all words, 0 to 1. */
function shareOf(weights: ReadonlyMap<string, number>, words: readonly string[]): number {
  let total = 0
  for (const weight of weights.values()) total += weight
  let sum = 0
  for (const word of words) sum += weights.get(word) ?? 0
  return total > 0 ? sum / total : 0
}
