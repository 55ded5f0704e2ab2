// The packed entries of a long list, two bytes each: the document within its block (8,192 documents), and how often
// it has the term. `blockStarts` has the position at which each block begins.
// Invariant: entries ascend by document.

/** Bits of an entry for the document within its block. The other bits are for the frequency. */
const blockBits = 13
export const blockSize = 2 ** blockBits
export const frequencyBits = 16 - blockBits
/** A frequency from this on is stored in `overflowFrequencies` of the list. */
export const maxPackedFrequency = 2 ** frequencyBits - 1

export interface PackedEntries {
  /** `(document % 8192) × 8 + frequency` for each entry; may have room at the end. */
  codes: Uint16Array
  /**
   * For each block up to `lastBlock`: the position of its first entry; for an empty one, of the next block's first
   * entry.
   */
  blockStarts: Uint32Array
  /** The block of the last entry, -1 for none. */
  lastBlock: number
  /** How many entries there are. */
  length: number
}

/** Empty entries with room for `count` entries of documents up to `document`. */
export function createPackedEntries(count: number, document: number): PackedEntries {
  return {
    codes: new Uint16Array(count),
    blockStarts: new Uint32Array(blockOf(document) + 1),
    lastBlock: -1,
    length: 0,
  }
}

export const blockOf = (document: number): number => document >>> blockBits

/** Makes room for `count` entries in total, of documents up to `document`. */
export function growPacked(entries: PackedEntries, count: number, document: number): void {
  if (blockOf(document) >= entries.blockStarts.length) {
    const starts = new Uint32Array(blockOf(document) + 8)
    starts.set(entries.blockStarts)
    entries.blockStarts = starts
  }
  if (count <= entries.codes.length) return
  const codes = new Uint16Array(Math.max(count, Math.ceil(entries.length * 1.125)))
  codes.set(entries.codes.subarray(0, entries.length))
  entries.codes = codes
}

/** Appends an entry. Call `growPacked` first. */
export function pushPacked(entries: PackedEntries, document: number, frequency: number): void {
  const block = document >>> blockBits
  while (entries.lastBlock < block) entries.blockStarts[++entries.lastBlock] = entries.length
  entries.codes[entries.length++] = (document & (blockSize - 1)) * (maxPackedFrequency + 1) + frequency
}

/** The position after the last entry of `block`. */
export function endOfBlock({ blockStarts, lastBlock, length }: PackedEntries, block: number): number {
  return block < lastBlock ? (blockStarts[block + 1] as number) : length
}

/** The document of the entry at `at`. */
export function packedDocument({ codes, blockStarts, lastBlock }: PackedEntries, at: number): number {
  let low = 0
  let high = lastBlock
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((blockStarts[middle] as number) <= at) low = middle
    else high = middle - 1
  }
  return low * blockSize + ((codes[at] as number) >>> frequencyBits)
}

/** Position of the first entry from `from` on whose document is `document` or above; the length for none. */
export function seekPacked(entries: PackedEntries, document: number, from: number): number {
  const block = document >>> blockBits
  if (block > entries.lastBlock) return entries.length
  const { codes } = entries
  const minCode = (document & (blockSize - 1)) * (maxPackedFrequency + 1)
  let low = Math.max(from, entries.blockStarts[block] as number)
  let high = Math.max(low, endOfBlock(entries, block))
  if (low === high || (codes[low] as number) >= minCode) return low
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((codes[middle] as number) < minCode) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether the entry at `at` belongs to `document`. */
export function isPackedAt(entries: PackedEntries, at: number, document: number): boolean {
  const block = document >>> blockBits
  if (
    block > entries.lastBlock ||
    at < (entries.blockStarts[block] as number) ||
    at >= endOfBlock(entries, block)
  )
    return false
  return (entries.codes[at] as number) >>> frequencyBits === (document & (blockSize - 1))
}
