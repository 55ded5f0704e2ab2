// The best documents for some terms, scored as FTS5's bm25() scores them (k1 1.2, b 0.75, rare terms never below 0).
// Invariant: exact. What is left out can't reach the best, whatever the lists that were not walked say about it.
import type { IndexTotals } from './index-totals.ts'
import { frequencyAt, highestGain, type PostingList, seekPosting } from './posting-list.ts'
import type { Postings } from './postings.ts'

export interface Scored {
  readonly seq: number
  readonly score: number
  /** Those of the terms that the record has, each once, in their order. */
  readonly has: readonly string[]
}

interface Walk {
  readonly list: PostingList
  readonly weight: number
  readonly bound: number
}

/** Rounding differs with the order of a sum, so nothing is left out for less than this. */
const slack = 1 - 1e-9

/** The `limit` best records that have any of `terms`: by score, then the higher seq. A term given twice counts twice. */
export type PostingSearch = (terms: readonly string[], totals: IndexTotals, limit: number) => Scored[]

/** A search over `postings` that keeps its scratch memory, so that a question leaves nothing big to collect. */
export function createPostingSearch(postings: Postings): PostingSearch {
  const board = createBoard()
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
    const documents = findBest(walks, board.of(postings.documents()), { average, sizes, limit })

    // Once more in the order of the terms: the same sum, bit by bit, as FTS5's.
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
        if (at === list.length || (list.entries[at] as number) >>> 8 !== document) continue
        const frequency = frequencyAt(list, at)
        score += weight * ((frequency * (1.2 + 1.0)) / (frequency + base))
        if (!has.includes(term)) has.push(term)
      }
      scored.push({ seq: postings.seqOf(document), score, has })
    }
    return scored.sort((a, b) => b.score - a.score || b.seq - a.seq).slice(0, limit)
  }
}

/** The scores of all documents, 0 between questions, and the documents that a question has touched. */
interface Board {
  scores: Float64Array
  touched: Uint32Array
}

function createBoard() {
  const board: Board = { scores: new Float64Array(0), touched: new Uint32Array(0) }
  return {
    of(documents: number): Board {
      if (board.scores.length < documents) {
        board.scores = new Float64Array(Math.ceil(documents * 1.25))
        board.touched = new Uint32Array(board.scores.length)
      }
      return board
    },
  }
}

/** Numbers of documents, ascending, among them the best `limit` by score, and all that score as much as the last of them. */
function findBest(
  walks: readonly Walk[],
  board: Board,
  { average, sizes, limit }: { average: number; sizes: Uint32Array; limit: number },
): Uint32Array {
  const { scores, touched } = board
  const perTerm = 0.9 / average
  /** remaining[i]: what the walks from i on can add to a score at most. */
  const remaining = [...walks.map(() => 0), 0]
  for (let i = walks.length - 1; i >= 0; i--)
    remaining[i] = (remaining[i + 1] ?? 0) + (walks[i] as Walk).bound
  let count = 0
  /** No score is above this so far. */
  let reached = 0
  let next = 0
  for (; next < walks.length; next++) {
    const rest = remaining[next] as number
    // A document that none of the lists so far has can no longer come among the best.
    if (
      count >= limit &&
      rest < reached &&
      rest < kthHighest(scores, touched.subarray(0, count), limit) * slack
    )
      break
    const walk = walks[next] as Walk
    count = takeWalk(walk, board, count, sizes, perTerm)
    reached += walk.bound
  }
  const all = touched.subarray(0, count)
  let best = keep(scores, all, limit, remaining[next] as number).sort()
  for (; next < walks.length; next++) {
    const { list, weight } = walks[next] as Walk
    let at = 0
    for (const document of best) {
      at = seekPosting(list, document, at)
      if (at === list.length) break
      if ((list.entries[at] as number) >>> 8 !== document) continue
      const frequency = frequencyAt(list, at)
      const gain = (weight * frequency * 2.2) / (frequency + 0.3 + perTerm * (sizes[document] as number))
      scores[document] = (scores[document] as number) + gain
    }
    best = keep(scores, best, limit, remaining[next + 1] as number)
  }
  for (let i = 0; i < count; i++) scores[all[i] as number] = 0
  return best
}

/** Adds what a term gives to each of its documents, and notes the new ones; answers how many are noted. */
function takeWalk(
  { list, weight }: Walk,
  { scores, touched }: Board,
  noted: number,
  sizes: Uint32Array,
  perTerm: number,
): number {
  const { entries, length } = list
  const most = weight * 2.2
  let count = noted
  for (let at = 0; at < length; at++) {
    const entry = entries[at] as number
    const document = entry >>> 8
    const size = sizes[document] as number
    if (size === 0) continue
    const low = entry & 255
    const frequency = low < 255 ? low : frequencyAt(list, at)
    const before = scores[document] as number
    if (before === 0) touched[count++] = document
    scores[document] = before + (most * frequency) / (frequency + 0.3 + perTerm * size)
  }
  return count
}

/** Those that can still come among the best `limit` when at most `rest` is added to a score. */
function keep(scores: Float64Array, documents: Uint32Array, limit: number, rest: number): Uint32Array {
  if (documents.length <= limit) return documents.slice()
  const least = kthHighest(scores, documents, limit) * slack - rest
  const kept = new Uint32Array(documents.length)
  let count = 0
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i] as number
    if ((scores[document] as number) >= least) kept[count++] = document
  }
  return kept.subarray(0, count)
}

/** The k-th highest score of the documents, by a heap of the k highest so far. */
function kthHighest(scores: Float64Array, documents: Uint32Array, k: number): number {
  const heap = new Float64Array(k)
  for (let i = 0; i < documents.length; i++) {
    const score = scores[documents[i] as number] as number
    if (score > (heap[0] as number)) replaceLowest(heap, score)
  }
  return heap[0] as number
}

function replaceLowest(heap: Float64Array, score: number): void {
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child += 1
    if ((heap[child] as number) >= score) break
    heap[at] = heap[child] as number
    at = child
  }
  heap[at] = score
}
