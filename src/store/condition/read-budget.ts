// The read budget: how many bytes of bodies one query of a guest may read. The cost of a query is the bytes of its
// bodies times its read cost, the weighted number of reads of each body.
// Invariant: the budget is checked before the query runs, by visible records only.
import { DaybookError } from '../../core/errors.ts'
import type { Selection } from '../../core/capability/port/record-port.ts'
import type { Predicate } from '../../core/filter/filter.ts'
import type { Kind } from '../../core/kind.ts'
import type { SqlRow } from '../../core/ports.ts'
import { defaultQuotas } from '../guest-usage.ts'
import { fieldPlaceOf, type Fragment } from '../schema/column.ts'
import { joinConditions, type ReadRows } from './condition.ts'
import { isDecidedByColumn, type FilterContext, filterSql, type FieldTest } from './filter-sql.ts'

/** As much as the default quota of a guest, 64 MiB: about half a second of work. */
export const readBudgetBytes = defaultQuotas.guest.bytes

/**
 * Cost of a test: `placeCost` to find one more place in a body, `scanCost` to scan all children of a place. To read a body
 * costs 1.
 */
const placeCost = 0.25
const scanCost = 15

/** Parts of a query besides filters that may read bodies. */
export interface ExtraBodyReads {
  readonly selection?: Selection | undefined
  /** SQL of the order keys. */
  readonly keys?: readonly Fragment[]
}

/** How often a query reads each body; 0 when hot columns answer it. */
export function readCost(
  predicate: Predicate,
  kind: Kind | undefined,
  extraReads: ExtraBodyReads = {},
): number {
  const { selection, keys = [] } = extraReads
  const orderKeys = keys.filter(({ sql }) => sql.includes('r.body')).length
  const wildcards = selection?.steps.filter(({ step }) => step === 'children').length ?? 0
  const cost = filterCost(predicate, kind) + orderKeys + (selection ? placeCost + wildcards * scanCost : 0)
  return cost === 0 ? 0 : 1 + cost
}

function filterCost(predicate: Predicate, kind: Kind | undefined): number {
  switch (predicate.test) {
    case 'all':
    case 'any':
      return predicate.of.reduce((sum, part) => sum + filterCost(part, kind), 0)
    case 'not':
      return filterCost(predicate.of, kind)
    default:
      return testCost(predicate, kind)
  }
}

function testCost(predicate: FieldTest, kind: Kind | undefined): number {
  const place = fieldPlaceOf(predicate.path, kind)
  if (place.at === 'column' && (!place.body || isDecidedByColumn(place, predicate))) return 0
  return predicate.test === 'contains' ? scanCost : placeCost
}

/** The required parts of `predicate` that hot columns answer. They select the bodies to read. */
export function columnOnlyPart(predicate: Predicate, kind: Kind | undefined): Predicate {
  const parts = predicate.test === 'all' ? predicate.of : [predicate]
  return {
    test: 'all',
    of: parts.flatMap((part) =>
      part.test === 'all' ? [columnOnlyPart(part, kind)] : filterCost(part, kind) === 0 ? [part] : [],
    ),
  }
}

interface BudgetedQuery {
  readonly predicate: Predicate
  readonly kind: Kind | undefined
  readonly extraReads: ExtraBodyReads | undefined
  readonly context: FilterContext
  /** Lets the projection catch up, before the bodies are counted. */
  catchUp(): void
}

/** Throws `too-broad` when a query with `predicate` over the records that satisfy `columnConditions` exceeds the budget. */
export function assertQueryWithinBudget(
  read: ReadRows,
  { predicate, kind, extraReads, context, catchUp }: BudgetedQuery,
  columnConditions: readonly Fragment[],
): void {
  const cost = readCost(predicate, kind, extraReads)
  if (cost === 0) return
  catchUp()
  assertWithinBudget(read, cost, [
    ...columnConditions,
    filterSql(columnOnlyPart(predicate, kind), kind, context),
  ])
}

/** Throws `too-broad` when `cost` times the bytes of the records that satisfy `where` exceed the budget. */
export function assertWithinBudget(read: ReadRows, cost: number, where: readonly Fragment[]): void {
  if (cost === 0) return
  const limitBytes = Math.floor(readBudgetBytes / cost)
  const { condition, params } = joinConditions(where)
  const [sum] = read<SqlRow & { readonly bytes: number }>(
    `SELECT total(octet_length(r.body)) AS bytes FROM facets f JOIN records r ON r.seq = f.seq WHERE ${condition}`,
    params,
  )
  const bytes = sum?.bytes ?? 0
  if (bytes <= limitBytes) return
  throw new DaybookError(
    'too-broad',
    `This looks into ${bytes} bytes of records; a guest may look into ${limitBytes} with such filters, path and order.`,
    { details: { bytes, limitBytes } },
  )
}
