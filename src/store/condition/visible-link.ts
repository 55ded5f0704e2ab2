// Rewrites a guest's queries by the links of records, so that the answers reveal no hidden id.
// Invariant: the answers are the same as if no record contained a hidden id.
import type { Selection } from '../../core/capability/port/record-port.ts'
import type { Predicate, Scalar } from '../../core/filter/filter.ts'
import type { Kind } from '../../core/kind.ts'

/** Returns those `ids` that are ids of visible records. */
export type FindVisibleIds = (ids: readonly string[]) => ReadonlySet<string>

const matchesNothing: Predicate = { test: 'any', of: [] }

/** The paths of the links of `kinds`, as steps. */
export function linkSteps(kinds: readonly Kind[]): readonly (readonly string[])[] {
  return kinds.flatMap(({ links = [] }) => links.map((path) => path.split('.')))
}

/** True for a dotted path at or below a link. */
export function isAtLink(links: readonly (readonly string[])[], path: string): boolean {
  const steps = path.split('.')
  return links.some(
    (link) => link.length <= steps.length && link.every((step, i) => step === '*' || step === steps[i]),
  )
}

/** `predicate`, in which a test of a link fails unless it compares with a visible id. */
export function visiblePredicate(
  predicate: Predicate,
  links: readonly (readonly string[])[],
  findVisibleIds: FindVisibleIds,
): Predicate {
  switch (predicate.test) {
    case 'all':
    case 'any':
      return { ...predicate, of: predicate.of.map((part) => visiblePredicate(part, links, findVisibleIds)) }
    case 'not':
      return { ...predicate, of: visiblePredicate(predicate.of, links, findVisibleIds) }
    default:
      return isAtLink(links, predicate.path) ? visibleTest(predicate, findVisibleIds) : predicate
  }
}

/**
 * `test` of a link, if it compares with a visible id. Any other, such as a range or `exists`, matches
 * nothing.
 */
function visibleTest(
  test: Exclude<Predicate, { test: 'all' | 'any' | 'not' }>,
  findVisibleIds: FindVisibleIds,
): Predicate {
  switch (test.test) {
    case 'eq':
    case 'contains':
      return isVisibleId(test.value, findVisibleIds) ? test : matchesNothing
    case 'in':
      return { ...test, values: test.values.filter((value) => isVisibleId(value, findVisibleIds)) }
    default:
      return matchesNothing
  }
}

const isVisibleId = (value: Scalar, findVisibleIds: FindVisibleIds) =>
  typeof value === 'string' && findVisibleIds([value]).has(value)

/** True when `selection` touches no link, or compares with a visible id. */
function isVisibleSelection(
  { steps, value }: Selection,
  links: readonly (readonly string[])[],
  findVisibleIds: FindVisibleIds,
): boolean {
  const isTouched = links.some(
    (link) =>
      link.length <= steps.length &&
      link.every((name, i) => {
        const step = steps[i]
        return name === '*' || step?.step === 'children' || (step?.step === 'member' && step.name === name)
      }),
  )
  return !isTouched || (value !== undefined && isVisibleId(value, findVisibleIds))
}

/** `orderBy` without links. */
function visibleOrder(
  orderBy: string | readonly string[] | undefined,
  links: readonly (readonly string[])[],
): readonly string[] | undefined {
  const paths = typeof orderBy === 'string' ? [orderBy] : orderBy
  const visiblePaths = paths?.filter((path) => !isAtLink(links, path.replace(/^-/, '')))
  return visiblePaths?.length === 0 ? undefined : visiblePaths
}

/** The rewrites for queries of one guest. `idQueries`: finds the visible ids. */
export function createVisibleLinks(
  kinds: readonly Kind[],
  projection: { catchUp(): void },
  idQueries: { readonly findVisibleIds: FindVisibleIds },
) {
  const findVisibleIds: FindVisibleIds = (ids) => {
    projection.catchUp()
    return idQueries.findVisibleIds(ids)
  }
  const linksOf = (kind: Kind | undefined) => linkSteps(kind ? [kind] : kinds)
  return {
    findVisibleIds,
    predicate: (predicate: Predicate, kind: Kind | undefined) =>
      visiblePredicate(predicate, linksOf(kind), findVisibleIds),
    order: (orderBy: string | readonly string[] | undefined, kind: Kind | undefined) =>
      visibleOrder(orderBy, linksOf(kind)),
    /** True when a selection would reveal a hidden id: its query must match nothing. */
    isHidden: (selection: Selection, kind: Kind | undefined) =>
      !isVisibleSelection(selection, linksOf(kind), findVisibleIds),
  }
}
