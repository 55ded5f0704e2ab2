// Traces in numbers: failures by action; durations, tokens and costs by time.
// Invariant: a trace without a number is left out of its sums, not counted as zero.
import type { Trace } from '../../../src/index.ts'
import { stepCost, stepMs, stepTokens } from '../../wording/run-word.ts'
import { type DaySlot, daySlots, slotAt } from './day-count.ts'

/** The numbers of a trace for the charts. */
export interface TraceSample {
  readonly atMs: number
  readonly action: string
  readonly failed: boolean
  readonly ms: number | undefined
  readonly tokens: number | undefined
  readonly cost: number | undefined
}

export function sampleOf(trace: Trace): TraceSample {
  return {
    atMs: Date.parse(trace.timestamp),
    action: trace.action.type,
    failed: trace.result?.success === false,
    ms: stepMs(trace),
    tokens: stepTokens(trace),
    cost: stepCost(trace),
  }
}

export interface ActionFigure {
  readonly action: string
  readonly count: number
  readonly failed: number
}

/** Actions that failed, those with the most failures first. */
export function failuresByAction(samples: readonly TraceSample[]): ActionFigure[] {
  const found = new Map<string, { count: number; failed: number }>()
  for (const { action, failed } of samples) {
    const figure = found.get(action) ?? { count: 0, failed: 0 }
    figure.count += 1
    if (failed) figure.failed += 1
    found.set(action, figure)
  }
  return [...found]
    .map(([action, figure]) => ({ action, ...figure }))
    .filter(({ failed }) => failed > 0)
    .toSorted((a, b) => b.failed - a.failed || b.count - a.count || (a.action < b.action ? -1 : 1))
}

/** The smallest of sorted numbers that at least `share` of them do not exceed (nearest rank). */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}

/** By time slot; null without a number. */
export interface TimeFigures {
  readonly slots: readonly DaySlot[]
  readonly count: readonly number[]
  /** Milliseconds that half of the traces, and 95 % of them, did not exceed. */
  readonly p50: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
  readonly tokens: readonly (number | null)[]
  /** US dollars. */
  readonly cost: readonly (number | null)[]
}

export function figuresByTime(samples: readonly TraceSample[]): TimeFigures {
  const times = samples.map(({ atMs }) => atMs).filter((ms) => Number.isFinite(ms))
  const [first = 0, last = 0] = [times.reduce(smaller, Infinity), times.reduce(larger, -Infinity)]
  const slots = times.length === 0 ? [] : daySlots(first, last)
  const inSlot = slots.map((): TraceSample[] => [])
  for (const sample of samples) inSlot[slotAt(slots, sample.atMs)]?.push(sample)
  const took = inSlot.map((all) => valuesOf(all, 'ms').toSorted((a, b) => a - b))
  const sums = (name: 'tokens' | 'cost') =>
    inSlot.map((all) => {
      const values = valuesOf(all, name)
      return values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0)
    })
  return {
    slots,
    count: inSlot.map((all) => all.length),
    p50: took.map((all) => percentile(all, 0.5)),
    p95: took.map((all) => percentile(all, 0.95)),
    tokens: sums('tokens'),
    cost: sums('cost'),
  }
}

const smaller = (a: number, b: number) => Math.min(a, b)
const larger = (a: number, b: number) => Math.max(a, b)

function valuesOf(samples: readonly TraceSample[], name: 'ms' | 'tokens' | 'cost'): number[] {
  return samples.flatMap((sample) => {
    const value = sample[name]
    return value === undefined ? [] : [value]
  })
}
