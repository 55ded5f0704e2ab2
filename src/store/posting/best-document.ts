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
const [knownFrequencies, knownSizes] = [4, 256]

export function createBestDocuments(windowSize = defaultWindow): BestDocuments {
  const scores = new Float64Array(windowSize)
  const candidates = new Uint32Array(windowSize)
  const gains = new Float64Array(knownFrequencies * knownSizes)
  let gainsFor = Number.NaN
  let perTerm = 0

  const prepare = (average: number) => {
    if (gainsFor === average) return
    gainsFor = average
    perTerm = 0.9 / average
    // Of size 0 are those that were removed: they gain nothing.
    for (let frequency = 1; frequency < knownFrequencies; frequency++)
      for (let size = 1; size < knownSizes; size++)
        gains[frequency * knownSizes + size] = gainOf(frequency, size)
  }
  const gainOf = (frequency: number, size: number) =>
    size === 0 ? 0 : (2.2 * frequency) / (frequency + 0.3 + perTerm * size)

  /** Adds what entries give to the documents of the window that begins at `first`. */
  const walk = ({ list, weight }: Walk, from: number, to: number, first: number, sizes: Uint32Array) => {
    const { entries } = list
    for (let at = from; at < to; at++) {
      const entry = entries[at] as number
      const document = entry >>> 8
      const size = sizes[document] as number
      const frequency = entry & 255
      const gain =
        frequency < knownFrequencies && size < knownSizes
          ? (gains[frequency * knownSizes + size] as number)
          : gainOf(frequencyAt(list, at), size)
      const place = document - first
      scores[place] = (scores[place] as number) + weight * gain
    }
  }

  /** Takes the documents of entries that have nothing so far for candidates; answers how many there are. */
  const note = (
    { entries }: PostingList,
    from: number,
    to: number,
    first: number,
    sizes: Uint32Array,
    noted: number,
  ): number => {
    let count = noted
    for (let at = from; at < to; at++) {
      const document = (entries[at] as number) >>> 8
      if (scores[document - first] === 0 && sizes[document] !== 0) candidates[count++] = document
    }
    return count
  }

  /** Those of the candidates that have at least `bar`; answers how many. */
  const keep = (count: number, first: number, bar: number): number => {
    let kept = 0
    for (let i = 0; i < count; i++) {
      const document = candidates[i] as number
      if ((scores[document - first] as number) >= bar) candidates[kept++] = document
    }
    return kept
  }

  /** All documents of the window that have at least `bar`, which is above 0. */
  const gather = (first: number, end: number, bar: number): number => {
    let count = 0
    for (let place = 0; place < end - first; place++)
      if ((scores[place] as number) >= bar) candidates[count++] = first + place
    return count
  }

  /** What `document` gets from a list, looked up from `from` on. Answers where it was looked for. */
  const addOne = (
    { list, weight }: Walk,
    document: number,
    from: number,
    sizes: Uint32Array,
    place: number,
  ) => {
    const at = seekPosting(list, document, from)
    if (at < list.length && (list.entries[at] as number) >>> 8 === document)
      scores[place] =
        (scores[place] as number) + weight * gainOf(frequencyAt(list, at), sizes[document] as number)
    return at
  }

  /** What `limit` documents have at least: the whole scores of the most promising ones that a rare list has. */
  const scout = (walks: readonly Walk[], sizes: Uint32Array, limit: number): number => {
    const byLength = [...walks].sort((a, b) => a.list.length - b.list.length)
    const rare = byLength.filter(({ list }, i) => i === 0 || list.length <= scouts)
    const heap = createHeap(limit)
    const promising: { document: number; score: number }[] = []
    const scoreOf = (document: number, from: number[], some: readonly Walk[]) => {
      scores[0] = 0
      for (let i = 0; i < some.length; i++)
        from[i] = addOne(some[i] as Walk, document, from[i] as number, sizes, 0)
      const score = scores[0]
      scores[0] = 0
      return score
    }
    for (let i = 0; i < rare.length && promising.length < limit; i++) {
      const { list } = rare[i] as Walk
      const others = rare.slice(i)
      const [before, from] = [rare.slice(0, i), others.map(() => 0)]
      for (let at = 0; at < Math.min(list.length, scouts); at++) {
        const document = (list.entries[at] as number) >>> 8
        if (sizes[document] === 0 || before.some(({ list: other }) => has(other, document))) continue
        const score = scoreOf(document, from, others)
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
    for (const { document } of best) heap.add(scoreOf(document, from, walks))
    return heap.lowest()
  }

  return (walks, { sizes, average, documents }, limit) => {
    prepare(average)
    /** remaining[i]: what the lists from i on can add to a score at most. */
    const remaining = [...walks.map(() => 0), 0]
    for (let i = walks.length - 1; i >= 0; i--)
      remaining[i] = (remaining[i + 1] ?? 0) + (walks[i] as Walk).bound
    const heap = createHeap(limit)
    let bar = scout(walks, sizes, limit) * slack
    const positions = walks.map(() => 0)
    const ends = walks.map(() => 0)
    const found: number[] = []
    const reached: number[] = []
    /** Whoever is among the best has one of the lists before this one. */
    let essential = walks.length
    for (let first = 0; ;) {
      while (essential > 0 && (remaining[essential - 1] as number) < bar) essential -= 1
      let next = documents
      for (let i = 0; i < essential; i++) {
        const { list } = walks[i] as Walk
        const at = (positions[i] = seekPosting(list, first, positions[i] as number))
        if (at < list.length) next = Math.min(next, (list.entries[at] as number) >>> 8)
      }
      if (next >= documents) break
      first = next
      const end = Math.min(first + windowSize, documents)
      let walked = essential
      while (walked < walks.length && (remaining[walked] as number) > bar * openShare) walked += 1
      let entries = 0
      for (let i = 0; i < walked; i++) {
        const { list } = walks[i] as Walk
        const from = (positions[i] = seekPosting(list, first, positions[i] as number))
        entries += (ends[i] = seekPosting(list, end, from)) - from
      }
      const isSparse = entries < windowSize * sparse
      let count = 0
      for (let i = 0; i < walked; i++) {
        const [from, to] = [positions[i] as number, ends[i] as number]
        if (isSparse) count = note((walks[i] as Walk).list, from, to, first, sizes, count)
        walk(walks[i] as Walk, from, to, first, sizes)
        positions[i] = to
      }
      const least = bar - (remaining[walked] as number)
      if (isSparse) {
        candidates.subarray(0, count).sort()
        count = keep(count, first, least)
      } else count = gather(first, end, Math.max(least, Number.MIN_VALUE))
      for (let i = walked; i < walks.length && count > 0; i++) {
        const one = walks[i] as Walk
        let at = seekPosting(one.list, first, positions[i] as number)
        const to = seekPosting(one.list, end, at)
        if (to - at < count * lookUp) walk(one, at, to, first, sizes)
        else
          for (let c = 0; c < count; c++) {
            const document = candidates[c] as number
            at = addOne(one, document, at, sizes, document - first)
          }
        positions[i] = to
        count = keep(count, first, bar - (remaining[i + 1] as number))
      }
      for (let i = 0; i < count; i++) {
        const document = candidates[i] as number
        const score = scores[document - first] as number
        if (score < bar) continue
        found.push(document)
        reached.push(score)
        if (score > heap.lowest()) heap.add(score)
        bar = Math.max(bar, heap.lowest() * slack)
      }
      scores.fill(0, 0, end - first)
      first = end
    }
    return Uint32Array.from(found.filter((_, i) => (reached[i] as number) >= bar))
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
