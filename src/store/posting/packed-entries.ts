// The packed entries of a long list, two bytes each: the document within its stretch (8,192 documents), and how
// often it has the term. An index contains the position where each stretch begins.
// Invariant: entries ascend by document.

/** Bits of an entry for the document within its stretch. The other bits are for the frequency. */
const stretchBits = 13
export const stretch = 2 ** stretchBits
export const timesBits = 16 - stretchBits
/** A frequency from this on is stored in `often` of the list. */
export const manyTimes = 2 ** timesBits - 1

export interface PackedEntries {
  /** `(document % 8192) × 8 + times` for each entry; may have room at the end. */
  codes: Uint16Array
  /**
   * For each stretch up to `last`: the position of its first entry; for an empty one, of the next stretch's first
   * entry.
   */
  starts: Uint32Array
  /** The stretch of the last entry, -1 for none. */
  last: number
  length: number
}

/** Empty entries with room for `count` entries of documents up to `document`. */
export function createPackedEntries(count: number, document: number): PackedEntries {
  return {
    codes: new Uint16Array(count),
    starts: new Uint32Array(stretchOf(document) + 1),
    last: -1,
    length: 0,
  }
}

export const stretchOf = (document: number): number => document >>> stretchBits

/** Makes room for `count` entries in total, of documents up to `document`. */
export function growPacked(entries: PackedEntries, count: number, document: number): void {
  if (stretchOf(document) >= entries.starts.length) {
    const starts = new Uint32Array(stretchOf(document) + 8)
    starts.set(entries.starts)
    entries.starts = starts
  }
  if (count <= entries.codes.length) return
  const codes = new Uint16Array(Math.max(count, Math.ceil(entries.length * 1.125)))
  codes.set(entries.codes.subarray(0, entries.length))
  entries.codes = codes
}

/** Appends an entry. Call `growPacked` first. */
export function pushPacked(entries: PackedEntries, document: number, times: number): void {
  const own = document >>> stretchBits
  while (entries.last < own) entries.starts[++entries.last] = entries.length
  entries.codes[entries.length++] = (document & (stretch - 1)) * (manyTimes + 1) + times
}

/** The position after the last entry of the stretch `own`. */
export function endOfStretch({ starts, last, length }: PackedEntries, own: number): number {
  return own < last ? (starts[own + 1] as number) : length
}

/** The document of the entry at `at`. */
export function packedDocument({ codes, starts, last }: PackedEntries, at: number): number {
  let low = 0
  let high = last
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((starts[middle] as number) <= at) low = middle
    else high = middle - 1
  }
  return low * stretch + ((codes[at] as number) >>> timesBits)
}

/** Position of the first entry from `from` on whose document is `document` or above; the length for none. */
export function seekPacked(entries: PackedEntries, document: number, from: number): number {
  const own = document >>> stretchBits
  if (own > entries.last) return entries.length
  const { codes } = entries
  const wanted = (document & (stretch - 1)) * (manyTimes + 1)
  let low = Math.max(from, entries.starts[own] as number)
  let high = Math.max(low, endOfStretch(entries, own))
  if (low === high || (codes[low] as number) >= wanted) return low
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((codes[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether the entry at `at` belongs to `document`. */
export function isPackedAt(entries: PackedEntries, at: number, document: number): boolean {
  const own = document >>> stretchBits
  if (own > entries.last || at < (entries.starts[own] as number) || at >= endOfStretch(entries, own))
    return false
  return (entries.codes[at] as number) >>> timesBits === (document & (stretch - 1))
}
