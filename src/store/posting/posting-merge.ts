// Decides when to merge segments of the postings: when the last ones include four of one size class and otherwise
// only smaller ones. So each document is rewritten about once for each class. Pure.

/** Sizes of segments, in documents. To write or merge one is one short piece of idle work. */
export interface SegmentLimits {
  /** Fewer documents get no segment. */
  readonly minNewDocuments: number
  /** Most documents of a new segment. */
  readonly maxNewDocuments: number
  /** Most documents of a merged segment: room for four full new ones and some smaller ones. */
  readonly maxMergedDocuments: number
}

export const segmentLimits: SegmentLimits = {
  minNewDocuments: 50,
  maxNewDocuments: 16_384,
  maxMergedDocuments: 81_920,
}
/** This many segments of one class become one of the next class, whose segments are this many times larger. */
const fanout = 4

const sizeClassOf = (documents: number, { minNewDocuments }: SegmentLimits) =>
  Math.max(0, Math.floor(Math.log(documents / minNewDocuments) / Math.log(fanout)))

/** How many of the last segments to merge into one; 0 for none. `sizes`: the documents of each segment, in order. */
export function mergeCount(sizes: readonly number[], limits: SegmentLimits): number {
  const highestClass = sizeClassOf(limits.maxMergedDocuments, limits)
  for (let level = 0; level <= highestClass; level++) {
    let run = 0
    let total = 0
    let peers = 0
    for (let i = sizes.length - 1; i >= 0 && sizeClassOf(sizes[i] as number, limits) <= level; i--) {
      total += sizes[i] as number
      if (total > limits.maxMergedDocuments) break
      run += 1
      if (sizeClassOf(sizes[i] as number, limits) === level) peers += 1
    }
    if (peers >= fanout) return run
  }
  return 0
}
