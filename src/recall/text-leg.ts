// The leg of full text: records that have any of the question's words, ranked by BM25.
import type { BookStore } from '../store/book-store.ts'
import type { Candidate } from '../store/query-store.ts'
import { textOf } from '../store/text.ts'
import { tokenize } from '../store/tokenize.ts'
import { wordWeight } from './fuse.ts'
import type { Leg } from './leg.ts'

/** A record that has less than this share of the question's weight is not an answer to it. */
export const coverageFloor = 0.12

/**
 * strength = √(coverage × bm25 / best bm25). Coverage is the weight of the matched words over the weight of all words,
 * so a record that shares only a common word with a long question is near nothing, and below `coverageFloor` no answer.
 */
export function createTextLeg(store: BookStore): Leg<'text'> {
  return {
    name: 'text',
    weight: 1,
    find({ words, match, limit, scope }) {
      const found = words.length === 0 ? [] : store.queries.candidates({ ...scope, words, match, limit })
      if (found.length === 0) return { candidates: [], found: 0 }
      const stems = [...new Set(words.flatMap((word) => tokenize(word)))]
      const frequencies = store.queries.frequencies(stems)
      const records = store.queries.size()
      const weights = new Map(stems.map((stem) => [stem, wordWeight(records, frequencies.get(stem) ?? 0)]))
      const total = sum(weights.values())
      const best = Math.max(0, ...found.map(({ score }) => score))
      const stemsOf = stemReader(store, stems, found)
      const candidates = found.map((candidate) => {
        const { seq, rank, score: bm25 } = candidate
        const has = stemsOf(candidate)
        const coverage = total > 0 ? sum(has.map((word) => weights.get(word) ?? 0)) / total : 0
        const strength = best > 0 ? Math.sqrt(coverage * (bm25 / best)) : coverage
        const because = { rank, bm25, coverage, words: [...has] }
        return { seq, rank, strength, answers: coverage >= coverageFloor, because }
      })
      return { candidates, found: found.length }
    },
  }
}

/** Which of `stems` a candidate has: as the ranking saw it, or else from the text of its record. */
function stemReader(store: BookStore, stems: readonly string[], found: readonly Candidate[]) {
  const unknown = found.filter(({ has }) => has === undefined).map(({ seq }) => seq)
  const read = unknown.length > 0 ? store.queries.read(unknown) : undefined
  return ({ seq, kind: name, happenedAt, has }: Candidate): readonly string[] => {
    if (has) return has
    const kind = store.kinds.get(name)
    const record = read?.get(seq)
    if (!kind || !record) return []
    const terms = new Set(textOf(kind, record, happenedAt).flatMap((field) => tokenize(field)))
    return stems.filter((stem) => terms.has(stem))
  }
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
