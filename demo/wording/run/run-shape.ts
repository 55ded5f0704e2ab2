// Where the steps of a run stand on its line of time, and which of them others branch from.
// Invariant: a bar lies within the run and ends when its step was stored as having happened.
import type { Trace } from '../../../src/index.ts'
import { stepMs } from './run-word.ts'

export interface Bar {
  /** Shares of the run's length, 0 to 1. */
  readonly from: number
  readonly length: number
  readonly ms: number
  /** The step says itself how long it took; otherwise it is the time since what stands before it. */
  readonly isMeasured: boolean
}

interface Timed {
  readonly id: string
  readonly kind: string
  readonly timestamp: string
}

/** A bar for each entry, in their order. What was said takes no time. */
export function barsOf(entries: readonly Timed[]): Bar[] {
  const ends = entries.map(({ timestamp }) => Date.parse(timestamp))
  const lengths = entries.map((entry, i) => {
    const own = entry.kind === 'trace' ? stepMs(entry as unknown as Trace) : 0
    const end = ends[i] ?? 0
    return { isMeasured: own !== undefined, ms: own ?? Math.max(0, end - (ends[i - 1] ?? end)) }
  })
  const start = Math.min(...ends.map((end, i) => end - (lengths[i]?.ms ?? 0)))
  const whole = Math.max(1, Math.max(...ends) - start)
  return lengths.map(({ ms, isMeasured }, i) => ({
    from: ((ends[i] ?? start) - ms - start) / whole,
    length: ms / whole,
    ms,
    isMeasured,
  }))
}

const deepest = 6

export interface Branch {
  /** 0: on the trunk. */
  readonly depth: number
  /** The place of the step that it follows, where that is not the one before it. */
  readonly follows: number | undefined
}

/** The tree that the links of the steps make: the first that follows a step goes on with it, each further one branches off. */
export function branchesOf(entries: readonly (Timed & { readonly metadata?: unknown })[]): Branch[] {
  const places = new Map(entries.map(({ id }, i) => [id, i]))
  const followed = new Set<number>()
  const depths: number[] = []
  return entries.map((entry, i) => {
    const parent = linksOf(entry)
      .map((id) => places.get(id))
      .find((place) => place !== undefined && place < i)
    const above = parent === undefined ? 0 : (depths[parent] ?? 0)
    const depth = parent !== undefined && followed.has(parent) ? Math.min(deepest, above + 1) : above
    depths.push(depth)
    if (parent !== undefined) followed.add(parent)
    const steps = entries.slice((parent ?? i) + 1, i).filter(({ kind }) => kind === 'trace')
    return { depth, follows: steps.length > 0 ? parent : undefined }
  })
}

function linksOf({ kind, metadata }: { kind: string; metadata?: unknown }): readonly string[] {
  if (kind !== 'trace' || typeof metadata !== 'object' || metadata === null) return []
  const links: unknown = 'linked_traces' in metadata ? metadata.linked_traces : []
  return Array.isArray(links) ? links.filter((one) => typeof one === 'string') : []
}
