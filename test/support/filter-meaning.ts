// What filters mean, or that they are refused, for tests that hold SQL against it.
import { isDaybookError } from '../../src/core/errors.ts'
import { parseFilters, type Predicate } from '../../src/core/filter/filter.ts'
import { resolveTimes } from '../../src/core/filter/filter-time.ts'
import type { Kind } from '../../src/core/kind.ts'

export interface Refusal {
  readonly refused: unknown
}

/** The plain comparisons that `filters` stand for, or at which path they are refused. */
export function meant(filters: unknown, kind: Kind): Predicate | Refusal {
  try {
    return resolveTimes(parseFilters(filters), kind)
  } catch (error) {
    return refusalFrom(error)
  }
}

/** At which path `ask` is refused; it must be. */
export function refusalOf(ask: () => unknown): Refusal {
  try {
    ask()
  } catch (error) {
    return refusalFrom(error)
  }
  return { refused: undefined }
}

function refusalFrom(error: unknown): Refusal {
  if (isDaybookError(error, 'invalid-filter')) return { refused: error.details['path'] }
  throw error
}
