// When segments of the postings are merged: whenever four of one size class stand at the end, but for smaller ones after
// them. So each document is written again about once for each class. Pure.

/** In documents. A tail, or a merge, is one piece of work in idle time, and so short. */
export interface SegmentLimits {
  /** Fewer are not worth a segment. */
  readonly least: number
  /** The most of one that is written for the first time, and of one that is merged from others. */
  readonly tail: number
  /** Holds four full tails and some smaller ones after them. */
  readonly merged: number
}

export const segmentLimits: SegmentLimits = { least: 50, tail: 16_384, merged: 81_920 }
/** This many of one class become one of the next, which is as many times larger. */
const fanout = 4

const classOf = (documents: number, { least }: SegmentLimits) =>
  Math.max(0, Math.floor(Math.log(documents / least) / Math.log(fanout)))

/** How many of the last segments to merge into one, 0 for none. `sizes`: documents of each, in their order. */
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
