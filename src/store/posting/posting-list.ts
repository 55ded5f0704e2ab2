// The postings of one term: which documents have it and how often, in the order of their numbers.
// Invariant: entries only grow at the end and stay sorted. An entry is `document × 256 + frequency`; a frequency
// that doesn't fit a byte stands in `often`. Documents are numbered below 2^24.

export interface PostingList {
  entries: Uint32Array
  length: number
  /** Entries that are still to be read from what was kept; the array has the size for all of them once the first is. */
  expected: number
  often: Map<number, number> | undefined
  /** Entries of documents that are not removed, as of so many removals. */
  live: number
  removals: number
  /** Length of the shortest document for each class of frequency: what the term can add to a score at most. */
  shortest: Float64Array | undefined
}

const byte = 255
/** Classes of frequency: the highest of each. The last one has no end, and a frequency beyond all bounds adds 2.2. */
const classes = [1, 2, 3, 5, 9, Infinity] as const

const none = new Uint32Array(0)

export function createPostingList(): PostingList {
  return {
    entries: none,
    length: 0,
    expected: 0,
    often: undefined,
    live: 0,
    removals: 0,
    shortest: undefined,
  }
}

/** Adds entries of documents whose numbers are above all others here, none of them counted more than a byte can. */
export function addPostings(list: PostingList, more: Uint32Array, sizes: Uint32Array): void {
  const length = list.length + more.length
  if (length > list.entries.length) {
    const grown = new Uint32Array(Math.max(length, Math.ceil(list.length * 1.25)))
    grown.set(list.entries.subarray(0, list.length))
    list.entries = grown
  }
  list.entries.set(more, list.length)
  list.length = length
  list.live += more.length
  if (!list.shortest) return
  for (const entry of more) {
    const size = sizes[entry >>> 8] as number
    if (size > 0) shorten(list.shortest, entry & byte, size)
  }
}

/** Counts a term once more in the document that was added last, of so many terms: more often than a byte counts. */
export function countPosting(list: PostingList, document: number, size: number): void {
  const at = list.length - 1
  const frequency = frequencyAt(list, at) + 1
  if (frequency >= byte) (list.often ??= new Map<number, number>()).set(document, frequency)
  list.entries[at] = document * 256 + Math.min(frequency, byte)
  if (list.shortest) shorten(list.shortest, frequency, size)
}

/** Entries as posting-segment.ts writes them: the next one begins at `at`. */
export interface WrittenEntries {
  readonly bytes: Uint8Array
  /** The number here of the first document that they may name. */
  readonly first: number
  at: number
}

/** Adds the next `count` of the expected entries to `list`. */
export function readPostings(list: PostingList, count: number, written: WrittenEntries): void {
  if (list.length + list.expected > list.entries.length) {
    const grown = new Uint32Array(list.length + list.expected)
    grown.set(list.entries.subarray(0, list.length))
    list.entries = grown
  }
  const { entries } = list
  const { bytes } = written
  let { at, first: document } = written
  let { length } = list
  for (let left = count; left > 0; left--) {
    let part = bytes[at++] as number
    let entry = part & 127
    for (let shift = 7; part >= 128; shift += 7) {
      part = bytes[at++] as number
      entry |= (part & 127) << shift
    }
    document += entry >>> 1
    let frequency = 1
    if ((entry & 1) === 1) {
      part = bytes[at++] as number
      frequency = part & 127
      for (let shift = 7; part >= 128; shift += 7) {
        part = bytes[at++] as number
        frequency |= (part & 127) << shift
      }
      if (frequency >= byte) (list.often ??= new Map<number, number>()).set(document, frequency)
    }
    entries[length++] = document * 256 + (frequency < byte ? frequency : byte)
  }
  list.length = length
  list.expected -= count
  list.live += count
  written.at = at
}

export function frequencyAt(list: PostingList, at: number): number {
  const entry = list.entries[at] as number
  const frequency = entry & byte
  return frequency < byte ? frequency : (list.often?.get(entry >>> 8) ?? byte)
}

/** Where the first entry stands, at or after `from`, whose document is `document` or above. */
export function seekPosting({ entries, length }: PostingList, document: number, from: number): number {
  const wanted = document * 256
  let step = 1
  let high = from
  while (high < length && (entries[high] as number) < wanted) {
    high += step
    step *= 2
  }
  let low = high - (step >> 1)
  if (low < from) low = from
  if (high > length) high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** In how many documents the term is, when `removals` of them were removed; a removed one has size 0. */
export function documentFrequency(list: PostingList, removals: number, sizes: Uint32Array): number {
  if (list.removals !== removals) {
    list.removals = removals
    list.live = 0
    for (let at = 0; at < list.length; at++)
      if (sizes[(list.entries[at] as number) >>> 8] !== 0) list.live += 1
  }
  return list.live
}

/** An upper bound of f × 2.2 / (f + 0.3 + 0.9 × size / average) over the list's documents. */
export function highestGain(list: PostingList, average: number, sizes: Uint32Array): number {
  list.shortest ??= shortestOf(list, sizes)
  return list.shortest.reduce((highest, size, i) => {
    const frequency = classes[i] as number
    if (size === Infinity) return highest
    if (frequency === Infinity) return 2.2
    return Math.max(highest, (frequency * 2.2) / (frequency + 1.2 * (0.25 + (0.75 * size) / average)))
  }, 0)
}

function shortestOf(list: PostingList, sizes: Uint32Array): Float64Array {
  const shortest = new Float64Array(classes.length).fill(Infinity)
  for (let at = 0; at < list.length; at++) {
    const size = sizes[(list.entries[at] as number) >>> 8] as number
    if (size > 0) shorten(shortest, frequencyAt(list, at), size)
  }
  return shortest
}

function shorten(shortest: Float64Array, frequency: number, size: number): void {
  let i = 0
  while (frequency > (classes[i] as number)) i++
  if (size < (shortest[i] as number)) shortest[i] = size
}

/** Drops removed documents and gives the others their new numbers, which keep their order. False when there is nothing in it. */
export function compactPostings(list: PostingList, renamed: Int32Array): boolean {
  const often = list.often
  list.often = undefined
  let length = 0
  for (let at = 0; at < list.length; at++) {
    const entry = list.entries[at] as number
    const document = renamed[entry >>> 8] as number
    if (document < 0) continue
    const frequency = often?.get(entry >>> 8)
    if (frequency !== undefined) (list.often ??= new Map<number, number>()).set(document, frequency)
    list.entries[length++] = document * 256 + (entry & byte)
  }
  list.entries = list.entries.slice(0, length)
  list.length = list.live = length
  list.removals = 0
  list.shortest = undefined
  return length > 0 || list.expected > 0
}
