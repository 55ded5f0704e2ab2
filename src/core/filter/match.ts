// The meaning of a filter, in plain JavaScript: what the SQL of the store is tested against, and what followers may use.
import type { Predicate, Scalar } from './filter.ts'
import { type Json, readPath } from '../json/path.ts'

/** True when `value` (a record as users see it) satisfies `predicate`. */
export function matches(predicate: Predicate, value: unknown): boolean {
  switch (predicate.test) {
    case 'all':
      return predicate.of.every((part) => matches(part, value))
    case 'any':
      return predicate.of.some((part) => matches(part, value))
    case 'not':
      return !matches(predicate.of, value)
    case 'exists':
      return readPath(value, predicate.path) !== undefined
    case 'eq':
      return equal(readPath(value, predicate.path), predicate.value)
    case 'in': {
      const found = readPath(value, predicate.path)
      return predicate.values.some((wanted) => equal(found, wanted))
    }
    case 'contains':
      return contains(readPath(value, predicate.path), predicate.value)
    default: {
      const found = readPath(value, predicate.path)
      const order = compare(found, predicate.value)
      if (order === undefined) return false
      if (predicate.test === 'gt') return order > 0
      if (predicate.test === 'gte') return order >= 0
      return predicate.test === 'lt' ? order < 0 : order <= 0
    }
  }
}

function equal(found: Json | undefined, wanted: Scalar): boolean {
  return found === wanted
}

function contains(found: Json | undefined, wanted: Scalar): boolean {
  if (Array.isArray(found)) return found.some((item: Json) => equal(item, wanted))
  return typeof found === 'string' && typeof wanted === 'string' && found.includes(wanted)
}

/** Order of two values of one type, texts by code point as SQLite compares UTF-8; undefined for mixed types. */
function compare(found: Json | undefined, wanted: string | number): number | undefined {
  if (typeof found === 'number' && typeof wanted === 'number') return found - wanted
  if (typeof found !== 'string' || typeof wanted !== 'string') return undefined
  const a = Array.from(found)
  const b = Array.from(wanted)
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
