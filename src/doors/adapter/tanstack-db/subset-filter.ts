// Translates the condition of a live query of TanStack DB into filters of a book.
// Invariant: the filters pass every matching row. If filters can't express a condition, other rows pass too,
// `isExact` is false, and TanStack DB removes these rows.
import type { IR } from '@tanstack/db'
import { type Filters, parseFilters } from '../../../core/filter/filter.ts'
import { toEqualityOperand, type RowSource } from './row-source.ts'

type Expression = IR.BasicExpression

export interface SubsetFilter {
  /** Passes every matching row, and maybe other rows. Undefined: passes every row. */
  readonly filters: Filters | undefined
  /** Passes only matching rows, and maybe not all of them. Undefined: no such filter is known. */
  readonly onlyMatching: Filters | undefined
  /** True: `filters` pass exactly the matching rows, if filters can compare all values of `numberFields`. */
  readonly isExact: boolean
  /** Fields that the condition compares with numbers. */
  readonly numberFields: readonly string[]
}

const everyRow: SubsetFilter = {
  filters: undefined,
  onlyMatching: undefined,
  isExact: false,
  numberFields: [],
}
const exactFilter = (filters: Filters | undefined): SubsetFilter => {
  return { filters, onlyMatching: filters, isExact: true, numberFields: [] }
}

/** Translates `where` into filters over the records of `source`. Undefined: every row. */
export function subsetFilter(where: Expression | undefined, source: RowSource): SubsetFilter {
  if (!where) return exactFilter(undefined)
  const filter = translate(where, source)
  try {
    parseFilters(filter.filters)
    return filter
  } catch {
    // The filters exceed a limit of the book, such as their number or depth.
    return everyRow
  }
}

/**
 * Returns the path in the record of the field that `expression` names. Undefined: the expression is no field, or
 * filters can't name the field.
 */
export function fieldOf(expression: Expression | undefined, source: RowSource): string | undefined {
  if (expression?.type !== 'ref') return undefined
  const { path } = expression
  // A path of a filter has at most 16 steps: `value` before the row's steps, and a subfield such as `$date`
  // after them.
  const isPath = path.length > 0 && path.length < 15 && path.every((step) => /^[^.$"\\][^."\\]*$/u.test(step))
  return isPath ? source.fieldPath(path) : undefined
}

const valueOf = (expression: Expression | undefined): unknown =>
  expression?.type === 'val' ? expression.value : undefined

const mirroredOperator = { gt: 'lt', gte: 'lte', lt: 'gt', lte: 'gte' } as const

function translate(expression: Expression, source: RowSource): SubsetFilter {
  if (expression.type !== 'func') return everyRow
  const { name, args } = expression
  const [left, right] = args
  switch (name) {
    case 'and':
      return allOf(args.map((one) => translate(one, source)))
    case 'or':
      return anyOf(args.map((one) => translate(one, source)))
    case 'not':
      return left ? noneOf(translate(left, source)) : everyRow
    case 'eq': {
      const isMirrored = left?.type === 'val'
      return equalityFilter(isMirrored ? right : left, valueOf(isMirrored ? left : right), source)
    }
    case 'in':
      return inFilter(left, valueOf(right), source)
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const isMirrored = left?.type === 'val'
      const operator = isMirrored ? mirroredOperator[name] : name
      return orderFilter(operator, isMirrored ? right : left, valueOf(isMirrored ? left : right), source)
    }
    case 'isNull': {
      const field = fieldOf(left, source)
      return field === undefined ? everyRow : exactFilter({ [field]: null })
    }
    case 'isUndefined': {
      const field = fieldOf(left, source)
      return field === undefined ? everyRow : exactFilter({ [field]: { exists: false } })
    }
    default:
      return everyRow
  }
}

const definedItems = <Item>(items: readonly (Item | undefined)[]): Item[] =>
  items.filter((one) => one !== undefined)
const joinFilters = (operator: 'and' | 'or', parts: readonly Filters[]): Filters | undefined =>
  parts.length === 0 ? undefined : { [operator]: [...parts] }

function allOf(parts: readonly SubsetFilter[]): SubsetFilter {
  const onlyMatching = definedItems(parts.map((one) => one.onlyMatching))
  return {
    filters: joinFilters('and', definedItems(parts.map(({ filters }) => filters))),
    onlyMatching: onlyMatching.length < parts.length ? undefined : joinFilters('and', onlyMatching),
    isExact: parts.every((one) => one.isExact),
    numberFields: parts.flatMap(({ numberFields }) => numberFields),
  }
}

function anyOf(parts: readonly SubsetFilter[]): SubsetFilter {
  const filtersOfParts = definedItems(parts.map(({ filters }) => filters))
  return {
    filters: filtersOfParts.length < parts.length ? undefined : joinFilters('or', filtersOfParts),
    onlyMatching: joinFilters('or', definedItems(parts.map((one) => one.onlyMatching))),
    isExact: parts.every((one) => one.isExact),
    numberFields: parts.flatMap(({ numberFields }) => numberFields),
  }
}

/**
 * Negates a condition: passes all rows but those that surely match it. Rows with a missing field pass too, so
 * the result is never exact.
 */
function noneOf({ onlyMatching }: SubsetFilter): SubsetFilter {
  return { ...everyRow, filters: onlyMatching && { not: onlyMatching } }
}

function equalityFilter(
  fieldExpression: Expression | undefined,
  value: unknown,
  source: RowSource,
): SubsetFilter {
  const field = fieldOf(fieldExpression, source)
  const operand = toEqualityOperand(source, value)
  if (field === undefined || !operand) return everyRow
  const filters = { [`${field}${operand.subfield}`]: operand.value }
  return withIncomparableRows(filters, field, operand.value, source)
}

function inFilter(fieldExpression: Expression | undefined, values: unknown, source: RowSource): SubsetFilter {
  const field = fieldOf(fieldExpression, source)
  if (field === undefined || !Array.isArray(values)) return everyRow
  // `null` and `undefined` equal no value.
  const comparable = values.filter((one) => one !== null && one !== undefined)
  const operands = comparable.flatMap((one) => toEqualityOperand(source, one) ?? [])
  const [first] = operands
  if (
    !first ||
    operands.length < comparable.length ||
    operands.some(({ subfield }) => subfield !== first.subfield)
  ) {
    return everyRow
  }
  const list = operands.map(({ value }) => value)
  const filters = { [`${field}${first.subfield}`]: { in: list } }
  const number = list.find((one) => typeof one === 'number')
  return withIncomparableRows(filters, field, number, source)
}

function orderFilter(
  operator: keyof typeof mirroredOperator,
  fieldExpression: Expression | undefined,
  value: unknown,
  source: RowSource,
): SubsetFilter {
  const field = fieldOf(fieldExpression, source)
  const operand = typeof value === 'boolean' ? undefined : source.toOperand(value, true)
  if (field === undefined || !operand || !isOrderedAlike(operand.value)) return everyRow
  const filters = { [`${field}${operand.subfield}`]: { [operator]: operand.value } } as Filters
  return withIncomparableRows(filters, field, operand.value, source)
}

/** Adds rows whose number filters can't compare (`NaN`, infinities and other marks): they may match. */
function withIncomparableRows(
  filters: Filters,
  field: string,
  value: unknown,
  source: RowSource,
): SubsetFilter {
  const { incomparableSubfields } = source
  if (typeof value !== 'number' || incomparableSubfields.length === 0) return exactFilter(filters)
  const others = incomparableSubfields.map((under): Filters => ({ [`${field}${under}`]: { exists: true } }))
  return {
    filters: { or: [filters, ...others] },
    onlyMatching: filters,
    isExact: true,
    numberFields: [field],
  }
}

/**
 * True if book and page order the value alike. A book orders texts by code points, a page by UTF-16 units; both
 * orders are equal below U+D800.
 */
export function isOrderedAlike(value: unknown): boolean {
  return typeof value !== 'string' || (value.length <= 500 && !/[\ud800-\uffff]/.test(value))
}
