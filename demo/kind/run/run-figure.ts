// A run in numbers: sums of its steps, and the share of each tool.
// Invariant: a step without a number is left out of a sum, not counted as zero.
import type { StepBar } from './time-line.ts'

export interface StepNumbers {
  /** Undefined for a message. */
  readonly tool: string | undefined
  readonly isFailed: boolean
  readonly tokens: number | undefined
  readonly cost: number | undefined
}

export interface ToolShare {
  readonly tool: string
  readonly steps: number
  readonly failed: number
  readonly ms: number
  /** Of the time of all steps; of their number, if no time is known. */
  readonly share: number
}

/** The sum of the known numbers; undefined if none is known. */
export function sumOfKnown(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((sum, one) => (one === undefined ? sum : (sum ?? 0) + one), undefined)
}

/** The tools of a run, the one with the largest share first. `isTimed`: shares are of time. */
export function toolShares(
  steps: readonly StepNumbers[],
  bars: readonly StepBar[],
): { readonly isTimed: boolean; readonly tools: readonly ToolShare[] } {
  const found = new Map<string, { steps: number; failed: number; ms: number }>()
  for (const [i, { tool, isFailed }] of steps.entries()) {
    if (tool === undefined) continue
    const sum = found.get(tool) ?? { steps: 0, failed: 0, ms: 0 }
    const bar = bars[i]
    sum.steps += 1
    if (isFailed) sum.failed += 1
    sum.ms += Math.max(0, (bar?.ms ?? 0) - (bar?.isMeasured === false ? (bar.stall?.ms ?? 0) : 0))
    found.set(tool, sum)
  }
  const all = [...found].map(([tool, sum]) => ({ tool, ...sum }))
  const wholeMs = all.reduce((sum, { ms }) => sum + ms, 0)
  const count = all.reduce((sum, one) => sum + one.steps, 0)
  const isTimed = wholeMs > 0
  const tools = all
    .map((one) => ({ ...one, share: isTimed ? one.ms / wholeMs : one.steps / count }))
    .toSorted((a, b) => b.share - a.share || b.steps - a.steps || (a.tool < b.tool ? -1 : 1))
  return { isTimed, tools }
}
