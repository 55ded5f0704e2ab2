// The filter language of every kind: parsed once into a tree that the store compiles to SQL and tests evaluate plainly.
// Invariant: two-valued. A test on a missing or differently typed value is false, and `ne`/`not` of it true.
import { DaybookError } from '../errors.ts'
import { checkPath, isJsonObject, type Json } from '../json/path.ts'

export type Scalar = string | number | boolean | null
export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains' | 'exists'

/** One condition as written: a scalar (equality), or operators that must all hold. */
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

/** Filters as written: dotted paths to conditions, all of which must hold, with `and`, `or`, `not` beside them. */
export interface Filters {
  and?: Filters[]
  or?: Filters[]
  not?: Filters
  [path: string]: Condition | Filters | Filters[] | undefined
}

/** What a test looks at, and where in the filters as written it stands, for errors. */
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

export const filterLimits = { depth: 8, predicates: 30, inValues: 1000, textLength: 16_000 } as const

const comparisons = new Set(['gt', 'gte', 'lt', 'lte'])
const operators = new Set(['eq', 'ne', 'in', 'contains', 'exists', ...comparisons])

/** Reads filters from outside, or throws `invalid-filter` with the path of what is wrong. `undefined` matches all. */
export function parseFilters(input: unknown, where = 'filters'): Predicate {
  const budget = { left: filterLimits.predicates }
  return input === undefined ? { test: 'all', of: [] } : parseGroup(input, where, 0, budget)
}

type Budget = { left: number }

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
    else of.push(...parseCondition(checkPath(key, where), value, here, budget))
  }
  return of.length === 1 && of[0] ? of[0] : { test: 'all', of }
}

function parseCondition(path: string, value: Json, where: string, budget: Budget): Predicate[] {
  const spend = (here: string) => {
    if (--budget.left < 0) throw wrong(here, `At most ${filterLimits.predicates} conditions at once`)
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
  if (value !== null && typeof value === 'object') throw wrong(where, 'A single value is wanted here')
  if (typeof value === 'number' && !Number.isFinite(value))
    throw wrong(where, 'A finite number is wanted here')
  if (typeof value === 'string' && value.length > filterLimits.textLength)
    throw wrong(where, `A text of at most ${filterLimits.textLength} characters is wanted here`)
  return value
}

function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-filter', `${message}.`, { details: { path } })
}
