// How alike two questions are, by their words alone: a stated measure that would rather miss than mistake.
import { fold } from '../../../core/text/fold.ts'
import { contentWords, wordsOf } from '../../../core/text/content-word.ts'

/** Words and neighbouring pairs of a question, folded, in their order, with repeats. */
function featuresOf(question: string): string[] {
  const words = wordsOf(question).map(fold)
  return [...words, ...words.slice(1).map((word, i) => `${words[i] ?? ''} ${word}`)]
}

/** Folded words that turn a question around. */
export const negations =
  /^(?:not?|never|without|nicht|kein|keine|ohne|pas|sans|jamais|sin|nunca|(?:do|does|did|is|are|was|were|can|could|will|would|should)n['’]?t|can['’]?t|won['’]?t)$/

/** What must be the same: words that tell something, numbers, and every "not". */
function marksOf(question: string): string {
  const plain = wordsOf(question).map(fold)
  const marks = plain.filter((word) => /\d/.test(word) || negations.test(word))
  return [...contentWords(question), ...marks].toSorted().join(' ')
}

/**
 * 0 to 1. Dice's coefficient 2 |A ∩ B| / (|A| + |B|) over words and neighbouring pairs, as multisets; 0 when the two differ
 * in any word that tells something, in a number or in a negation: "when is Ann's birthday" is not "when is Bob's birthday".
 */
export function questionLikeness(one: string, other: string): number {
  if (marksOf(one) !== marksOf(other)) return 0
  const a = featuresOf(one)
  const b = featuresOf(other)
  if (a.length + b.length === 0) return 0
  const left = new Map<string, number>()
  for (const feature of a) left.set(feature, (left.get(feature) ?? 0) + 1)
  let shared = 0
  for (const feature of b) {
    const n = left.get(feature) ?? 0
    if (n === 0) continue
    left.set(feature, n - 1)
    shared += 1
  }
  return (2 * shared) / (a.length + b.length)
}
