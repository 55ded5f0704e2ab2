// A model of latent semantic analysis: for each term a vector in the book's main directions. The vector of a text
// is the sum of its terms' ("folding in", Deerwester et al. 1990), so new texts need no new model.
// Invariant: vectors always come from the stored, quantised model, so saving it changes nothing.
import type { EmbedPurpose } from '../../core/ports.ts'
import type { ModelPart } from '../../store/vector/model-store.ts'
import { tokenize } from '../../store/word/tokenize.ts'
import { stopWords } from '../question-words.ts'

export interface LsaModel {
  readonly dimensions: number
  /**
   * Length 1, or all zeros if no term of the text has a vector. A question with unknown terms gets a shorter
   * vector in proportion: a text that shares one word with a long question doesn't answer it.
   */
  embed(text: string, purpose: EmbedPurpose): Float32Array
}

/** With fewer texts a model is useless. */
export const minTexts = 32
/** Reads a stored model. A term that it lacks weighs as much as its heaviest term. */
export function readLsa(parts: readonly ModelPart[], dimensions: number): LsaModel {
  const storedTerms = new Map<string, { at: number; weight: number; scale: number }>()
  const numbers = new Int8Array(parts.reduce((sum, part) => sum + part.numbers.length, 0))
  let from = 0
  let unknownTermWeight = 0
  for (const part of parts) {
    numbers.set(new Int8Array(part.numbers.buffer, part.numbers.byteOffset, part.numbers.length), from)
    for (const [i, [term, weight, scale]] of (
      JSON.parse(part.terms) as [string, number, number][]
    ).entries()) {
      storedTerms.set(term, { at: from + i * dimensions, weight, scale })
      unknownTermWeight = Math.max(unknownTermWeight, weight)
    }
    from += part.numbers.length
  }
  return {
    dimensions,
    embed(text, purpose) {
      const vector = new Float32Array(dimensions)
      let totalWeight = 0
      let knownWeight = 0
      for (const [term, count] of countTerms(text)) {
        const storedTerm = storedTerms.get(term)
        const weight = logTermFrequency(count) * (storedTerm?.weight ?? unknownTermWeight)
        totalWeight += weight * weight
        if (!storedTerm) continue
        knownWeight += weight * weight
        const factor = weight * storedTerm.scale
        if (factor === 0) continue
        for (let k = 0; k < dimensions; k++)
          vector[k] = (vector[k] as number) + factor * (numbers[storedTerm.at + k] as number)
      }
      const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
      if (length === 0) return vector
      const scaleFactor = (purpose === 'question' ? Math.sqrt(knownWeight / totalWeight) : 1) / length
      return vector.map((value) => value * scaleFactor)
    },
  }
}

const stopStems = new Set([...stopWords].flatMap((word) => tokenize(word)))

/** How often `text` has each term of the text index, without stop words. */
export function countTerms(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of tokenize(text)) {
    if (!stopStems.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  return counts
}

/** The weight of a term in its text (Salton and Buckley 1988). */
export function logTermFrequency(count: number): number {
  return 1 + Math.log(count)
}
