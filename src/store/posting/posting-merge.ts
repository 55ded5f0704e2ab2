// Decides when to merge segments of the postings: when the last ones include four of one size class and otherwise
// only smaller ones. So each document is rewritten about once for each class. Pure.

/** Sizes of segments, in documents. To write or merge one is one short piece of idle work. */
export interface SegmentLimits {
  /** Fewer documents get no segment. */
  readonly least: number
  /** Most documents of a new segment. */
  readonly first: number
  /** Most documents of a merged segment: room for four full new ones and some smaller ones. */
  readonly merged: number
}

export const segmentLimits: SegmentLimits = { least: 50, first: 16_384, merged: 81_920 }
/** This many segments of one class become one of the next class, whose segments are this many times larger. */
const fanout = 4

const classOf = (documents: number, { least }: SegmentLimits) =>
  Math.max(0, Math.floor(Math.log(documents / least) / Math.log(fanout)))

/** How many of the last segments to merge into one; 0 for none. `sizes`: the documents of each segment, in order. */
export function mergeRun(sizes: readonly number[], limits: SegmentLimits): number {
  const top = classOf(limits.merged, limits)
  for (let level = 0; level <= top; level++) {
    let run = 0
    let total = 0
    let peers = 0
    for (let i = sizes.length - 1; i >= 0 && classOf(sizes[i] as number, limits) <= level; i--) {
      total += sizes[i] as number
      if (total > limits.merged) break
      run += 1
      if (classOf(sizes[i] as number, limits) === level) peers += 1
    }
    if (peers >= fanout) return run
  }
  return 0
}
