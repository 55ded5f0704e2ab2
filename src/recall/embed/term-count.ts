// The terms of a text as latent semantic analysis counts them: stems as the text index has them, without stop words.
import { tokenize } from '../../store/word/tokenize.ts'
import { stopWords } from '../../store/word/stop-words.ts'

const stopStems = new Set([...stopWords].flatMap((word) => tokenize(word)))

/** Each term of `text` and how often it stands there. */
export function countTerms(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of tokenize(text)) {
    if (!stopStems.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  return counts
}

/** What a term weighs in its text: 1 + ln(how often) (Salton and Buckley 1988). */
export function frequencyWeight(count: number): number {
  return 1 + Math.log(count)
}
