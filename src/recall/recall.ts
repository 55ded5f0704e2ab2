// Recall: from a question in plain words to the records that answer it, with the reasons. Works with no model.
// Invariant: scope and filters act inside the candidate query; the limit acts last, on what is returned.
import type { RecallHit, RecallQuery, RecallResult } from '../core/capability.ts'
import type { Clock } from '../core/ports.ts'
import { parseTime } from '../core/time.ts'
import type { BookStore } from '../store/book-store.ts'
import type { Candidate } from '../store/query-store.ts'
import { wordsOf } from '../store/text-query.ts'
import { textOf } from '../store/text.ts'
import { tokenize } from '../store/tokenize.ts'
import { fuse, wordWeight } from './fuse.ts'
import { stopWords } from './stop-words.ts'

/** How many candidates a leg brings; many times what is usually returned, because fusion reorders them. */
const candidateLimit = 200

/** Answers `query` from `store`. No words to look for, or nothing that fits, is an empty list of hits. */
export function recall(store: BookStore, clock: Clock, query: RecallQuery): RecallResult {
  const began = clock.now()
  const { text, limit = 10, minScore = 0, ...narrow } = query
  const { words, match } = questionWords(text)
  const found =
    words.length > 0 ? store.queries.candidates({ ...narrow, words, match, limit: candidateLimit }) : []
  const hits = found.length === 0 ? [] : rank(store, began, words, found, { limit, minScore })
  return { hits, legs: { text: found.length }, degraded: [], took: clock.now() - began }
}

function rank(
  store: BookStore,
  now: number,
  words: readonly string[],
  found: readonly Candidate[],
  options: { limit: number; minScore: number },
): RecallHit[] {
  const stems = [...new Set(words.flatMap((word) => tokenize(word)))]
  const frequencies = store.queries.frequencies(stems)
  const records = store.queries.size()
  const weights = new Map(stems.map((stem) => [stem, wordWeight(records, frequencies.get(stem) ?? 0)]))
  const stemsOf = stemReader(store, stems, found)
  const candidates = found.map((item) => ({
    item,
    bm25: item.score,
    rank: item.rank,
    words: stemsOf(item),
    ageMs: now - (parseTime(item.happenedAt) ?? now),
  }))
  const fused = fuse(candidates, weights, options)
  const read = store.queries.read(fused.map(({ item }) => item.seq))
  return fused.flatMap(({ item, ...hit }) => {
    const record = read.get(item.seq)
    return record ? [{ record, ...hit }] : []
  })
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

/** The words to look for: without stop words. A question of nothing else must be met whole. */
function questionWords(text: string): { words: string[]; match: 'any' | 'all' } {
  const words = wordsOf(text)
  const telling = words.filter((word) => !stopWords.has(word))
  return telling.length > 0 ? { words: telling, match: 'any' } : { words, match: 'all' }
}
