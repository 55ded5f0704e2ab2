// From candidates to hits: pure arithmetic, the same on every host. Every part of a score is kept for `because`.
import type { Because } from '../core/capability.ts'

export interface FuseInput<Item> {
  readonly item: Item
  readonly bm25: number
  readonly rank: number
  /** The question's words that the record has, as the index spells them. */
  readonly words: readonly string[]
  /** Milliseconds since the record happened; negative when it lies ahead. */
  readonly ageMs: number
}

export interface Fused<Item> {
  readonly item: Item
  readonly score: number
  readonly because: Because
}

/** Half of the recency part is gone after this long. */
export const recencyHalfLifeMs = 30 * 86_400_000
/** How much of a score recency may decide. */
export const recencyShare = 0.1
/** A record that has less than this share of the question's weight is not an answer to it. */
export const coverageFloor = 0.12

/**
 * Weight of a word: BM25's inverse document frequency `ln(1 + (N − n + 0.5) / (n + 0.5))` (Robertson & Spärck Jones),
 * with N records in the book and n of them having the word.
 */
export function wordWeight(records: number, having: number): number {
  return Math.log(1 + (Math.max(records, having) - having + 0.5) / (having + 0.5))
}

/**
 * Scores and orders candidates. `weights` gives every word of the question its weight.
 *
 * text = √(coverage × bm25 / best bm25); score = text × (1 − share + share × 2^(−age / half-life)).
 * Coverage is the weight of the matched words over the weight of all words, so a record that shares only a
 * common word with a long question scores near nothing, and below `coverageFloor` is dropped.
 */
export function fuse<Item>(
  candidates: readonly FuseInput<Item>[],
  weights: ReadonlyMap<string, number>,
  options: { limit: number; minScore: number },
): Fused<Item>[] {
  const total = sum(weights.values())
  const best = Math.max(0, ...candidates.map(({ bm25 }) => bm25))
  const fused = candidates.map(({ item, bm25, rank, words, ageMs }) => {
    const coverage = total > 0 ? sum(words.map((word) => weights.get(word) ?? 0)) / total : 0
    const recency = 2 ** (-Math.max(0, ageMs) / recencyHalfLifeMs)
    const text = best > 0 ? Math.sqrt(coverage * (bm25 / best)) : coverage
    const score = text * (1 - recencyShare + recencyShare * recency)
    return { item, score, because: { text: { rank, bm25, coverage, words: [...words] }, recency } }
  })
  return fused
    .filter(({ score, because }) => because.text.coverage >= coverageFloor && score >= options.minScore)
    .sort((a, b) => b.score - a.score || a.because.text.rank - b.because.text.rank)
    .slice(0, options.limit)
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
