// How much of the records' bodies one question of a guest may look at. There is no clock here: work is counted in bytes of
// bodies, times what is done with each. Invariant: counted before the question is put, and only over what the caller may see.
import { DaybookError } from '../../core/errors.ts'
import type { Selection } from '../../core/capability/port/record-port.ts'
import type { Predicate } from '../../core/filter/filter.ts'
import type { Kind } from '../../core/kind.ts'
import type { SqlRow } from '../../core/ports.ts'
import { type Fragment, placeOf } from '../schema/column.ts'
import { conditionOf, type Read } from './condition.ts'
import { type Asked, answersAlone, filterSql, type Test } from './filter-sql.ts'

/** As much as a guest may store by default: about half a second of work. */
export const readBudgetBytes = 64 * 1_048_576

/** To read a body is 1; to look for a place in it again, to go through the children of one, as measured in SQLite. */
const again = 0.25
const through = 15

/** What else than filters looks into bodies. */
export interface BodyLooks {
  readonly selection?: Selection | undefined
  /** What the answer is ordered by. */
  readonly keys?: readonly Fragment[]
}

/** How often all of a body is read for a question; 0 when hot columns answer it. */
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
  const place = placeOf(predicate.path, kind)
  if (place.at === 'column' && (!place.body || answersAlone(place, predicate))) return 0
  return predicate.test === 'contains' ? through : again
}

/** The parts of `predicate` that hot columns answer, and that all must hold: they narrow what is looked into. */
export function narrowing(predicate: Predicate, kind: Kind | undefined): Predicate {
  const parts = predicate.test === 'all' ? predicate.of : [predicate]
  return {
    test: 'all',
    of: parts.flatMap((part) =>
      part.test === 'all' ? [narrowing(part, kind)] : filterLooks(part, kind) === 0 ? [part] : [],
    ),
  }
}

/** A question as a store of records puts it. */
interface AskedOf {
  readonly asked: Predicate
  readonly kind: Kind | undefined
  readonly more: BodyLooks | undefined
  readonly at: Asked
  catchUp(): void
}

/** Throws `too-broad` when `asked` looks into too much of the records that satisfy `cheap`. */
export function checkAsked(
  read: Read,
  { asked, kind, more, at, catchUp }: AskedOf,
  cheap: readonly Fragment[],
): void {
  const looks = looksOf(asked, kind, more)
  if (looks === 0) return
  catchUp()
  checkBudget(read, looks, [...cheap, filterSql(narrowing(asked, kind), kind, at)])
}

/** Throws `too-broad` when the records that satisfy `where` are more than may be looked into so often. */
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
