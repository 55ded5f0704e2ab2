// The postings of one term: the documents that have it and how often, by document number.
// Invariant: entries are appended only, and sorted. In a short list an entry is `document × 256 + frequency`, in a long one
// it is packed; a frequency that doesn't fit is in `often`. Document numbers are below 2^24.
import {
  createPackedEntries,
  endOfStretch,
  growPacked,
  isPackedAt,
  manyTimes,
  packedDocument,
  type PackedEntries,
  pushPacked,
  seekPacked,
  stretch,
  stretchOf,
  timesBits,
} from './packed-entries.ts'

export interface PostingList {
  /** While the list isn't packed. */
  entries: Uint32Array
  packed: PackedEntries | undefined
  length: number
  /** Entries not read from a segment yet; reading the first makes room for all. */
  expected: number
  often: Map<number, number> | undefined
  /** Entries of documents that are not removed, as of `removals` removals. */
  live: number
  removals: number
  /** By class of frequency: the length of the shortest document. It bounds the gain of the term. */
  shortest: Float64Array | undefined
}

const byte = 255
/** From this many entries on, packing saves memory. */
const packedLeast = 512
/** Classes of frequency: the highest of each. An unbounded frequency gains 2.2. */
const classes = [1, 2, 3, 5, 9, Infinity] as const

const none = new Uint32Array(0)

export function createPostingList(): PostingList {
  return {
    entries: none,
    packed: undefined,
    length: 0,
    expected: 0,
    often: undefined,
    live: 0,
    removals: 0,
    shortest: undefined,
  }
}

/** Estimated memory of its entries. */
export const listBytes = ({ entries, packed, often }: PostingList): number =>
  (packed ? packed.codes.length * 2 + packed.starts.length * 4 : entries.length * 4) + (often?.size ?? 0) * 40

/** Makes room for `count` entries in total, of documents up to `document`. `slack`: a factor for more room. */
function makeRoom(list: PostingList, count: number, document: number, slack: number): void {
  if (list.packed) return growPacked(list.packed, count, document)
  if (count < packedLeast) {
    if (count <= list.entries.length) return
    const larger = new Uint32Array(Math.max(count, Math.ceil(list.length * slack)))
    larger.set(list.entries.subarray(0, list.length))
    list.entries = larger
    return
  }
  const packed = createPackedEntries(count, document)
  const { entries, length } = list
  for (let at = 0; at < length; at++) {
    const entry = entries[at] as number
    const frequency = frequencyOf(list, at, entry >>> 8)
    if (frequency >= manyTimes) noteOften(list, entry >>> 8, frequency)
    pushPacked(packed, entry >>> 8, Math.min(frequency, manyTimes))
  }
  list.packed = packed
  list.entries = none
}

const noteOften = (list: PostingList, document: number, frequency: number): void => {
  ;(list.often ??= new Map<number, number>()).set(document, frequency)
}

/** Appends a document; the caller has made room. */
function push(list: PostingList, document: number, frequency: number): void {
  const { packed } = list
  const most = packed ? manyTimes : byte
  if (frequency >= most) noteOften(list, document, frequency)
  if (packed) pushPacked(packed, document, Math.min(frequency, most))
  else list.entries[list.length] = document * 256 + Math.min(frequency, most)
  list.length += 1
}

/** Appends entries, each with a frequency that fits a byte. */
export function addPostings(list: PostingList, more: Uint32Array, sizes: Uint32Array): void {
  const last = more.at(-1)
  if (last === undefined) return
  makeRoom(list, list.length + more.length, last >>> 8, 1.25)
  for (const entry of more) push(list, entry >>> 8, entry & byte)
  list.live += more.length
  if (!list.shortest) return
  for (const entry of more) {
    const size = sizes[entry >>> 8] as number
    if (size > 0) shorten(list.shortest, entry & byte, size)
  }
}

/** Counts a term once more in the last document, which has `size` terms; for counts beyond a byte. */
export function countPosting(list: PostingList, document: number, size: number): void {
  const at = list.length - 1
  const frequency = frequencyOf(list, at, document) + 1
  if (frequency >= (list.packed ? manyTimes : byte)) noteOften(list, document, frequency)
  if (!list.packed) list.entries[at] = document * 256 + Math.min(frequency, byte)
  if (list.shortest) shorten(list.shortest, frequency, size)
}

/** Entries as posting-segment.ts writes them. */
export interface WrittenEntries {
  readonly bytes: Uint8Array
  /** Numbers of the first and the last document of the segment, in memory. */
  readonly first: number
  readonly last: number
  /** Offset of the next entry. */
  at: number
}

/** Reads the next `count` expected entries into `list`. */
export function readPostings(list: PostingList, count: number, written: WrittenEntries): void {
  makeRoom(list, list.length + list.expected, written.last, 1)
  const { bytes } = written
  let { at, first: document } = written
  for (let i = 0; i < count; i++) {
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
    }
    push(list, document, frequency)
  }
  list.expected -= count
  list.live += count
  written.at = at
}

/** The document of the entry at `at`. */
export function documentAt({ entries, packed }: PostingList, at: number): number {
  return packed ? packedDocument(packed, at) : (entries[at] as number) >>> 8
}

/** How often `document`, whose entry is at `at`, has the term. */
export function frequencyOf({ entries, packed, often }: PostingList, at: number, document: number): number {
  const most = packed ? manyTimes : byte
  const frequency = (packed ? (packed.codes[at] as number) : (entries[at] as number)) & most
  return frequency < most ? frequency : (often?.get(document) ?? most)
}

/** Whether the entry at `at` exists and belongs to `document`. */
export function isAt({ entries, packed, length }: PostingList, at: number, document: number): boolean {
  if (at >= length) return false
  return packed ? isPackedAt(packed, at, document) : (entries[at] as number) >>> 8 === document
}

/** Position of the first entry, at or after `from`, whose document is `document` or above. */
export function seekPosting(
  { entries, packed, length }: PostingList,
  document: number,
  from: number,
): number {
  if (packed) return seekPacked(packed, document, from)
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

/** Calls `take` with the document and the frequency of each entry from `from` up to, not including, `to`. */
export function eachPosting(
  list: PostingList,
  from: number,
  to: number,
  take: (document: number, frequency: number) => void,
): void {
  const { packed, entries } = list
  if (!packed) {
    for (let at = from; at < to; at++) {
      const document = (entries[at] as number) >>> 8
      take(document, frequencyOf(list, at, document))
    }
    return
  }
  if (from >= to) return
  let own = stretchOf(packedDocument(packed, from))
  for (let at = from; at < to; own++) {
    const end = Math.min(to, endOfStretch(packed, own))
    for (; at < end; at++) {
      const document = own * stretch + ((packed.codes[at] as number) >>> timesBits)
      take(document, frequencyOf(list, at, document))
    }
  }
}

/** How many live documents have the term. `removals`: removals so far; a removed document has size 0. */
export function documentFrequency(list: PostingList, removals: number, sizes: Uint32Array): number {
  if (list.removals !== removals) {
    list.removals = removals
    let live = 0
    eachPosting(list, 0, list.length, (document) => {
      if (sizes[document] !== 0) live += 1
    })
    list.live = live
  }
  return list.live
}

/** An upper bound of f × 2.2 / (f + 0.3 + 0.9 × size / average) over the documents of the list. */
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
  eachPosting(list, 0, list.length, (document, frequency) => {
    const size = sizes[document] as number
    if (size > 0) shorten(shortest, frequency, size)
  })
  return shortest
}

function shorten(shortest: Float64Array, frequency: number, size: number): void {
  let i = 0
  while (frequency > (classes[i] as number)) i++
  if (size < (shortest[i] as number)) shortest[i] = size
}

/** Drops removed documents and renumbers the others in order. False when the list is empty. */
export function compactPostings(list: PostingList, renamed: Int32Array): boolean {
  // In place: a segment reader holds a reference to the list.
  Object.assign(list, renamedPostings(list, renamed), { expected: list.expected })
  return list.live > 0 || list.expected > 0
}

/** A copy of the list with the new numbers of documents, without those below 0. */
export function renamedPostings(list: PostingList, renamed: Int32Array): PostingList {
  let count = 0
  let last = 0
  eachPosting(list, 0, list.length, (document) => {
    const to = renamed[document] as number
    if (to < 0) return
    count += 1
    last = to
  })
  const copy = { ...createPostingList(), live: count }
  if (count === 0) return copy
  makeRoom(copy, count, last, 1)
  eachPosting(list, 0, list.length, (document, frequency) => {
    const to = renamed[document] as number
    if (to >= 0) push(copy, to, frequency)
  })
  return copy
}
