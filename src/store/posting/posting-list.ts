// The posting list of one term: the documents that have it, and how often (the frequency). In a short list an entry
// is `document × 256 + frequency`; a long list is packed; a frequency that does not fit is in `often`.
// Invariant: entries are sorted by document and only appended. Document numbers are below 2^24.
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
  /** The entries of a list that is not packed; may have room at the end. */
  entries: Uint32Array
  packed: PackedEntries | undefined
  length: number
  /** How many entries are still to be read from segments. The first read makes room for all. */
  expected: number
  /** From a document to a frequency that does not fit its entry. */
  often: Map<number, number> | undefined
  /** How many entries are of live documents, when `removals` documents were removed. */
  live: number
  removals: number
  /** For each class of frequencies: the size of the smallest document. It bounds the gain of the term. */
  shortest: Float64Array | undefined
}

const byte = 255
/** From this many entries on, a packed list takes less memory. */
const packedLeast = 512
/** The highest frequency of each class. The gain of any frequency is below 2.2. */
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

/** Estimated memory of the entries of a list, in bytes. */
export const listBytes = ({ entries, packed, often }: PostingList): number =>
  (packed ? packed.codes.length * 2 + packed.starts.length * 4 : entries.length * 4) + (often?.size ?? 0) * 40

/** Makes room for `count` entries in total, of documents up to `document`. `slack`: growth factor of a short list. */
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

/** Appends an entry. Call `makeRoom` first. */
function push(list: PostingList, document: number, frequency: number): void {
  const { packed } = list
  const most = packed ? manyTimes : byte
  if (frequency >= most) noteOften(list, document, frequency)
  if (packed) pushPacked(packed, document, Math.min(frequency, most))
  else list.entries[list.length] = document * 256 + Math.min(frequency, most)
  list.length += 1
}

/** Appends entries of the short form whose frequencies are below 255. */
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

/**
 * Adds 1 to the frequency of the last entry, that of `document` with `size` terms. For frequencies of 255 and above.
 */
export function countPosting(list: PostingList, document: number, size: number): void {
  const at = list.length - 1
  const frequency = frequencyOf(list, at, document) + 1
  if (frequency >= (list.packed ? manyTimes : byte)) noteOften(list, document, frequency)
  if (!list.packed) list.entries[at] = document * 256 + Math.min(frequency, byte)
  if (list.shortest) shorten(list.shortest, frequency, size)
}

/** Entries in the form that posting-segment.ts writes. */
export interface WrittenEntries {
  readonly bytes: Uint8Array
  /** The first document of the segment, by its number in memory. */
  readonly first: number
  /** The last document. */
  readonly last: number
  /** Offset of the next entry in `bytes`; `readPostings` moves it. */
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

/**
 * Position of the first entry from `from` on whose document is `document` or above; the length of the list for none.
 */
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

/**
 * Calls `take` with the document and the frequency of the entries from position `from` up to, not including, `to`.
 */
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

/** How many live documents are in the list. `removals`: how many documents were removed so far. */
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

/** An upper bound of the gain, f × 2.2 / (f + 0.3 + 0.9 × size / average), over the documents of the list. */
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

/** Drops removed documents and renumbers the others. False when the list has no entries and expects none. */
export function compactPostings(list: PostingList, renamed: Int32Array): boolean {
  // Change the list in place: a segment reader refers to it.
  Object.assign(list, renamedPostings(list, renamed), { expected: list.expected })
  return list.live > 0 || list.expected > 0
}

/** A copy of the list with the document numbers of `renamed`, without those of -1. */
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
