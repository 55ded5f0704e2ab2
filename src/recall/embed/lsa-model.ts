// A model of latent semantic analysis: for each term a vector in the book's main directions. The vector of a text
// is the sum of its terms' ("folding in", Deerwester et al. 1990), so new texts need no new model.
// Invariant: vectors always come from the stored, quantised model, so saving it changes nothing.
import type { EmbedPurpose } from '../../core/ports.ts'
import type { ModelPart } from '../../store/vector/model-store.ts'
import { quantise } from '../../store/vector/quantise.ts'
import { tokenize } from '../../store/word/tokenize.ts'
import { stopWords } from '../question-words.ts'
import { type SparseMatrix, truncatedSvd } from './truncated-svd.ts'

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
const minTerms = 20
/** At most one direction for this many texts or terms. */
const textsPerDimension = 6
/**
 * A model has at most this many terms, the most frequent ones; a term in more than this share of the texts has none.
 */
const maxTerms = 16_384
const maxDocumentShare = 0.5
const termsPerPart = 1000

/** ln((N + 1) / (n + 0.5)): N texts, n of them with the term. */
const inverseDocumentFrequency = (texts: number, documentFrequency: number) =>
  Math.log((texts + 1) / (documentFrequency + 0.5))

/** Computes the model of `texts` in steps; undefined when they are too few or have too little in common. */
export function* trainLsa(
  texts: readonly string[],
  dimensions: number,
): Generator<void, ModelPart[] | undefined> {
  if (texts.length < minTexts) return undefined
  const termCounts: Map<string, number>[] = []
  const documentFrequency = new Map<string, number>()
  for (const [i, text] of texts.entries()) {
    const terms = countTerms(text)
    termCounts.push(terms)
    for (const term of terms.keys()) documentFrequency.set(term, (documentFrequency.get(term) ?? 0) + 1)
    if (i % 20 === 19) yield
  }
  const vocabulary = [...documentFrequency]
    .filter(([, n]) => n > 1)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, maxTerms)
  yield
  const matrixTerms = vocabulary.filter(([, n]) => n <= maxDocumentShare * texts.length)
  if (matrixTerms.length < minTerms) return undefined
  const columnOf = new Map(
    matrixTerms.map(([term, n], i) => [term, { i, weight: inverseDocumentFrequency(texts.length, n) }]),
  )
  const matrix = yield* buildMatrix(termCounts, columnOf)
  // Only the main directions relate words: with all directions, a small book would separate every word.
  const rank = Math.min(
    dimensions,
    Math.floor(Math.min(texts.length, matrixTerms.length) / textsPerDimension),
  )
  const { vectors } = yield* truncatedSvd(matrix, rank)
  const parts: ModelPart[] = []
  for (let from = 0; from < vocabulary.length; from += termsPerPart) {
    const partTerms = vocabulary.slice(from, from + termsPerPart)
    const numbers = new Int8Array(partTerms.length * dimensions)
    const terms = partTerms.map(([term, n], at): [string, number, number] => {
      const weight = inverseDocumentFrequency(texts.length, n)
      const column = columnOf.get(term)
      const vector = new Float32Array(dimensions)
      if (column) vector.set(vectors.map((direction) => direction[column.i] as number))
      const { numbers: quantised, scale } = quantise(vector)
      numbers.set(quantised, at * dimensions)
      return [term, weight, scale]
    })
    // Stored, and read by `readLsa`: the terms with weight and scale, and for each a vector of `dimensions`
    // bytes.
    parts.push({ terms: JSON.stringify(terms), numbers: new Uint8Array(numbers.buffer) })
    yield
  }
  return parts
}

/** One row of length 1 for each text, one column for each term. */
function* buildMatrix(
  termCounts: readonly Map<string, number>[],
  columnOf: ReadonlyMap<string, { readonly i: number; readonly weight: number }>,
): Generator<void, SparseMatrix> {
  const starts = new Uint32Array(termCounts.length + 1)
  const columns: number[] = []
  const values: number[] = []
  for (const [row, terms] of termCounts.entries()) {
    let squares = 0
    for (const [term, count] of terms) {
      const column = columnOf.get(term)
      if (!column) continue
      const value = logTermFrequency(count) * column.weight
      columns.push(column.i)
      values.push(value)
      squares += value * value
    }
    const from = starts[row] as number
    const length = Math.sqrt(squares)
    for (let i = from; i < values.length; i++) values[i] = (values[i] as number) / length
    starts[row + 1] = values.length
    if (row % 100 === 99) yield
  }
  const width = columnOf.size
  return {
    rows: termCounts.length,
    width,
    starts,
    columns: Uint32Array.from(columns),
    values: Float64Array.from(values),
  }
}

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
function countTerms(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of tokenize(text)) {
    if (!stopStems.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  return counts
}

/** The weight of a term in its text (Salton and Buckley 1988). */
function logTermFrequency(count: number): number {
  return 1 + Math.log(count)
}
