// Computes a model of latent semantic analysis from the texts of a book. Loaded when a model is due.
// Invariant: from one `yield` to the next, the work takes a few milliseconds.
import type { ModelPart } from '../../store/vector/model-store.ts'
import { quantise } from '../../store/vector/quantise.ts'
import { countTerms, logTermFrequency, minTexts } from './lsa-model.ts'
import { type SparseMatrix, truncatedSvd } from './truncated-svd.ts'

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
