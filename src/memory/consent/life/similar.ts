// How alike two memories are by their words: those of more than three letters, of which both have at least half.
// Pure: the likeness is that of Jaccard, common words over all of them.
import { fold } from '../../../core/text/fold.ts'

/** From here on two memories count as similar; by vectors from the second on. */
export const likeness = { words: 0.5, vectors: 0.8 } as const

const word = /[\p{L}\p{N}]{4,}/gu

export function wordsOf(content: string): ReadonlySet<string> {
  return new Set(Array.from(content.matchAll(word), ([found]) => fold(found)))
}

/** 0 to 1; 0 where either has no word that counts. */
export function alike(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0
  let common = 0
  for (const each of one) if (other.has(each)) common += 1
  return common / (one.size + other.size - common)
}
