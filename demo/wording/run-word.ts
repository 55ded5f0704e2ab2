// A run and its steps in words and as bars on a time line: durations, tokens, costs, branches.
// Invariant: a bar is within the run, and ends at the time of its step.
import type { Trace } from '../../src/index.ts'

export type RunOutcome = 'succeeded' | 'failed' | 'open' | 'none'

/** `820 ms`, `4.2 s`, `12 min 5 s`, `3 h 20 min`, `2 d 4 h`. */
export function longDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
  ] as const
  const first = units.findIndex(([, size]) => ms >= size)
  return units
    .slice(first, first + 2)
    .map(
      ([unit, size], i, both) =>
        [Math.floor((i === 0 ? ms : ms % (both[0]?.[1] ?? 1)) / size), unit] as const,
    )
    .filter(([count], i) => i === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

/** Files of these tools have no times; the times of their steps derive from the time of the file. */
const timeless = /^(?:swe-agent|chat):/

export function importedNote(session: string): string | undefined {
  return timeless.test(session)
    ? 'Imported from a file without times. The last step has the time at which the file was written; earlier ones are counted back from it.'
    : undefined
}

/** The first finite number, zero or more, at one of these dotted paths of a trace. */
function numberAt(trace: Trace, paths: readonly string[]): number | undefined {
  for (const path of paths) {
    let value: unknown = trace
    for (const step of path.split('.')) {
      value =
        typeof value === 'object' && value !== null
          ? Object.getOwnPropertyDescriptor(value, step)?.value
          : undefined
    }
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  }
  return undefined
}

const places = ['result.outcome', 'metadata', 'situation.context', 'action.parameters'] as const
const within = (...names: readonly string[]) =>
  places.flatMap((place) => names.map((name) => `${place}.${name}`))
const secondPaths = within('execution_time', 'duration_s', 'seconds')
const msPaths = within('durationMs', 'elapsed_ms', 'latency_ms')
const tokenPaths = within('usage.total_tokens', 'usage.totalTokens', 'total_tokens', 'tokens')
const inputPaths = within('usage.input_tokens', 'usage.inputTokens', 'usage.prompt_tokens')
const outputPaths = within('usage.output_tokens', 'usage.outputTokens', 'usage.completion_tokens')
const costPaths = within('usage.cost_usd', 'usage.cost', 'cost_usd', 'total_cost_usd', 'cost')

/** The duration of a step in milliseconds, if it has one. */
export function stepMs(trace: Trace): number | undefined {
  const seconds = numberAt(trace, secondPaths)
  return numberAt(trace, msPaths) ?? (seconds === undefined ? undefined : seconds * 1000)
}

/** Tokens of a step: its total, else input and output. */
export function stepTokens(trace: Trace): number | undefined {
  const total = numberAt(trace, tokenPaths)
  if (total !== undefined) return total
  const parts = [numberAt(trace, inputPaths), numberAt(trace, outputPaths)].filter((one) => one !== undefined)
  return parts.length === 0 ? undefined : parts.reduce((sum, one) => sum + one, 0)
}

/** The cost of a step in US dollars. */
export function stepCost(trace: Trace): number | undefined {
  return numberAt(trace, costPaths)
}

/** `$0.0042`, `$1.25`. */
export function costWord(dollars: number): string {
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`
}

export interface RunBar {
  /** Shares of the run's length, 0 to 1. */
  readonly from: number
  readonly length: number
  readonly ms: number
  /** The step has a duration of its own; else it is the time since the entry before. */
  readonly isMeasured: boolean
}

interface Timed {
  readonly id: string
  readonly kind: string
  readonly timestamp: string
}

/** A bar per entry, in order. A message has no duration. */
export function barsOf(entries: readonly Timed[]): RunBar[] {
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
  /** 0: the trunk. */
  readonly depth: number
  /** The index of the step that it follows, if that is not the one before. */
  readonly follows: number | undefined
}

/** The tree of the steps' links: the first follower of a step continues its branch, later ones start new branches. */
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
