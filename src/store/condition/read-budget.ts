// The read budget: how many bytes of bodies one query of a guest may read. The cost of a query is the bytes of its
// bodies times its looks, the weighted number of reads of each body.
// Invariant: the budget is checked before the query runs, by visible records only.
import { DaybookError } from '../../core/errors.ts'
import type { Selection } from '../../core/capability/port/record-port.ts'
import type { Predicate } from '../../core/filter/filter.ts'
import type { Kind } from '../../core/kind.ts'
import type { SqlRow } from '../../core/ports.ts'
import { fieldPlaceOf, type Fragment } from '../schema/column.ts'
import { conditionOf, type Read } from './condition.ts'
import { answersAlone, type FilterContext, filterSql, type Test } from './filter-sql.ts'

/** As much as the default quota of a guest: about half a second of work. */
export const readBudgetBytes = 64 * 1_048_576

/**
 * Cost of a test: `again` finds one more place in a body, `through` scans all children of a place. To read a body
 * costs 1.
 */
const again = 0.25
const through = 15

/** Parts of a query besides filters that may read bodies. */
export interface BodyLooks {
  readonly selection?: Selection | undefined
  /** SQL of the order keys. */
  readonly keys?: readonly Fragment[]
}

/** The looks of a query; 0 when hot columns answer it. */
export function looksOf(predicate: Predicate, kind: Kind | undefined, more: BodyLooks = {}): number {
  const { selection, keys = [] } = more
  const orderKeys = keys.filter(({ sql }) => sql.includes('r.body')).length
  const wildcards = selection?.steps.filter(({ step }) => step === 'children').length ?? 0
  const looks = filterLooks(predicate, kind) + orderKeys + (selection ? again + wildcards * through : 0)
  return looks === 0 ? 0 : 1 + looks
}

function filterLooks(predicate: Predicate, kind: Kind | undefined): number {
  switch (predicate.test) {
    case 'all':
    case 'any':
      return predicate.of.reduce((sum, part) => sum + filterLooks(part, kind), 0)
    case 'not':
      return filterLooks(predicate.of, kind)
    default:
      return testLooks(predicate, kind)
  }
}

function testLooks(predicate: Test, kind: Kind | undefined): number {
  const place = fieldPlaceOf(predicate.path, kind)
  if (place.at === 'column' && (!place.body || answersAlone(place, predicate))) return 0
  return predicate.test === 'contains' ? through : again
}

/** The required parts of `predicate` that hot columns answer. They select the bodies to read. */
export function narrowing(predicate: Predicate, kind: Kind | undefined): Predicate {
  const parts = predicate.test === 'all' ? predicate.of : [predicate]
  return {
    test: 'all',
    of: parts.flatMap((part) =>
      part.test === 'all' ? [narrowing(part, kind)] : filterLooks(part, kind) === 0 ? [part] : [],
    ),
  }
}

interface CostlyQuestion {
  readonly predicate: Predicate
  readonly kind: Kind | undefined
  readonly more: BodyLooks | undefined
  readonly at: FilterContext
  catchUp(): void
}

/** Throws `too-broad` when a query with `predicate` over the records that satisfy `cheap` exceeds the budget. */
export function checkPredicate(
  read: Read,
  { predicate, kind, more, at, catchUp }: CostlyQuestion,
  cheap: readonly Fragment[],
): void {
  const looks = looksOf(predicate, kind, more)
  if (looks === 0) return
  catchUp()
  checkBudget(read, looks, [...cheap, filterSql(narrowing(predicate, kind), kind, at)])
}

/** Throws `too-broad` when `looks` times the bytes of the records that satisfy `where` exceed the budget. */
export function checkBudget(read: Read, looks: number, where: readonly Fragment[]): void {
  if (looks === 0) return
  const limitBytes = Math.floor(readBudgetBytes / looks)
  const { condition, params } = conditionOf(where)
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
