// The posting list of one term: the documents that have it, and how often (the frequency). In a short list an entry
// is `document × 256 + frequency`; a long list is packed (two bytes an entry, in blocks of documents). A frequency that
// does not fit its entry is in `overflowFrequencies`; the entry then has the highest frequency of its form.
// `sizes`: from a document to how many terms it has; 0 for a removed one.
// Invariant: entries are sorted by document and only appended. Document numbers are below 2^24.
import { gainOf, lengthNormOf, maxGainOfTerm } from './bm25.ts'
import {
  createPackedEntries,
  endOfBlock,
  growPacked,
  isPackedAt,
  maxPackedFrequency,
  packedDocument,
  type PackedEntries,
  pushPacked,
  seekPacked,
  blockSize,
  blockOf,
  frequencyBits,
} from './packed-entries.ts'

export interface PostingList {
  /** The entries of a list that is not packed; may have room at the end. */
  entries: Uint32Array
  /** Undefined for a short list. */
  packed: PackedEntries | undefined
  /** How many entries there are. */
  length: number
  /** How many entries are still to be read from segments. The first read makes room for all. */
  expected: number
  /** From a document to a frequency that does not fit its entry. */
  overflowFrequencies: Map<number, number> | undefined
  /** How many entries are of live documents, when `removalsSeen` documents were removed. */
  liveCount: number
  removalsSeen: number
  /** For each class of frequencies: the size of the smallest document. It bounds the gain of the term. */
  minSizes: Float64Array | undefined
}

/** Bits of a short entry for the frequency. The other bits are for the document. */
export const shortFrequencyBits = 8
export const maxShortFrequency = 2 ** shortFrequencyBits - 1
/** From this many entries on, a packed list takes less memory. */
const minPackedLength = 512
/** The highest frequency of each class. */
const frequencyClasses = [1, 2, 3, 5, 9, Infinity] as const

const noEntries = new Uint32Array(0)

export function createPostingList(): PostingList {
  return {
    entries: noEntries,
    packed: undefined,
    length: 0,
    expected: 0,
    overflowFrequencies: undefined,
    liveCount: 0,
    removalsSeen: 0,
    minSizes: undefined,
  }
}

/** Estimated memory of the entries of a list, in bytes. */
export const listBytes = ({ entries, packed, overflowFrequencies }: PostingList): number =>
  (packed ? packed.codes.length * 2 + packed.blockStarts.length * 4 : entries.length * 4) +
  (overflowFrequencies?.size ?? 0) * 40

/**
 * Makes room for `count` entries in total, of documents up to `document`. `growthFactor`: growth factor of a short
 * list.
 */
function makeRoom(list: PostingList, count: number, document: number, growthFactor: number): void {
  if (list.packed) return growPacked(list.packed, count, document)
  if (count < minPackedLength) {
    if (count <= list.entries.length) return
    const larger = new Uint32Array(Math.max(count, Math.ceil(list.length * growthFactor)))
    larger.set(list.entries.subarray(0, list.length))
    list.entries = larger
    return
  }
  const packed = createPackedEntries(count, document)
  const { entries, length } = list
  for (let at = 0; at < length; at++) {
    const entry = entries[at] as number
    const frequency = frequencyOf(list, at, entry >>> shortFrequencyBits)
    if (frequency >= maxPackedFrequency) setOverflowFrequency(list, entry >>> shortFrequencyBits, frequency)
    pushPacked(packed, entry >>> shortFrequencyBits, Math.min(frequency, maxPackedFrequency))
  }
  list.packed = packed
  list.entries = noEntries
}

const setOverflowFrequency = (list: PostingList, document: number, frequency: number): void => {
  ;(list.overflowFrequencies ??= new Map<number, number>()).set(document, frequency)
}

/** Appends an entry. Call `makeRoom` first. */
function push(list: PostingList, document: number, frequency: number): void {
  const { packed } = list
  const maxFrequency = packed ? maxPackedFrequency : maxShortFrequency
  if (frequency >= maxFrequency) setOverflowFrequency(list, document, frequency)
  if (packed) pushPacked(packed, document, Math.min(frequency, maxFrequency))
  else list.entries[list.length] = document * 2 ** shortFrequencyBits + Math.min(frequency, maxFrequency)
  list.length += 1
}

/** Appends entries of the short form whose frequencies are below `maxShortFrequency`. */
export function addPostings(list: PostingList, added: Uint32Array, sizes: Uint32Array): void {
  const last = added.at(-1)
  if (last === undefined) return
  makeRoom(list, list.length + added.length, last >>> shortFrequencyBits, 1.25)
  for (const entry of added) push(list, entry >>> shortFrequencyBits, entry & maxShortFrequency)
  list.liveCount += added.length
  if (!list.minSizes) return
  for (const entry of added) {
    const size = sizes[entry >>> shortFrequencyBits] as number
    if (size > 0) updateMinSizes(list.minSizes, entry & maxShortFrequency, size)
  }
}

/**
 * Adds `times` to the frequency of the last entry, that of `document` with `size` terms. For frequencies of
 * `maxShortFrequency` and above.
 */
export function raiseLastPosting(
  list: PostingList,
  { document, size, times }: { readonly document: number; readonly size: number; readonly times: number },
): void {
  const at = list.length - 1
  const frequency = frequencyOf(list, at, document) + times
  if (frequency >= (list.packed ? maxPackedFrequency : maxShortFrequency))
    setOverflowFrequency(list, document, frequency)
  if (!list.packed)
    list.entries[at] = document * 2 ** shortFrequencyBits + Math.min(frequency, maxShortFrequency)
  if (list.minSizes) updateMinSizes(list.minSizes, frequency, size)
}

/** Entries in the form that posting-segment.ts writes. */
export interface SegmentEntries {
  readonly bytes: Uint8Array
  /** The first document of the segment, by its number in memory. */
  readonly firstDocument: number
  /** The last document. */
  readonly lastDocument: number
  /** Offset of the next entry in `bytes`; `readPostings` moves it. */
  offset: number
}

/**
 * Reads the next `count` expected entries into `list`. An entry is the gap to the previous document × 2, plus 1 when a
 * frequency above 1 follows; both in LEB128.
 */
export function readPostings(list: PostingList, count: number, written: SegmentEntries): void {
  makeRoom(list, list.length + list.expected, written.lastDocument, 1)
  const { bytes } = written
  let { offset, firstDocument: document } = written
  for (let i = 0; i < count; i++) {
    let part = bytes[offset++] as number
    let entry = part & 127
    for (let shift = 7; part >= 128; shift += 7) {
      part = bytes[offset++] as number
      entry |= (part & 127) << shift
    }
    document += entry >>> 1
    let frequency = 1
    if ((entry & 1) === 1) {
      part = bytes[offset++] as number
      frequency = part & 127
      for (let shift = 7; part >= 128; shift += 7) {
        part = bytes[offset++] as number
        frequency |= (part & 127) << shift
      }
    }
    push(list, document, frequency)
  }
  list.expected -= count
  list.liveCount += count
  written.offset = offset
}

/** The document of the entry at `at`. */
export function documentAt({ entries, packed }: PostingList, at: number): number {
  return packed ? packedDocument(packed, at) : (entries[at] as number) >>> shortFrequencyBits
}

/** How often `document`, whose entry is at `at`, has the term. */
export function frequencyOf(
  { entries, packed, overflowFrequencies }: PostingList,
  at: number,
  document: number,
): number {
  const maxFrequency = packed ? maxPackedFrequency : maxShortFrequency
  const frequency = (packed ? (packed.codes[at] as number) : (entries[at] as number)) & maxFrequency
  return frequency < maxFrequency ? frequency : (overflowFrequencies?.get(document) ?? maxFrequency)
}

/** Whether the entry at `at` exists and belongs to `document`. */
export function isEntryOf({ entries, packed, length }: PostingList, at: number, document: number): boolean {
  if (at >= length) return false
  return packed
    ? isPackedAt(packed, at, document)
    : (entries[at] as number) >>> shortFrequencyBits === document
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
  const minEntry = document * 2 ** shortFrequencyBits
  let step = 1
  let high = from
  while (high < length && (entries[high] as number) < minEntry) {
    high += step
    step *= 2
  }
  let low = high - (step >> 1)
  if (low < from) low = from
  if (high > length) high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle] as number) < minEntry) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Calls `visit` with the document and the frequency of the entries from position `from` up to, not including, `to`.
 */
export function eachPosting(
  list: PostingList,
  from: number,
  to: number,
  visit: (document: number, frequency: number) => void,
): void {
  const { packed, entries } = list
  if (!packed) {
    for (let at = from; at < to; at++) {
      const document = (entries[at] as number) >>> shortFrequencyBits
      visit(document, frequencyOf(list, at, document))
    }
    return
  }
  if (from >= to) return
  let block = blockOf(packedDocument(packed, from))
  for (let at = from; at < to; block++) {
    const end = Math.min(to, endOfBlock(packed, block))
    for (; at < end; at++) {
      const document = block * blockSize + ((packed.codes[at] as number) >>> frequencyBits)
      visit(document, frequencyOf(list, at, document))
    }
  }
}

/** How many live documents are in the list. `removals`: how many documents were removed so far. */
export function documentFrequency(list: PostingList, removals: number, sizes: Uint32Array): number {
  if (list.removalsSeen !== removals) {
    list.removalsSeen = removals
    let live = 0
    eachPosting(list, 0, list.length, (document) => {
      if (sizes[document] !== 0) live += 1
    })
    list.liveCount = live
  }
  return list.liveCount
}

/**
 * An upper bound of the gain (the BM25 score of the term without its weight) over the documents of the list. `average`:
 * of all sizes.
 */
export function maxGain(list: PostingList, average: number, sizes: Uint32Array): number {
  list.minSizes ??= minSizesOf(list, sizes)
  return list.minSizes.reduce((highest, size, i) => {
    const frequency = frequencyClasses[i] as number
    if (size === Infinity) return highest
    if (frequency === Infinity) return maxGainOfTerm
    return Math.max(highest, gainOf(frequency, lengthNormOf(size, average)))
  }, 0)
}

function minSizesOf(list: PostingList, sizes: Uint32Array): Float64Array {
  const minSizes = new Float64Array(frequencyClasses.length).fill(Infinity)
  eachPosting(list, 0, list.length, (document, frequency) => {
    const size = sizes[document] as number
    if (size > 0) updateMinSizes(minSizes, frequency, size)
  })
  return minSizes
}

function updateMinSizes(minSizes: Float64Array, frequency: number, size: number): void {
  let i = 0
  while (frequency > (frequencyClasses[i] as number)) i++
  if (size < (minSizes[i] as number)) minSizes[i] = size
}

/** Drops removed documents and renumbers the others. False when the list has no entries and expects none. */
export function compactPostings(list: PostingList, newNumbers: Int32Array): boolean {
  // Change the list in place: a segment reader refers to it.
  Object.assign(list, renumberedPostings(list, newNumbers), { expected: list.expected })
  return list.liveCount > 0 || list.expected > 0
}

/** A copy of the list with the document numbers of `newNumbers`, without those of -1. */
export function renumberedPostings(list: PostingList, newNumbers: Int32Array): PostingList {
  let count = 0
  let last = 0
  eachPosting(list, 0, list.length, (document) => {
    const to = newNumbers[document] as number
    if (to < 0) return
    count += 1
    last = to
  })
  const copy = { ...createPostingList(), liveCount: count }
  if (count === 0) return copy
  makeRoom(copy, count, last, 1)
  eachPosting(list, 0, list.length, (document, frequency) => {
    const to = newNumbers[document] as number
    if (to >= 0) push(copy, to, frequency)
  })
  return copy
}
