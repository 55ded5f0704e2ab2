// The filter language of every kind. `parseFilters` builds a tree, which the store compiles to SQL.
// Invariant: a test is true or false, never unknown. For a missing value or one of another type, a test is false and
// its `ne` or `not` is true.
import { DaybookError } from '../errors.ts'
import { type Json, checkPath, isJsonObject, readPath } from '../json/path.ts'

export type Scalar = string | number | boolean | null
export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains' | 'exists'

/** A scalar tests for equality. Several operators must all match. */
export type Condition =
  | Scalar
  | {
      eq?: Scalar
      ne?: Scalar
      gt?: string | number
      gte?: string | number
      lt?: string | number
      lte?: string | number
      in?: Scalar[]
      contains?: Scalar
      exists?: boolean
    }

/** Dotted paths with conditions. All conditions must match, and `and`, `or`, `not` beside them too. */
export interface Filters {
  and?: Filters[]
  or?: Filters[]
  not?: Filters
  [path: string]: Condition | Filters | Filters[] | undefined
}

/** `path` is tested; `where` is its place in the input, for errors. */
interface Tested {
  readonly path: string
  readonly where?: string | undefined
}

export type Predicate =
  | { readonly test: 'all' | 'any'; readonly of: readonly Predicate[] }
  | { readonly test: 'not'; readonly of: Predicate }
  | (Tested & { readonly test: 'eq' | 'contains'; readonly value: Scalar })
  | (Tested & { readonly test: 'gt' | 'gte' | 'lt' | 'lte'; readonly value: string | number })
  | (Tested & { readonly test: 'in'; readonly values: readonly Scalar[] })
  | (Tested & { readonly test: 'exists' })

export const filterLimits = { depth: 8, predicates: 30, inValues: 1000, textLength: 1_000_000 } as const

const comparisons = new Set(['gt', 'gte', 'lt', 'lte'])
const operators = new Set(['eq', 'ne', 'in', 'contains', 'exists', ...comparisons])

/** Parses filters. Throws `invalid-filter` with the path of the fault. `undefined` matches everything. */
export function parseFilters(input: unknown, where = 'filters'): Predicate {
  const budget = { remaining: filterLimits.predicates }
  return input === undefined ? { test: 'all', of: [] } : parseGroup(input, where, 0, budget)
}

type Budget = { remaining: number }

function parseGroup(input: unknown, where: string, depth: number, budget: Budget): Predicate {
  if (!isJsonObject(input)) throw wrong(where, 'Filters are an object of paths and conditions')
  if (depth > filterLimits.depth) throw wrong(where, `Filters nest at most ${filterLimits.depth} deep`)
  const of: Predicate[] = []
  for (const [key, value] of Object.entries(input)) {
    const here = `${where}.${key}`
    if (value === undefined) continue
    if (key === 'and' || key === 'or') {
      if (!Array.isArray(value) || value.length === 0) throw wrong(here, `\`${key}\` takes a list of filters`)
      const parts = value.map((part, i) => parseGroup(part, `${here}.${i}`, depth + 1, budget))
      of.push({ test: key === 'and' ? 'all' : 'any', of: parts })
    } else if (key === 'not') of.push({ test: 'not', of: parseGroup(value, here, depth + 1, budget) })
    else of.push(...parseCondition(checkPath(key, here.slice(0, 200)), value, here, budget))
  }
  return of.length === 1 && of[0] ? of[0] : { test: 'all', of }
}

function parseCondition(path: string, value: Json, where: string, budget: Budget): Predicate[] {
  const spend = (here: string) => {
    if (--budget.remaining < 0) throw wrong(here, `At most ${filterLimits.predicates} conditions at once`)
  }
  if (!isJsonObject(value)) {
    spend(where)
    return [parseTest(path, Array.isArray(value) ? 'in' : 'eq', value, where)]
  }
  const entries = Object.entries(value)
  if (entries.length === 0) throw wrong(where, 'A condition names at least one operator')
  return entries.map(([operator, operand]) => {
    if (!operators.has(operator)) {
      const hint =
        'Operators are eq, ne, gt, gte, lt, lte, in, contains, exists; deeper paths are written with dots'
      throw wrong(`${where}.${operator}`, `\`${operator.slice(0, 40)}\` is not an operator. ${hint}`)
    }
    const here = `${where}.${operator}`
    spend(here)
    return parseTest(path, operator as Operator, operand, here)
  })
}

function parseTest(path: string, operator: Operator, operand: Json, where: string): Predicate {
  if (operator === 'exists') {
    if (typeof operand !== 'boolean') throw wrong(where, '`exists` takes true or false')
    return operand ? { test: 'exists', path } : { test: 'not', of: { test: 'exists', path } }
  }
  if (operator === 'in') {
    if (!Array.isArray(operand)) throw wrong(where, '`in` takes a list')
    if (operand.length > filterLimits.inValues)
      throw wrong(where, `At most ${filterLimits.inValues} values in a list`)
    return {
      test: 'in',
      path,
      where,
      values: operand.map((value: Json, i) => scalar(value, `${where}.${i}`)),
    }
  }
  const value = scalar(operand, where)
  if (operator === 'ne') return { test: 'not', of: { test: 'eq', path, where, value } }
  if (operator === 'eq' || operator === 'contains') return { test: operator, path, where, value }
  if (typeof value !== 'string' && typeof value !== 'number')
    throw wrong(where, `\`${operator}\` takes a number or a text`)
  return { test: operator, path, where, value }
}

function scalar(value: Json, where: string): Scalar {
  if (value !== null && typeof value === 'object') throw wrong(where, 'Must be a single value')
  if (typeof value === 'number' && !Number.isFinite(value)) throw wrong(where, 'Must be a finite number')
  if (typeof value === 'string' && value.length > filterLimits.textLength)
    throw wrong(where, `Must be a text of at most ${filterLimits.textLength} characters`)
  return value
}

function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-filter', `${message}.`, { details: { path } })
}

/**
 * True if `value`, a record in the form of calls, matches `predicate`. Tests compare this reference with the SQL of
 * the store.
 */
export function matchesFilter(predicate: Predicate, value: unknown): boolean {
  switch (predicate.test) {
    case 'all':
      return predicate.of.every((part) => matchesFilter(part, value))
    case 'any':
      return predicate.of.some((part) => matchesFilter(part, value))
    case 'not':
      return !matchesFilter(predicate.of, value)
    case 'exists':
      return fieldOf(value, predicate.path) !== undefined
    case 'eq':
      return equal(fieldOf(value, predicate.path), predicate.value)
    case 'in': {
      const found = fieldOf(value, predicate.path)
      return predicate.values.some((wanted) => equal(found, wanted))
    }
    case 'contains':
      return contains(fieldOf(value, predicate.path), predicate.value)
    default: {
      const found = fieldOf(value, predicate.path)
      const order = compare(found, predicate.value)
      if (order === undefined) return false
      if (predicate.test === 'gt') return order > 0
      if (predicate.test === 'gte') return order >= 0
      return predicate.test === 'lt' ? order < 0 : order <= 0
    }
  }
}

/** A record without `trust` is as trusted as the owner. */
function fieldOf(value: unknown, path: string): Json | undefined {
  const found = readPath(value, path)
  return found === undefined && path === 'trust' ? 'owner' : found
}

function equal(found: Json | undefined, wanted: Scalar): boolean {
  return found === wanted
}

function contains(found: Json | undefined, wanted: Scalar): boolean {
  if (Array.isArray(found)) return found.some((item: Json) => equal(item, wanted))
  return typeof found === 'string' && typeof wanted === 'string' && found.includes(wanted)
}

/** Compares two numbers, or two texts by code point like SQLite. Undefined for other or different types. */
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
