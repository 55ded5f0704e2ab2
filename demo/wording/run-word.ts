// A run and its steps in words: durations, tokens, costs.
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

export const hasTimes = (session: string): boolean => !timeless.test(session)

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

/** Whether a field of an outcome is a measure, such as seconds or tokens, and no text. */
export const isNumberOrUsage = ([name, value]: readonly [string, unknown]): boolean =>
  typeof value === 'number' || name === 'usage'
