// Pattern for the agents of a policy: a name or a DID. `*` matches any number of characters, `?` one UTF-16 unit.
import { someText } from '../../../shape/sound-text.ts'

export const maxAgentPatternLength = 1000

export const agentPattern = someText(maxAgentPatternLength)
  // eslint-disable-next-line no-control-regex -- controls are exactly what is refused
  .refine((text) => !/[\u0000-\u001f\u007f-\u009f]/.test(text), 'has control characters')

/** True for a pattern without wildcards: it matches the one agent of this name. */
export function isExactAgent(pattern: string): boolean {
  return !/[*?]/.test(pattern)
}

/**
 * True if `pattern` matches `agent`. Backtracks to the last `*` only, so the cost is bounded by the product of the
 * lengths.
 */
export function matchesAgent(pattern: string, agent: string): boolean {
  let patternIndex = 0
  let agentIndex = 0
  let starIndex = -1
  let retryFrom = 0
  while (agentIndex < agent.length) {
    if (pattern[patternIndex] === '*') {
      starIndex = patternIndex++
      retryFrom = agentIndex
    } else if (
      patternIndex < pattern.length &&
      (pattern[patternIndex] === '?' || pattern[patternIndex] === agent[agentIndex])
    ) {
      patternIndex += 1
      agentIndex += 1
    } else if (starIndex >= 0) {
      patternIndex = starIndex + 1
      agentIndex = ++retryFrom
    } else {
      return false
    }
  }
  while (pattern[patternIndex] === '*') patternIndex += 1
  return patternIndex === pattern.length
}
