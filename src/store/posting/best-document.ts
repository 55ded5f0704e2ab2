// Finds the documents that can be among the best for some lists: MaxScore (Turtle and Flood 1995), in windows of
// documents, so that the scores of a window stay in the processor's cache. The threshold is the score that a document
// needs to be among the best.
// Invariant: no excluded document can be among the best, whatever the lists that were not walked add to its score.
import { documentAt, isEntryOf, type PostingList, seekPosting } from './posting-list.ts'
import { type DocumentStats, type QueryTerm, WindowScores } from './window-scores.ts'

/** Lowers the threshold slightly, because rounding differs with the order of a sum. */
const roundingSlack = 1 - 1e-9
/** Documents in a window. */
const defaultWindow = 4096
/** To look up one document in a list costs about as much as to walk over this many entries. */
const lookUpCost = 12
/**
 * With fewer entries than this share of a window, the walk notes each candidate; otherwise a scan of the window
 * finds them.
 */
const sparseShare = 1 / 16
/**
 * Lists are walked until the remaining ones add at most this share of the threshold to a score. Then few candidates are
 * left.
 */
const maxRemainingShare = 0.4
/** Lists up to this length are rare. Also the most documents of a list that are scored for the first threshold. */
const rareListLength = 1024

/** Reuses its memory between questions. Its loops read fields into local variables first, which is faster. */
export class BestDocuments {
  readonly #windowSize: number
  readonly #scores: WindowScores
  #terms: readonly QueryTerm[] = []
  /** `#remaining[i]`: the most that the lists from `i` on can add to a score. */
  #remaining: number[] = []
  /** For each list: the next position. */
  #positions: number[] = []
  /** For each walked list: the position after the window. */
  #ends: number[] = []
  /** Every document that can be among the best is in one of the first `#essentialCount` lists. */
  #essentialCount = 0
  /** A document among the best has at least this score. */
  #threshold = 0

  constructor(windowSize = defaultWindow) {
    this.#windowSize = windowSize
    this.#scores = new WindowScores(windowSize)
  }

  /** Document numbers, ascending: the best `limit`, all that tie with the last of these, and maybe more. */
  find(terms: readonly QueryTerm[], stats: DocumentStats, limit: number): Uint32Array {
    this.#start(terms, stats, limit)
    const scores = this.#scores
    const { candidates } = scores
    const heap = new ScoreHeap(limit)
    const found: number[] = []
    const foundScores: number[] = []
    for (
      let windowStart = this.#nextCandidateFrom(0, stats.documentCount);
      windowStart < stats.documentCount;
    ) {
      // Windows begin and end at bounds of blocks (packed-entries.ts), so that no search is needed there.
      const end = Math.min(
        windowStart - (windowStart % this.#windowSize) + this.#windowSize,
        stats.documentCount,
      )
      scores.startWindow(windowStart)
      const count = this.#scoreWindow(windowStart, end)
      let threshold = this.#threshold
      for (let i = 0; i < count; i++) {
        const document = candidates[i] as number
        const score = scores.scoreOf(document)
        if (score < threshold) continue
        found.push(document)
        foundScores.push(score)
        if (score > heap.lowest()) heap.add(score)
        threshold = Math.max(threshold, heap.lowest() * roundingSlack)
      }
      this.#threshold = threshold
      scores.clear(end)
      windowStart = this.#nextCandidateFrom(end, stats.documentCount)
    }
    const lastThreshold = this.#threshold
    return Uint32Array.from(found.filter((_, i) => (foundScores[i] as number) >= lastThreshold))
  }

  #start(terms: readonly QueryTerm[], stats: DocumentStats, limit: number): void {
    this.#terms = terms
    this.#scores.prepare(stats)
    const remaining = [...terms.map(() => 0), 0]
    for (let i = terms.length - 1; i >= 0; i--)
      remaining[i] = (remaining[i + 1] ?? 0) + (terms[i] as QueryTerm).maxContribution
    this.#remaining = remaining
    this.#positions = terms.map(() => 0)
    this.#ends = terms.map(() => 0)
    this.#essentialCount = terms.length
    this.#threshold = initialThreshold(this.#scores, terms, stats.sizes, limit) * roundingSlack
  }

  /** The first document from `first` on that can be among the best; `documentCount` for none. */
  #nextCandidateFrom(first: number, documentCount: number): number {
    while (
      this.#essentialCount > 0 &&
      (this.#remaining[this.#essentialCount - 1] as number) < this.#threshold
    )
      this.#essentialCount -= 1
    const positions = this.#positions
    let next = documentCount
    for (let i = 0; i < this.#essentialCount; i++) {
      const { list } = this.#terms[i] as QueryTerm
      const at = seekPosting(list, first, positions[i] as number)
      positions[i] = at
      if (at < list.length) next = Math.min(next, documentAt(list, at))
    }
    return next
  }

  /** Finds the candidates of a window and their full scores; returns how many. */
  #scoreWindow(first: number, end: number): number {
    const remaining = this.#remaining
    const { length } = this.#terms
    let addedLists = this.#essentialCount
    while (addedLists < length && (remaining[addedLists] as number) > this.#threshold * maxRemainingShare)
      addedLists += 1
    let count = this.#addLists(addedLists, first, end)
    for (let i = addedLists; i < length && count > 0; i++) {
      this.#addList(i, count, first, end)
      count = this.#scores.filterCandidates(count, this.#threshold - (remaining[i + 1] as number))
    }
    return count
  }

  /** Adds the gains from the first `listCount` lists; returns how many candidates are left. */
  #addLists(listCount: number, first: number, end: number): number {
    const scores = this.#scores
    const terms = this.#terms
    const positions = this.#positions
    const ends = this.#ends
    let entries = 0
    for (let i = 0; i < listCount; i++) {
      const { list } = terms[i] as QueryTerm
      const from = seekPosting(list, first, positions[i] as number)
      const to = seekPosting(list, end, from)
      positions[i] = from
      ends[i] = to
      entries += to - from
    }
    const isSparse = entries < this.#windowSize * sparseShare
    let count = 0
    for (let i = 0; i < listCount; i++) {
      const term = terms[i] as QueryTerm
      const from = positions[i] as number
      const to = ends[i] as number
      if (isSparse) count = scores.addUnscoredCandidates(term.list, from, to, count)
      scores.addRange(term, from, to)
      positions[i] = to
    }
    const minScore = this.#threshold - (this.#remaining[listCount] as number)
    // A document with score 0 is in none of the lists.
    if (!isSparse) return scores.collectCandidates(end, Math.max(minScore, Number.MIN_VALUE))
    scores.candidates.subarray(0, count).sort()
    return scores.filterCandidates(count, minScore)
  }

  /**
   * Adds the gains from list `i` to the candidates: walks over the list or looks up each candidate, whichever
   * costs less.
   */
  #addList(i: number, count: number, first: number, end: number): void {
    const scores = this.#scores
    const term = this.#terms[i] as QueryTerm
    const at = seekPosting(term.list, first, this.#positions[i] as number)
    const to = seekPosting(term.list, end, at)
    if (to - at < count * lookUpCost) scores.addRange(term, at, to)
    else scores.addToCandidates(term, count, at)
    this.#positions[i] = to
  }
}

/**
 * A first threshold: at least `limit` documents, the most promising of rare lists, have this full score. 0 for none.
 */
function initialThreshold(
  scores: WindowScores,
  terms: readonly QueryTerm[],
  sizes: Uint32Array,
  limit: number,
): number {
  const byLength = [...terms].sort((a, b) => a.list.length - b.list.length)
  const rare = byLength.filter(({ list }, i) => i === 0 || list.length <= rareListLength)
  const heap = new ScoreHeap(limit)
  const promising: { document: number; score: number }[] = []
  for (let i = 0; i < rare.length && promising.length < limit; i++) {
    const { list } = rare[i] as QueryTerm
    const remaining = rare.slice(i)
    const earlier = rare.slice(0, i)
    const from = remaining.map(() => 0)
    for (let at = 0; at < Math.min(list.length, rareListLength); at++) {
      const document = documentAt(list, at)
      if (sizes[document] === 0 || earlier.some(({ list: other }) => containsDocument(other, document)))
        continue
      const score = scores.fullScoreOf(document, remaining, from)
      if (score <= heap.lowest()) continue
      heap.add(score)
      promising.push({ document, score })
    }
  }
  const minScore = heap.lowest()
  if (minScore === 0) return 0
  const best = promising.filter(({ score }) => score >= minScore).slice(0, limit)
  best.sort((a, b) => a.document - b.document)
  heap.clear()
  const from = terms.map(() => 0)
  for (const { document } of best) heap.add(scores.fullScoreOf(document, terms, from))
  return heap.lowest()
}

const containsDocument = (list: PostingList, document: number): boolean =>
  isEntryOf(list, seekPosting(list, document, 0), document)

/** Keeps the highest `size` scores; `lowest` is 0 until there are this many. */
class ScoreHeap {
  readonly #heap: Float64Array

  constructor(size: number) {
    this.#heap = new Float64Array(size)
  }

  lowest(): number {
    return this.#heap[0] as number
  }

  clear(): void {
    this.#heap.fill(0)
  }

  /** Replaces the lowest score by `score`, which must be higher. */
  add(score: number): void {
    const heap = this.#heap
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
}
