// Pattern for the agents of a policy: a name or a DID. `*` matches any number of characters, `?` one UTF-16 unit.
import { someText } from '../../../shape/sound-text.ts'

export const agentPatternLimit = 1000

export const agentPattern = someText(agentPatternLimit)
  // eslint-disable-next-line no-control-regex -- controls are exactly what is refused
  .refine((text) => !/[\u0000-\u001f\u007f-\u009f]/.test(text), 'has control characters')

export function isExactAgent(pattern: string): boolean {
  return !/[*?]/.test(pattern)
}

/**
 * True if `pattern` matches `agent`. Backtracks to the last `*` only, so the cost is bounded by the product of the
 * lengths.
 */
export function matchesAgent(pattern: string, agent: string): boolean {
  let p = 0
  let a = 0
  let star = -1
  let from = 0
  while (a < agent.length) {
    if (pattern[p] === '*') {
      star = p++
      from = a
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === agent[a])) {
      p += 1
      a += 1
    } else if (star >= 0) {
      p = star + 1
      a = ++from
    } else {
      return false
    }
  }
  while (pattern[p] === '*') p += 1
  return p === pattern.length
}
