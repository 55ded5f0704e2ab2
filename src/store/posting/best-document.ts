// Finds the documents that can be among the best for some lists: MaxScore (Turtle and Flood 1995), in windows of
// documents, so that the scores of a window stay in the processor's cache. The bar is the score that a document
// needs to be among the best.
// Invariant: no excluded document can be among the best, whatever the lists that were not walked add to its score.
import { documentAt, isAt, type PostingList, seekPosting } from './posting-list.ts'
import { type Field, type Walk, WindowScores } from './window-scores.ts'

/** Lowers the bar slightly, because rounding differs with the order of a sum. */
const slack = 1 - 1e-9
/** Documents in a window. */
const defaultWindow = 4096
/** To look up one document in a list costs about as much as to walk over this many entries. */
const lookUp = 12
/**
 * With fewer entries than this share of a window, the walk notes each candidate; otherwise a scan of the window
 * finds them.
 */
const sparse = 1 / 16
/**
 * Lists are walked until the remaining ones add at most this share of the bar to a score. Then few candidates are
 * left.
 */
const openShare = 0.4
/** Lists up to this length are rare. Also the most documents of a list that are scored for the first bar. */
const scouts = 1024

/** Reuses its memory between questions. Its loops read fields into local variables first, which is faster. */
export class BestDocuments {
  readonly #windowSize: number
  readonly #scores: WindowScores
  #walks: readonly Walk[] = []
  /** `remaining[i]`: the most that the lists from `i` on can add to a score. */
  #remaining: number[] = []
  /** For each list: the next position. */
  #positions: number[] = []
  /** For each walked list: the position after the window. */
  #ends: number[] = []
  /** Every document that can be among the best is in one of the first `#essential` lists. */
  #essential = 0
  /** The threshold: a document among the best has at least this score. */
  #bar = 0

  constructor(windowSize = defaultWindow) {
    this.#windowSize = windowSize
    this.#scores = new WindowScores(windowSize)
  }

  /** Document numbers, ascending: the best `limit`, all that tie with the last of these, and maybe more. */
  find(walks: readonly Walk[], field: Field, limit: number): Uint32Array {
    this.#begin(walks, field, limit)
    const scores = this.#scores
    const { candidates } = scores
    const heap = new ScoreHeap(limit)
    const found: number[] = []
    const reached: number[] = []
    for (let first = this.#nextFrom(0, field.documents); first < field.documents;) {
      // Windows begin and end at bounds of stretches (packed-entries.ts), so that no search is needed there.
      const end = Math.min(first - (first % this.#windowSize) + this.#windowSize, field.documents)
      scores.begin(first)
      const count = this.#candidatesOf(first, end)
      let bar = this.#bar
      for (let i = 0; i < count; i++) {
        const document = candidates[i] as number
        const score = scores.scoreOf(document)
        if (score < bar) continue
        found.push(document)
        reached.push(score)
        if (score > heap.lowest()) heap.add(score)
        bar = Math.max(bar, heap.lowest() * slack)
      }
      this.#bar = bar
      scores.clear(end)
      first = this.#nextFrom(end, field.documents)
    }
    const bar = this.#bar
    return Uint32Array.from(found.filter((_, i) => (reached[i] as number) >= bar))
  }

  #begin(walks: readonly Walk[], field: Field, limit: number): void {
    this.#walks = walks
    this.#scores.prepare(field)
    const remaining = [...walks.map(() => 0), 0]
    for (let i = walks.length - 1; i >= 0; i--)
      remaining[i] = (remaining[i + 1] ?? 0) + (walks[i] as Walk).bound
    this.#remaining = remaining
    this.#positions = walks.map(() => 0)
    this.#ends = walks.map(() => 0)
    this.#essential = walks.length
    this.#bar = firstBar(this.#scores, walks, field.sizes, limit) * slack
  }

  /** The first document from `first` on that can be among the best; `documents` for none. */
  #nextFrom(first: number, documents: number): number {
    while (this.#essential > 0 && (this.#remaining[this.#essential - 1] as number) < this.#bar)
      this.#essential -= 1
    const positions = this.#positions
    let next = documents
    for (let i = 0; i < this.#essential; i++) {
      const { list } = this.#walks[i] as Walk
      const at = seekPosting(list, first, positions[i] as number)
      positions[i] = at
      if (at < list.length) next = Math.min(next, documentAt(list, at))
    }
    return next
  }

  /** Finds the candidates of a window and their full scores; returns how many. */
  #candidatesOf(first: number, end: number): number {
    const remaining = this.#remaining
    const { length } = this.#walks
    let walked = this.#essential
    while (walked < length && (remaining[walked] as number) > this.#bar * openShare) walked += 1
    let count = this.#walkLists(walked, first, end)
    for (let i = walked; i < length && count > 0; i++) {
      this.#complete(i, count, first, end)
      count = this.#scores.filter(count, this.#bar - (remaining[i + 1] as number))
    }
    return count
  }

  /** Adds the gains from the first `walked` lists; returns how many candidates are left. */
  #walkLists(walked: number, first: number, end: number): number {
    const scores = this.#scores
    const walks = this.#walks
    const positions = this.#positions
    const ends = this.#ends
    let entries = 0
    for (let i = 0; i < walked; i++) {
      const { list } = walks[i] as Walk
      const from = seekPosting(list, first, positions[i] as number)
      const to = seekPosting(list, end, from)
      positions[i] = from
      ends[i] = to
      entries += to - from
    }
    const isSparse = entries < this.#windowSize * sparse
    let count = 0
    for (let i = 0; i < walked; i++) {
      const walk = walks[i] as Walk
      const from = positions[i] as number
      const to = ends[i] as number
      if (isSparse) count = scores.note(walk.list, from, to, count)
      scores.add(walk, from, to)
      positions[i] = to
    }
    const least = this.#bar - (this.#remaining[walked] as number)
    if (!isSparse) return scores.gather(end, Math.max(least, Number.MIN_VALUE))
    scores.candidates.subarray(0, count).sort()
    return scores.filter(count, least)
  }

  /**
   * Adds the gains from list `i` to the candidates: walks over the list or looks up each candidate, whichever costs
   * less.
   */
  #complete(i: number, count: number, first: number, end: number): void {
    const scores = this.#scores
    const walk = this.#walks[i] as Walk
    const at = seekPosting(walk.list, first, this.#positions[i] as number)
    const to = seekPosting(walk.list, end, at)
    if (to - at < count * lookUp) scores.add(walk, at, to)
    else scores.addCandidates(walk, count, at)
    this.#positions[i] = to
  }
}

/**
 * A first threshold: at least `limit` documents, the most promising of rare lists, have this full score. 0 for none.
 */
function firstBar(scores: WindowScores, walks: readonly Walk[], sizes: Uint32Array, limit: number): number {
  const byLength = [...walks].sort((a, b) => a.list.length - b.list.length)
  const rare = byLength.filter(({ list }, i) => i === 0 || list.length <= scouts)
  const heap = new ScoreHeap(limit)
  const promising: { document: number; score: number }[] = []
  for (let i = 0; i < rare.length && promising.length < limit; i++) {
    const { list } = rare[i] as Walk
    const others = rare.slice(i)
    const before = rare.slice(0, i)
    const from = others.map(() => 0)
    for (let at = 0; at < Math.min(list.length, scouts); at++) {
      const document = documentAt(list, at)
      if (sizes[document] === 0 || before.some(({ list: other }) => has(other, document))) continue
      const score = scores.wholeScore(document, others, from)
      if (score <= heap.lowest()) continue
      heap.add(score)
      promising.push({ document, score })
    }
  }
  const least = heap.lowest()
  if (least === 0) return 0
  const best = promising.filter(({ score }) => score >= least).slice(0, limit)
  best.sort((a, b) => a.document - b.document)
  heap.clear()
  const from = walks.map(() => 0)
  for (const { document } of best) heap.add(scores.wholeScore(document, walks, from))
  return heap.lowest()
}

const has = (list: PostingList, document: number): boolean =>
  isAt(list, seekPosting(list, document, 0), document)

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
