// Judges patterns once: what a pattern may cost depends on nothing but itself.
import { type PatternCost, patternCost } from './pattern-cost.ts'

/** How many are remembered. */
const limit = 500
const judged = new Map<string, PatternCost>()

/** What `source` may cost as a pattern with the flag u; a fault when it is none. */
export function judgePattern(source: string): PatternCost {
  const known = judged.get(source)
  if (known) return known
  const cost = isPattern(source)
    ? patternCost(source)
    : { fault: 'It is not a regular expression (ECMAScript, with the flag u).' }
  const [oldest] = judged.keys()
  if (judged.size >= limit && oldest !== undefined) judged.delete(oldest)
  judged.set(source, cost)
  return cost
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== ''
  } catch {
    return false
  }
}
