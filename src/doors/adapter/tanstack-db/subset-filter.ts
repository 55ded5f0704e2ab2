// Translates the condition of a live query of TanStack DB into filters of a book.
// Invariant: the filters pass every matching row. If filters can't express a condition, other rows pass too,
// `isExact` is false, and TanStack DB removes these rows.
import type { IR } from '@tanstack/db'
import { type Filters, parseFilters } from '../../../core/filter/filter.ts'
import { equalOperand, type RowSource } from './row-source.ts'

type Expression = IR.BasicExpression

export interface SubsetFilter {
  /** Passes every matching row, and maybe other rows. Undefined: passes every row. */
  readonly filters: Filters | undefined
  /** Passes only matching rows, and maybe not all of them. Undefined: no such filter is known. */
  readonly sure: Filters | undefined
  /** True: `filters` pass exactly the matching rows, if filters can compare all values of the fields `numbers`. */
  readonly isExact: boolean
  /** Fields that the condition compares with numbers. */
  readonly numbers: readonly string[]
}

const everything: SubsetFilter = { filters: undefined, sure: undefined, isExact: false, numbers: [] }
const exactly = (filters: Filters | undefined): SubsetFilter => {
  return { filters, sure: filters, isExact: true, numbers: [] }
}

/** Translates `where` into filters over the records of `source`. Undefined: every row. */
export function subsetFilter(where: Expression | undefined, source: RowSource): SubsetFilter {
  if (!where) return exactly(undefined)
  const filter = translate(where, source)
  try {
    parseFilters(filter.filters)
    return filter
  } catch {
    // The filters exceed a limit of the book, such as their number or depth.
    return everything
  }
}

/**
 * Returns the path in the record of the field that `expression` names. Undefined: the expression is no field, or
 * filters can't name the field.
 */
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

/** Negates a condition. Rows with a missing field pass too, so the result is never exact. */
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
  // `null` and `undefined` equal no value.
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

/** Adds rows whose number filters can't compare (`NaN`, infinities and other marks): they may match. */
function compared(filters: Filters, field: string, value: unknown, source: RowSource): SubsetFilter {
  const { uncompared } = source
  if (typeof value !== 'number' || uncompared.length === 0) return exactly(filters)
  const others = uncompared.map((under): Filters => ({ [`${field}${under}`]: { exists: true } }))
  return { filters: { or: [filters, ...others] }, sure: filters, isExact: true, numbers: [field] }
}

/**
 * True if book and page order the value alike. A book orders texts by code points, a page by UTF-16 units; both
 * orders are equal below U+D800.
 */
export function isOrderedAlike(value: unknown): boolean {
  return typeof value !== 'string' || (value.length <= 500 && !/[\ud800-\uffff]/.test(value))
}
