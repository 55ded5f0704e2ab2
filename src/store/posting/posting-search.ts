// The best documents for some terms, scored like FTS5's bm25().
// Invariant: the result is that of a search through all documents, and that of FTS5 apart from rounding (see bm25.ts).
import { gainOf, lengthNormOf, termWeight } from './bm25.ts'
import { BestDocuments } from './best-document.ts'
import type { IndexTotals } from './fts-index.ts'
import { frequencyOf, maxGain, isEntryOf, seekPosting } from './posting-list.ts'
import type { Postings } from './postings.ts'
import type { QueryTerm } from './window-scores.ts'

export interface ScoredRecord {
  readonly seq: number
  readonly score: number
  /** The terms of the question that the record has, each once, in order. */
  readonly matchedTerms: readonly string[]
}

/**
 * The `limit` best records with any of `terms`, by score, then the higher record number first. A repeated term adds
 * again.
 */
export type PostingSearch = (terms: readonly string[], totals: IndexTotals, limit: number) => ScoredRecord[]

/** A search over `postings` that reuses its memory between questions. */
export function createPostingSearch(postings: Postings, bestDocuments = new BestDocuments()): PostingSearch {
  return (terms, totals, limit) => {
    const averageSize = totals.terms / totals.rows
    const sizes = postings.sizes()
    const weights = new Map<string, number>()
    const queryTerms: QueryTerm[] = []
    for (const term of new Set(terms)) {
      const list = postings.list(term)
      const documentFrequency = postings.frequency(term)
      if (!list || documentFrequency === 0) continue
      const weightOfOne = termWeight(totals.rows, documentFrequency)
      weights.set(term, weightOfOne)
      const weight = weightOfOne * terms.filter((other) => other === term).length
      queryTerms.push({ list, weight, maxContribution: weight * maxGain(list, averageSize, sizes) })
    }
    queryTerms.sort((a, b) => b.maxContribution - a.maxContribution)
    const documents = bestDocuments.find(
      queryTerms,
      { sizes, averageSize, documentCount: postings.documentCount() },
      limit,
    )

    // Sum again in the order of the terms, like FTS5, so that rounding gives the same score.
    const steps = terms.flatMap((term) => {
      const list = postings.list(term)
      const weight = weights.get(term)
      return list && weight !== undefined ? [{ term, list, weight, at: 0 }] : []
    })
    const scored: ScoredRecord[] = []
    for (const document of documents) {
      const matchedTerms: string[] = []
      const lengthNorm = lengthNormOf(sizes[document] as number, averageSize)
      let score = 0
      for (const step of steps) {
        const { list, term, weight } = step
        const at = (step.at = seekPosting(list, document, step.at))
        if (!isEntryOf(list, at, document)) continue
        score += weight * gainOf(frequencyOf(list, at, document), lengthNorm)
        if (!matchedTerms.includes(term)) matchedTerms.push(term)
      }
      scored.push({ seq: postings.seqOf(document), score, matchedTerms })
    }
    return scored.sort((a, b) => b.score - a.score || b.seq - a.seq).slice(0, limit)
  }
}
