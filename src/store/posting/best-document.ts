// Which documents can be among the best for some lists: MaxScore (Turtle and Flood 1995) in windows of documents, so that
// the scores of a window stay in the processor's nearest memory. The rare lists say early what it takes to be among the best.
// Invariant: whoever is left out can't reach the best, whatever the lists that were not walked say about it.
import { documentAt, isAt, type PostingList, seekPosting } from './posting-list.ts'
import { createWindowScores, type Field, type Walk } from './window-scores.ts'

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
/** The search over one window after the other. Closures, because methods over fields are slower here. */
export function createBestDocuments(windowSize = defaultWindow): BestDocuments {
  const scores = createWindowScores(windowSize)
  const { candidates } = scores
  let walks: readonly Walk[] = []
  /** remaining[i]: what the lists from i on can add to a score at most. */
  let remaining: number[] = []
  /** Where each list is read next. */
  let positions: number[] = []
  /** Where the window ends in each list that is walked. */
  let ends: number[] = []
  /** Whoever is among the best has one of the lists before this one. */
  let essential = 0
  /** What it takes to be among the best. */
  let bar = 0

  /** What `limit` documents have at least: the whole scores of the most promising ones that a rare list has. */
  const scout = (sizes: Uint32Array, limit: number): number => {
    const byLength = [...walks].sort((a, b) => a.list.length - b.list.length)
    const rare = byLength.filter(({ list }, i) => i === 0 || list.length <= scouts)
    const heap = createHeap(limit)
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

  const begin = (asked: readonly Walk[], field: Field, limit: number) => {
    walks = asked
    scores.prepare(field)
    remaining = [...walks.map(() => 0), 0]
    for (let i = walks.length - 1; i >= 0; i--)
      remaining[i] = (remaining[i + 1] ?? 0) + (walks[i] as Walk).bound
    positions = walks.map(() => 0)
    ends = walks.map(() => 0)
    essential = walks.length
    bar = scout(field.sizes, limit) * slack
  }

  /** The first document, at or after `first`, that can be among the best; `documents` when there is none. */
  const nextFrom = (first: number, documents: number): number => {
    while (essential > 0 && (remaining[essential - 1] as number) < bar) essential -= 1
    let next = documents
    for (let i = 0; i < essential; i++) {
      const { list } = walks[i] as Walk
      const at = seekPosting(list, first, positions[i] as number)
      positions[i] = at
      if (at < list.length) next = Math.min(next, documentAt(list, at))
    }
    return next
  }

  /** Walks over the first `walked` lists; answers how many candidates that leaves. */
  const walkLists = (walked: number, first: number, end: number): number => {
    let entries = 0
    for (let i = 0; i < walked; i++) {
      const { list } = walks[i] as Walk
      const from = seekPosting(list, first, positions[i] as number)
      const to = seekPosting(list, end, from)
      positions[i] = from
      ends[i] = to
      entries += to - from
    }
    const isSparse = entries < windowSize * sparse
    let count = 0
    for (let i = 0; i < walked; i++) {
      const walk = walks[i] as Walk
      const from = positions[i] as number
      const to = ends[i] as number
      if (isSparse) count = scores.note(walk.list, from, to, count)
      scores.add(walk, from, to)
      positions[i] = to
    }
    const least = bar - (remaining[walked] as number)
    if (!isSparse) return scores.gather(end, Math.max(least, Number.MIN_VALUE))
    candidates.subarray(0, count).sort()
    return scores.keep(count, least)
  }

  /** Adds what list `i` gives to the candidates: over all its entries, or looked up for each, whichever is less work. */
  const complete = (i: number, count: number, first: number, end: number) => {
    const walk = walks[i] as Walk
    let at = seekPosting(walk.list, first, positions[i] as number)
    const to = seekPosting(walk.list, end, at)
    if (to - at < count * lookUp) scores.add(walk, at, to)
    else for (let c = 0; c < count; c++) at = scores.addOne(walk, candidates[c] as number, at)
    positions[i] = to
  }

  /** Leaves the candidates of a window with their whole scores; answers how many there are. */
  const candidatesOf = (first: number, end: number): number => {
    let walked = essential
    while (walked < walks.length && (remaining[walked] as number) > bar * openShare) walked += 1
    let count = walkLists(walked, first, end)
    for (let i = walked; i < walks.length && count > 0; i++) {
      complete(i, count, first, end)
      count = scores.keep(count, bar - (remaining[i + 1] as number))
    }
    return count
  }

  return (asked, field, limit) => {
    begin(asked, field, limit)
    const heap = createHeap(limit)
    const found: number[] = []
    const reached: number[] = []
    for (let first = nextFrom(0, field.documents); first < field.documents;) {
      // Windows end where stretches of packed entries do: there, nothing has to be looked for.
      const end = Math.min(first - (first % windowSize) + windowSize, field.documents)
      scores.begin(first)
      const count = candidatesOf(first, end)
      for (let i = 0; i < count; i++) {
        const document = candidates[i] as number
        const score = scores.scoreOf(document)
        if (score < bar) continue
        found.push(document)
        reached.push(score)
        if (score > heap.lowest()) heap.add(score)
        bar = Math.max(bar, heap.lowest() * slack)
      }
      scores.clear(end)
      first = nextFrom(end, field.documents)
    }
    return Uint32Array.from(found.filter((_, i) => (reached[i] as number) >= bar))
  }
}

const has = (list: PostingList, document: number): boolean =>
  isAt(list, seekPosting(list, document, 0), document)

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
