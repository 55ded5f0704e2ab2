// Which documents can be among the best for some lists: MaxScore (Turtle and Flood 1995) in windows of documents, so that
// the scores of a window stay in the processor's nearest memory. The rare lists say early what it takes to be among the best.
// Invariant: whoever is left out can't reach the best, whatever the lists that were not walked say about it.
import { frequencyAt, type PostingList, seekPosting } from './posting-list.ts'

/** One term of a question: what each of its documents gets is `weight × gain`, and at most `bound`. */
export interface Walk {
  readonly list: PostingList
  readonly weight: number
  readonly bound: number
}

export interface Field {
  /** How many terms each document has; 0 when it was removed. */
  readonly sizes: Uint32Array
  /** How many terms a document has on average. */
  readonly average: number
  /** Numbers of documents are below this. */
  readonly documents: number
}

/**
 * Numbers of documents, ascending: among them the best `limit`, and all that score as much as the last of them. It keeps
 * its scratch memory, so that a question leaves nothing big to collect.
 */
export type BestDocuments = (walks: readonly Walk[], field: Field, limit: number) => Uint32Array

/** Rounding differs with the order of a sum, so nothing is left out for less than this. */
const slack = 1 - 1e-9
/** Documents of a window. */
const defaultWindow = 4096
/** Looking one document up in a list takes about as long as walking over so many entries. */
const lookUp = 12
/** In a window with fewer entries than this share, the documents are noted one by one instead of looked for. */
const sparse = 1 / 16
/** Lists are walked until those that are left can't add more than this share of the bar: few candidates are left then. */
const openShare = 0.4
/** So many of a rare list's documents are looked at for a first bar. */
const scouts = 1024
/** Gains are kept for frequencies and sizes below these. */
const knownFrequencies = 4
const knownSizes = 256

export function createBestDocuments(windowSize = defaultWindow): BestDocuments {
  const search = new WindowSearch(windowSize)
  return (walks, field, limit) => search.find(walks, field, limit)
}

/**
 * What each document of a window has so far, and what a term adds to it. Closures over the arrays, because methods that load
 * them from fields take a tenth longer.
 */
function createWindowScores(windowSize: number) {
  const scores = new Float64Array(windowSize)
  const candidates = new Uint32Array(windowSize)
  const gains = new Float64Array(knownFrequencies * knownSizes)
  let gainsFor = Number.NaN
  let perTerm = 0
  let sizes: Uint32Array = new Uint32Array(0)
  /** The document with which the window begins. */
  let first = 0

  const gainOf = (frequency: number, size: number) =>
    size === 0 ? 0 : (2.2 * frequency) / (frequency + 0.3 + perTerm * size)

  /** What `document` gets from a list, looked up from `from` on. Answers where it was looked for. */
  const addOne = ({ list, weight }: Walk, document: number, from: number): number => {
    const at = seekPosting(list, document, from)
    if (at < list.length && (list.entries[at] as number) >>> 8 === document) {
      const place = document - first
      scores[place] =
        (scores[place] as number) + weight * gainOf(frequencyAt(list, at), sizes[document] as number)
    }
    return at
  }

  return {
    candidates,
    addOne,
    /** For a question over `field`. */
    prepare(field: Field) {
      sizes = field.sizes
      if (gainsFor === field.average) return
      gainsFor = field.average
      perTerm = 0.9 / field.average
      // Of size 0 are those that were removed: they gain nothing.
      for (let frequency = 1; frequency < knownFrequencies; frequency++)
        for (let size = 1; size < knownSizes; size++)
          gains[frequency * knownSizes + size] = gainOf(frequency, size)
    },
    /** From now on the window begins with the document `document`. */
    begin(document: number) {
      first = document
    },
    /** Nothing in the window has anything; it ends before the document `end`. */
    clear(end: number) {
      scores.fill(0, 0, end - first)
    },
    scoreOf: (document: number): number => scores[document - first] as number,
    /** The whole score of `document`, from `walks`; each list is looked up from where `from` says, and `from` moves on. */
    wholeScore(document: number, walks: readonly Walk[], from: number[]): number {
      first = document
      for (let i = 0; i < walks.length; i++) from[i] = addOne(walks[i] as Walk, document, from[i] as number)
      const score = scores[0] as number
      scores[0] = 0
      return score
    },
    /** Adds what entries give to the documents of the window. */
    add({ list, weight }: Walk, from: number, to: number) {
      const { entries } = list
      const begun = first
      const lengths = sizes
      for (let at = from; at < to; at++) {
        const entry = entries[at] as number
        const document = entry >>> 8
        const size = lengths[document] as number
        const frequency = entry & 255
        const gain =
          frequency < knownFrequencies && size < knownSizes
            ? (gains[frequency * knownSizes + size] as number)
            : gainOf(frequencyAt(list, at), size)
        const place = document - begun
        scores[place] = (scores[place] as number) + weight * gain
      }
    },
    /** Takes the documents of entries that have nothing so far for candidates, behind `noted`; answers how many there are. */
    note({ entries }: PostingList, from: number, to: number, noted: number): number {
      let count = noted
      for (let at = from; at < to; at++) {
        const document = (entries[at] as number) >>> 8
        if (scores[document - first] === 0 && sizes[document] !== 0) candidates[count++] = document
      }
      return count
    },
    /** Those of the candidates that have at least `bar`; answers how many. */
    keep(count: number, bar: number): number {
      let kept = 0
      for (let i = 0; i < count; i++) {
        const document = candidates[i] as number
        if ((scores[document - first] as number) >= bar) candidates[kept++] = document
      }
      return kept
    },
    /** All documents of the window, which ends before `end`, that have at least `bar`, which is above 0. */
    gather(end: number, bar: number): number {
      const begun = first
      let count = 0
      for (let place = 0; place < end - begun; place++)
        if ((scores[place] as number) >= bar) candidates[count++] = begun + place
      return count
    },
  }
}

/** The search over one window after the other; it keeps its scratch memory. */
class WindowSearch {
  readonly #windowSize: number
  readonly #scores: ReturnType<typeof createWindowScores>

  #walks: readonly Walk[] = []
  /** remaining[i]: what the lists from i on can add to a score at most. */
  #remaining: number[] = []
  /** Where each list is read next. */
  #positions: number[] = []
  /** Where the window ends in each list that is walked. */
  #ends: number[] = []
  /** Whoever is among the best has one of the lists before this one. */
  #essential = 0
  /** What it takes to be among the best. */
  #bar = 0

  constructor(windowSize: number) {
    this.#windowSize = windowSize
    this.#scores = createWindowScores(windowSize)
  }

  find(walks: readonly Walk[], field: Field, limit: number): Uint32Array {
    this.#begin(walks, field, limit)
    const scores = this.#scores
    const { candidates } = scores
    const heap = createHeap(limit)
    const found: number[] = []
    const reached: number[] = []
    for (let first = this.#next(0, field.documents); first < field.documents;) {
      const end = Math.min(first + this.#windowSize, field.documents)
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
      first = this.#next(end, field.documents)
    }
    const bar = this.#bar
    return Uint32Array.from(found.filter((_, i) => (reached[i] as number) >= bar))
  }

  #begin(walks: readonly Walk[], field: Field, limit: number): void {
    this.#walks = walks
    this.#scores.prepare(field)
    this.#remaining = [...walks.map(() => 0), 0]
    for (let i = walks.length - 1; i >= 0; i--)
      this.#remaining[i] = (this.#remaining[i + 1] ?? 0) + (walks[i] as Walk).bound
    this.#positions = walks.map(() => 0)
    this.#ends = walks.map(() => 0)
    this.#essential = walks.length
    this.#bar = this.#scout(field.sizes, limit) * slack
  }

  /** The first document, at or after `first`, that can be among the best; `documents` when there is none. */
  #next(first: number, documents: number): number {
    const walks = this.#walks
    const positions = this.#positions
    while (this.#essential > 0 && (this.#remaining[this.#essential - 1] as number) < this.#bar)
      this.#essential -= 1
    let next = documents
    for (let i = 0; i < this.#essential; i++) {
      const { list } = walks[i] as Walk
      const at = seekPosting(list, first, positions[i] as number)
      positions[i] = at
      if (at < list.length) next = Math.min(next, (list.entries[at] as number) >>> 8)
    }
    return next
  }

  /** Leaves the candidates of a window with their whole scores; answers how many there are. */
  #candidatesOf(first: number, end: number): number {
    const walks = this.#walks
    let walked = this.#essential
    while (walked < walks.length && (this.#remaining[walked] as number) > this.#bar * openShare) walked += 1
    let count = this.#walkLists(walked, first, end)
    for (let i = walked; i < walks.length && count > 0; i++) {
      this.#complete(i, count, first, end)
      count = this.#scores.keep(count, this.#bar - (this.#remaining[i + 1] as number))
    }
    return count
  }

  /** Walks over the first `walked` lists; answers how many candidates that leaves. */
  #walkLists(walked: number, first: number, end: number): number {
    const walks = this.#walks
    const positions = this.#positions
    const ends = this.#ends
    const scores = this.#scores
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
    return scores.keep(count, least)
  }

  /** Adds what list `i` gives to the candidates: over all its entries, or looked up for each, whichever is less work. */
  #complete(i: number, count: number, first: number, end: number): void {
    const walk = this.#walks[i] as Walk
    const scores = this.#scores
    const { candidates } = scores
    let at = seekPosting(walk.list, first, this.#positions[i] as number)
    const to = seekPosting(walk.list, end, at)
    if (to - at < count * lookUp) scores.add(walk, at, to)
    else {
      for (let c = 0; c < count; c++) at = scores.addOne(walk, candidates[c] as number, at)
    }
    this.#positions[i] = to
  }

  /** What `limit` documents have at least: the whole scores of the most promising ones that a rare list has. */
  #scout(sizes: Uint32Array, limit: number): number {
    const byLength = [...this.#walks].sort((a, b) => a.list.length - b.list.length)
    const rare = byLength.filter(({ list }, i) => i === 0 || list.length <= scouts)
    const heap = createHeap(limit)
    const promising: { document: number; score: number }[] = []
    for (let i = 0; i < rare.length && promising.length < limit; i++) {
      const { list } = rare[i] as Walk
      const others = rare.slice(i)
      const before = rare.slice(0, i)
      const from = others.map(() => 0)
      for (let at = 0; at < Math.min(list.length, scouts); at++) {
        const document = (list.entries[at] as number) >>> 8
        if (sizes[document] === 0 || before.some(({ list: other }) => has(other, document))) continue
        const score = this.#scores.wholeScore(document, others, from)
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
    const from = this.#walks.map(() => 0)
    for (const { document } of best) heap.add(this.#scores.wholeScore(document, this.#walks, from))
    return heap.lowest()
  }
}

const has = (list: PostingList, document: number): boolean => {
  const at = seekPosting(list, document, 0)
  return at < list.length && (list.entries[at] as number) >>> 8 === document
}

/** The highest `size` scores: `lowest` of them is 0 until there are so many. */
function createHeap(size: number) {
  const heap = new Float64Array(size)
  return {
    lowest: () => heap[0] as number,
    clear: () => void heap.fill(0),
    /** Puts `score`, which is above the lowest, in its place. */
    add(score: number) {
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
    },
  }
}
