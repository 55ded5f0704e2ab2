// What a filter on instants means: they may be written in any form of ISO 8601, and a bare date stands for its whole day.
import type { Predicate, Scalar } from './filter.ts'
import type { Kind } from '../kind.ts'
import { canonicalTime, isDateOnly } from '../time.ts'

/** `predicate` with every condition on an instant of `kind` as plain comparisons of canonical text. */
export function resolveTimes(predicate: Predicate, kind: Kind | undefined): Predicate {
  switch (predicate.test) {
    case 'all':
    case 'any':
      return { ...predicate, of: predicate.of.map((part) => resolveTimes(part, kind)) }
    case 'not':
      return { ...predicate, of: resolveTimes(predicate.of, kind) }
    case 'exists':
    case 'contains':
      return predicate
    case 'eq':
      return isTimePath(predicate.path, kind) ? same(predicate.path, predicate.value) : predicate
    case 'in':
      return isTimePath(predicate.path, kind) ? among(predicate.path, predicate.values) : predicate
    default: {
      const { test, value } = predicate
      if (!isTimePath(predicate.path, kind) || typeof value !== 'string') return predicate
      const isLast = isDateOnly(value) && (test === 'gt' || test === 'lte')
      return { ...predicate, value: isLast ? lastOf(value) : canonical(value) }
    }
  }
}

function isTimePath(path: string, kind: Kind | undefined): boolean {
  return (
    path === 'created_at' ||
    path === 'updated_at' ||
    (kind !== undefined && (path === kind.facets.happened_at || path === kind.expires))
  )
}

function among(path: string, values: readonly Scalar[]): Predicate {
  const isDay = (value: Scalar) => typeof value === 'string' && isDateOnly(value)
  const instants = values.filter((value) => !isDay(value)).map(canonical)
  return {
    test: 'any',
    of: [{ test: 'in', path, values: instants }, ...values.filter(isDay).map((day) => same(path, day))],
  }
}

function same(path: string, value: Scalar): Predicate {
  if (typeof value !== 'string' || !isDateOnly(value)) return { test: 'eq', path, value: canonical(value) }
  const within: Predicate[] = [
    { test: 'gte', path, value: canonical(value) },
    { test: 'lte', path, value: lastOf(value) },
  ]
  return { test: 'all', of: within }
}

const lastOf = (day: string): string => `${day}T23:59:59.999Z`

/** What is no instant stays as it is, and is compared as text. */
function canonical(value: string): string
function canonical(value: Scalar): Scalar
function canonical(value: Scalar): Scalar {
  return typeof value === 'string' ? (canonicalTime(value) ?? value) : value
}
