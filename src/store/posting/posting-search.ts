// The best documents for some terms, scored like FTS5's bm25() (k1 1.2, b 0.75, rarity at least 1e-6).
// Invariant: the result is exact, bit by bit that of FTS5.
import { BestDocuments } from './best-document.ts'
import type { IndexTotals } from './fts-index.ts'
import { frequencyOf, highestGain, isAt, seekPosting } from './posting-list.ts'
import type { Postings } from './postings.ts'
import type { Walk } from './window-scores.ts'

export interface Scored {
  readonly seq: number
  readonly score: number
  /** The terms of the question that the record has, each once, in order. */
  readonly has: readonly string[]
}

/**
 * The `limit` best records with any of `terms`, by score, then the higher record number first. A repeated term adds
 * again.
 */
export type PostingSearch = (terms: readonly string[], totals: IndexTotals, limit: number) => Scored[]

/** A search over `postings` that reuses its memory between questions. */
export function createPostingSearch(postings: Postings, best = new BestDocuments()): PostingSearch {
  return (terms, totals, limit) => {
    const average = totals.terms / totals.rows
    const sizes = postings.sizes()
    const weights = new Map<string, number>()
    const walks: Walk[] = []
    for (const term of new Set(terms)) {
      const list = postings.list(term)
      const having = postings.frequency(term)
      if (!list || having === 0) continue
      const rarity = Math.log((totals.rows - having + 0.5) / (having + 0.5))
      weights.set(term, rarity > 0 ? rarity : 1e-6)
      const weight = (rarity > 0 ? rarity : 1e-6) * terms.filter((one) => one === term).length
      walks.push({ list, weight, bound: weight * highestGain(list, average, sizes) })
    }
    walks.sort((a, b) => b.bound - a.bound)
    const documents = best.find(walks, { sizes, average, documents: postings.documents() }, limit)

    // Sum again in the order of the terms, like FTS5, so that rounding gives the same score.
    const steps = terms.flatMap((term) => {
      const list = postings.list(term)
      const weight = weights.get(term)
      return list && weight !== undefined ? [{ term, list, weight, at: 0 }] : []
    })
    const scored: Scored[] = []
    for (const document of documents) {
      const has: string[] = []
      const base = 1.2 * (1 - 0.75 + (0.75 * (sizes[document] as number)) / average)
      let score = 0
      for (const step of steps) {
        const { list, term, weight } = step
        const at = (step.at = seekPosting(list, document, step.at))
        if (!isAt(list, at, document)) continue
        const frequency = frequencyOf(list, at, document)
        score += weight * ((frequency * (1.2 + 1.0)) / (frequency + base))
        if (!has.includes(term)) has.push(term)
      }
      scored.push({ seq: postings.seqOf(document), score, has })
    }
    return scored.sort((a, b) => b.score - a.score || b.seq - a.seq).slice(0, limit)
  }
}
