// Translates the condition of a live query of TanStack DB into filters of a book.
// Invariant: no matching row is left out. If filters can't express a condition, more rows pass and the result is marked as not exact;
// the query itself removes them.
import type { IR } from '@tanstack/db'
import { type Filters, parseFilters } from '../../../core/filter/filter.ts'
import { equalOperand, type RowSource } from './row-source.ts'

type Expression = IR.BasicExpression

export interface SubsetFilter {
  /** Passes all matching rows, and maybe more. Undefined: every row. */
  readonly filters: Filters | undefined
  /** Passes only matching rows, and maybe fewer. Undefined: nothing is sure. */
  readonly sure: Filters | undefined
  /** True: passes exactly the matching rows, if all values of `numbers` can be compared. */
  readonly isExact: boolean
  /** Fields compared as numbers. */
  readonly numbers: readonly string[]
}

const everything: SubsetFilter = { filters: undefined, sure: undefined, isExact: false, numbers: [] }
const exactly = (filters: Filters | undefined): SubsetFilter => {
  return { filters, sure: filters, isExact: true, numbers: [] }
}

/** The filters for `where` over the records of `source`. */
export function subsetFilter(where: Expression | undefined, source: RowSource): SubsetFilter {
  if (!where) return exactly(undefined)
  const filter = translate(where, source)
  try {
    parseFilters(filter.filters)
    return filter
  } catch {
    // Too long or too deep for filters.
    return everything
  }
}

/** The path of the field that `expression` names; undefined if it is no field. */
export function fieldOf(expression: Expression | undefined, source: RowSource): string | undefined {
  if (expression?.type !== 'ref') return undefined
  const { path } = expression
  const isPath = path.length > 0 && path.length < 15 && path.every((step) => /^[^.$"\\][^."\\]*$/u.test(step))
  return isPath ? source.field(path) : undefined
}

const valueOf = (expression: Expression | undefined): unknown =>
  expression?.type === 'val' ? expression.value : undefined

const turned = { gt: 'lt', gte: 'lte', lt: 'gt', lte: 'gte' } as const

function translate(expression: Expression, source: RowSource): SubsetFilter {
  if (expression.type !== 'func') return everything
  const { name, args } = expression
  const [left, right] = args
  switch (name) {
    case 'and':
      return allOf(args.map((one) => translate(one, source)))
    case 'or':
      return anyOf(args.map((one) => translate(one, source)))
    case 'not':
      return left ? noneOf(translate(left, source)) : everything
    case 'eq': {
      const isTurned = left?.type === 'val'
      return equality(isTurned ? right : left, valueOf(isTurned ? left : right), source)
    }
    case 'in':
      return among(left, valueOf(right), source)
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const isTurned = left?.type === 'val'
      const sign = isTurned ? turned[name] : name
      return order(sign, isTurned ? right : left, valueOf(isTurned ? left : right), source)
    }
    case 'isNull': {
      const field = fieldOf(left, source)
      return field === undefined ? everything : exactly({ [field]: null })
    }
    case 'isUndefined': {
      const field = fieldOf(left, source)
      return field === undefined ? everything : exactly({ [field]: { exists: false } })
    }
    default:
      return everything
  }
}

const present = <Item>(items: readonly (Item | undefined)[]): Item[] =>
  items.filter((one) => one !== undefined)
const join = (by: 'and' | 'or', parts: readonly Filters[]): Filters | undefined =>
  parts.length === 0 ? undefined : { [by]: [...parts] }

function allOf(parts: readonly SubsetFilter[]): SubsetFilter {
  const sure = present(parts.map((one) => one.sure))
  return {
    filters: join('and', present(parts.map(({ filters }) => filters))),
    sure: sure.length < parts.length ? undefined : join('and', sure),
    isExact: parts.every((one) => one.isExact),
    numbers: parts.flatMap(({ numbers }) => numbers),
  }
}

function anyOf(parts: readonly SubsetFilter[]): SubsetFilter {
  const some = present(parts.map(({ filters }) => filters))
  return {
    filters: some.length < parts.length ? undefined : join('or', some),
    sure: join('or', present(parts.map((one) => one.sure))),
    isExact: parts.every((one) => one.isExact),
    numbers: parts.flatMap(({ numbers }) => numbers),
  }
}

/** For a missing field a query is undecided: let the row pass. */
function noneOf({ sure }: SubsetFilter): SubsetFilter {
  return { ...everything, filters: sure && { not: sure } }
}

function equality(at: Expression | undefined, value: unknown, source: RowSource): SubsetFilter {
  const field = fieldOf(at, source)
  const operand = equalOperand(source, value)
  if (field === undefined || !operand) return everything
  const filters = { [`${field}${operand.under}`]: operand.value }
  return compared(filters, field, operand.value, source)
}

function among(at: Expression | undefined, values: unknown, source: RowSource): SubsetFilter {
  const field = fieldOf(at, source)
  if (field === undefined || !Array.isArray(values)) return everything
  // A missing value equals nothing.
  const wanted = values.filter((one) => one !== null && one !== undefined)
  const operands = wanted.flatMap((one) => equalOperand(source, one) ?? [])
  const [first] = operands
  if (!first || operands.length < wanted.length || operands.some(({ under }) => under !== first.under)) {
    return everything
  }
  const list = operands.map(({ value }) => value)
  const filters = { [`${field}${first.under}`]: { in: list } }
  const number = list.find((one) => typeof one === 'number')
  return compared(filters, field, number, source)
}

function order(
  sign: keyof typeof turned,
  at: Expression | undefined,
  value: unknown,
  source: RowSource,
): SubsetFilter {
  const field = fieldOf(at, source)
  const operand = typeof value === 'boolean' ? undefined : source.operand(value, true)
  if (field === undefined || !operand || !isOrderedAlike(operand.value)) return everything
  const filters = { [`${field}${operand.under}`]: { [sign]: operand.value } } as Filters
  return compared(filters, field, operand.value, source)
}

/** `NaN`, infinities and the like may match any comparison of numbers. */
function compared(filters: Filters, field: string, value: unknown, source: RowSource): SubsetFilter {
  const { uncompared } = source
  if (typeof value !== 'number' || uncompared.length === 0) return exactly(filters)
  const others = uncompared.map((under): Filters => ({ [`${field}${under}`]: { exists: true } }))
  return { filters: { or: [filters, ...others] }, sure: filters, isExact: true, numbers: [field] }
}

/** A book orders texts by code points, a page by UTF-16 units. They agree below surrogate pairs. */
export function isOrderedAlike(value: unknown): boolean {
  return typeof value !== 'string' || (value.length <= 500 && !/[\ud800-\uffff]/.test(value))
}
