// Two runs side by side: their entries in pairs by the longest common sequence of tools and speakers, and their differences.
// Invariant: each entry of both runs is in one pair, in its order, and both entries of a pair have the same tool or speaker.
import { isNumberOrUsage } from '../../wording/run-word.ts'
import type { Picture, RunStep } from './picture.ts'
import type { ToolShare } from './run-figure.ts'

/** `first`, `second`: the entry is in that run only. `outcome`: one failed. `text`: its texts differ. */
export type Difference = 'none' | 'first' | 'second' | 'outcome' | 'text'

/** Places in the order of time. */
export interface PlacePair {
  readonly first: number | undefined
  readonly second: number | undefined
}

export interface StepPair {
  readonly first: RunStep | undefined
  readonly second: RunStep | undefined
  /** Their numbers in their runs. */
  readonly places: PlacePair
  readonly difference: Difference
}

/** Pairs of equal keys: the longest common subsequence. An entry without a partner is before what follows it. */
export function alignKeys(first: readonly string[], second: readonly string[]): PlacePair[] {
  let start = 0
  while (start < first.length && start < second.length && first[start] === second[start]) start += 1
  let [endFirst, endSecond] = [first.length, second.length]
  while (endFirst > start && endSecond > start && first[endFirst - 1] === second[endSecond - 1]) {
    endFirst -= 1
    endSecond -= 1
  }
  const both = (count: number, a: number, b: number) =>
    Array.from({ length: count }, (_, i): PlacePair => ({ first: a + i, second: b + i }))
  return [
    ...both(start, 0, 0),
    ...alignMiddle(first, second, { start, endFirst, endSecond }),
    ...both(first.length - endFirst, endFirst, endSecond),
  ]
}

interface Middle {
  readonly start: number
  readonly endFirst: number
  readonly endSecond: number
}

function alignMiddle(
  first: readonly string[],
  second: readonly string[],
  { start, endFirst, endSecond }: Middle,
): PlacePair[] {
  const [rows, columns] = [endFirst - start, endSecond - start]
  const width = columns + 1
  // The length of the longest common subsequence of what is left at both places.
  const lengths = new Uint16Array((rows + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = rows - 1; i >= 0; i -= 1)
    for (let j = columns - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        first[start + i] === second[start + j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pairs: PlacePair[] = []
  let [i, j] = [0, 0]
  while (i < rows || j < columns) {
    if (i < rows && j < columns && first[start + i] === second[start + j]) {
      pairs.push({ first: start + i, second: start + j })
      i += 1
      j += 1
    } else if (j === columns || (i < rows && at(i + 1, j) >= at(i, j + 1))) {
      pairs.push({ first: start + i, second: undefined })
      i += 1
    } else {
      pairs.push({ first: undefined, second: start + j })
      j += 1
    }
  }
  return pairs
}

/** The most entries of a run that are aligned. */
export const mostAligned = 5000

const stepsOf = ({ rows }: Picture): RunStep[] =>
  rows
    .toSorted((a, b) => a.place - b.place)
    .slice(0, mostAligned)
    .map(({ step }) => step)

const keyOf = ({ tool, lead }: RunStep) => `${tool === undefined ? 'message' : 'step'} ${lead}`

export function alignRuns(one: Picture, other: Picture): StepPair[] {
  const [first, second] = [stepsOf(one), stepsOf(other)]
  return alignKeys(first.map(keyOf), second.map(keyOf)).map((places): StepPair => {
    const a = places.first === undefined ? undefined : first[places.first]
    const b = places.second === undefined ? undefined : second[places.second]
    return { first: a, second: b, places, difference: differenceOf(a, b) }
  })
}

function differenceOf(first: RunStep | undefined, second: RunStep | undefined): Difference {
  if (!first) return 'second'
  if (!second) return 'first'
  if (first.mark !== second.mark && first.tool !== undefined) return 'outcome'
  return contentOf(first) === contentOf(second) ? 'none' : 'text'
}

/** The input and the result of a step, without times, tokens and cost, which differ in any two runs. */
function contentOf({ entry }: RunStep): string {
  if (entry.kind === 'message') return entry.content
  const { task, action, result } = entry
  const outcome = Object.entries(result?.outcome ?? {}).filter((field) => !isNumberOrUsage(field))
  return JSON.stringify([task.goal, task.constraints, action.parameters, Object.fromEntries(outcome)])
}

/** The next difference after `from`, or the one before it; from the last on to the first. Undefined: both runs are the same. */
export function nextDifference(pairs: readonly StepPair[], from: number, by: 1 | -1): number | undefined {
  for (let n = 1; n <= pairs.length; n += 1) {
    const at = (((from + by * n) % pairs.length) + pairs.length) % pairs.length
    if (pairs[at]?.difference !== 'none') return at
  }
  return undefined
}

export interface ToolCalls {
  readonly tool: string
  readonly first: number
  readonly second: number
}

/** Calls by tool, the largest difference first. */
export function toolCalls(one: readonly ToolShare[], other: readonly ToolShare[]): ToolCalls[] {
  const counts = (tools: readonly ToolShare[]) => new Map(tools.map(({ tool, steps }) => [tool, steps]))
  const [first, second] = [counts(one), counts(other)]
  const gap = (calls: ToolCalls) => Math.abs(calls.first - calls.second)
  return [...new Set([...first.keys(), ...second.keys()])]
    .map((tool) => ({ tool, first: first.get(tool) ?? 0, second: second.get(tool) ?? 0 }))
    .toSorted((a, b) => gap(b) - gap(a) || b.first - a.first || (a.tool < b.tool ? -1 : 1))
}
